package schemaform

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const add, kill = "```delta\n{\"operation\":\"ADD\"}\n```\n\n", "```delta\n{\"operation\":\"KILL\"}\n```\n\n"
	for reply, want := range map[string]string{
		`{"prose":"Two.\n","deltas":[{"operation":"ADD"}, {"operation":"KILL"}]}`:              add + kill + "## Prose\n\nTwo.\n\n\n",
		"{\"deltas\":[{\n  \"a\": \"```\\n\"\n}],\"prose\":\"```\\nnever ended\"}":             "```delta\n{\n  \"a\": \"```\\n\"\n}\n```\n\n## Prose\n\n```\nnever ended\n\n",
		`{"prose":"Nothing.","deltas":[]}`:                                                     "Nothing.\n\n",
		`{"prose":"p","deltas":[{"ref":null,"b":{"H1":"x","H2":null}}]}`:                       "```delta\n{           \"b\":{\"H1\":\"x\"          }}\n```\n\n## Prose\n\np\n\n",
		`{"prose":null,"deltas":[{"operation":"ADD"}]}`:                                        add,
		"<think>{\"deltas\":[1]}</think>\n{\"prose\":\"p\",\"deltas\":[]}":                     "<think>{\"deltas\":[1]}</think>\n\np\n\n",
		"```json\n{\"prose\":\"p\",\"deltas\":[{\"operation\":\"ADD\"}]}\n```\nDone.":          add + "Done.\n\n## Prose\n\np\n\n",
		"\ufeffHere it is:\n{\"prose\":\"p\",\"deltas\":[{\"operation\":\"ADD\"}],\"more\":1}": "\ufeff\n\nHere it is:\n\n" + add + "## Prose\n\np\n\nmore: 1\n\n",
		`{"reasoning":"r","prose":"p","deltas":[]}`:                                            "p\n\nr\n\n",
		`{"prose":"p","deltas":[],"kills":[{"id":"H"}]}`:                                       "```json\n{\"kills\":[{\"id\":\"H\"}]}\n```\n\n## Prose\n\np\n\n",
		`{"prose":"only"}`:                    "only\n\n",
		`{"prose":"p","deltas":["x",null,1]}`: "```delta\n\"x\"\n```\n\n```delta\nnull\n```\n\n```delta\n1\n```\n\n## Prose\n\np\n\n",
		// These are read as any text.
		"Prose, and\n```delta\n{}\n```\n":                 "",
		`{"prose":"p","deltas":[{}],"deltas":[]}`:         "",
		`{"operation":"ADD"}`:                             "",
		`{"prose":"one"} {"prose":"two"}`:                 "",
		`{"prose":"cut off`:                               "",
		`[{"operation":"ADD"}]`:                           "",
		`{}`:                                              "",
		"> {\"prose\":\"p\",\"deltas\":[{}]}":             "",
		"```yaml\n{\"prose\":\"p\",\"deltas\":[{}]}\n```": "",
		`See {"deltas":[{}]}`:                             "",
		`{"prose":"p","deltas":"none"}`:                   "",
	} {
		r, ok := Read([]byte(reply), false, false)
		if ok != (want != "") || ok && string(r.Text) != want {
			t.Errorf("%s\ngot  %v %q\nwant %q", reply, ok, textOf(r), want)
		}
	}
}

func textOf(r *Reply) string {
	if r == nil {
		return ""
	}
	return string(r.Text)
}

func TestCutReplies(t *testing.T) {
	const one, two = "```delta\n{\"a\":1}\n```\n\n", "```delta\n{\"b\":[2]}\n```\n\n"
	for reply, want := range map[string]string{
		`{"prose":"p","deltas":[{"a":1},{"b":[2]},{"c":"ha`: one + two + "## Prose\n\np\n\n```delta\n{\"c\":\"ha",
		`{"prose":"p","deltas":[{"a":1},{"b":[2]}`:          one + two + "## Prose\n\np\n\n",
		`{"deltas":[{"a":1},{"b":[2]}],"prose":"half a`:     one + two,
		`{"deltas":[{"a":1`:                                 "```delta\n{\"a\":1",
		`{"prose":"NO CHANGES: fine","d`:                    "NO CHANGES: fine\n\n",
		`{"prose":"p","deltas":[]`:                          "p\n\n",
		"plain text {":                                      "",
		`{"prose":"half`:                                    "",
	} {
		r, ok := Read([]byte(reply), true, false)
		if ok != (want != "") || ok && (string(r.Text) != want || r.Empty) {
			t.Errorf("%s\ngot  %v %q\nwant %q", reply, ok, textOf(r), want)
		}
	}
}

// Every letter of the text that comes from the reply is found there.
func TestPlaces(t *testing.T) {
	const reply = "<think>\nb a c\n</think>\n{\n \"prose\": \"d \\u00e4\\ud83d\\ude00\\n\\te \\\"f\\\"\",\n \"deltas\": [{\"g\": null, \"h\": 1},\n {\"i\": 2}],\n \"j\": \"k\", \"thoughts\": \"l\"}"
	r, ok := Read([]byte(reply), false, false)
	if !ok {
		t.Fatal("not read")
	}
	lines := strings.SplitAfter(reply, "\n")
	for n, line := range strings.SplitAfter(string(r.Text), "\n") {
		for i, c := range []byte(line) {
			if c < 'a' || c > 'l' || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "#") {
				continue
			}
			at, column := r.Place(n+1, i+1)
			if got := lines[at-1][column-1]; got != c && !(c == 'j' && strings.HasPrefix(line, "j: ")) {
				t.Errorf("line %d, column %d: got %q at %d:%d, want %q", n+1, i+1, got, at, column, c)
			}
		}
	}
}

func TestAnnounces(t *testing.T) {
	for prose, want := range map[string]int{
		"I will kill H2 in the next round and add H7 now.": 1,
		"Fine.\\n\\nI now edit T1.":                        3,
		"I will kill H2 in the next round.":                0,
		"I would not kill H2.":                             0,
		"Nothing to add.":                                  0,
	} {
		r, ok := Read([]byte(`{"prose":"`+prose+`","deltas":[]}`), false, false)
		if !ok || r.Announces() != want {
			t.Errorf("%s: got %d, want %d", prose, r.Announces(), want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"prose":"p \u00e4","deltas":[{"a":null,"b":1},2],"x":{"y":[null]}}`, false)
	f.Add(`{"prose":"p","deltas":[{"a":1},{"b":`, true)
	f.Fuzz(func(t *testing.T, reply string, cut bool) {
		r, ok := Read([]byte(reply), cut, false)
		if !ok {
			return
		}
		for n := range strings.Count(string(r.Text), "\n") + 2 {
			line, column := r.Place(n, 1)
			if line < 1 || line > 1+strings.Count(reply, "\n") || column < 1 {
				t.Fatalf("%q: line %d is at %d:%d", reply, n, line, column)
			}
		}
		if r.Prose > r.ProseEnd || r.ProseEnd > r.Drafts || r.Drafts > len(r.Text) {
			t.Fatalf("%q: %+v", reply, r)
		}
		_ = r.Before()
	})
}

func TestMembersWithTextsAreText(t *testing.T) {
	reply := []byte(`{"prose":"One.","notes":"Also kill H3.","next_steps":["Add H9.","I kill H1."],"table":["a",{"b":1}],"raw":"a {b}","deltas":[]}`)
	for titled, want := range map[bool]string{
		true:  "```json\n{\"table\":[\"a\",{\"b\":1}]}\n```\n\n## Prose\n\nOne.\n\n## notes\n\nAlso kill H3.\n\nraw: a {b}\n\n## next steps\n\nAdd H9.\n\nI kill H1.\n\n",
		false: "```json\n{\"next_steps\":[\"Add H9.\",\"I kill H1.\"]}\n```\n\n```json\n{\"table\":[\"a\",{\"b\":1}]}\n```\n\n## Prose\n\nOne.\n\nnotes: Also kill H3.\n\nraw: a {b}\n\n",
	} {
		form, ok := Read(reply, false, titled)
		if !ok || string(form.Text) != want {
			t.Errorf("titled %v: got %q, want %q", titled, form.Text, want)
		}
	}
}
