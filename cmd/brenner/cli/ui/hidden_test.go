package ui

import (
	"bytes"
	"testing"
)

// On a terminal a JSON document shows its control characters as escapes; for a program it is unchanged.
func TestJSONHidesNothingOnATerminal(t *testing.T) {
	value := map[string]string{"a": "x\u009b31m\u202ey\U000e0041 é"}
	for tty, want := range map[bool]string{
		true:  `{"a":"x\u009b31m\u202ey\udb40\udc41 é"}` + "\n",
		false: "{\"a\":\"x\u009b31m\u202ey\U000e0041 é\"}\n",
	} {
		var out bytes.Buffer
		a := &App{Streams: Streams{Out: &out, OutTTY: tty}}
		if err := a.PrintJSON(value); err != nil || out.String() != want {
			t.Errorf("terminal %t: got %q, %v; want %q", tty, out.String(), err, want)
		}
	}
}
