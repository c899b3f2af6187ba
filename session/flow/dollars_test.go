package flow_test

import (
	"testing"

	"brenner/session/flow"
)

func TestDollarsAreExact(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "5": 5_000_000_000, "5.": 5_000_000_000, "0.50": 500_000_000, "007": 7_000_000_000, "0.000000001": 1,
		"900719.925474099": 900_719_925_474_099, "1000000": 1_000_000_000_000_000,
	} {
		if got, ok := flow.ParseDollars(text); got != want || !ok {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", ".", ".5", "-1", "+1", "1e3", "0x1", "1_000", " 1", "1,5", "1.2.3", "0.0000000001", "1000000.1", "10000000", "NaN", "Inf", "٥"} {
		if got, ok := flow.ParseDollars(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}
