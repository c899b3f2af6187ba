//go:build unix

package text_test

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/text"
)

// A shell splits a command into the original words.
func TestShellCommandRoundTrip(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("aZ0 ;&|<>$`\"\\#~=*?[]{}()!%^-\n'é\u202e")), -1, 12, -1), 1, 4).Draw(t, "words")
		command, ok := text.ShellCommand(words...)
		if !ok {
			return
		}
		out, err := exec.CommandContext(t.Context(), sh, "-c", `printf '%s\n' `+command).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); strings.Join(got, "\n") != strings.Join(words, "\n") {
			t.Fatalf("%q: got %q from %s", words, got, command)
		}
	})
}
