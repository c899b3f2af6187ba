module example.com/log

go 1.26.0
