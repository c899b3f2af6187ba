package delta_test

import (
	"strconv"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

func TestNoChanges(t *testing.T) {
	const add = "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"c\"}}\n```\n"
	for text, want := range map[string]string{
		"NO CHANGES: all of it stands":              "all of it stands",
		"I read it twice.\n\n  No changes: fine.\n": "fine.",
		"**NO CHANGES:** H1 is sharp":               "H1 is sharp",
		"**NO CHANGES**: H1":                        "H1",
		"**NO CHANGES: H1 is sharp**":               "H1 is sharp",
		"NO CHANGES: **all** of it*":                "**all** of it*",
		"`NO CHANGES: same`":                        "same",
		"no\tchanges : tab\r\nmore":                 "tab",
		"NO CHANGES： wide colon":                    "wide colon",
		"NO CHANGES – a dash":                       "a dash",
		"NO CHANGES - a hyphen":                     "a hyphen",
		"text\nNO CHANGES: lazy line":               "lazy line",
		"NO CHANGES: reason\nNO CHANGES: it holds":  "it holds",
		"NO CHANGES: reasons are in §4":             "reasons are in §4",
		"NO CHANGES: fine\n\nI would add a test.":   "fine",

		"NO CHANGES":    "-",
		"NO CHANGES:":   "-",
		"NO CHANGES: …": "-",
		"## Slate\n\nNo changes\n\n## Tests\n\nAdd":             "-",
		"If so, write:\nNO CHANGES: reason":                     "-",
		"**NO CHANGES: <Reason>**":                              "-",
		"```\nNO CHANGES: in a fence\n```":                      "in a fence",
		"```text\nNO CHANGES: in an open fence":                 "-",
		"> NO CHANGES: quoted":                                  "-",
		"> quoted\nNO CHANGES: of the same quote":               "-",
		"    NO CHANGES: indented code":                         "-",
		"<!-- \nNO CHANGES: hidden\n-->":                        "-",
		"- NO CHANGES: an item of a list":                       "an item of a list",
		"## NO CHANGES: a heading":                              "a heading",
		"* **NO CHANGES:** an item":                             "an item",
		"NO\u00a0CHANGES: an odd space":                         "an odd space",
		"```delta\nNO CHANGES: in a delta fence\n```":           "in a delta fence",
		"```delta\n\nNo changes: a blank line\n\n```\nSo.":      "a blank line",
		"```delta\nNO CHANGES.\n```":                            "-",
		"```delta example\nNO CHANGES: an example\n```":         "-",
		"<think>\n```delta\nNO CHANGES: x\n```\n</think>\n":     "-",
		"> ```delta\n> NO CHANGES: quoted\n> ```\n":             "-",
		"```delta\nNO CHANGES: x\n{\"operation\":\"KILL\"\n```": "-",
		"There are NO CHANGES: in running text":                 "-",
		"NO CHANGES are needed":                                 "-",
		"NOCHANGES: one word":                                   "-",
		"No changesets: another word":                           "-",
		"write `NO CHANGES: reason` if so":                      "-",
		"":                                                      "-",
		add + "\nNO CHANGES: the deltas count":                  "-",
		"NO CHANGES: x\n```delta\n{broken\n```\n":               "-",
	} {
		got := "-"
		reply := delta.Read([]byte(text), delta.Options{NoChanges: true})
		if reply.NoChanges != nil {
			got = reply.NoChanges.Reason
			if len(reply.Problems) > 0 {
				t.Errorf("%q: %+v", text, reply.Problems)
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if before := delta.Read([]byte(text), delta.Options{}); before.NoChanges != nil || len(before.Blocks) == 0 && len(before.Problems) == 0 {
			t.Errorf("%q: accepted without the option", text)
		}
	}
}

// Sessions of protocol 2 take NO CHANGES without a reason. Later ones say what is missing.
func TestNoChangesWithoutReason(t *testing.T) {
	for _, text := range []string{"Well.\nNO CHANGES:", "Well.\nNo changes\n", "Well.\n`NO CHANGES: reason`", "Well.\nNo changes.", "```delta\nNO CHANGES\n```", "```delta\nno changes.\n```\n"} {
		if was := delta.Read([]byte(text), delta.Options{NoChanges: true, BareNoChanges: true}); was.NoChanges == nil || len(was.Problems) > 0 {
			t.Errorf("%q: %+v", text, was)
		}
		is := delta.Read([]byte(text), delta.Options{NoChanges: true})
		if len(is.Problems) != 1 || is.Problems[0].Code != delta.NoDeltas || is.Problems[0].Line != 2 || !strings.Contains(is.Problems[0].Message, "gives no reason") {
			t.Errorf("%q: %+v", text, is.Problems)
		}
	}
}

// The reason may be a sentence of its own, if the reply attempts no change and turns against nothing.
func TestNoChangesWithReasonBehind(t *testing.T) {
	for text, want := range map[string]string{
		"NO CHANGES\n\nThe artifact covers what I would raise.":                        "The artifact covers what I would raise.",
		"NO CHANGES\nThe artifact covers it all.":                                      "The artifact covers it all.",
		"No changes. The artifact covers it all.":                                      "The artifact covers it all.",
		"**NO CHANGES**\n\nI read v3 closely; every hypothesis has a test.":            "I read v3 closely; every hypothesis has a test.",
		"NO CHANGES.\n\n**Reason:** the artifact covers it all.":                       "the artifact covers it all.",
		"NO CHANGES this round. Every hypothesis has a test.":                          "Every hypothesis has a test.",
		"## Answer\n\nNo changes.\n\n- H1 has a test.\n- H2 has one, too.":             "H1 has a test.",
		"I have no changes. All hypotheses have tests.":                                "All hypotheses have tests.",
		"I considered killing H2.\n\nNO CHANGES\n\nT1 may save it, and is not in yet.": "T1 may save it, and is not in yet.",

		"NO CHANGES\n\nBut kill H2.":                                          "KILL H2",
		"NO CHANGES.\n\nH2 should be killed since T1 refutes it.":             "KILL H2",
		"No changes are needed in H1. Kill H2.":                               "KILL H2",
		"NO CHANGES\n\nThe slate is fine. Even so, kill H2.":                  "KILL H2",
		"NO CHANGES\n\n```delta\n" + killOfH2 + "\n```":                       "KILL H2",
		"No changes\n\n| id | change |\n|---|---|\n| H2 | kill |":             "KILL H2",
		"## Hypotheses\n\nNo changes. They are fine.\n\n## Tests\n\nSharper.": "-",
		"H1\nNo changes. It is fine as it is.\n\nH2\nToo vague for me.":       "-",
		"NO CHANGES\n\nThe slate is fine. However, T1 could be sharper.":      "-",
		"NO CHANGES\n\nShould I kill H2?":                                     "-",
		"NO CHANGES\n\nThanks!":                                               "-",
		"> No changes. The artifact is fine.":                                 "-",
		"If so, say \"No changes. The artifact is fine.\"":                    "-",
		"<think>\nNo changes. The artifact is fine.\n</think>\nWell.":         "-",
	} {
		got := "-"
		reply := delta.Read([]byte(text), delta.Options{NoChanges: true})
		switch {
		case reply.NoChanges != nil:
			got = reply.NoChanges.Reason
		case len(reply.Blocks) > 0:
			got = reply.Blocks[0].Delta.Operation + " " + reply.Blocks[0].Delta.Target
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if reply.NoChanges == nil && reply.Clean() {
			t.Errorf("%q: nothing is asked for", text)
		}
		if before := delta.Read([]byte(text), delta.Options{NoChanges: true, Reader: delta.FourthReader}); before.NoChanges != nil {
			t.Errorf("%q: the fourth reader accepts it", text)
		}
	}
}

// A reply is taken for NO CHANGES only if a line of it says so and it has no delta of its own.
func FuzzNoChanges(f *testing.F) {
	for _, text := range []string{"NO CHANGES: x", "> NO CHANGES: x", "```\nNO CHANGES:\n```\nNO CHANGES: y", "**no changes:** z\n```delta\n{}\n```"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reply := delta.Read([]byte(text), delta.Options{NoChanges: true})
		if reply.NoChanges == nil {
			return
		}
		lines := strings.Split(text, "\n")
		if n := reply.NoChanges.Line; n < 1 || n > len(lines) || !strings.Contains(strings.ToLower(lines[n-1]), "changes") {
			t.Errorf("%q: line %d does not say so", text, n)
		}
		for i := range reply.Blocks {
			if b := &reply.Blocks[i]; !b.Skipped() {
				t.Errorf("%q: has a delta of its own in line %d", text, b.Line)
			}
		}
		if strings.ContainsAny(reply.NoChanges.Reason, "\n\r") {
			t.Errorf("%q: the reason has several lines", text)
		}
		if quoted := "> " + strings.ReplaceAll(text, "\n", "\n> "); delta.Read([]byte(quoted), delta.Options{NoChanges: true}).NoChanges != nil {
			t.Errorf("%q: counts although it is quoted", quoted)
		}
	})
}

// The block in which a cut reply ends was left out by the first reader; complete blocks before it are read.
func TestCutReplyFirstReader(t *testing.T) {
	const whole = "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"c\"}}\n```\n"
	opt := delta.Options{Cut: true, NoChanges: true, Reader: delta.FirstReader}
	for rest, line := range map[string]int{
		"```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"half":    4,
		"```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"all\"}}": 4,
		"```delta\n": 4,
		"```json\n{\"operation\":\"KILL\",\"section\":\"hypothesis_slate\",\"target_id\":\"H1\",\"payload\":{":       0,
		"{\"operation\":\"KILL\",\"section\":\"hypothesis_slate\",\"target_id\":\"H1\",\"payload\":{\"reason\":\"be": 4,
		"and then": 0,
		"":         0,
	} {
		reply := delta.Read([]byte(whole+rest), opt)
		if len(reply.Blocks) != 1 || !reply.Blocks[0].OK || reply.Open != line || len(reply.Problems) > 0 {
			t.Errorf("%q: got %+v, open %d, %+v", rest, reply.Blocks, reply.Open, reply.Problems)
		}
		if alone := delta.Read([]byte(rest), opt); len(alone.Blocks) != 0 || alone.NoChanges != nil {
			t.Errorf("%q alone: %+v", rest, alone.Blocks)
		}
	}
}

// Marks of a list and the word delta before an object change nothing. A list of differences is not read.
func TestMarksBeforeObjects(t *testing.T) {
	const (
		add  = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"n","claim":"c"}}`
		kill = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"too vague"}}`
	)
	for text, want := range map[string]int{
		"1. " + add + "\n2. " + kill: 2, "- " + add + "\n- " + kill: 2, "delta: " + add: 1, "Delta 1: " + add + "\nDelta 2: " + kill: 2,
		"- " + kill + "\n+ " + add: 0,
	} {
		taken := 0
		reply := delta.Read([]byte("```delta\n"+text+"\n```\n"), delta.Options{})
		for _, b := range reply.Blocks {
			if b.OK {
				taken++
			}
		}
		if taken != want || want > 0 && len(reply.Blocks) != want {
			t.Errorf("%q: %d of %d taken, want %d: %+v", text, taken, len(reply.Blocks), want, reply.Blocks)
		}
	}
}

// What is complete in a cut reply is taken, in whatever fence, and what is not has a row.
func TestCutReply(t *testing.T) {
	const (
		one   = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"n","claim":"c"}}`
		whole = "```delta\n" + one + "\n```\n"
		half  = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"m","claim":"hal`
	)
	for text, want := range map[string]string{
		whole + "```delta\n" + half:                       "1 4?",
		whole + "```delta\n" + one:                        "1 4",
		whole + "```delta\n":                              "1 4?",
		whole + "```json\n" + half:                        "1 5?",
		whole + half:                                      "1 4?",
		whole + "and then":                                "1",
		"```delta\n[" + one + ",\n" + half:                "2 3?",
		"```delta\n[" + one + ",\n":                       "2",
		"```delta\n[" + one:                               "2",
		"```json\n[" + one + ",\n" + half:                 "2 3?",
		"```delta\n" + one + "\n" + one + "\n" + half:     "2 3 4?",
		"```delta\n{\"deltas\": [\n" + one + ",\n" + half: "3 4?",
		"```json\n{\"deltas\": [\n" + one + ",\n" + half:  "3 4?",
		"{\"agent\":\"A\",\"deltas\": [\n" + one + ",\n" + one + ",\n" + half: "2 3 4?",
		"```delta draft\n[" + one + ",{":                                      "2! 2!",
		"For example:\n\n```delta\n[" + one + ",\n" + half:                    "4! 5!",
		"```json\n{\"role\":\"user\",\"content\":[\n" + one + ",\n" + half:    "2?",
		"```json\n{\"examples\": [\n" + one + ",\n" + half:                    "2?",
	} {
		reply := delta.Read([]byte(text), delta.Options{Cut: true})
		var got []string
		open := 0
		for _, b := range reply.Blocks {
			row := strconv.Itoa(b.Line)
			switch {
			case b.OK:
			case strings.HasPrefix(b.Problems[0].Message, "the reply was cut off here"):
				row, open = row+"?", b.Line
			default:
				row += "!"
			}
			got = append(got, row)
		}
		if rows := strings.Join(got, " "); rows != want || reply.Open != open || len(reply.Problems) > 0 {
			t.Errorf("%q: got %s, open %d, %+v, want %s", text, rows, reply.Open, reply.Problems, want)
		}
	}
}
