package patch

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// A patch that its author takes back is not applied, whatever it calls it and however far behind it says so.
func TestPatchesTakenBack(t *testing.T) {
	const search = "spec\n<<<<<<< SEARCH\nbeta\n=======\nBETA\n>>>>>>> REPLACE\n"
	kinds := map[string]string{"a patch": inFence("json", specPatch), "a block": search, "a block in a fence": inFence("", search)}
	for name, block := range kinds {
		for _, line := range []string{
			"I withdraw this patch.", "I take this patch back.", "Please ignore this patch.", "Do not apply this patch.", "I retract this patch.", "Ignore the patch above.", "Never mind the patch.",
			"NO CHANGES: I withdraw this patch.", "NO CHANGES: I withdraw this block.", "Ignore the diff above.", "I withdraw this edit.", "I withdraw this proposal.",
			"It is shorter.\n\nI withdraw the patch above.", "It is shorter.\n\nIt says more.\n\nI withdraw the patch above.", "It is shorter.\n\nIt says more.\n\nIt is cheap.\n\nPlease ignore my first patch.",
		} {
			if found := ReadBlocks([]byte("My change:\n\n"+block+"\n"+line+"\n"), delta.NewestReader, "spec", "spec@v1"); len(found.Blocks) != 0 || len(found.Shown) != 1 {
				t.Errorf("%s, %q: got %d blocks and %d shown", name, line, len(found.Blocks), len(found.Shown))
			}
		}
		for _, line := range []string{"This patch makes the text shorter.", "NO CHANGES: the slate is right as it is.", "The patch above keeps the numbers.", "It is shorter.\n\nIt says more.\n\nThe patch above is small."} {
			if found := ReadBlocks([]byte("My change:\n\n"+block+"\n"+line+"\n"), delta.NewestReader, "spec", "spec@v1"); len(found.Blocks) != 1 {
				t.Errorf("%s, %q: got %d blocks: %+v", name, line, len(found.Blocks), found.Shown)
			}
		}
	}
}

// Of several patches, the one that is named is taken back.
func TestPatchesTakenBackByNumber(t *testing.T) {
	const kill = "```delta\n{\"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"target_id\": \"H2\", \"payload\": {\"reason\": \"H1 says more\"}}\n```\n"
	search := func(word string) string {
		return "spec\n<<<<<<< SEARCH\n" + word + "\n=======\n" + strings.ToUpper(word) + "\n>>>>>>> REPLACE\n\n"
	}
	three := search("alpha") + search("beta") + search("gamma")
	for text, want := range map[string]string{
		three + "I withdraw my second patch.\n":                                 "alpha gamma",
		three + "They are short.\n\nThey are new.\n\nIgnore the first block.\n": "beta gamma",
		three + "Please ignore all patches.\n":                                  "",
		three + "I withdraw the patch above.\n":                                 "alpha beta",
		three + "Only the second patch counts.\n":                               "beta",
		search("alpha") + "It is short.\n\nIt is new.\n\n" + search("beta") + "It is short.\n\nIt is new.\n\nI withdraw the patch above.\n": "alpha",
		kill + "\n" + search("alpha") + "It is short.\n\nIt is new.\n\nI withdraw my first block.\n":                                        "alpha",
		kill + "\n" + search("alpha") + "It is short.\n\nIt is new.\n\nI withdraw my first patch.\n":                                        "",
	} {
		var got []string
		for _, b := range ReadBlocks([]byte("My changes:\n\n"+text), delta.NewestReader, "spec").Blocks {
			got = append(got, strings.TrimSpace(b.Search))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %q, want %q:\n%s", got, want, text)
		}
	}
	if reply := delta.Read([]byte(kill+"\n"+search("alpha")+"I withdraw my first patch.\n"), delta.Options{}); len(reply.Blocks) != 1 || !reply.Blocks[0].OK {
		t.Errorf("the delta beside a patch that is taken back: %+v", reply.Blocks)
	}
}
