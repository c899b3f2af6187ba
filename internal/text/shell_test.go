package text_test

import (
	"testing"

	"brenner/internal/text"
)

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"brenner", "session", "resolve", "RS-20261115-x", "P1.predictions.H1"}, "brenner session resolve RS-20261115-x P1.predictions.H1"},
		{[]string{"a", "H1; touch pwned #"}, "a 'H1; touch pwned #'"},
		{[]string{"a", "$(id)", "`id`", "~", "=ls", "x*", "!!", ""}, "a '$(id)' '`id`' '~' '=ls' 'x*' '!!' ''"},
		{[]string{"a", "später"}, "a 'später'"},
		{[]string{"a", "it's"}, ""},
		{[]string{"a", "it’s"}, ""},
		{[]string{"a", "x\ny"}, ""},
		{[]string{"a", "\x1b[31m"}, ""},
		{[]string{"a", "\u202e"}, ""},
		{[]string{"a", "\xff"}, ""},
	} {
		got, ok := text.ShellCommand(c.words...)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, %t", c.words, got, ok)
		}
	}
}

func TestCommandToCopy(t *testing.T) {
	if got := text.CommandToCopy("brenner show", "NAME", "a b"); got != "brenner show 'a b'" {
		t.Errorf("got %q", got)
	}
	if got := text.CommandToCopy("brenner show", "NAME", "it's"); got != "brenner show NAME" {
		t.Errorf("got %q", got)
	}
}
