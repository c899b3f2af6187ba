package playbook

import (
	"fmt"
	"slices"
	"time"

	"brenner/internal/fault"
)

// Act describes an action: who, when and why.
type Act struct {
	Actor   string
	Session string // empty if not part of a session
	Reason  string
	At      time.Time
}

// Draft is a list of entries to append to a book. It never changes the book; its caller applies
// the entries once they are stored.
type Draft struct {
	book    *Book
	rules   Rules
	act     Act
	changed map[string]*Bullet
	counted map[digest]bool
	added   int
	entries []Entry
}

// Draft returns an empty draft.
func (k *Book) Draft(rules Rules, act Act) *Draft {
	act.At = act.At.UTC().Round(0)
	return &Draft{book: k, rules: rules, act: act, changed: map[string]*Bullet{}, counted: map[digest]bool{}}
}

// Entries returns the entries of the draft.
func (d *Draft) Entries() []Entry { return d.entries }

func (d *Draft) find(id string) (*Bullet, error) {
	if b, ok := d.changed[id]; ok {
		return b, nil
	}
	return d.book.Find(id)
}

// note holds what an entry records besides its changes.
type note struct {
	reason  string // empty means the act's
	insight string
	cosine  float64
	with    string // the other bullet, or an imported line
}

// change applies do to a copy of a bullet and journals the difference, if any.
func (d *Draft) change(op Op, id string, n note, do func(*Bullet)) error {
	before, err := d.find(id)
	if err != nil {
		return err
	}
	after := before.Clone()
	do(after)
	was, is, touched := diff(before, after)
	if touched == 0 {
		return nil
	}
	e := d.entry(op, after, n, Body{Before: was, After: is, BeforeHash: before.Hash()})
	if why := e.violation(before, after, touched); why != "" { // the journal could not be read with it
		return &fault.Error{
			Code: Impossible, Op: string(op) + " " + id, Detail: why, Hint: "this is a fault of the program, please report it; nothing was written",
		}
	}
	d.append(e, after)
	return nil
}

func (d *Draft) append(e *Entry, after *Bullet) {
	d.changed[after.ID] = after
	d.entries = append(d.entries, *e)
}

func (d *Draft) entry(op Op, after *Bullet, n note, body Body) *Entry {
	body.Bullet, body.Actor, body.Session, body.Insight = after.ID, d.act.Actor, d.act.Session, n.insight
	body.Cosine, body.With = roundShare(n.cosine), n.with
	body.Reason = n.reason
	if n.reason == "" {
		body.Reason = d.act.Reason
	}
	body.AfterHash = after.Hash()
	return &Entry{Op: op, At: d.act.At, Body: body}
}

func (d *Draft) add(b *Bullet) {
	_, is, _ := diff(&Bullet{ID: b.ID}, b)
	d.append(d.entry(OpAdd, b, note{}, Body{After: is}), b)
	d.mark(b.ID, b.Section)
}

func (d *Draft) nextID() string {
	d.added++
	return ownID(d.book.next + d.added)
}

func (d *Draft) mark(id string, polarity Section) {
	if d.act.Session != "" {
		d.counted[digestOf(d.act.Session, id, string(polarity))] = true
	}
}

// has reports whether this session has already counted with this polarity, for the bullet or for one
// that was merged into it.
func (d *Draft) has(id string, polarity Section) bool {
	counted := func(id string) bool { return d.book.Counted(d.act.Session, id, polarity) }
	return counted(id) || slices.ContainsFunc(d.book.MergedInto(id), counted) ||
		d.act.Session != "" && d.counted[digestOf(d.act.Session, id, string(polarity))]
}

// increment increments a counter and checks the gates. It returns false if the session has already
// counted for the bullet with this polarity. A merged bullet counts for the one that it is part of.
func (d *Draft) increment(id string, polarity Section, n note) (bool, error) {
	id = d.book.Standing(id)
	if d.has(id, polarity) {
		return false, nil
	}
	against := false
	err := d.change(OpCount, id, n, func(b *Bullet) {
		*b.counter(polarity)++
		against = polarity == b.contradicting()
		if d.act.At.After(b.LastSeen) {
			b.LastSeen = d.act.At
		}
		if d.act.Session != "" && polarity == b.confirming() {
			b.Confidence = roundShare(max(b.Confidence, min(b.Confidence+d.rules.PerSession, maxBySessions)))
		}
	})
	if err != nil {
		return false, err
	}
	d.mark(id, polarity)
	return true, d.applyGates(id, against)
}

// applyGates moves a bullet to the stage that its counters allow. Only a count against it can
// quarantine it: support must not send back a bullet that a person has restored.
func (d *Draft) applyGates(id string, against bool) error {
	b, err := d.find(id)
	if err != nil || b.Stage == Quarantined {
		return err
	}
	counts := fmt.Sprintf("helpful %d, harmful %d", b.Helpful, b.Harmful)
	if against && contradicted(b) {
		return d.change(OpQuarantine, id, note{reason: counts + ": what speaks against it is no less than what speaks for it"}, quarantine)
	}
	if b.Stage == Shadow && d.rules.Staging.passes(b) {
		if err := d.change(OpStage, id, note{reason: counts}, func(b *Bullet) { b.Stage = Staging }); err != nil {
			return err
		}
		b = d.changed[id]
	}
	if b.Stage != Staging || !d.rules.Prod.passes(b) || b.Review == Waiting {
		return nil
	}
	if d.rules.needsReview(b) {
		reason := fmt.Sprintf("%s, but the confidence is %.2f: a person decides", counts, b.Confidence)
		if b.Confidence >= d.rules.Prod.Confidence {
			reason = counts + ", but it is an agent's, and nobody has approved it: a person decides"
		}
		return d.change(OpReview, id, note{reason: reason}, func(b *Bullet) { b.Review = Waiting })
	}
	return d.change(OpStage, id, note{reason: counts}, func(b *Bullet) { b.Stage = Prod })
}

// quarantine removes a bullet from all prompts and from the review queue.
func quarantine(b *Bullet) {
	b.Stage = Quarantined
	if b.Review == Waiting {
		b.Review = ""
	}
}

// WrongStage is the code of a move that a bullet's stage does not allow.
const WrongStage fault.Code = "WRONG_STAGE" // The bullet's stage does not allow this move.

func wrongStage(b *Bullet, hint, detail string) error {
	return &fault.Error{Code: WrongStage, Op: "move bullet " + b.ID, Detail: detail, Hint: hint}
}

// InSession makes the entries of the draft part of a session.
func (d *Draft) InSession(session string) { d.act.Session = session }

// Session returns the session of the draft.
func (d *Draft) Session() string { return d.act.Session }

// Adds reports whether the draft adds the bullet with this id.
func (d *Draft) Adds(id string) bool {
	_, changed := d.changed[id]
	_, old := d.book.byID[id]
	return changed && !old
}

// Result returns a bullet as it is after the draft.
func (d *Draft) Result(id string) (*Bullet, error) {
	b, err := d.find(id)
	if err != nil {
		return nil, err
	}
	return b.Clone(), nil
}
