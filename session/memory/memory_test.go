package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/kickoff"
	"brenner/playbook"
	"brenner/session"
)

func TestLine(t *testing.T) {
	for section, want := range map[playbook.Section]string{
		playbook.Helpful: "> - [pb-1] Text\n", playbook.Neutral: "> - [pb-1] Text\n", playbook.Harmful: "> - [pb-1] (a warning) Text\n",
	} {
		if got := Line(&playbook.Bullet{ID: "pb-1", Section: section, Content: "Text"}); got != want {
			t.Errorf("%q", got)
		}
	}
}

// Lessons and warnings together are within the bound, counted on the lines of the message, and
// those left out are listed.
func TestWarningsKeepToTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &Book{Tokens: rapid.IntRange(0, 120).Draw(t, "tokens"), Count: func(s string) int { return len(s) / 3 }}
		bullet := func(kind string, n int) kickoff.Bullet {
			return kickoff.Bullet{ID: fmt.Sprint(kind, n), Text: strings.Repeat("word ", rapid.IntRange(1, 20).Draw(t, "words"))}
		}
		var bullets []*playbook.Bullet
		for n := range rapid.IntRange(0, 4).Draw(t, "lessons") {
			l := bullet("pb-", n)
			bullets = append(bullets, &playbook.Bullet{ID: l.ID, Content: l.Text, Section: playbook.Harmful})
		}
		r := playbook.Render(bullets, b.Tokens, Line, b.Count)
		out := session.LessonSet{Omitted: r.Left}
		for _, one := range bullets {
			if slices.Contains(r.Taken, one.ID) {
				out.Lessons = append(out.Lessons, Lesson(one))
			}
		}
		var warnings []kickoff.Bullet
		for n := range rapid.IntRange(0, 4).Draw(t, "warnings") {
			warnings = append(warnings, bullet("H", n))
		}
		b.warn(&out, r.Text, warnings)
		text := ""
		for _, l := range out.Lessons {
			text += l.Quoted()
		}
		if b.Count(text) > b.Tokens {
			t.Fatalf("%d of %d tokens: %q", b.Count(text), b.Tokens, text)
		}
		if len(out.Lessons)+len(out.Omitted) != len(bullets)+len(warnings) {
			t.Fatalf("%+v", out)
		}
	})
}
