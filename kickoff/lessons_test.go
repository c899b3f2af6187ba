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
	for _, none := range []string{"", "```lesson", "```lessons\nhelpful: x\n```", "> ```lesson\n> helpful: x\n> ```", "``lesson\nhelpful: x"} {
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
	if got := Cited("as [pb-00001] says, not pb-00002 or [pb-00003 ]", []string{"pb-00001", "pb-00002", "pb-00003"}); !slices.Equal(got, []string{"pb-00001"}) {
		t.Error(got)
	}
}
