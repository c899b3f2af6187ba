package slots_test

import (
	"os"
	"testing"

	"brenner/store/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) } //nolint:forbidigo // a main of the tests
