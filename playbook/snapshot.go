package playbook

import (
	"cmp"
	"slices"

	"brenner/internal/fault"
)

// BadSnapshot is the code of a snapshot that cannot be restored.
const BadSnapshot fault.Code = "BAD_SNAPSHOT" // A snapshot of the playbook is invalid, or of another playbook.

// SnapshotSchema is the schema of a snapshot.
const SnapshotSchema = "brenner.playbook.snapshot/v1"

// Snapshot is the state of a playbook after an entry of its journal.
type Snapshot struct {
	Schema  string  `json:"schema"`
	Entries int     `json:"entries"` // of the journal
	Head    string  `json:"head"`    // hash of the last one
	Bullets []Saved `json:"bullets"` // oldest first
}

// Saved is a bullet in a snapshot.
type Saved struct {
	Bullet
	MergedInto string `json:"merged_into,omitempty"`
	// MergedFrom is the stage before the merge.
	MergedFrom Stage `json:"merged_from,omitempty"`
}

// Save returns the bullets of the book for a snapshot.
func (k *Book) Save() []Saved {
	all := make([]Saved, len(k.bullets))
	for n, b := range k.bullets {
		all[n].Bullet = *b.Clone()
		if m, ok := k.merges[n]; ok {
			all[n].MergedInto, all[n].MergedFrom = k.bullets[m.into].ID, m.stage()
		}
	}
	return all
}

// Check returns an error for a snapshot that this package did not make.
func (s *Snapshot) Check() error {
	bad := func(id, why string) error {
		return &fault.Error{Code: BadSnapshot, Place: "bullet " + fault.Shown(id), Detail: why, Hint: "restore a snapshot as `brenner playbook snapshot` wrote it"}
	}
	if s.Schema != SnapshotSchema {
		return &fault.Error{Code: BadSnapshot, Detail: "not a snapshot of a playbook", Hint: "the schema must be " + SnapshotSchema}
	}
	into := make(map[string]string)
	for i := range s.Bullets {
		b := &s.Bullets[i]
		fresh := b.Bullet
		fresh.Stage, fresh.Review = Shadow, ""
		switch why := fresh.invalidNew(); {
		case why != "":
			return bad(b.ID, why)
		case !slices.Contains(Stages(), b.Stage) || !slices.Contains([]string{"", Waiting, Approved, Rejected}, b.Review):
			return bad(b.ID, "unknown stage or review")
		case (b.Stage == Merged) != (b.MergedInto != ""):
			return bad(b.ID, "it is merged, but into no bullet, or the other way round")
		case b.MergedFrom != "" && (b.Stage != Merged || !(merger{from: b.MergedFrom}).known()):
			return bad(b.ID, "it was not merged from the stage "+fault.Shown(string(b.MergedFrom)))
		}
		if _, twice := into[b.ID]; twice {
			return bad(b.ID, "duplicate id")
		}
		into[b.ID] = b.MergedInto
	}
	for i := range s.Bullets {
		id := s.Bullets[i].MergedInto
		for range s.Bullets {
			if id == "" {
				break
			}
			next, ok := into[id]
			if !ok {
				return bad(s.Bullets[i].ID, "merged into "+fault.Shown(id)+", which is missing")
			}
			id = next
		}
		if id != "" {
			return bad(s.Bullets[i].ID, "merged in a circle")
		}
	}
	return nil
}

// Returned counts what a restored snapshot changes.
type Returned struct {
	Added       []string `json:"added"`       // missing here
	Changed     []string `json:"changed"`     // counters, stages and so on return
	Quarantined []string `json:"quarantined"` // not in the snapshot
	Unchanged   int      `json:"unchanged"`
}

// ReturnTo returns the playbook to the state of a snapshot. Nothing is deleted: bullets that the
// snapshot does not have are quarantined. Embeddings are as the caller says: bullets that are
// missing here may lack a vector.
func (d *Draft) ReturnTo(s *Snapshot, embedding func(*Saved) Embedding) (*Returned, error) {
	if err := cmp.Or(d.needsReason(), s.Check()); err != nil {
		return nil, err
	}
	out := &Returned{}
	has := make(map[string]bool)
	var merged []*Saved
	for i := range s.Bullets {
		b := &s.Bullets[i]
		has[b.ID] = true
		if err := d.bringBack(b, embedding, out); err != nil {
			return nil, err
		}
		if b.Stage == Merged {
			merged = append(merged, b)
		}
	}
	for _, b := range d.book.bullets {
		if !has[b.ID] && b.Stage != Quarantined {
			if err := d.change(OpReset, b.ID, note{}, quarantine); err != nil {
				return nil, err
			}
			out.Quarantined = append(out.Quarantined, b.ID)
		}
	}
	// Every bullet that is merged elsewhere, or not merged, has left its place by now.
	for _, b := range merged {
		err := d.change(OpReset, b.ID, note{with: b.MergedInto}, func(now *Bullet) { now.Stage, now.Review = Merged, b.Review })
		if err != nil {
			return nil, err
		}
	}
	changed := make(map[string]bool)
	for i := range d.entries {
		if id := d.entries[i].Bullet; has[id] && !changed[id] && !slices.Contains(out.Added, id) {
			changed[id] = true
			out.Changed = append(out.Changed, id)
		}
	}
	out.Unchanged = len(s.Bullets) - len(out.Added) - len(out.Changed)
	return out, nil
}

// bringBack adds a bullet or resets it, except for a merge, which needs the other bullet.
func (d *Draft) bringBack(b *Saved, embedding func(*Saved) Embedding, out *Returned) error {
	now, err := d.book.Find(b.ID)
	if err != nil {
		fresh := b.Clone()
		fresh.Stage, fresh.Review, fresh.Embedding = Shadow, "", embedding(b)
		d.add(fresh)
		out.Added = append(out.Added, b.ID)
	} else if _, _, touched := diff(now, &b.Bullet); touched&fImmutable != 0 {
		return &fault.Error{Code: BadSnapshot, Place: "bullet " + b.ID, Detail: "another bullet has this id here: " + fault.Shown(now.Content), Hint: "it is a snapshot of another playbook"}
	}
	stage := b.Stage
	if m, ok := d.merged(b.ID); stage == Merged && ok && d.book.bullets[m.into].ID == b.MergedInto {
		stage = Merged // as it is
	} else if stage == Merged {
		stage = merger{from: b.MergedFrom}.stage() // until the other bullet has returned
	}
	return d.change(OpReset, b.ID, note{}, func(c *Bullet) {
		c.Helpful, c.Harmful, c.Neutral, c.LastSeen = b.Helpful, b.Harmful, b.Neutral, b.LastSeen
		c.Stage, c.Review, c.Confidence = stage, b.Review, b.Confidence
	})
}
