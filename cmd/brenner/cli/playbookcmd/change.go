package playbookcmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook"
	"brenner/playbook/keeper"
)

// changeView is what became of bullets.
type changeView struct {
	*keeper.Change
	note string
}

func (r *changeView) Print(a *ui.App) error {
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
