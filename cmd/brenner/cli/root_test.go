package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"brenner/cmd/brenner/cli/ui"
)

// A first argument that names a family adds only its command, which must have that name.
func TestFamiliesHaveTheirNames(t *testing.T) {
	for _, f := range (Extension{}).families() {
		a := &ui.App{Log: zerolog.Nop()}
		if got := f.command(a).Name(); got != f.name {
			t.Errorf("the family %s has the command %s", f.name, got)
		}
		if c, _, err := (Extension{}).root(a, []string{f.name}).Find([]string{f.name}); err != nil || c.Name() != f.name {
			t.Errorf("brenner %s finds %v, %v", f.name, c, err)
		}
	}
}

// Another program names itself in its help, hints and the commands that it proposes.
func TestHintsNameTheProgram(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"--help"},
		{"loop", "--help"},
		{"loop", "run", "--help"},
		{"loop", "status", "night"},
		{"loop", "status", "night", "--json"},
		{"loop", "ls"},
		{"lop"},
		{"session", "list"},
		{"init"},
		{"doctor"},
		{"session", "start", "--question", "Why?", "--preset", "default-3-agent", "--via", "rehearsal", "--thread-id", "RS-20261118-xy"},
		{"session", "status", "RS-20261118-xy"},
	} {
		var out bytes.Buffer
		Extension{Program: "brenner-x"}.Run(t.Context(), args, ui.Streams{
			In: strings.NewReader(""), Out: &out, Err: &out, Environ: []string{"BRENNER_PROJECT=" + dir, "HOME=" + dir}, Now: time.Now,
		})
		if got := out.String(); !strings.Contains(got, "brenner-x ") || strings.Contains(got, "`brenner ") || strings.Contains(got, "  brenner ") {
			t.Errorf("%v: got %s", args, got)
		}
	}
}
