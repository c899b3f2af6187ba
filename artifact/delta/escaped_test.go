package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// A delta with HTML entities in place of its quotation marks has a row of its own, wherever it stands, and is not accepted.
func TestEscapedDeltas(t *testing.T) {
	for _, mark := range []string{"&quot;", "&#34;", "&#x22;", "&amp;quot;"} {
		object := strings.ReplaceAll(killOfH2, `"`, mark)
		pretty := strings.ReplaceAll(object, ", "+mark+"s", ",\n  "+mark+"s")
		for _, c := range []struct{ reply, want string }{
			{"<div><pre>" + object + "</pre></div>", "refused"},
			{"<code>" + object + "</code>", "refused"},
			{"<pre>\n" + pretty + "\n</pre>", "refused"},
			{object, "refused"},
			{"- " + object, "refused"},
			{"```json\n" + pretty + "\n```", "refused"},
			{"```html\n<pre>" + object + "</pre>\n```", "refused"},
			{strings.NewReplacer("{", "&#123;", "}", "&#125;").Replace(object), "refused"},
			{"<example>" + object + "</example>", "shown"},
			{"> " + object, "shown"},
			{"<think>\n" + object + "\n</think>", "shown"},
		} {
			for _, more := range []string{"", "\n\n```delta\n" + clockAdd + "\n```\n"} {
				reply := delta.Read([]byte("The slate was read again.\n\n"+c.reply+"\n"+more), delta.Options{Author: "GreenField"})
				rows := 0
				for i := range reply.Blocks {
					b := &reply.Blocks[i]
					if b.Delta.Operation == "ADD" {
						continue
					}
					rows++
					if got := b.Delta.Brief(); got != "KILL hypothesis_slate H2" || b.OK || b.Skipped() != (c.want == "shown") {
						t.Errorf("%s: %s, %+v; want it %s", c.reply, got, b.Problems, c.want)
					}
				}
				if rows != 1 {
					t.Errorf("%s: %d rows", c.reply, rows)
				}
			}
		}
	}
}

// The marks of a block in brackets are no title with which its author comes to its own changes.
func TestBracketedMarksOpenNoSection(t *testing.T) {
	reply := "## Analysis\n\nH1 is the better one.\n\n```delta\n" + killOfH2 + "\n```\n\n[delta]\n" + clockAdd + "\n[/delta]\n"
	for i, b := range delta.Read([]byte(reply), delta.Options{Author: "GreenField"}).Blocks {
		if !b.OK {
			t.Errorf("%d: %+v", i, b.Problems)
		}
	}
	reply = strings.ReplaceAll(reply, "[delta]\n", "[My changes]\n\nH1 stays.\n\n")
	if blocks := delta.Read([]byte(reply), delta.Options{Author: "GreenField"}).Blocks; blocks[0].OK {
		t.Error("a block in the analysis before the changes is taken")
	}
}
