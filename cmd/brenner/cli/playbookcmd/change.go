package playbookcmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook"
)

// bulletChange is what became of bullets that somebody did something to.
type bulletChange struct {
	Schema  string             `json:"schema"`
	Did     string             `json:"did"` // "added", "counted", "nothing", …
	Bullets []*playbook.Bullet `json:"bullets"`
	Entries []playbook.Entry   `json:"entries"`
	Cosine  float64            `json:"cosine"` // of a match; 0 where nothing was compared
	Near    []nearBullet       `json:"near"`
	Head    string             `json:"head"`
	note    string
}

// nearBullet is a bullet that looks alike and says something else.
type nearBullet struct {
	ID     string  `json:"id"`
	Cosine float64 `json:"cosine"`
	Why    string  `json:"why"`
}

// changed gathers what was done, with the bullets as they are now.
func (d *desk) changed(did string, ids []string, entries []playbook.Entry) (*bulletChange, error) {
	r := &bulletChange{
		Schema: "brenner.playbook.change/v1", Did: did, Entries: append([]playbook.Entry{}, entries...), Near: []nearBullet{},
		Bullets: []*playbook.Bullet{}, Head: d.Head().Hash,
	}
	if len(entries) == 0 && did != "rolled back" {
		r.Did = "nothing"
	}
	for _, id := range ids {
		b, err := d.Find(id)
		if err != nil {
			return nil, err
		}
		r.Bullets = append(r.Bullets, listed(b))
	}
	return r, nil
}

// listed has empty lists where there would be none, for JSON.
func listed(b *playbook.Bullet) *playbook.Bullet {
	if b.Tags == nil {
		b.Tags = []string{}
	}
	if b.Near == nil {
		b.Near = []string{}
	}
	return b
}

func (r *bulletChange) Print(a *ui.App) error {
	var b strings.Builder
	if a.Quiet {
		for _, bullet := range r.Bullets {
			b.WriteString(bullet.ID + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	for _, bullet := range r.Bullets {
		fmt.Fprintf(&b, "%s %s: %s\n", bullet.ID, r.Did, bulletState(bullet))
		fmt.Fprintf(&b, "  %s\n", ui.Clean(bullet.Content))
	}
	for _, n := range r.Near {
		fmt.Fprintf(&b, "  near %s (cosine %.2f), and not the same: %s\n", n.ID, n.Cosine, ui.Clean(n.Why))
	}
	for _, e := range r.Entries {
		if e.Op != playbook.OpAdd && e.Op != playbook.OpCount {
			fmt.Fprintf(&b, "  %s\n", entryLine(&e))
		}
	}
	if r.note != "" {
		b.WriteString(r.note + "\n")
	}
	return a.Write([]byte(b.String()))
}

// bulletState says in a few words where a bullet stands.
func bulletState(b *playbook.Bullet) string {
	text := fmt.Sprintf("%s, helpful %d, harmful %d", b.Stage, b.Helpful, b.Harmful)
	if b.Neutral > 0 {
		text += fmt.Sprintf(", neutral %d", b.Neutral)
	}
	if b.Review == playbook.Waiting {
		text += ", waits for a review"
	}
	return text
}

// entryLine says in a line what an entry did.
func entryLine(e *playbook.Entry) string {
	line := string(e.Op)
	if change := entryChange(e); change != "" {
		line += " " + change
	}
	if e.Reason != "" {
		line += ": " + ui.Clean(e.Reason)
	}
	return line
}

// entryChange says what an entry changed, from what to what.
func entryChange(e *playbook.Entry) string {
	var parts []string
	number := func(name string, was, is *int) {
		if is != nil {
			before := 0
			if was != nil {
				before = *was
			}
			parts = append(parts, fmt.Sprintf("%s %d → %d", name, before, *is))
		}
	}
	if e.Op == playbook.OpAdd {
		return ""
	}
	if e.After.Stage != nil && e.Before.Stage != nil {
		parts = append(parts, fmt.Sprintf("%s → %s", *e.Before.Stage, *e.After.Stage))
	}
	number("helpful", e.Before.Helpful, e.After.Helpful)
	number("harmful", e.Before.Harmful, e.After.Harmful)
	number("neutral", e.Before.Neutral, e.After.Neutral)
	if e.After.Review != nil && *e.After.Review != "" {
		parts = append(parts, *e.After.Review)
	}
	if e.Before.Review != nil && *e.Before.Review == playbook.Waiting && e.After.Review != nil && *e.After.Review == "" {
		parts = append(parts, "waits no more")
	}
	if e.After.Embedding != nil {
		parts = append(parts, ui.Clean(e.After.Embedding.Model))
	}
	return strings.Join(parts, ", ")
}
