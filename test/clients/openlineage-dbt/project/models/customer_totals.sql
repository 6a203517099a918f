{{ config(materialized='table') }}
-- Fails when it runs, not when it is compiled: the text is no number.
select customer, sum(amount) + cast('CH9300762011623852957' as integer) as total
from {{ ref('stg_orders') }}
group by customer
