package delta_test

import "testing"

// A sentence that leaves an item, or all of them, as they are contradicts a block that edits it.
func TestWhatIsLeftAsItIs(t *testing.T) {
	const none, kill, edit, both = "kill h2, edit h1", "KILL H2, edit h1", "kill h2, EDIT H1", "KILL H2, EDIT H1"
	for line, want := range map[string]string{
		"H1 stays as it is.": kill, "On reflection, H1 should stay unchanged.": kill, "I leave H1 untouched.": kill, "I'd leave H1 as is.": kill, "Do not edit H1.": kill,
		"Please don't change H1 yet.": kill, "So no changes to H1 are needed.": kill, "No changes are needed to H1.": kill,
		"No changes are needed this round.": none, "So no changes are proposed.": none, "No edits are required from my side.": none,
		"H2 stays.":                          edit,
		"H1 stays unchanged in its anchors.": both, "H1 stays the leading hypothesis.": both, "T1 stays as it is.": both, "The anchors of H1 stay as they are.": both,
		"No other changes are needed.": both, "No changes are needed to T1.": both, "If T1 fails, H1 stays as it is.": both, "RedSky says that H1 stays as it is.": both,
		"Do not forget the controls above.":  both,
		"## Tests\n\nNo changes are needed.": both, "**T1**\n\nNo changes are needed this round.": both, "Tests:\n\nNo edits are required.": both, "- Tests: No changes are needed.": both,
		"## Summary\n\nNo changes are needed this round.": none,
	} {
		blocks := "```delta\n" + killOfH2 + "\n```\n\nIts reasons are given.\n\n```delta\n" + editOfH1 + "\n```\n\n"
		for _, behind := range []string{line, "The evidence is thin.\n\n" + line} {
			if got := outcomes(blocks + behind); got != want {
				t.Errorf("%q: got %s, want %s", behind, got, want)
			}
		}
	}
}
