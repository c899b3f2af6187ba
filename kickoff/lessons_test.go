package kickoff

import (
	"slices"
	"strings"
	"testing"
)

func TestReadLessons(t *testing.T) {
	reply := "I add one.\n\n```lesson\nhelpful: Name the mechanism\n- Harmful:  Averages hide effects \nNothing\nneutral:\n```\n" +
		"~~~~ lesson\n```\nneutral: The assay takes a day\nhelpful: one too many\n~~~~\n```\nhelpful: not in a lesson\n```\n"
	want := []Lesson{{"helpful", "Name the mechanism"}, {"harmful", "Averages hide effects"}, {"neutral", "The assay takes a day"}}
	if got := ReadLessons(reply); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := ReadLessons("```code``` in a line\n```lesson\nhelpful: x\n```"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	// The form that the templates show.
	reply = "```lesson\nBefore explaining a peak, ask\nwhether it is one (evidence: H3).\n```\n"
	if got := ReadLessons(reply); !slices.Equal(got, []Lesson{{"helpful", "Before explaining a peak, ask whether it is one (evidence: H3)."}}) {
		t.Errorf("%+v", got)
	}
	for _, none := range []string{"", "```lesson", "```lesson\n\n```", "```lessons\nhelpful: x\n```", "> ```lesson\n> helpful: x\n> ```", "``lesson\nhelpful: x", "````markdown\n```lesson\nhelpful: only shown\n```\n````"} {
		if got := ReadLessons(none); len(got) > 0 {
			t.Errorf("%q: %+v", none, got)
		}
	}
}

func FuzzReadLessons(f *testing.F) {
	f.Add("```lesson\nhelpful: x\n```")
	f.Fuzz(func(t *testing.T, reply string) {
		all := ReadLessons(reply)
		if len(all) > MostLessons {
			t.Errorf("%d lessons", len(all))
		}
		for _, l := range all {
			if strings.ContainsAny(l.Text, "\n") || l.Text == "" {
				t.Errorf("%+v", l)
			}
		}
	})
}

func TestCited(t *testing.T) {
	ids := []string{"pb-00001", "pb-00002", "pb-00003", "pb-00004", "the", "H3"}
	reply := "As [pb-00001] says, and pb-00002. Not xpb-00003, pb-000030, pb-00003-b or pb-00003.5; the H3 of [the] others. pb-00004"
	if got := Cited(reply, ids); !slices.Equal(got, []string{"pb-00001", "pb-00002", "pb-00004", "the"}) {
		t.Error(got)
	}
	if got := Cited(strings.Repeat("pb-0000", 100_000), ids); len(got) > 0 {
		t.Error(got)
	}
}
