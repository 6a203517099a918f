"""Reads a CSV file, sums it up into parquet, then tries a write that fails; the listener reports all of it.

The first argument is a folder of its own to work in.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

# Stands in the statement that fails and in its error.
LITERAL = "CH9300762011623852957"


def main() -> None:
    folder = Path(sys.argv[1])
    orders = folder / "orders.csv"
    orders.write_text("customer,amount\nanna,10\nanna,20\nbert,5\n", encoding="utf-8")
    spark = SparkSession.builder.getOrCreate()
    spark.read.csv(str(orders), header=True, inferSchema=True).createOrReplaceTempView("orders")
    totals = spark.sql("select customer, sum(amount) as total from orders group by customer")
    totals.write.parquet(str(folder / "totals"))
    # With a type, so that it is planned and fails while it runs.
    failing = spark.sql(f"select cast(raise_error('{LITERAL}') as string) as reason from orders")
    try:
        failing.write.parquet(str(folder / "failed"))
    except Exception:  # noqa: BLE001 (py4j raises its own)
        print("FAILED AS PLANNED", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
