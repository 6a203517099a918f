// Redacts the statements of standard input, one {"sql", "dbms"} a line, and prints one JSON object: the
// redacted texts in order, and the microseconds that each pass over all of them took.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"time"

	"github.com/DataDog/go-sqllexer"
)

const passes = 15

type statement struct {
	SQL  string `json:"sql"`
	DBMS string `json:"dbms"`
}

func main() {
	statements, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	// The strictest settings that keep names: booleans and bodies of functions go as well.
	obfuscator := sqllexer.NewObfuscator(
		sqllexer.WithReplaceBoolean(true),
		sqllexer.WithDollarQuotedFunc(true),
	)
	normalizer := sqllexer.NewNormalizer(
		sqllexer.WithKeepSQLAlias(true),
		sqllexer.WithKeepIdentifierQuotation(true),
	)
	texts := make([]string, len(statements))
	micros := make([]float64, 0, passes)
	for pass := 0; pass < passes; pass++ {
		start := time.Now()
		for i, s := range statements {
			text, _, err := sqllexer.ObfuscateAndNormalize(
				s.SQL, obfuscator, normalizer, sqllexer.WithDBMS(sqllexer.DBMSType(s.DBMS)))
			if err != nil {
				log.Fatal(err)
			}
			texts[i] = text
		}
		micros = append(micros, float64(time.Since(start).Nanoseconds())/1e3)
	}
	result := map[string]any{"texts": texts, "micros": micros}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

func read(input io.Reader) ([]statement, error) {
	var statements []statement
	decoder := json.NewDecoder(bufio.NewReader(input))
	for {
		var s statement
		err := decoder.Decode(&s)
		if errors.Is(err, io.EOF) {
			return statements, nil
		}
		if err != nil {
			return nil, err
		}
		statements = append(statements, s)
	}
}
