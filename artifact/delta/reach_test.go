package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// A remark at the end of a reply may be about all of its blocks, also if they have text between them.
func TestRemarksBehindSeveralBlocks(t *testing.T) {
	const none, first, last, both = "kill h2, edit h1", "kill h2, EDIT H1", "KILL H2, edit h1", "KILL H2, EDIT H1"
	for line, want := range map[string]struct{ run, apart string }{
		// it points to several
		"Do not apply these.": {none, none}, "Please don't merge them yet.": {none, none}, "Neither of these is final.": {none, none}, "These can wait until the next round.": {none, none},
		"These are only illustrations of what one could submit.": {none, none}, "I am not submitting these this round.": {none, none}, "Consider these drafts.": {none, none},
		"(Do not execute the deltas above; they only show the format.)": {none, none}, "Please note that these are hypothetical changes and should be checked before applying.": {none, none},
		"Hold off on applying these until RedSky has answered.": {none, none}, "**Note:** these changes should not be applied until T1 is in.": {none, none}, "The above changes do not count.": {none, none},
		"Everything above is hypothetical.": {none, none}, "All of this is hypothetical, of course.": {none, none}, "On reflection neither change is necessary.": {none, none},
		// it points to what stands above, at the end of the reply
		"Ignore the above.": {none, none}, "The above is hypothetical.": {none, none},
		// it points to nothing
		"Never mind.": {none, last}, "Don't merge yet.": {none, last}, "Pending approval by the operator.": {none, last}, "On second thought, let's leave the slate alone.": {none, last},
		// it points to one
		"Forget it.": {last, last}, "This is only an example.": {last, last}, "It is only a draft.": {last, last},
		// it names some
		"Ignore H2 above.": {first, first}, "Skip H2 and H1 for now.": {none, none}, "Ignore blocks 1 and 2.": {none, none}, "Ignore 1 and 2 above.": {none, none}, "Blocks 1 and 2 are drafts.": {none, none},
		"The first is void.": {first, first},
		// it only lists them, or is about something else
		"H2, H1 above.": {both, both}, "Summary: block 1 kills H2, block 2 sharpens H1.": {both, both}, "Please apply these in order.": {both, both}, "Both stand on their own.": {both, both},
		"These are the two changes I stand by.": {both, both}, "Neither of these touches the tests.": {both, both}, "Ignore the noise in T1.": {both, both}, "Skip T2 if the budget is short.": {both, both},
		"I have not changed T1, since those measurements are not final.": {both, both},
	} {
		for between, want := range map[string]string{"": want.run, "H1 is not sharp enough.": want.apart} {
			blocks := "```delta\n" + killOfH2 + "\n```\n\n" + between + "\n\n```delta\n" + editOfH1 + "\n```\n\n"
			if got := outcomes(blocks + line); got != want {
				t.Errorf("%q behind two blocks with %q between them: got %s, want %s", line, between, got, want)
			}
		}
	}
	if got, want := outcomes("", killOfH2+"\n```\n\nIgnore the above.\n\n```delta\n"+editOfH1), first; got != want {
		t.Errorf("above a later block: got %s, want %s", got, want)
	}
}

// A line NO CHANGES without a reason contradicts the blocks of a reply, unless it is about a part of it.
func TestNoChangesBesideABlock(t *testing.T) {
	for line, want := range map[string]string{
		"NO CHANGES": "kill h2", "**NO CHANGES**": "kill h2", "No changes.": "kill h2",
		"## Tests\n\nNO CHANGES": "KILL H2", "Predictions:\nNO CHANGES": "KILL H2", "- Tests: NO CHANGES": "KILL H2", "T1\n\nNo changes.": "KILL H2",
		"NO CHANGES elsewhere.": "KILL H2", "No further changes.": "KILL H2",
	} {
		for _, text := range []string{"#\n\n%", "%\n\n#"} {
			if strings.HasPrefix(text, "%") && want == "KILL H2" {
				continue // it may be a title of the block
			}
			text = strings.NewReplacer("#", "```delta\n"+killOfH2+"\n```", "%", line).Replace(text)
			read := delta.Read([]byte(text), delta.Options{Author: "GreenField", NoChanges: true})
			if got := len(read.Blocks) == 1 && read.Blocks[0].OK; got != (want == "KILL H2") || read.NoChanges != nil {
				t.Errorf("%q: got %+v", text, read.Blocks)
			}
		}
	}
}
