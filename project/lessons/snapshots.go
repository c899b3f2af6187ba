package lessons

import (
	"bytes"
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/store/record"
)

// Kept is a snapshot of the playbook in the store.
type Kept struct {
	Schema  string `json:"schema"`
	Record  string `json:"record"`  // its address: "playbook@v2"
	Written bool   `json:"written"` // false if that version already has this state
	Bullets int    `json:"bullets"`
	Entries int    `json:"entries"` // of the journal
	Head    string `json:"head"`
}

// Snapshot keeps the state of the playbook as a record, unless the latest snapshot has it.
func (b *Book) Snapshot(ctx context.Context, act playbook.Act) (*Kept, error) {
	s, err := b.Keeper.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return b.keep(ctx, act, s, act.Reason)
}

func (b *Book) keep(ctx context.Context, act playbook.Act, s *playbook.Snapshot, change string) (*Kept, error) {
	data, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	records := b.Project.Records(b.Store)
	out := &Kept{Schema: "brenner.playbook.kept/v1", Bullets: len(s.Bullets), Entries: s.Entries, Head: s.Head}
	r, latest, err := records.LatestSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(data, latest) {
		live := 0
		for i := range s.Bullets {
			if s.Bullets[i].Live() {
				live++
			}
		}
		summary := "The playbook after " + text.Plural(s.Entries, "entry", "entries") + ": " + text.Count(len(s.Bullets), "bullet") + ", " + text.Count(live, "live one") + "."
		if r, err = records.PutSnapshot(ctx, govern.Actor{Name: act.Actor}, r.ID, data, summary, change); err != nil {
			return nil, err
		}
		out.Written = true
	}
	out.Record = r.Ref().String()
	return out, nil
}

// keepBefore keeps the state before a change that was made, and returns its address. A failure is only logged: the
// change is journaled, and can be rolled back without it.
func (b *Book) keepBefore(ctx context.Context, act playbook.Act, s *playbook.Snapshot, change string) string {
	if len(s.Bullets) == 0 {
		return ""
	}
	kept, err := b.keep(ctx, act, s, change)
	if err != nil {
		b.Project.Log.Warn().Err(err).Msg("cannot keep a snapshot of the playbook before this change")
		return ""
	}
	return kept.Record
}

// Deduped is the result of merging similar bullets.
type Deduped struct {
	*keeper.Deduped
	Snapshot string `json:"snapshot"` // of the playbook before; empty if nothing changed
}

// Merge finds similar bullets and, with Apply, merges them.
func (b *Book) Merge(ctx context.Context, act playbook.Act, o keeper.DedupeOptions) (*Deduped, error) {
	before, err := b.Keeper.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	found, err := b.Dedupe(ctx, act, o)
	if err != nil {
		return nil, err
	}
	out := &Deduped{Deduped: found}
	if len(found.Entries) > 0 {
		out.Snapshot = b.keepBefore(ctx, act, before, "before merging similar bullets")
	}
	return out, nil
}

// RolledBack is a rollback, with a snapshot of the playbook before it.
func (b *Book) RolledBack(ctx context.Context, act playbook.Act, r keeper.Rollback) (*keeper.Change, error) {
	before, err := b.Keeper.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	done, err := b.Rollback(ctx, act, r)
	if err == nil && len(done.Entries) > 0 {
		b.keepBefore(ctx, act, before, "before a rollback")
	}
	return done, err
}

// Returned is the result of restoring a snapshot.
type Returned struct {
	Schema  string `json:"schema"`
	Record  string `json:"record"` // the snapshot
	Applied bool   `json:"applied"`
	playbook.Returned
	Snapshot string `json:"snapshot"` // of the playbook before; empty if nothing changed
	Head     string `json:"head"`
}

// ReadSnapshot reads a snapshot from the store, or its latest version.
func ReadSnapshot(ctx context.Context, p *project.Project, address string) (*playbook.Snapshot, string, error) {
	r, err := p.OpenRecords(ctx, project.RecordsOptions{})
	if err != nil {
		return nil, "", err
	}
	defer p.CloseStore(r.Store)
	if !strings.Contains(address, "@") { // a snapshot is never canonical
		h, err := r.Head(ctx, address)
		if err != nil {
			return nil, "", err
		}
		address = record.Ref{ID: h.ID, Version: h.Latest}.String()
	}
	found, err := r.Show(ctx, r.Actor, address)
	if err != nil {
		return nil, "", err
	}
	s, err := parseSnapshot([]byte(found.Text))
	if err != nil {
		return nil, "", fault.InFile("restore", address, err)
	}
	return s, record.Ref{ID: found.Record.ID, Version: found.Record.Version}.String(), nil
}

func parseSnapshot(data []byte) (*playbook.Snapshot, error) {
	s := &playbook.Snapshot{}
	if err := json.Unmarshal(data, s, json.RejectUnknownMembers(true)); err != nil {
		return nil, &fault.Error{Code: playbook.BadSnapshot, Detail: "not a snapshot of a playbook", Hint: "`brenner store log playbook` lists the snapshots"}
	}
	err := s.Check()
	return s, err
}

// Return returns the playbook to a snapshot; without apply it only says what would change.
func (b *Book) Return(ctx context.Context, act playbook.Act, s *playbook.Snapshot, address string, apply bool) (*Returned, error) {
	before, err := b.Keeper.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if !apply {
		act.Reason = "preview"
	}
	if act.Reason != "" {
		act.Reason = "restored from " + address + ": " + act.Reason
	}
	done, entries, err := b.ReturnTo(ctx, act, s, apply)
	if err != nil {
		return nil, err
	}
	out := &Returned{Schema: "brenner.playbook.restore/v1", Record: address, Applied: apply, Returned: *done}
	if len(entries) > 0 {
		out.Snapshot = b.keepBefore(ctx, act, before, "before "+address+" was restored")
	}
	out.Head = b.Head().Hash
	return out, nil
}
