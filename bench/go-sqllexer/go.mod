module lineage-evidence/bench/go-sqllexer

go 1.25

require github.com/DataDog/go-sqllexer v0.2.6
