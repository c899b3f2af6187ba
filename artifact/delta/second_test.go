package delta

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
)

// rows formats the rows of a reply but for the good neighbour: line, state, flags and codes.
func rows(r Reply) string {
	var all []string
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if b.Delta.Payload.Text("claim") == "neighbour" {
			continue
		}
		state := "refused"
		switch {
		case b.OK:
			state = "taken"
		case b.Skipped():
			state = "shown"
		}
		words := []string{state}
		for _, f := range b.Flags {
			words = append(words, f.Name)
		}
		for _, p := range b.Problems {
			words = append(words, string(p.Code))
		}
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, " | ")
}

// Every form of a change has the same rows, whatever good block stands beside it.
func TestEveryAttemptHasARow(t *testing.T) {
	const (
		add  = `{"operation":"ADD","section":"anomaly_register","payload":{"name":"N","observation":"O"}}`
		kill = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"vague"}}`
	)
	in := func(word, text string) string { return "```" + word + "\n" + text + "\n```\n" }
	for _, c := range []struct{ name, text, want string }{
		{"in reasoning", "<think>\n" + in("delta", kill) + "</think>\n", "shown draft"},
		{"bare in reasoning", "<think>\n" + add + "\n</think>\n", "shown draft"},
		{"delta-json", in("delta-json", kill), "taken normalised"},
		{"deltas", in("deltas", kill), "taken normalised"},
		{"delta_1", in("delta_1", add), "taken normalised"},
		{"delta.json", in("delta.json", add), "taken normalised"},
		{"Δ", in("Δ", add), "taken normalised"},
		{"delta-example", in("delta-example", kill), "shown example"},
		{"delta example", in("delta example", kill), "shown example"},
		{"a draft by its fence", in("delta (draft, do not apply)", kill), "refused AMBIGUOUS_DELTA"},
		{"rejected by its fence", in("delta-rejected", kill), "refused normalised AMBIGUOUS_DELTA"},
		{"words with a hyphen or a value", in("delta no-wrap format=json schema=2", kill), "taken"},
		{"wrong by its fence", in("delta (wrong)", kill), "refused AMBIGUOUS_DELTA"},
		{"hypothetical by its fence", in("delta hypothetical", kill), "refused AMBIGUOUS_DELTA"},
		{"not to run by its fence", in("delta dry-run", kill), "refused AMBIGUOUS_DELTA"},
		{"not applied by its fence", in("delta applied=false", kill), "refused AMBIGUOUS_DELTA"},
		{"before, by its fence", in("delta-before", kill), "refused normalised AMBIGUOUS_DELTA"},
		{"another author's by its fence", in("delta by RedSky", kill), "refused AMBIGUOUS_DELTA"},
		{"python, all JSON", in("python", add), "taken unfenced"},
		{"python, a KILL", in("python", kill), "refused unfenced UNFENCED_DELTA"},
		{"python, among code", in("python", "send("+add+")"), "refused unfenced UNFENCED_DELTA"},
		{"yaml", in("yaml", "operation: KILL\nsection: hypothesis_slate\ntarget_id: H2"), "refused UNFENCED_DELTA"},
		{"xml", in("xml", "<operation>KILL</operation><target>H2</target>"), "refused UNFENCED_DELTA"},
		{"JSON in a text", in("json", `"{\"operation\": \"ADD\", \"section\": \"tests\"}"`), "refused UNFENCED_DELTA"},
		{"under another key", in("json", `{"note":"x","changes":[`+add+","+kill+"]}"), "taken unfenced normalised | refused unfenced normalised UNFENCED_DELTA"},
		{"under two keys", in("delta", `{"response":{"updates":[`+kill+"]}}"), "taken normalised normalised"},
		{"under an id", in("delta", `{"H4":`+add+"}"), "taken normalised"},
		{"under examples", in("delta", `{"examples":[`+kill+"]}"), "shown example"},
		{"without an operation", in("json", `{"section":"tests","payload":{"procedure":"p"}}`), "refused unfenced normalised INVALID_OPERATION"},
		{"in a list", "- " + add + "\n", "taken unfenced"},
		{"in inline code", "I would send `" + add + "` then.\n", "refused unfenced UNFENCED_DELTA"},
		{"in a tag", "<delta>\n" + add + "\n</delta>\n", "taken unfenced"},
		{"in a tag with attributes", "<delta operation=\"KILL\" target=\"H2\">vague</delta>\n", "refused UNFENCED_DELTA"},
		{"quoted and bare", "> " + add + "\n", "shown quoted"},
		{"in pre", "<pre>\n" + add + "\n</pre>\n", "refused unfenced UNFENCED_DELTA"},
		{"in pre, within a line", "So <pre>" + add + "</pre>\n", "refused unfenced AMBIGUOUS_DELTA"},
		{"between tags of an example", "<example>\n" + in("delta", kill) + "</example>\n", "shown example"},
		{"bare between tags of an example", "<examples><example>" + add + "</example></examples>\n", "shown example"},
		{"in an HTML block quote", "<blockquote>\n\n" + in("delta", kill) + "\n</blockquote>\n", "shown example"},
		{"in a quotation of a forum", "[quote=RedCreek]\n" + in("delta", kill) + "[/quote]\n", "shown example"},
		{"tags of an example in code", "`<example>`\n\n" + in("delta", kill) + "\n`</example>`\n", "taken"},
		{"between other tags", "<artifact id=\"1\">\n" + in("delta", kill) + "</artifact>\n", "taken"},
		{"commented out", in("js", "// "+add+"\n/*\n"+kill+"\n*/\nsend()"), "shown commented | shown commented"},
		{"in a comment within a line", "So <!-- " + kill + " --> it is.\n", "shown commented"},
		{"for example", "For example:\n\n" + in("delta", kill) + in("delta", add), "refused AMBIGUOUS_DELTA | taken"},
		{"several examples", "Two examples:\n\n" + in("delta", kill) + in("delta", add), "refused AMBIGUOUS_DELTA | refused AMBIGUOUS_DELTA"},
		{"withdrawn behind it", in("delta", kill) + "\nNo, that is wrong; I withdraw it.\n", "refused AMBIGUOUS_DELTA"},
		{"an example of the format", "Here is an example of the format:\n" + in("delta", kill), "refused AMBIGUOUS_DELTA"},
		{"what another agent wrote", "On Monday RedCreek wrote:\n\n" + in("delta", kill), "refused AMBIGUOUS_DELTA"},
		{"what another agent proposed", "**RedCreek's KILL** was:\n" + in("json", add), "refused unfenced AMBIGUOUS_DELTA"},
		{"bare, for example", "E.g.: " + add + "\n", "refused unfenced AMBIGUOUS_DELTA"},
		{"a rejected draft", "I considered this and decided against it:\n" + in("delta", kill), "refused AMBIGUOUS_DELTA"},
		{"an example mentioned", "I add an anomaly, for example in late cells:\n" + in("delta", add), "taken"},
		{"another agent mentioned", "Since RedCreek wrote that, I propose:\n" + in("delta", kill), "taken"},
		{"the author's own words", "As I proposed in round 1:\n" + in("delta", kill), "taken"},
		{"commented out in a delta fence", in("delta", "// "+kill+"\n"+add+"\n/* "+kill+" */"), "taken repaired | shown commented | shown commented"},
		{"all commented out in a delta fence", in("delta", "# "+kill), "shown commented"},
		{"only words commented out", in("delta", "// nothing to change"), "refused INVALID_JSON"},
		{"a forwarded message", "-----Original Message-----\nFrom: RedCreek\n\n" + in("delta", kill), "refused AMBIGUOUS_DELTA"},
		{"struck out", "~~" + add + "~~\n", "refused unfenced AMBIGUOUS_DELTA"},
		{"struck out by tags", "<del>\n\n" + in("delta", kill) + "</del>\n", "shown example"},
		{"a JSON Patch", in("json", `[{"op":"remove","path":"/hypothesis_slate/H2"}]`), "refused unfenced INVALID_OPERATION"},
		{"arguments of a function call", in("json", `{"name":"send","arguments":"{\"operation\":\"ADD\",\"section\":\"anomaly_register\",\"payload\":{\"name\":\"N\",\"observation\":\"O\"}}"}`), "taken unfenced normalised"},
		{"a list of YAML in a delta fence", in("delta", "- operation: KILL\n  target_id: H2\n- operation: KILL\n  target_id: H3"), "refused INVALID_JSON | refused INVALID_JSON"},
		{"an operation in a cell", "| H2 | **KILL** | vague |\n", "refused PROSE_ONLY"},
		{"an operation behind an id", "- **H2** → KILL (vague)\n", "refused PROSE_ONLY"},
		{"an id in a sentence", "H2: KILL would be premature.\n| ADD | EDIT | KILL |\n", ""},
		{"a fence without an end around a quotation", "```diff\n" + kill + "\n``\n\n> text\n\n> ```delta\n> " + kill + "\n> ```\n", "refused unfenced truncated AMBIGUOUS_DELTA | refused unfenced truncated AMBIGUOUS_DELTA"},
		{"DELTA[kind]", "DELTA[test]: cells keep count\n", "refused PROSE_ONLY"},
		{"a numbered heading", "### Delta 3: kill H2\n\nIt is vague.\n", "refused PROSE_ONLY"},
		{"bold", "**ADD X4:** late cells\n", "refused PROSE_ONLY"},
		{"an instruction", "KILL H2 — too vague\n", "refused PROSE_ONLY"},
		{"keys and values", "Operation: KILL\nSection: hypothesis_slate\nTarget: H2\n", "refused UNFENCED_DELTA"},
		{"a sentence", "KILL H2 would be premature.\n", ""},
		{"placeholders", in("delta", `{"operation":"ADD","section":"anomaly_register","payload":{"name":"...","observation":"<what was seen>"}}`), "shown example"},
		{"a KILL with a placeholder", in("delta", strings.Replace(kill, "vague", "...", 1)), "refused INVALID_FIELD"},
		{"a rule between", in("delta", add+"\n---\n"+kill), "taken repaired | taken repaired"},
		{"text between", in("delta", add+"\nand then\n"+kill), "taken | refused UNFENCED_DELTA"},
		{"after a broken one", in("delta", `{"operation":"ADD" "section"}`+"\n"+kill), "refused INVALID_JSON | refused UNFENCED_DELTA"},
		{"NaN", in("delta", `{"operation":"ADD","section":"anomaly_register","payload":{"name":"N","observation":"O","size":NaN}}`), "taken repaired"},
		{"an object of texts", in("delta", `{"operation":"ADD","section":"anomaly_register","payload":{"name":"N","observation":{"a":"b","c":"d"}}}`), "taken normalised"},
		{"objections", in("delta", `{"operation":"ADD","section":"objections","payload":{"name":"N","attack":"A"}}`), "taken normalised"},
		{"keys of the envelope", in("delta", strings.Replace(add, `{"op`, `{"agent":"X","op`, 1)), "taken ignored_keys"},
	} {
		neighbour := in("delta", `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"n","claim":"neighbour"}}`)
		for place, text := range map[string]string{"alone": c.text, "before": neighbour + "\n" + c.text, "after": c.text + "\n" + neighbour} {
			t.Run(c.name+", "+place, func(t *testing.T) {
				if got := rows(Read([]byte(text), Options{})); got != c.want {
					t.Errorf("got %q, want %q in\n%s", got, c.want, text)
				}
			})
		}
	}
}

// Two ADDs that are announced need two blocks, whatever their section.
func TestAnnouncedAddsNeedBlocksOfTheirOwn(t *testing.T) {
	block := fencedDelta(`{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"clock","claim":"cells count divisions"}}`)
	for _, text := range []string{
		"- ADD a hypothesis about gradients\n- ADD a hypothesis about cells that count\n\n" + block,
		"**ADD hypothesis**: cells read gradients\n\n**ADD hypothesis**: cells count divisions\n\n" + block,
		"### ADD hypothesis: clocks\n\n" + block + "\n### ADD hypothesis: gradients\n\nCells read them.\n",
		"### ADD hypothesis: gradients\n\nCells read them.\n\n### ADD hypothesis: clocks\n\n" + block,
	} {
		if got := rows(Read([]byte(text), Options{})); got != "refused PROSE_ONLY | taken" && got != "taken | refused PROSE_ONLY" {
			t.Errorf("got %s in\n%s", got, text)
		}
	}
}

// A text with marks in it is a text, not a placeholder.
func TestPlaceholders(t *testing.T) {
	for text, want := range map[string]bool{
		"<>": false, "<5 µm gradients>": false, "<b>cells</b>": false, "<cells count>": false, "a < b > c": false, "[x]": false, "[1]": false, "{a,b}": false, "TO" + "DO: why ...": false,
		"...": true, "…": true, "[...]": true, "<...>": true, "<claim>": true, "<your claim>": true, "<what was seen>": true,
	} {
		if got := fieldform.IsPlaceholder(artifact.Text(text)); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}

// A summary of changes that the reply has is no announcement.
func TestFulfilledAnnouncementsHaveNoRows(t *testing.T) {
	blocks := fencedDelta(`{"operation":"ADD","section":"hypothesis_slate","ref":"H4","payload":{"name":"n","claim":"c"}}`) + "\n" + fencedDelta(goodKill)
	for _, text := range []string{
		"## Deltas\n\n" + blocks,
		"### Delta 1: add a hypothesis\n\n### Delta 2\n\n" + blocks,
		blocks + "\n## Summary of deltas\n\n- ADD: a third way\n- ADD H4 (third way)\n- KILL H1: vague\n",
		"**ADD H4:** a third way\n\n**KILL H1**: vague\n\n" + blocks,
		"| ADD | H4 |\n| KILL | H1 |\n\n" + blocks,
	} {
		r := Read([]byte(text), Options{})
		if len(r.Blocks) != 2 || !r.Clean() {
			t.Errorf("got %s in\n%s", outcomes(r), text)
		}
	}
}

// The author of a reply whose only change is in its reasoning is asked to write it outside.
func TestReadAsksForDraftsOutsideReasoning(t *testing.T) {
	r := Read([]byte("<think>\n"+fencedDelta(goodKill)+"</think>\nI am done.\n"), Options{})
	if got := outcomes(r); got != "draft | reply NO_DELTAS" || !strings.Contains(r.Problems[0].Hint, "outside your reasoning") {
		t.Errorf("got %s, %+v", got, r.Problems)
	}
}

// Examples are compared by what they would do.
func TestExamplesAreComparedByTheirEffect(t *testing.T) {
	const example = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"Subsumed by H4"},"rationale":"redundant"}`
	kill := func(rest string) string {
		return fencedDelta(`{"operation":"kill","section":"hypotheses","target":"H2"` + rest + `}`)
	}
	for text, want := range map[string]string{
		kill(`,"payload":{"reason":"Subsumed  by H4"}`):         "example",
		kill(`,"payload":{"why":"Subsumed by H4"},"agent":"X"`): "example",
		kill(``):                            "normalised ok KILL",
		kill(`,"rationale":"redundant"`):    "example",
		kill(`,"rationale":"it is wrong"`):  "normalised ok KILL",
		kill(`,"payload":{"reason":"own"}`): "normalised ok KILL",
	} {
		r := Read([]byte(text), Options{Examples: []string{fencedDelta(example)}})
		if got := outcome(&r.Blocks[0]); got != want {
			t.Errorf("got %s, want %s: %s", got, want, text)
		}
	}
}

// In a session a delta that is nearly an example of its kickoff is asked for again.
func TestNearlyExamplesAreRefused(t *testing.T) {
	const example = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"The fish “data” of §12 contradict it. Nothing else depends on its gradient."}}`
	known := ReadExamples([]string{fencedDelta(example)}, SecondReader)
	kill := func(target, reason string) string {
		return fencedDelta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"` + target + `","payload":{` + reason + `}}`)
	}
	for text, want := range map[string]string{
		fencedDelta(example): "example",
		kill("H2", ``):       "AMBIGUOUS_DELTA",
		kill("H1", ``):       "ok KILL",
		kill("H2", `"reason":"the fish 'data' of §12 contradict it. Nothing else depends on its gradient"`): "AMBIGUOUS_DELTA",
		kill("H1", `"reason":"The fish data of §12 contradict it."`):                                        "AMBIGUOUS_DELTA",
		kill("H2", `"reason":"T1 shows that cells count their divisions"`):                                  "ok KILL",
	} {
		r := Read([]byte(text), Options{Known: known})
		if got := outcome(&r.Blocks[0]); got != want {
			t.Errorf("got %s, want %s: %s", got, want, text)
		}
	}
}

// Announcements are matched with blocks in linear time.
func BenchmarkReadAnnouncements(b *testing.B) {
	for _, size := range []int{1 << 20, 4 << 20} {
		text := []byte(strings.Repeat("KILL H2 — too vague\n\n"+fencedDelta(good)+"DELTA[hypothesis]: cells count\n\n", size/200))
		b.Run(fmt.Sprint(size>>20, "MB"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Read(text, Options{})
			}
		})
	}
}

// What follows the marks, attributions and headers of mail programs is another author's, unless it is
// marked as a quotation. What stands above them is the author's own.
func TestForwardedMail(t *testing.T) {
	kill := func(id string) string {
		return fencedDelta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"` + id + `","payload":{"reason":"vague"}}`)
	}
	header := "From: RedCreek\nSent: Monday\nTo: BlueLake\nSubject: DELTA\n\n"
	const below, taken = "taken | refused AMBIGUOUS_DELTA | refused AMBIGUOUS_DELTA", "taken | taken | taken"
	for mark, want := range map[string]string{
		"---------- Forwarded message ---------\n" + header:                               below,
		"---------- Forwarded message\r\n":                                                below,
		"----- Forwarded message from RedCreek <r@example.org> -----\n\n":                 below,
		"Begin forwarded message:\n\n":                                                    below,
		"________________________________\n" + header:                                     below,
		"**From:** RedCreek\n**Date:** Monday\n**To:** BlueLake\n**Subject:** DELTA\n\n":  below,
		"On Mon, 16 Nov 2026 at 22:00, RedCreek wrote:\n\n":                               below,
		"On Mon, Nov 16, 2026 at 10:00 PM RedCreek <r@example.org>\nwrote:\n\nHello.\n\n": below,
		"On Mon, 16 Nov 2026 at 22:00, RedCreek wrote:\n> KILL H2\n\nI agree.\n\n":        taken,
		"A forwarded message is no reason.\n\n":                                           taken,
		"From: the literature\nTo: the bench\n\n":                                         taken,
		"On page 3 of the notes, Brenner wrote that it is so.\n\n":                        taken,
		"```text\n-----Original Message-----\n```\n":                                      taken,
		"> -----Original Message-----\n\nMore.\n\n":                                       taken,
	} {
		text := kill("H1") + "\n" + mark + kill("H2") + "\nMore.\n\n" + kill("H3")
		if got := rows(Read([]byte(text), Options{})); got != want {
			t.Errorf("got %q, want %q in\n%s", got, want, text)
		}
	}
	if got := rows(Read([]byte(header+kill("H1")), Options{})); got != "taken" {
		t.Errorf("the header of the reply itself: %q", got)
	}
	if r := Read([]byte("See below.\n\nBegin forwarded message:\n\nNO CHANGES: all is well\n"), Options{NoChanges: true}); r.NoChanges != nil {
		t.Errorf("another author's NO CHANGES: %+v", r)
	}
}

// A comment is found where it is, also if the rest of its block cannot be read.
func TestCommentBeforeUnreadableRest(t *testing.T) {
	const add = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"C"}}`
	text := "```delta\n" + add + "\n/* " + add + " */\n" + add + "\n{\"operation\" \"ADD\" ]\n```\n"
	var shown []int
	for _, b := range Read([]byte(text), Options{}).Blocks {
		if b.Flagged(FlagCommented) {
			shown = append(shown, b.Line)
		}
	}
	if len(shown) != 1 || shown[0] != 3 {
		t.Errorf("got comments at lines %v, want line 3", shown)
	}
}

// Replies that the law of accounting found among a million: two kinds of damage, or line breaks of another system.
func TestRareDamageLosesNothing(t *testing.T) {
	const add = `{"operation":"ADD","section":"anomaly_register","payload":{"name":"N","observation":"O"}}`
	const other = `{"operation":"EDIT","section":"predictions_table","target_id":"P2","payload":{"condition":"C"}}`
	for _, c := range []struct{ name, text, want string }{
		{
			"a lead below a blank line with a carriage return",
			strings.ReplaceAll("<example>\n"+fencedDelta(add)+"</example>\n\nDELTA[prediction]: Rotate the stage\n\nI would propose the following:\n\n"+fencedDelta(goodEdit), "\n", "\r\n"),
			"shown example | refused PROSE_ONLY | taken",
		},
		{
			"a block is named below a blank line with a carriage return",
			strings.ReplaceAll(fencedDelta(goodEdit)+strings.Repeat("\nThe cells count their divisions, and divide.\n", 20)+"\nStrike the first block.\n", "\n", "\r\n"),
			"refused AMBIGUOUS_DELTA",
		},
		{
			"a delta fence below a stray line of marks and a fence with a short end",
			"```\n\n```brenner-delta\n" + add + "\n``\n\n" + fencedDelta(goodEdit),
			"refused unfenced truncated AMBIGUOUS_DELTA | taken",
		},
		{
			"a delta fence in a comment below a stray line of marks and a fence without an end",
			"```\n\n```brenner-delta\n" + add + "\n\n<!--\n" + fencedDelta(goodEdit) + "-->\n",
			"refused unfenced truncated AMBIGUOUS_DELTA | refused truncated AMBIGUOUS_DELTA",
		},
		{
			"a longer line of marks right below words, and no last mark",
			"```delta\nADD hypothesis_slate: The distance is 3\n`````\n\n" + fencedDelta(add) + "\n```delta\n" + goodEdit + "\n",
			"refused INVALID_JSON | taken | taken truncated",
		},
		{
			"a longer line of marks below a blank line, and no last mark",
			"```delta\nADD hypothesis_slate: The distance is 3\n\n`````\n\n" + fencedDelta(add) + "\n```delta\n" + goodEdit + "\n",
			"refused INVALID_JSON | refused AMBIGUOUS_DELTA | refused truncated AMBIGUOUS_DELTA",
		},
		{
			"a change in words above a forwarded block of its section",
			"DELTA[prediction]: geometry decides\n\n" + fencedDelta(add) + "\n-----Original Message-----\nFrom: RedCreek\n\n" + fencedDelta(other),
			"refused PROSE_ONLY | taken | refused AMBIGUOUS_DELTA",
		},
		{
			"two titles of one KILL", "### KILL critique C1\n\nIt is vague.\n\n" + fencedDelta(add) + "\n### KILL critique C1\n\nIt is old.\n",
			"refused PROSE_ONLY | taken",
		},
	} {
		if got := rows(Read([]byte(c.text), Options{Author: "BlueLake"})); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
