package keeper

import (
	"context"
	"strings"
	"time"

	"brenner/playbook"
)

// Change is the result of a person's change of bullets.
type Change struct {
	Schema  string             `json:"schema"`
	Did     string             `json:"did"` // "added", "counted", "nothing" and so on
	Bullets []*playbook.Bullet `json:"bullets"`
	Entries []playbook.Entry   `json:"entries"`
	Cosine  float64            `json:"cosine"` // of a match; 0 if nothing was compared
	Near    []playbook.Refusal `json:"near"`
	Head    string             `json:"head"`

	Again  bool   `json:"-"` // the session has reported it before
	Reason string `json:"-"` // of a rollback
	Holds  bool   `json:"-"` // within the guardrail: nothing is rolled back
}

// rolledBack describes a rollback, even of no bullet.
const rolledBack = "rolled back"

func (k *Keeper) newChange(did string, ids []string, entries []playbook.Entry) (*Change, error) {
	if len(entries) == 0 && did != rolledBack {
		did = "nothing"
	}
	c := &Change{Schema: "brenner.playbook.change/v1", Did: did, Entries: entries, Head: k.Head().Hash}
	for _, id := range ids {
		b, err := k.Find(id)
		if err != nil {
			return nil, err
		}
		c.Bullets = append(c.Bullets, b)
	}
	return c, nil
}

// Add is Learn with the result as a Change.
func (k *Keeper) Add(ctx context.Context, act playbook.Act, i playbook.Insight) (*Change, error) {
	out, entries, err := k.Learn(ctx, act, i)
	if err != nil {
		return nil, err
	}
	did := "counted"
	if out.Added {
		did = "added"
	}
	c, err := k.newChange(did, []string{out.Bullet}, entries)
	if err != nil {
		return nil, err
	}
	c.Cosine, c.Again, c.Near = out.Cosine, out.Again, out.Near
	return c, nil
}

// Correct is Replace with the result as a Change of both bullets.
func (k *Keeper) Correct(ctx context.Context, act playbook.Act, id, text string) (*Change, error) {
	newID, entries, err := k.Replace(ctx, act, id, text)
	if err != nil {
		return nil, err
	}
	return k.newChange("replaced", []string{id, newID}, entries)
}

// Each applies decide to bullets one after the other, and writes the entries of all of them or
// none. Did names the action in the past tense.
func (k *Keeper) Each(ctx context.Context, act playbook.Act, did string, ids []string, decide func(*playbook.Draft, string) error) (*Change, error) {
	entries, err := k.Do(ctx, act, func(d *playbook.Draft) error {
		for _, id := range ids {
			if err := decide(d, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return k.newChange(did, ids, entries)
}

// Rollback selects what to roll back: the bullets added in a window, or the work of a session.
type Rollback struct {
	Since, Until time.Time
	// Before and Now are the metrics before the window and in it. If set, the guardrail decides
	// whether anything is rolled back.
	Before, Now *playbook.Metrics
	Session     string // instead of a window
}

// Rollback reverts by additional entries, never by deletion.
func (k *Keeper) Rollback(ctx context.Context, act playbook.Act, r Rollback) (*Change, error) {
	var its []playbook.Entry
	if r.Session != "" {
		act.Session = r.Session
		var err error
		if its, err = k.entriesAround(ctx, r.Session); err != nil {
			return nil, err
		}
	}
	if r.Now != nil {
		breach := k.Rules.Guardrail.Breach(*r.Before, *r.Now)
		if breach == "" {
			c, err := k.newChange("nothing", nil, nil)
			if err == nil {
				c.Holds = true
			}
			return c, err
		}
		act.Reason = strings.TrimSuffix("guardrail: "+breach+"; "+act.Reason, "; ")
	}
	var ids []string
	entries, err := k.Do(ctx, act, func(d *playbook.Draft) (err error) {
		if r.Session != "" {
			ids, err = d.Undo(its)
			return err
		}
		ids, err = d.Rollback(r.Since, r.Until)
		return err
	})
	if err != nil {
		return nil, err
	}
	c, err := k.newChange(rolledBack, ids, entries)
	if err == nil {
		c.Reason = act.Reason
	}
	return c, err
}

// entriesAround returns all entries of the bullets that a session has changed.
func (k *Keeper) entriesAround(ctx context.Context, session string) (entries []playbook.Entry, err error) {
	changed := make(map[string]bool)
	err = k.Walk(ctx, func(e *playbook.Entry) error {
		if e.Session == session {
			changed[e.Bullet] = true
		}
		return nil
	})
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	err = k.Walk(ctx, func(e *playbook.Entry) error {
		if changed[e.Bullet] {
			entries = append(entries, *e)
		}
		return nil
	})
	return entries, err
}
