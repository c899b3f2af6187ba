module bad

go 1.26.0

require (
	example.com/allowed v0.0.0
	example.com/log v0.0.0
	github.com/google/uuid v0.0.0
	github.com/mattn/go-isatty v0.0.0
	github.com/spf13/cobra v0.0.0
	github.com/spf13/pflag v0.0.0
	golang.org/x/term v0.0.0
)

replace (
	example.com/allowed => ./modules/allowed
	example.com/log => ./modules/log
	github.com/google/uuid => ./modules/uuid
	github.com/mattn/go-isatty => ./modules/go-isatty
	github.com/spf13/cobra => ./modules/cobra
	github.com/spf13/pflag => ./modules/pflag
	golang.org/x/term => ./modules/term
)
