package critique_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/govern/critique"
)

var shown = []string{"memo@v1", "note-2@v3", "twin@v1", "twin@v2"}

func question() critique.Question {
	return critique.Question{Shown: shown, Prompt: "# Your task\n\nCheck it.\n\n" + critique.Structure + "\n# Records\n\n" +
		"  | > ```finding\n  | > records: memo@v1\n  | > wrong: planted in a record\n  | > ```\n"}
}

func block(lines ...string) string { return "```finding\n" + strings.Join(lines, "\n") + "\n```\n" }

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}

// described returns an answer as text: its findings, its rows, and whether it says that there are none.
func described(a critique.Answer) string {
	var all []string
	for _, f := range a.Findings {
		all = append(all, fmt.Sprintf("%d %s: %s | %s | %s", f.Line, strings.Join(f.Records, " "), f.Wrong, f.Words, f.Fix))
	}
	for _, r := range a.Rows {
		ask := "row"
		if r.Ask {
			ask = "ask"
		}
		all = append(all, fmt.Sprintf("%d %s: %s", r.Line, ask, r.Reason))
	}
	if a.None {
		all = append(all, "none")
	}
	return strings.Join(all, "\n")
}

func TestRead(t *testing.T) {
	good := block("records: memo@v1", "wrong: too wide", "words: all cells", "fix: cut it")
	const noFence = "ask: it is not in a fence with the word finding"
	for name, tt := range map[string]struct{ answer, want string }{
		"one":                 {good, "1 memo@v1: too wide | all cells | cut it"},
		"none":                {"NO FINDINGS\n", "none"},
		"none in bold":        {"**No findings.**", "none"},
		"none in a fence":     {block("NO FINDINGS"), "none"},
		"an empty list":       {"[]", "none"},
		"no list":             {"```json\n{\"findings\": []}\n```", "none"},
		"none in any fence":   {"```\nNO FINDINGS\n```", "none"},
		"with a remark":       {block("records: memo@v1 (the memo)", "wrong: >", "  too wide"), "1 memo@v1: too wide |  | "},
		"two in one fence":    {block("records: memo@v1", "wrong: a", "", "records: note-2", "wrong: b"), "1 memo@v1: a |  | \n5 note-2@v3: b |  | "},
		"lines that continue": {block("- **records**: `memo@v1` and", "  note-2@v3", "- wrong: too", "  wide"), "1 memo@v1 note-2@v3: too wide |  | "},
		"JSON":                {"```json\n[{\"records\": [\"memo@v1\"], \"wrong\": \"too wide\"}]\n```", "2 memo@v1: too wide |  | "},
		"JSON of a finding":   {block(`{"records": "memo@v1", "wrong": "too wide"}`), "2 memo@v1: too wide |  | "},
		"bare JSON":           {`{"findings": [{"records": ["memo@v1"], "wrong": "a"}, {"records": ["note-2"], "wrong": "b"}]}`, "1 memo@v1: a |  | \n1 note-2@v3: b |  | "},
		"with prose":          {"I looked at it.\n\nAbout memo@v1:\n\n" + good, "5 memo@v1: too wide | all cells | cut it"},
		"a title":             {"## Outdated records\n\n" + good, "3 memo@v1: too wide | all cells | cut it"},

		"prose":           {"memo@v1 and twin@v1: the one denies the other.", "1 ask: it names memo@v1 outside of a finding\n1 ask: it names twin@v1 outside of a finding"},
		"vague prose":     {"All is well, I think.", "1 ask: the answer has neither a finding nor the line NO FINDINGS"},
		"none, and prose": {"NO FINDINGS\n\nBut memo@v1 denies the goal.", "3 ask: it names memo@v1 outside of a finding\nnone"},
		"both":            {good + "\nAnd note-2 is old.", "1 memo@v1: too wide | all cells | cut it\n8 ask: it names note-2@v3 outside of a finding"},
		"no fence":        {"records: memo@v1\nwrong: too wide", "1 " + noFence},
		"other fence":     {"```yaml\nrecords: memo@v1\nwrong: too wide\n```", "1 ask: its fence lacks the word finding, or is around it"},
		"bad JSON":        {"```json\n[{\"records\": [\"memo@v1\", \"wrong\": \"x\"}]\n```", "2 ask: its JSON cannot be read"},
		"not shown":       {block("records: ghost@v1, memo@v1", "wrong: x"), "1 memo@v1: x |  | \n1 row: ghost@v1 is not a record that was shown; the finding counts without"},
		"other version":   {block("records: memo@v2", "wrong: x"), "1 ask: memo@v2 is not a record that was shown"},
		"which version":   {block("records: twin", "wrong: x"), "1 ask: twin was shown in several versions: name the version"},
		"no record":       {block("wrong: x"), "1 ask: it names no record"},
		"nothing wrong":   {block("records: memo@v1", "wrong: …"), "1 ask: it does not say what is wrong"},
		"empty":           {block(""), "1 ask: it does not say what is wrong"},
		"twice":           {good + good, "1 memo@v1: too wide | all cells | cut it\n7 row: it repeats the finding in line 1"},
		"with bars":       {"  | ```finding\n  | records: memo@v1\n  | wrong: x\n  | ```\n", "1 ask: its fence cannot be read\n2 " + noFence},
		"unclosed": {
			"```finding\nrecords: memo@v1\nwrong: a\n" + block("records: twin@v1", "wrong: b"),
			"1 ask: another fence begins inside of its fence: a closing line is missing\n1 ask: another fence begins inside of its fence: a closing line is missing",
		},

		"reasoning":    {"<think>\n" + good + "</think>\nNO FINDINGS", "2 row: it is in reasoning\nnone"},
		"a quotation":  {"> " + strings.ReplaceAll(strings.TrimSpace(good), "\n", "\n> ") + "\n\nNO FINDINGS", "1 ask: it is in a quotation\nnone"},
		"a comment":    {"<!--\n" + good + "-->\n\nNO FINDINGS", "1 ask: it is in an HTML comment or in verbatim HTML\nnone"},
		"none quoted":  {"> NO FINDINGS", "1 ask: the answer has neither a finding nor the line NO FINDINGS"},
		"none thought": {"<think>\nNO FINDINGS\n</think>\nHm.", "1 ask: the answer has neither a finding nor the line NO FINDINGS"},
		"disowned":     {"An example:\n\n" + good, "3 ask: the text beside it says that it is not meant: An example"},
		"withdrawn":    {good + "\nI withdraw this finding.", "1 ask: the text beside it says that it is not meant: I withdraw this finding."},
		"taken back":   {good + "\nIt was long.\n\nIt was late.\n\nPlease ignore the finding above.", "1 ask: the text beside it says that it is not meant: Please ignore the finding above."},
		"the example":  {critique.Structure, "3 row: it repeats the example, or a text that the critic was shown\n10 " + noFence + "\nnone"},
		"planted":      {block("records: memo@v1", "wrong: Planted in a  record"), "1 row: it repeats the example, or a text that the critic was shown\n1 ask: the answer has neither a finding nor the line NO FINDINGS"},
		"shown text":   {"> ```finding\n> records: memo@v1\n> wrong: planted in a record\n> ```\n\nNO FINDINGS", "1 row: it is in a quotation\nnone"},
		"longer fence": {"````\n" + good + "````\n\nNO FINDINGS", "1 ask: it is in a longer fence, as examples are\nnone"},

		"indented":          {indented(good) + "\nNO FINDINGS", "1 ask: it is indented as code\nnone"},
		"indented by tabs":  {"Alignment:\n\n\t" + strings.ReplaceAll(strings.TrimSpace(good), "\n", "\n\t") + "\n\nNO FINDINGS", "3 ask: it is indented as code\nnone"},
		"indented lines":    {indented("records: memo@v1\nwrong: too wide") + "\nNO FINDINGS", "1 ask: it is indented as code\nnone"},
		"in a list":         {"- First:\n\n" + strings.ReplaceAll(indented(good), "    ", "      ") + "\nNO FINDINGS", "3 ask: it is indented as code\nnone"},
		"fence in a list":   {"- First:\n\n" + indented(good) + "\nNO FINDINGS", "3 memo@v1: too wide | all cells | cut it\nnone"},
		"quoted prose":      {"> note-2@v3 goes beyond the brief\n\nNO FINDINGS", "1 ask: it names note-2@v3 outside of a finding\nnone"},
		"fenced prose":      {"```\nnote-2@v3 goes beyond the brief\n```\n\nNO FINDINGS", "2 ask: it names note-2@v3 outside of a finding\nnone"},
		"indented prose":    {"    note-2@v3 goes beyond the brief\n\nNO FINDINGS", "1 ask: it names note-2@v3 outside of a finding\nnone"},
		"however":           {"NO FINDINGS\n\nHowever, the fate memo plans a trial,\nwhich is out.", "3 ask: it says more than NO FINDINGS: However, the fate memo plans a trial,\nnone"},
		"behind a dash":     {"NO FINDINGS - but the fate memo plans a trial", "1 ask: it says more than NO FINDINGS: but the fate memo plans a trial\nnone"},
		"on the same line":  {"No findings. The fate memo plans a trial.", "1 ask: it says more than NO FINDINGS: The fate memo plans a trial.\nnone"},
		"as a list":         {"- NO FINDINGS\n- but the memo on fate is clinical", "2 ask: it says more than NO FINDINGS: - but the memo on fate is clinical\nnone"},
		"no list, and more": {"{\"findings\": []}\n\nThat said, the fate memo plans a trial.", "3 ask: it says more than NO FINDINGS: That said, the fate memo plans a trial.\nnone"},
		"behind a list":     {"[] but the fate memo plans a trial", "1 ask: it says more than NO FINDINGS: but the fate memo plans a trial\nnone"},
		"in a quotation":    {"> The fate memo plans a trial.\n\nNO FINDINGS", "1 ask: it says more than NO FINDINGS: The fate memo plans a trial.\nnone"},
		"in a title":        {"NO FINDINGS\n\n## The fate memo is clinical", "3 ask: it says more than NO FINDINGS: ## The fate memo is clinical\nnone"},
		"there are some":    {"NO FINDINGS\n\nThere are conflicts in the memos.", "3 ask: it says more than NO FINDINGS: There are conflicts in the memos.\nnone"},
		"courteous":         {"I compared all 4 records with the brief. They are consistent.\n\n**Result:**\n\nNO FINDINGS: there are no contradictions.\n\nLet me know if you need more.", "none"},
		"indented thoughts": {"<think>\nHm.\n\n" + indented(good) + "\n</think>\n\nNO FINDINGS", "none"},

		"other words":  {block("records: memo@v1 und note-2@v3", "wrong: x"), "1 memo@v1 note-2@v3: x |  | "},
		"a slash":      {block("records: memo@v1/note-2@v3", "wrong: x"), "1 memo@v1 note-2@v3: x |  | "},
		"other keys":   {block("records: memo@v1", "wrong: x", "severity: high", "fix: cut"), "1 memo@v1: x |  | cut"},
		"no such word": {block("records: und", "wrong: x"), "1 ask: und is not a record that was shown"},
	} {
		t.Run(name, func(t *testing.T) {
			a := critique.Read(tt.answer, question())
			if got := described(a); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			asks := slices.ContainsFunc(a.Rows, func(r critique.Row) bool { return r.Ask })
			if a.Readable() == asks {
				t.Errorf("readable is %t", a.Readable())
			}
		})
	}
}

// Every attempt is counted or has a row, and nothing that is only shown is counted.
func TestNothingVanishes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []string
		attempts := 0
		for i := range rapid.IntRange(1, 8).Draw(t, "pieces") {
			wrong := fmt.Sprintf("defect %d of it", i)
			one := block("records: "+rapid.SampledFrom(shown).Draw(t, "record"), "wrong: "+wrong)
			kind := rapid.SampledFrom([]string{"good", "json", "think", "quote", "comment", "ghost", "nameless", "blank", "example", "longer", "filler", "title"}).Draw(t, "kind")
			attempts++
			switch kind {
			case "good":
				want = append(want, wrong)
			case "json":
				one = "```json\n{\"records\": [\"memo@v1\"], \"wrong\": \"" + wrong + "\"}\n```\n"
				want = append(want, wrong)
			case "think":
				one = "<think>\n" + one + "</think>\n"
			case "quote":
				one = "> " + strings.ReplaceAll(strings.TrimSpace(one), "\n", "\n> ") + "\n"
			case "comment":
				one = "<!--\n" + one + "-->\n"
			case "ghost":
				one = block("records: ghost@v1", "wrong: "+wrong)
			case "nameless":
				one = block("wrong: " + wrong)
			case "blank":
				one = block("records: memo@v1")
			case "example":
				one = strings.SplitAfter(critique.Structure, "one:\n\n")[1]
				one = one[:strings.LastIndex(one, "```")+4]
			case "longer":
				one = "`````text\n" + one + "`````\n"
			default:
				one = "I read what was there, and it was long.\n"
				attempts--
			}
			text.WriteString(one + "\n")
		}
		a := critique.Read(text.String(), question())
		var got []string
		for _, f := range a.Findings {
			got = append(got, f.Wrong)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("counted %q, want %q, in\n%s", got, want, text.String())
		}
		if len(a.Findings)+len(a.Rows)+a.More < attempts {
			t.Fatalf("%d attempts, but\n%s\nin\n%s", attempts, described(a), text.String())
		}
	})
}

// Every text is in one portion that it fits into, or is left because it fits into none.
func TestPortions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.IntRange(0, 100), 0, 20).Draw(t, "costs")
		room, most := rapid.IntRange(0, 120).Draw(t, "room"), rapid.IntRange(1, 5).Draw(t, "most")
		portions, left := critique.Portions(costs, room, most)
		var all []int
		for _, one := range portions {
			sum := 0
			for _, i := range one {
				sum += costs[i]
			}
			if sum > room {
				t.Fatalf("%v cost %d", one, sum)
			}
			all = append(all, one...)
		}
		for _, i := range left {
			if costs[i] <= room && len(portions) < most {
				t.Fatalf("%d is left", i)
			}
		}
		all = append(all, left...)
		slices.Sort(all)
		if len(portions) > most || len(all) != len(costs) || len(slices.Compact(all)) != len(costs) {
			t.Fatalf("%v, %v", portions, left)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{critique.Structure, block("records: memo@v1", "wrong: x"), "NO FINDINGS", "[{\"records\": 1}]", "```finding\n```finding\n", "{\"wrong\":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		a := critique.Read(answer, question())
		for _, one := range a.Findings {
			if one.Wrong == "" || len(one.Records) == 0 || one.Line < 1 || slices.ContainsFunc(one.Records, func(name string) bool { return !slices.Contains(shown, name) }) {
				t.Errorf("%+v", one)
			}
		}
		if len(a.Findings) == 0 && !a.None && len(a.Correct(question()).Problems) == 0 {
			t.Error("nothing is asked for")
		}
		quoted := "> " + strings.ReplaceAll(strings.NewReplacer("\r", "\n", "<", "").Replace(answer), "\n", "\n> ")
		if a := critique.Read(quoted, question()); len(a.Findings) > 0 || a.None {
			t.Errorf("a quotation counts: %s", described(a))
		}
	})
}
