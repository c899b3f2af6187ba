package shellword_test

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/shellword"
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
		got, ok := shellword.Command(c.words...)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %t", c.words, got, ok)
		}
	}
}

// A shell takes a command apart into the words that it was made of.
func TestAShellReadsTheSameWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("aZ0 ;&|<>$`\"\\#~=*?[]{}()!%^-\n'é\u202e")), -1, 12, -1), 1, 4).Draw(t, "words")
		command, ok := shellword.Command(words...)
		if !ok {
			return
		}
		out, err := exec.CommandContext(t.Context(), sh, "-c", `printf '%s\n' `+command).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); strings.Join(got, "\n") != strings.Join(words, "\n") {
			t.Fatalf("%q became %q by %s", words, got, command)
		}
	})
}
