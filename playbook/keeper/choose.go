package keeper

import (
	"context"
	"strings"

	"brenner/playbook"
)

// Wish says for whom bullets are chosen.
type Wish struct {
	Domain  string // empty is any
	Session string
	Role    string // empty is any
	About   string // what the bullets should be about
	Tokens  int
	Count   func(string) int
	Line    func(*playbook.Bullet) string // the form that a bullet has in a prompt
	// All takes bullets of every stage but quarantine; it is for people who want to
	// see what could be said.
	All bool
}

// mostChosen is how many bullets are looked at for one prompt.
const mostChosen = 100

// Choose gives the bullets that fit a prompt, those first that are most about its
// subject, as text within its bound.
func (k *Keeper) Choose(ctx context.Context, w Wish) (playbook.Rendered, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return playbook.Rendered{}, err
	}
	fits := func(b *playbook.Bullet) bool { return k.fits(b, &w) }
	fitting := []*playbook.Bullet{}
	for n := range k.book.Len() {
		if b := k.book.At(n); fits(b) {
			fitting = append(fitting, b)
		}
	}
	if len(fitting) == 0 {
		return playbook.Rendered{}, nil
	}
	if strings.TrimSpace(w.About) != "" {
		v, err := k.embed(ctx, w.About)
		if err != nil {
			return playbook.Rendered{}, err
		}
		matches, err := k.searchFor(ctx, *v, -1, mostChosen, fits)
		if err != nil {
			return playbook.Rendered{}, err
		}
		fitting = fitting[:0]
		for _, m := range matches {
			b, err := k.book.Find(m.ID)
			if err != nil {
				return playbook.Rendered{}, err
			}
			fitting = append(fitting, b)
		}
	}
	return playbook.Render(fitting, w.Tokens, w.Line, w.Count), nil
}

func (k *Keeper) fits(b *playbook.Bullet, w *Wish) bool {
	reaches := k.Rules.Reaches(b, w.Session) || w.All && b.Stage != playbook.Quarantined
	return reaches && (w.Domain == "" || b.Domain == w.Domain) && b.For(w.Role)
}

// Similar gives the bullets that are most alike to a text, whatever they say of it.
func (k *Keeper) Similar(ctx context.Context, text string, most int, want func(*playbook.Bullet) bool) ([]playbook.Match, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, err := k.embed(ctx, text)
	if err != nil {
		return nil, err
	}
	return k.searchFor(ctx, *v, -1, most, want)
}
