module bad

go 1.26.0

require (
	example.com/allowed v0.0.0
	example.com/log v0.0.0
	github.com/google/uuid v0.0.0
)

replace (
	example.com/allowed => ./modules/allowed
	example.com/log => ./modules/log
	github.com/google/uuid => ./modules/uuid
)
