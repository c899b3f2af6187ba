package remark

import (
	"strings"
	"testing"
)

// Each line stands right before a block of RedSky.
func TestBefore(t *testing.T) {
	t.Parallel()
	disowned := []string{
		"Do NOT apply this:", "DO NOT APPLY", "Not to be executed:", "Example (do not apply):", "For illustration only:",
		"### Discarded drafts", "### Withdrawn", "Rejected draft:", "Draft, not final:", "The kickoff shows this example:",
		"The prompt gives this template:", "What not to do:", "If T1 fails, I will send:", "If T1 fails, send:", "If T1 fails:",
		"Next round I would send:", "Previously BlueLake sent:", "BlueLake wrote:", "I would NOT send this:", "Bad example:",
		"Example of the format:", "An example of a bad delta:", "GreenValley proposed this in round 1:", "Old version:", "Old:", "Before:",
		"This was my delta in round 1:", "In round 1 I sent:", "Option B (not chosen):", "Hypothetically:",
		"Alternative that I decided against:", "Conditional on T1:", "For reference only:", "As posted by BlueLake:",
		"Quoting BlueLake:", "Quoted from BlueLake:", "For example:", "**Example**", "## Examples", "2026-11-16 10:03 BlueLake wrote:",
		"BlueLake's delta:", "## BlueLake", "### BlueLake (round 1)", "**BlueLake (test designer):**", "Agent: BlueLake", "[BlueLake]",
		"I considered killing H2:", "The delta format is:", "I do not agree with this, please ignore it:", "Please ignore this block.",
		"Example", "This is only a draft.", "My first version was this:", "I had initially written:", "What I almost sent:", "Not submitting this one:", "Option A, which I reject:",
		"Deferred to next round:", "Scratch work:", "Copied from the instructions:", "Rough draft.", "Bad example.", "## Considered and rejected", "BlueLake suggests:", "**BlueLake (hypothesis_generator):** H2 fails the graft.", "Here is an example of what I would change.", "I had considered the following, but rejected it:",
	}
	for _, line := range disowned {
		if r, ok := Before([]byte("Some text.\n\n"+line+"\n\n"), "RedSky"); !ok {
			t.Errorf("%q does not count", line)
		} else if r.Line == "" {
			t.Errorf("%q: the remark has no line", line)
		}
	}
	own := []string{
		"As BlueLake wrote, H2 fails T1, so I kill it:", "BlueLake said H2 is vague. I agree:", "BlueLake proposed this test; my change:",
		"On Monday BlueLake wrote a critique. My answer:", "What BlueLake wrote about H2 is refuted:", "GreenValley proposed this kill earlier; I make it now:",
		"If H1 is right, this must fail:", "I considered killing H1 but add this instead:", "This replaces the old version:",
		"The first draft of H1 was vague; this sharpens it:", "Using the example format:", "My deltas, in the format of the kickoff:",
		"**Rationale:** the clock may run twice. If the graft assay is negative, H1 is dead.", "**Potency check:** if the positive control fails, stop.",
		"**To BlueLake:** your previous critique is answered here.", "## Response to previous critiques", "### What if H1 fails?",
		"### Test for the next round", "I put forward a third alternative.", "I look forward to your answers.", "DAPT is not applied.",
		"I withdraw C2.", "This suggests a test:", "BlueLake suggested a control, which I add:", "Here's my delta:", "Here’s the edit:",
		"Let's kill H1:", "## RedSky's deltas", "## RedSky", "RedSky:", "My changes in delta format:", "## Rejected hypotheses", "Here is my change:",
		"## Deltas", "This is not meant as an attack on BlueLake.", "I kill H2 as an old hypothesis:", "The previous test did not discriminate, so:",
		"This is the third test that I add.", "This is an example of what Brenner calls a decisive experiment.", "### Draft predictions", "### If H1 is wrong", "### Example-driven test", "First, a test of H1:", "For H1 I add a test:", "Here is my change", "For example, H1 predicts a lag of two hours.", "Examples of this are common in flies.",
	}
	for _, line := range own {
		if r, ok := Before([]byte("Some text.\n\n"+line+"\n\n"), "RedSky"); ok {
			t.Errorf("%q counts as %q", line, r.Line)
		}
	}
}

// Each line stands right behind a block.
func TestBehind(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Actually, no. Scratch that.", "Correction: please disregard the previous delta.", "I take that back.", "Disregard the above.",
		"Ignore the block above.", "I retract the above KILL.", "**Retracted.**", "The block above is only a draft.",
		"(Please ignore this block.)", "This block is for illustration only.", "The delta above should not be applied.", "*Withdrawn.*",
		"(example only)", "I withdraw it.", "This is just an example.", "No, that is wrong; I withdraw it.", "That was only an example.", "Never mind.",
		"Oops, that was the wrong target; please ignore it.", "Update: I withdraw the kill above.", "Edit: I no longer want this kill.",
		"I changed my mind about this kill; do not merge it.", "The kill above is not part of my submission.", "^ Ignore this one.", "Forget that last delta.",
		"Sorry, wrong id. Disregard.", "**Withdrawn after review.**", "Scrap this.", "Rescinded.", "Let me redo that.", "Not this one.",
		"Hmm, wait. Looking at T1 again, H2 predicts the same lag. I take that back.",
	} {
		if _, ok := Behind([]byte("```\n\n" + line + "\n\nMore.")); !ok {
			t.Errorf("%q does not count", line)
		}
	}
	for _, line := range []string{
		"No, I see no third option.", "Do not apply this to neural crest.", "Do not merge these two arms in the analysis.", "It should not be applied to plants.",
		"Strike one against H2.", "Never mind the units here, they cancel.", "Update: the graft is done.", "First, it is cheap.", "I withdraw my objection to H1.", "This is not meant as an attack on BlueLake.", "No. I keep H3.",
		"Wait, one more thing: the control.", "This is an example of scale dependence.", "It is wrong if the graft dominates.", "This block adds a test.",
		"I take it that H1 holds.", "Example:", "## Example", "That is all.", "",
	} {
		if r, ok := Behind([]byte("```\n\n" + line + "\n\nMore.")); ok {
			t.Errorf("%q counts as %q", line, r.Line)
		}
	}
}

func TestAbove(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]bool{
		"## Draft deltas": true, "## Rejected options": true, "## Examples": true, "## Thinking": true, "# Scratchpad": true,
		"### BlueLake (round 1)": true, "## RedSky": false, "## Rejected hypotheses": false, "## Changes": false, "## Final draft of the changes I send": false,
	} {
		if _, ok := Above([]byte(heading), LastFinal([]byte("text\n## Final answer\n")) > 0, "RedSky"); ok != want {
			t.Errorf("%q: %v", heading, ok)
		}
		if _, ok := Above([]byte(heading), LastFinal([]byte("# text\n")) > 0, "RedSky"); ok && strings.Contains(heading, "Thinking") {
			t.Errorf("%q counts without a final answer", heading)
		}
	}
}
