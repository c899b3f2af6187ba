package kickoff

import (
	"os"
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// ReadLesson returns the first lesson in a reply.
func ReadLesson(reply string, cut bool, reader delta.Reader) (Lesson, bool) {
	if all := ReadLessons(reply, cut, reader); len(all) > 0 {
		return all[0], true
	}
	return Lesson{}, false
}

// Each line that names a kind is a lesson, in each fence; readers before the third take the first one.
func TestReadLessonsTakesEveryLine(t *testing.T) {
	const reply = "```lesson\nhelpful: Ask twice.\n- harmful: Guess.\nwords\n```\n\n```Lessons\nneutral: It is open.\n```\n"
	if got := ReadLessons(reply, false, delta.NewestReader); len(got) != 3 || got[1] != (Lesson{"harmful", "Guess."}) || got[2] != (Lesson{"neutral", "It is open."}) {
		t.Errorf("got %+v", got)
	}
	if got := ReadLessons(reply, false, delta.SecondReader); len(got) != 1 || got[0].Text != "Ask twice." {
		t.Errorf("the second reader: got %+v", got)
	}
	if got := ReadLessons("```lesson\n"+strings.Repeat("helpful: a\n", 100)+"```\n", false, delta.NewestReader); len(got) != maxLessons {
		t.Errorf("got %d lessons", len(got))
	}
}

func TestReadLesson(t *testing.T) {
	for _, tt := range []struct {
		reply string
		want  Lesson
	}{
		{"I add one.\n\n```lesson\nNothing\nneutral:\n- Harmful:  Averages hide effects \nhelpful: one too many\n```\n", Lesson{"harmful", "Averages hide effects"}},
		{"```lesson\n```\n~~~~ lesson\n```\nneutral: The assay takes a day\n~~~~\n```lesson\nhelpful: one too many\n```\n", Lesson{"neutral", "The assay takes a day"}},
		{"```code``` in a line\n```lesson\nhelpful: x\n```", Lesson{"helpful", "x"}},
		{"```\nhelpful: not in a lesson\n```\n```lesson\nhelpful: its end was forgotten", Lesson{"helpful", "its end was forgotten"}},
		{"<think>\n```lesson\nharmful: a draft\n</think>\n```lesson\nhelpful: x\n``` Done.\n", Lesson{"helpful", "x"}},
		// The form that the templates show.
		{"```lesson\nBefore explaining a peak, ask\nwhether it is one (evidence: H3).\n```\n", Lesson{"helpful", "Before explaining a peak, ask whether it is one (evidence: H3)."}},
	} {
		if got, ok := ReadLesson(tt.reply, false, delta.NewestReader); !ok || got != tt.want {
			t.Errorf("%q: %+v", tt.reply, got)
		}
	}
	for _, none := range []string{"", "```lesson", "```lesson\n\n```", "> ```lesson\n> helpful: x\n> ```", "``lesson\nhelpful: x", "````markdown\n```lesson\nhelpful: only shown\n```\n````", "<think>\n```lesson\nhelpful: a draft\n```\n</think>\n", "```lesson\nhelpful: a draft\n```\n</think>\n"} {
		if got, ok := ReadLesson(none, false, delta.NewestReader); ok {
			t.Errorf("%q: %+v", none, got)
		}
	}
}

// A lesson is read exactly where a delta would be.
func TestLessonsAreReadWhereDeltasAre(t *testing.T) {
	lesson := "```lesson\nhelpful: Count cells twice\n```\n"
	change := "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"N\",\"claim\":\"C\"}}\n```\n"
	lines := func(mark string) func(string) string {
		return func(block string) string {
			return "Words.\n\n" + mark + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n"+mark) + "\n"
		}
	}
	between := func(before, after string) func(string) string {
		return func(block string) string { return "Words.\n\n" + before + block + after }
	}
	for _, c := range []struct {
		name  string
		place func(string) string
		read  bool
	}{
		{"alone", between("", ""), true},
		{"after a paragraph", between("More words\n", "And more."), true},
		{"indented by three", lines("   "), true},
		{"in a list item", between("- an item\n\n", ""), true},
		{"after a comment", between("<!-- a remark -->\n", ""), true},
		{"after a fence", between("```go\nx\n```\n", ""), true},
		{"in a comment", between("<!--\n", "-->\n"), false},
		{"in a comment within a line", between("So <!-- old:\n", "-->\n"), false},
		{"in a comment of an item", between("- <!--\n", "-->\n"), false},
		{"in a comment below a tag", between("<details>\n<!--\n", "-->\n"), false},
		{"below a tag", between("<br>\n", ""), true},
		{"below a mentioned tag", between("The <analysis> step\n", ""), true},
		{"in a turn of a user", between("<|im_start|>user\n", "<|im_end|>\n"), false},
		{"in a comment that never ends", between("<!-- see\n\n", ""), false},
		{"in pre", between("<pre>\n", "</pre>\n"), false},
		{"in indented code", lines("    "), false},
		{"after a tab", lines("\t"), false},
		{"in a block quote", lines("> "), false},
		{"in a quote in a list item", lines("  > "), false},
		{"in a longer fence", between("````markdown\n", "````\n"), false},
		{"in a fence of tildes", between("~~~\n", "~~~\n"), false},
		{"in a div", between(":::: note\n", "::::\n"), false},
	} {
		_, learned := ReadLesson(c.place(lesson), false, delta.NewestReader)
		taken := slices.ContainsFunc(delta.Read([]byte(c.place(change)), delta.Options{}).Blocks, isOK)
		if learned != c.read || taken != c.read {
			t.Errorf("%s: lesson %t, delta %t, want both %t\n%s", c.name, learned, taken, c.read, c.place(lesson))
		}
	}
}

// The example of the templates is not learned, byte for byte or with other evidence.
func TestReadLessonSkipsExample(t *testing.T) {
	for _, text := range []string{
		exampleLesson + " (evidence: H3, §4, T1).",
		"helpful: " + strings.ToLower(exampleLesson) + " (evidence: H1).",
		strings.ReplaceAll(exampleLesson, ",", "") + ".",
	} {
		reply := "```lesson\n" + text + "\n```\n"
		if l, ok := ReadLesson(reply, false, delta.NewestReader); ok {
			t.Errorf("learned %+v", l)
		}
		if _, ok := ReadLesson(reply, false, delta.FirstReader); !ok {
			t.Errorf("the first reader does not learn %q", text)
		}
		if l, ok := ReadLesson(reply+"```lesson\nMy own.\n```\n", false, delta.NewestReader); !ok || l.Text != "My own." {
			t.Errorf("%+v", l)
		}
	}
	for _, reply := range []string{"Example of the format:\n\n```lesson\nShown.\n```\n", "```lesson\nShown.\n```\n\nI withdraw it.\n"} {
		if l, ok := ReadLesson(reply+"\nMine follows.\n\n```lesson\nMy own.\n```\n", false, delta.NewestReader); !ok || l.Text != "My own." {
			t.Errorf("%q: learned %+v", reply, l)
		}
	}
	all, err := os.ReadFile("../prompts/templates/common.md")
	if err != nil || !strings.Contains(string(all), exampleLesson) {
		t.Errorf("the templates show another example: %v", err)
	}
}

func FuzzReadLesson(f *testing.F) {
	f.Add("```lesson\nhelpful: x\n```")
	f.Fuzz(func(t *testing.T, reply string) {
		if l, ok := ReadLesson(reply, false, delta.NewestReader); ok && (strings.ContainsAny(l.Text, "\n") || l.Text == "") {
			t.Errorf("%+v", l)
		}
	})
}

func TestCitedIDs(t *testing.T) {
	ids := []string{"pb-00001", "pb-00002", "pb-00003", "pb-00004", "the", "H3"}
	reply := "As [pb-00001] says, and pb-00002. Not xpb-00003, pb-000030, pb-00003-b or pb-00003.5; the H3 of [the] others. pb-00004"
	if got := CitedIDs(reply, ids); !slices.Equal(got, []string{"pb-00001", "pb-00002", "pb-00004", "the"}) {
		t.Error(got)
	}
	if got := CitedIDs(strings.Repeat("pb-0000", 100_000), ids); len(got) > 0 {
		t.Error(got)
	}
}
