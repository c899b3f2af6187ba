package cli

import "testing"

func TestInShell(t *testing.T) {
	for text, want := range map[string]string{
		"night.yaml": "night.yaml", "/a b/night.yaml": "'/a b/night.yaml'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "": "''", "größe.yaml": "größe.yaml",
	} {
		if got := inShell(text); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}
