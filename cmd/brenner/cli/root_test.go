package cli

import (
	"testing"

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
