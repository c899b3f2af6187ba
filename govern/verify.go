package govern

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"brenner/fault"
	"brenner/journal"
	"brenner/record"
	"brenner/store"
)

// Proof is what a verification of the records looked at, and what it found.
type Proof struct {
	Entries  int
	Versions int
	Marks    int
	Head     string
	Faults   []error
}

// Verify proves the records from their journal: its chain, every version that it
// says was put, with its content, and every mark. A mark that the journal does not
// have is a promotion that nobody made.
func (d *Door) Verify(ctx context.Context) (*Proof, error) {
	p := &Proof{}
	for _, stream := range []string{Changes, Refusals, Calls} {
		entries, err := d.Store.Entries(ctx, stream, 0)
		if err != nil {
			return nil, err
		}
		p.Entries += len(entries)
		if err := journal.Check(stream, journal.Head{}, entries); err != nil {
			p.Faults = append(p.Faults, err)
			continue
		}
		if stream == Changes {
			p.Head = journal.HeadOf(entries).Hash
			if err := d.prove(ctx, p, entries); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func (d *Door) prove(ctx context.Context, p *Proof, entries []journal.Entry) error {
	marks := make(map[string][]markEntry)
	for i := range entries {
		switch entries[i].Kind {
		case kindPut:
			var e putEvent
			if err := json.Unmarshal(entries[i].Body, &e); err != nil {
				return unreadable(&entries[i], err)
			}
			for _, r := range e.Records {
				p.Versions++
				if err := d.proveVersion(ctx, p, r); err != nil {
					return err
				}
			}
		default:
			var e markEvent
			if err := json.Unmarshal(entries[i].Body, &e); err != nil {
				return unreadable(&entries[i], err)
			}
			for _, m := range e.Marks {
				p.Marks++
				marks[m.ID] = append(marks[m.ID], m)
			}
		}
	}
	return d.proveMarks(ctx, p, marks)
}

func (p *Proof) wrong(place, format string, args ...any) {
	p.Faults = append(p.Faults, &fault.Error{
		Code: store.Damaged, Place: place, Detail: fmt.Sprintf(format, args...), Hint: "the store was changed by other means than this program",
	})
}

func (d *Door) proveVersion(ctx context.Context, p *Proof, e putEntry) error {
	place := record.Ref{ID: e.ID, Version: e.Version}.String()
	found, err := d.Store.Records(ctx, store.Query{ID: e.ID, Version: e.Version})
	if err != nil {
		return err
	}
	switch {
	case len(found) == 0:
		p.wrong(place, "the journal says that it was put, and it is not there")
		return nil
	case hashOf(&found[0]) != e.Hash:
		p.wrong(place, "it is not what the journal says was put")
	}
	if _, err := d.Store.Blob(ctx, found[0].Content); err != nil {
		p.Faults = append(p.Faults, &fault.Error{Code: fault.CodeOf(err), Place: place, Detail: "its content is gone or changed", Cause: err})
	}
	return ctx.Err()
}

// proveMarks compares the marks of every record with the journal.
func (d *Door) proveMarks(ctx context.Context, p *Proof, wanted map[string][]markEntry) error {
	heads, err := d.Store.Heads(ctx, store.HeadQuery{})
	if err != nil {
		return err
	}
	for i := range heads {
		have, err := d.Store.Marks(ctx, heads[i].ID)
		if err != nil {
			return err
		}
		want := wanted[heads[i].ID]
		canonical := 0
		for j, m := range have {
			if j >= len(want) || want[j] != (markEntry{m.ID, m.Version, m.Status, m.Reason}) {
				p.wrong(m.Ref().String(), "it has the status %s by a mark that the journal does not have", m.Status)
				break
			}
			switch {
			case m.Status == record.Canonical:
				canonical = m.Version
			case canonical == m.Version && !record.KeepsCanonical(m.Status):
				canonical = 0
			}
		}
		if len(have) < len(want) {
			p.wrong(heads[i].ID, "marks are missing: the journal has %d, the store %d", len(want), len(have))
		}
		if canonical != heads[i].Canonical {
			p.wrong(heads[i].ID, "its canonical version is v%d, and by its marks it is v%d", heads[i].Canonical, canonical)
		}
	}
	return nil
}
