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

func TestRenderKeepsToItsBudget(t *testing.T) {
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
			t.Fatalf("%v and %v are not %v", r.Taken, r.Left, ids)
		}
		for _, b := range bullets {
			if whole := strings.Contains(r.Text, line(b)); whole != slices.Contains(r.Taken, b.ID) {
				t.Fatalf("%s is there in part: %q", b.ID, r.Text)
			}
		}
	})
}

func TestWhatCannotBeABullet(t *testing.T) {
	rules := playbook.DefaultRules()
	good := playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism", Tags: []string{"role:critic"}}
	if err := good.Check(rules); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*playbook.Insight){
		"no text":     func(i *playbook.Insight) { i.Text = " " },
		"two lines":   func(i *playbook.Insight) { i.Text = "one\ntwo" },
		"separators":  func(i *playbook.Insight) { i.Text = "one\u2028two" },
		"hidden":      func(i *playbook.Insight) { i.Text = "one\u200btwo" },
		"a terminal":  func(i *playbook.Insight) { i.Text = "\x1b[31mred" },
		"too long":    func(i *playbook.Insight) { i.Text = strings.Repeat("é", 301) },
		"no UTF-8":    func(i *playbook.Insight) { i.Text = "a\xff" },
		"no domain":   func(i *playbook.Insight) { i.Domain = "" },
		"no section":  func(i *playbook.Insight) { i.Section = "fine" },
		"a bad tag":   func(i *playbook.Insight) { i.Tags = []string{"a\nb"} },
		"too certain": func(i *playbook.Insight) { i.Confidence = 1.1 },
		"no number":   func(i *playbook.Insight) { i.Confidence = math.NaN() },
		"endless":     func(i *playbook.Insight) { i.Confidence = math.Inf(1) },
	} {
		i := good
		if change(&i); i.Check(rules) == nil {
			t.Error(name)
		}
	}
}
