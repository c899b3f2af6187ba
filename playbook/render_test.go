package playbook_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/playbook"
)

func words(text string) int { return len(strings.Fields(text)) }

func line(b *playbook.Bullet) string { return "[" + b.ID + "] " + b.Content + "\n" }

func TestRenderStaysWithinBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bullets []*playbook.Bullet
		var ids []string
		for n := range rapid.IntRange(0, 10).Draw(t, "bullets") {
			id := fmt.Sprint("pb-", n)
			ids = append(ids, id)
			bullets = append(bullets, &playbook.Bullet{
				ID: id, Section: rapid.SampledFrom(playbook.Sections()).Draw(t, "section"),
				Content: strings.TrimSpace(strings.Repeat("word ", rapid.IntRange(1, 30).Draw(t, "words"))),
			})
		}
		budget := rapid.IntRange(0, 200).Draw(t, "budget")
		r := playbook.Render(bullets, budget, line, words)
		if words(r.Text) > budget || (r.Text == "") != (len(r.Taken) == 0) {
			t.Fatalf("%d words of %d: %q", words(r.Text), budget, r.Text)
		}
		all := append(slices.Clone(r.Taken), r.Left...)
		slices.Sort(all)
		slices.Sort(ids)
		if !slices.Equal(all, ids) {
			t.Fatalf("included %v and left %v, want all of %v", r.Taken, r.Left, ids)
		}
		for _, b := range bullets {
			if complete := strings.Contains(r.Text, line(b)); complete != slices.Contains(r.Taken, b.ID) {
				t.Fatalf("%s is incomplete: %q", b.ID, r.Text)
			}
		}
	})
}

func TestInvalidInsights(t *testing.T) {
	rules := playbook.DefaultRules()
	good := playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism", Tags: []string{"role:critic"}}
	if err := good.Check(rules); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*playbook.Insight){
		"no text":             func(i *playbook.Insight) { i.Text = " " },
		"two lines":           func(i *playbook.Insight) { i.Text = "one\ntwo" },
		"separators":          func(i *playbook.Insight) { i.Text = "one\u2028two" },
		"hidden":              func(i *playbook.Insight) { i.Text = "one\u200btwo" },
		"an escape sequence":  func(i *playbook.Insight) { i.Text = "\x1b[31mred" },
		"too long":            func(i *playbook.Insight) { i.Text = strings.Repeat("é", 301) },
		"invalid UTF-8":       func(i *playbook.Insight) { i.Text = "a\xff" },
		"no domain":           func(i *playbook.Insight) { i.Domain = "" },
		"unknown section":     func(i *playbook.Insight) { i.Section = "fine" },
		"invalid tag":         func(i *playbook.Insight) { i.Tags = []string{"a\nb"} },
		"confidence above 1":  func(i *playbook.Insight) { i.Confidence = 1.1 },
		"confidence NaN":      func(i *playbook.Insight) { i.Confidence = math.NaN() },
		"infinite confidence": func(i *playbook.Insight) { i.Confidence = math.Inf(1) },
	} {
		i := good
		if change(&i); i.Check(rules) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
