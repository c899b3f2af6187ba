package delta_test

import (
	"os"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// The sentences of mentions.txt beside a good block: those with + speak of a change of the item behind them, and have a row that asks
// for nothing; those with - speak of something else, and have none.
func TestMentions(t *testing.T) {
	data, err := os.ReadFile("testdata/models/mentions.txt")
	if err != nil {
		t.Fatal(err)
	}
	const block = "```delta\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"name\": \"Mechanical tension\", \"claim\": \"Somites form where tension exceeds a threshold.\"}}\n```\n"
	for line := range strings.Lines(string(data)) {
		head, sentence, _ := strings.Cut(strings.TrimSpace(line), " | ")
		meant, item, _ := strings.Cut(head, " ")
		for _, text := range []string{block + "\n" + sentence + "\n", "The slate was read again.\n\n" + sentence + "\n\n" + block} {
			r := judge(reply{text: text}, delta.NewestReader)
			row := -1
			for i := range r.read.Blocks {
				if r.read.Blocks[i].Flagged(delta.FlagMentioned) {
					row = i
				}
			}
			switch {
			case len(r.defects) > 0:
				t.Errorf("asked for: %s\n%s", line, r.rows())
			case meant == "-" && len(r.read.Blocks) != 1:
				t.Errorf("a row for %s\n%s", line, r.rows())
			case meant == "+" && (row < 0 || r.read.Blocks[row].Delta.Target != item):
				t.Errorf("no row for %s of %s\n%s", line, item, r.rows())
			}
		}
	}
}

// A reply without a change of its own, or with one that is asked for, is asked for what it mentions, unless it says NO CHANGES.
func TestMentionsAlone(t *testing.T) {
	const text = "H2 fails in T1 and is eliminated.\n"
	read := delta.Read([]byte(text+"\nKill H3: it is refuted.\n"), delta.Options{})
	if len(read.Blocks) != 2 || len(read.Blocks[0].Problems) != 1 || read.Blocks[0].Delta.Target != "H2" {
		t.Errorf("got %+v", read)
	}
	read = delta.Read([]byte(text), delta.Options{})
	if len(read.Blocks) != 1 || len(read.Blocks[0].Problems) != 1 || read.Blocks[0].Problems[0].Code != delta.ProseOnly {
		t.Errorf("got %+v", read)
	}
	read = delta.Read([]byte("NO CHANGES: the slate is complete.\n\n"+text), delta.Options{NoChanges: true})
	if read.NoChanges == nil || len(read.Blocks) != 1 || !read.Blocks[0].Flagged(delta.FlagMentioned) {
		t.Errorf("got %+v", read)
	}
}
