package playbook

import (
	"errors"

	"brenner/internal/fault"
)

// NoReason is the code of a missing reason.
const NoReason fault.Code = "REASON_NEEDED" // A manual decision about a bullet needs a reason.

func (d *Draft) needsReason() error {
	if err := CheckContent(d.act.Reason, 0); err == nil {
		return nil
	}
	return &fault.Error{Code: NoReason, Detail: "--reason is required, on one line", Hint: "pass --reason \"…\"; the journal keeps it"}
}

// findForDecision returns a bullet that a person decides about. A reason is required.
func (d *Draft) findForDecision(id string) (*Bullet, error) {
	if err := d.needsReason(); err != nil {
		return nil, err
	}
	b, err := d.find(id)
	if err == nil && b.Stage == Merged {
		into := d.book.Standing(id)
		return nil, wrongStage(b, "decide about "+into+", or separate the two: brenner playbook restore "+id, "merged into "+into)
	}
	return b, err
}

// Promote moves a bullet up, whatever its counters.
func (d *Draft) Promote(id string, to Stage) error {
	b, err := d.findForDecision(id)
	if err != nil {
		return err
	}
	switch {
	case b.Stage == Quarantined:
		return wrongStage(b, "`brenner playbook restore "+id+"` releases it", "it is in quarantine")
	case to != Staging && to != Prod:
		return wrongStage(b, "use STAGING or PROD", "cannot promote to "+fault.Shown(string(to)))
	case rank(to) <= rank(b.Stage):
		return wrongStage(b, "", "already in "+string(b.Stage))
	}
	return d.change(OpForce, id, note{}, func(b *Bullet) {
		b.Stage = to
		if to == Prod {
			b.Confidence = Person
			if b.Review == Waiting {
				b.Review = Approved
			}
		}
	})
}

// Quarantine removes a bullet from all prompts.
func (d *Draft) Quarantine(id string) error {
	b, err := d.findForDecision(id)
	if err != nil {
		return err
	}
	if b.Stage == Quarantined {
		return wrongStage(b, "", "already in quarantine")
	}
	return d.change(OpQuarantine, id, note{}, quarantine)
}

// Restore returns a quarantined bullet to SHADOW, or separates a merged one from its bullet.
func (d *Draft) Restore(id string) error {
	if _, merged := d.merged(id); merged {
		if err := d.needsReason(); err != nil {
			return err
		}
		stood, err := d.unmerge(id)
		return errors.Join(err, d.demote(nil, stood...))
	}
	b, err := d.findForDecision(id)
	if err != nil {
		return err
	}
	if b.Stage != Quarantined {
		return wrongStage(b, "", "not in quarantine but in "+string(b.Stage))
	}
	return d.change(OpRestore, id, note{}, func(b *Bullet) { b.Stage, b.Review = Shadow, "" })
}

// Review decides about a bullet that waits for review: PROD, or quarantine.
func (d *Draft) Review(id string, approve bool) error {
	b, err := d.findForDecision(id)
	if err != nil {
		return err
	}
	if b.Review != Waiting {
		return wrongStage(b, "`brenner playbook review` lists the waiting bullets", "not waiting for review")
	}
	if !approve {
		err := d.change(OpReview, id, note{}, func(b *Bullet) { b.Review = Rejected })
		if err != nil {
			return err
		}
		return d.change(OpQuarantine, id, note{}, quarantine)
	}
	err = d.change(OpReview, id, note{}, func(b *Bullet) { b.Review, b.Confidence = Approved, Person })
	if err != nil || b.Stage != Staging {
		return err
	}
	return d.change(OpStage, id, note{}, func(b *Bullet) { b.Stage = Prod })
}

// Replace quarantines a bullet and adds a new one with another text in the same domain and
// section.
func (d *Draft) Replace(id, text string, source Source, e Embedding) (newID string, err error) {
	old, err := d.findForDecision(id)
	if err != nil {
		return "", err
	}
	if err := CheckContent(text, d.rules.Longest); err != nil {
		return "", err
	}
	if old.Content == text {
		return "", badBullet("change the text", "identical to the text of %s", id)
	}
	if err := d.replaceable(old, text); err != nil {
		return "", err
	}
	if old.Stage != Quarantined {
		if err := d.change(OpQuarantine, id, note{}, quarantine); err != nil {
			return "", err
		}
	}
	i := Insight{Domain: old.Domain, Section: old.Section, Text: text, Tags: old.Tags, Source: source, Person: true}
	b := i.bullet(d.nextID(), d.rules)
	b.Created, b.LastSeen, b.Embedding, b.Supersedes = d.act.At, d.act.At, e, id
	d.add(b)
	return b.ID, nil
}

// replaceable refuses to replace a bullet twice, and to duplicate the text of another bullet.
func (d *Draft) replaceable(old *Bullet, text string) error {
	if next := d.book.successor(old.ID); next != nil && old.Stage == Quarantined {
		return wrongStage(old, "replace "+next.ID+", or restore "+old.ID+" first", "already replaced by "+next.ID)
	}
	b := d.book.sameMeaning(old.Domain, text, old.ID)
	switch {
	case b == nil:
		return nil
	case b.Stage == Merged:
		return badBullet("`brenner playbook restore "+b.ID+"` separates it", "bullet %s has this text, merged into %s", b.ID, d.book.Standing(b.ID))
	case b.Stage == Quarantined:
		return badBullet("`brenner playbook restore "+b.ID+"` releases it", "bullet %s has this text, in quarantine", b.ID)
	default:
		return badBullet("quarantine "+old.ID+", and credit "+b.ID, "bullet %s already has this text", b.ID)
	}
}
