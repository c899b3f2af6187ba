package audit_test

import (
	"os"
	"testing"

	"brenner/store/opentest"
)

func TestMain(m *testing.M) { os.Exit(opentest.Main(m)) } //nolint:forbidigo // a main of the tests
