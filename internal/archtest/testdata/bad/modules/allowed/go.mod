module example.com/allowed

go 1.26.0
