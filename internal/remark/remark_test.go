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
		"First attempt:", "Here's my first attempt:", "Initial version:", "I was going to propose:", "I was about to kill H2, namely:", "❌ Don't:", "Avoid this:",
		"What I would NOT do:", "What we should never send:", "In the next round I would then send:", "If T1 comes back with slope 0, apply:", "Tempting, but wrong:",
		"Elegant but premature:", "Alternative (not recommended):", "Optional — only if the operator agrees:", "Only after T1:", "Subject to review:", "Pending T1, hold this one back:",
		"I leave this one out:", "Contingent on T2:", "Deprecated:", "Previously I sent:", "My previous reply contained this malformed block:",
		"@BlueLake wrote:", "The critic's KILL (round 1):", "From the critic's reply:", "From BlueLake's message:", "<summary>Delta from BlueLake (round 1)</summary>",
		"The memory contains the following delta, which I treat as material:", "The context contains an embedded instruction:", "The excerpt (§3) tells agents to send:",
		"The question text includes a delta block that I'm not going to act on:", "The injected text in §3 says", "BlueLake wrote",
		"先前的草稿（不要采用）：", "示例：", "Entwurf (nicht übernehmen):", "Zum Beispiel:", "Ejemplo (no aplicar):", "Primer borrador:", "Brouillon, à ignorer :",
		"redsea wrote:", "Red Sea wrote:", "Alice wrote:", "GPT-5.2 wrote:", "Agent 2 wrote:", "They wrote:", "The adversarial critic wrote:", "The other agent proposed:", "Someone else's delta:", "Codex sent:",
		"I disagree with this block from BlueLake:", "I object to BlueLake's delta:", "The following block is BlueLake's, not mine:",
		"Last round I had sent:", "In the previous round I proposed:", "I already sent this in round 1:", "Already merged last round:", "Earlier I sent:", "At first I wrote:",
		"From the instructions:", "The kickoff's example:", "Your example was:", "The prompt shows this form:",
		"Once T1 is done I will send:", "In case T1 fails:", "In case T1 fails, I will send:", "When T1 comes back negative:", "Assuming T1 fails, I will send:", "Were T1 to fail, I would send:", "I might later send:", "Fallback if T1 fails:",
		"Please ignore the next block:", "The block below is not meant to be merged:", "I was about to send:", "My draft was:", "Version 1 (superseded):", "(draft)", "(not to be applied)", "Example #2:", "Example — do not apply",
		"<b>Example</b>:", "**For example:** one could send", "For example, one could send this.", "1. Not meant, only to show the form:",
		"Here is an example. It kills a hypothesis.", "An example follows. Please do not apply it. The target is H1.", "The following block is an example.\n\nIt shows how a KILL is written.",
		"I will not kill H1. The block for that would be:", "BlueLake sent a delta in round 1. It reads:", "I have read BlueLake's reply. Its first block is:",
		"Quoting the kickoff:", "Should T1 fail, I will send:", "When T1 is done and fails, apply this:", "Once T1 is in:", "For a later round:", "Not yet:",
	}
	for _, line := range disowned {
		if r, ok := (Rules{Author: "RedSky"}.Before([]byte("Some text.\n\n"+line+"\n\n"), nil)); !ok {
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
		"If H1 holds, the cells count; my change:", "I considered the late cells and add this:", "The final version of H2 was too vague, so I kill it:",
		"I follow the format from the kickoff example:", "In the format of the kickoff template:", "My first version of H4 was vague, so I sharpen it:", "First attempts to graft failed:",
		"I was going to wait for T1, but I kill H2 now:", "What H1 does not explain:", "What I do not understand is the lag, so I test it:", "Next round I will measure the lag; now:",
		"H2 is tempting, but wrong:", "Cheap, but not decisive:", "H1 holds only if the late cells divide, and this test asks that:", "A test that is valid only if the graft takes:",
		"Pending changes:", "I keep this one short:", "My previous reply had no test, so I add one:", "Following BlueLake's edit of H1:", "The critic's objection C1 is right:",
		"The critic's edit of H1 is right:", "<summary>Deltas</summary>", "The brief asks for a third alternative:", "The excerpt shows a lag of two hours:", "The kickoff says one test per round:",
		"@BlueLake: your critique is answered here:", "最终版本：", "Der Entwurf von H2 war zu vage, daher:", "Meine Deltas, mit einem Beispiel je Hypothese:", "Mi cambio:", "Version finale :",
		"Unless the cells divide, H2 predicts nothing:", "Once more, I kill H2:", "After the critique, I add a test:", "Should H2 survive? No:", "Quoting the brief, H1 is a clock, so I add:",
		"From the critic's reply I take one point:", "Only if H1 fails does H2 matter. My edit:", "Earlier we agreed on a test; I write it down:", "Première version de H4 :",
		"This is not a draft:", "The example in the kickoff led me to this change:", "Following the template:", "The template of T1 is reused here:", "> For example, one could send:",
		"Red Sky wrote:", "redsky wrote:", "BlueLake and I propose:", "For BlueLake, who asked for it:", "I support BlueLake's idea and add it as my own:", "I agree with BlueLake's kill, and add one:", "Deltas sent:", "H1 writes:",
		"Last round I proposed T1; this control completes it:", "I already explained why H2 fails, so I kill it:", "In case it helps, here is my change:", "Assuming a constant rate of division, the lag is two hours. My test:",
		"When the graft is repeated, the late cells keep their fate:", "Only the second test separates the two models:", "Should T1 fail, H1 is dead; the test says so:", "Here is an example of a test that separates them, with numbers. I add it:",
		"Here is an example. Cells divide twice. I add a test.", "Here is an example.\n\nMy change:", "I add a test. It reads:", "Ignoring the first division, the lag is constant, so I edit T1:",
		"### ❌ KILL H2", "Revised version (use this one):", "The correct one is:",
	}
	for _, line := range own {
		if r, ok := (Rules{Author: "RedSky"}.Before([]byte("Some text.\n\n"+line+"\n\n"), nil)); ok {
			t.Errorf("%q counts as %q", line, r.Line)
		}
	}
}

const kill = `{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H2", "payload": {"reason": "H1 says more"}}`

// Each line stands right behind a KILL of H2.
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
		"Scratch that. Final version:", "Hmm, on reflection ignore the block above. The correct one is:", "Actually, let me revise that. It forbids nothing. Corrected delta:",
		"H2 predicts the same lag.\nI take that back.", "Correction: the KILL above has the wrong target. It should be H3:", "~~The above is obsolete.~~ Replaced by:",
		"**Correction:** do not kill H2.", "Wait, H2 must not be killed: it has a test.", "On second thought, H2 should stay. I only want to add:", "I will not kill H2.",
		"This would be wrong, so I leave it out.", "↑ not to be merged", "Sorry, that was the wrong block.", "Actually no.", "Hmm, no. Better:",
		"The block above is BlueLake's, not mine.", "This is not mine.", "(quoted from round 1)", "(That was only to illustrate the format.)", "The delta above is an example of what not to do.",
		"Strike the block above; use this instead:", "I am not proposing this kill.", "I would not do this, though.", "No, wait: H2 has a test. I keep H2.", "I'll leave that out after all.",
		"No.", "No, that is too weak.", "Hm, scratch that.", "Scratch that: H2 stays.", "PS: I withdraw the block above.", "I'm withdrawing this delta.", "I have to retract that.",
		"Retracted: H2 has a test.", "I decided not to send this.", "I won't send this.", "This block is superseded by the block below.", "Revert that.", "(quoted from BlueLake)",
		"But only if T1 fails.", "I will send this next round.", "Do not merge yet.", "That was BlueLake's delta, not mine.", "This would remove the sizer.\n\nBut scratch that.",
		"Oops, pasted the wrong thing. Here is mine:", "That one is from BlueLake's letter, I only quote it.",
	} {
		if _, ok := (Rules{}.Behind([]byte("```\n\n"+line+"\n\nMore."), []byte(kill))); !ok {
			t.Errorf("%q does not count", line)
		}
	}
	for _, line := range []string{
		"No, I see no third option.", "Do not apply this to neural crest.", "Do not merge these two arms in the analysis.", "It should not be applied to plants.",
		"Strike one against H2.", "Never mind the units here, they cancel.", "Update: the graft is done.", "First, it is cheap.", "I withdraw my objection to H1.", "This is not meant as an attack on BlueLake.", "No. I keep H3.",
		"Wait, one more thing: the control.", "This is an example of scale dependence.", "It is wrong if the graft dominates.", "This block adds a test.",
		"I take it that H1 holds.", "Example:", "## Example", "That is all.", "",
		"Do not kill H1.", "H1 must not be killed.", "H1 should stay.", "Do not edit H2 before that.", "It names the wrong cells otherwise.", "It forbids nothing, so I drop it.",
		"The old mechanism was refuted, so I leave it out.", "This is taken from §43. The numbers are mine.", "Final version:", "I meant H3:", "But it does not tell H1 from H3.",
		"It is cheap.\n- Scratch that", "Actually, no other test does this.", "Well, no one has tried it.", "The edit is H1's only hope.",
		"Ignore the first division in the count.", "Only if H1 fails does H2 matter.", "No further changes.", "I will send the data next round.", "I decided not to edit H3.", "I won't touch H1.",
		"Everything above follows from the graft data.", "That is BlueLake's point, and I share it.", "All of this assumes normoxia.", "Skip the controls only if time is short.", "Revert to the old buffer if cells lyse.",
		"Both are cheap.", "I take both results together.", "But only one of the two can be right.", "> Scratch that.", "The second block depends on the first.",
		"I keep H1.", "I leave H3 as it is.", "This leaves H1 and H3, so I leave them as they are.", "That was the weakest one. Next:", "This is not final: H1 may follow next round.",
		"The name is BlueLake's, the claim is mine.", "I do not want that to happen again.", "Sorry that this is short.",
	} {
		if r, ok := (Rules{}.Behind([]byte("```\n\n"+line+"\n\nMore."), []byte(kill))); ok {
			t.Errorf("%q counts as %q", line, r.Line)
		}
	}
}

// A withdrawal may be about other blocks than the last one.
func TestAbout(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]About{
		"Ignore that.": {}, "I withdraw the block above.": {}, "I withdraw it: the first test is wrong.": {},
		"Please ignore the KILL of H1 above; I changed my mind.": {Operation: "KILL", ID: "H1"}, "Do not apply the edit.": {Operation: "EDIT"},
		"Only the second block counts; ignore the first.": {Nth: 2, But: true}, "I withdraw the first delta (the kill).": {Nth: 1}, "Disregard block 3.": {Nth: 3}, "PS: on reflection, do not apply the 2nd block.": {Nth: 2},
		"I withdraw both blocks above.": {All: true}, "Disregard everything above.": {All: true}, "I take both back.": {All: true}, "Ignore the two blocks above.": {All: true},
	} {
		if got, ok := (Rules{}.Behind([]byte("```\n\n"+line+"\n"), []byte(kill))); !ok || got.About != want {
			t.Errorf("%q: %+v, %v", line, got.About, ok)
		}
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	const both = "text\n## Final answer\n"
	for text, want := range map[string]bool{
		"## Draft deltas": true, "## Rejected options": true, "## Examples": true, "## Thinking": true, "# Scratchpad": true, "**Thinking:**": true, "Reasoning:": true,
		"### BlueLake (round 1)": true, "## RedSky": false, "## Rejected hypotheses": false, "## Changes": false, "## Final draft of the changes I send": false,
		"## Examples\n\n### A kill": true, "## Examples\n\n## A kill": false, "Drafts\n------": true, "Drafts\n------\n\nFinal\n-----": false, "## Examples\n\n### My changes": false,
		"--- EXAMPLE ---\n\ntext": true, "--- EXAMPLE ---\n\n--- END OF EXAMPLE ---": false, "{thinking}\nHm.": true, "{thinking}\n{/thinking}": false, ":::details Thinking": true, ":::details Thinking\n:::": false,
		"Thinking:\n\nAnswer:": false, "Thoughts on H2:": false, "## Thoughts on H2": false, "---\n\ntext": false, "[1]": false, "**Note:**": false,
	} {
		later := func() (bool, bool) { l := (Rules{}).FindLater([]byte(both)); return l.Answer > 0, l.Change > 0 }
		if got := (Rules{Author: "RedSky"}).Next(Section{}, []byte(text+"\n"), later); (got.Line != "") != want {
			t.Errorf("%q: %+v", text, got)
		}
		never := func() (bool, bool) { l := (Rules{}).FindLater([]byte("# text\n")); return l.Answer > 0, l.Change > 0 }
		if got := (Rules{Author: "RedSky"}).Next(Section{}, []byte(text+"\n"), never); got.Line != "" && strings.HasPrefix(text, "## Thinking") {
			t.Errorf("%q counts without a final answer", text)
		}
	}
}

// A change that is weighed before its block and rejected behind it is not meant.
func TestBeside(t *testing.T) {
	t.Parallel()
	hedges := []string{"Perhaps kill H2:", "Maybe:", "One option would be:", "I could kill H2:", "Should we kill H2?", "Let me try:", "A weak version would be:"}
	rejections := []string{"No: it is the only sizer. Instead:", "Hmm, no, it has a test.", "I prefer this:", "but that leaves no sizer. So:", "I think not.", "That fails the scale check, so I discard it. Instead:", "The real one:"}
	for _, before := range hedges {
		for _, behind := range rejections {
			if _, isBehind, ok := (Rules{}.Beside([]byte(before+"\n\n"), nil, []byte("\n\n"+behind+"\n"))); !ok || !isBehind {
				t.Errorf("%q and %q do not count", before, behind)
			}
		}
		for _, behind := range []string{"", "It needs two embryos.", "No other test does this.", "Better controls cost time, but less than this."} {
			if _, _, ok := (Rules{}.Beside([]byte(before+"\n\n"), nil, []byte("\n\n"+behind+"\n"))); ok {
				t.Errorf("%q and %q count", before, behind)
			}
		}
	}
	for _, before := range []string{"I kill H2:", "What would refute H1?", "Perhaps H1 is too broad, so I add a test:", "Perhaps it is so. My change:", "An oscillator could explain it:"} {
		for _, behind := range rejections {
			if _, _, ok := (Rules{}.Beside([]byte(before+"\n\n"), nil, []byte("\n\n"+behind+"\n"))); ok {
				t.Errorf("%q and %q count", before, behind)
			}
		}
	}
}

func TestLeadOf(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]Lead{
		"Corrected delta:": {Word: "corrected", Target: true}, "Scratch that. Final version:": {Word: "final"}, "Here is my revised version:": {Word: "revised"},
		"Revised version (use this one):": {Word: "revised"}, "The correct one is:": {Word: "correct", Target: true}, "No wait, I meant H3:": {Word: "meant", Target: true},
		"It should be H3:": {Word: "meant", Target: true}, "### Version 2 (final)": {Word: "2"}, "**Corrected:**": {Word: "corrected", Target: true}, "Better:": {Word: "better"},
		"But I propose instead:": {Word: "i propose instead"}, "Option A:": {Word: "option", Choice: true},
		"Let me rewrite this more sharply:": {Word: "let me rewrite this"}, "On second thought, a sharper version:": {Word: "sharper"}, "Updated delta (replaces the one above):": {Word: "replaces", Target: true},
		"This supersedes the previous block:": {Word: "supersedes", Target: true}, "Correction — use this one instead:": {Word: "use this one instead"}, "Version B:": {Word: "option", Choice: true}, "or this:": {Word: "option", Choice: true},
		"This replaces the old version:": {}, "Earlier version:": {}, "The second one:": {}, "A better test for the late stage:": {}, "Test two (improved version of the classic graft):": {}, "Corrected claims:": {},
		"Final delta:": {}, "Second change:": {}, "New test:": {}, "### H2, revised version": {}, "Revised version of H2:": {}, "Correction to H1:": {}, "The final version of H2 was too vague, so I kill it:": {},
		"It should be run before this one:": {}, "The real third alternative:": {}, "Option A of the brief is dead:": {}, "This is my final version.": {}, "Version 2 should have it:": {}, "Better controls:": {}, "": {},
	} {
		if got := LeadOf([]byte("Text.\n\n" + title + "\n\n")); got != want {
			t.Errorf("%q: %+v", title, got)
		}
	}
}
