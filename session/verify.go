package session

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Proof is the result of a verification: what it examined, and the faults found.
type Proof struct {
	Thread   string `json:"thread_id"`
	File     string `json:"file"` // of an export
	Entries  int    `json:"entries"`
	Blobs    int    `json:"blobs"`
	Versions int    `json:"versions"`
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	// Lint names the rules of other programs whose findings were not checked.
	Lint     []string     `json:"other_lint,omitempty"`
	Reworded int          `json:"reworded,omitzero"` // versions whose reports only differ in wording
	Faults   store.Faults `json:"faults"`

	words []words // the accepted wordings of records
}

// Verify verifies a session: the chain of its journal, every blob that it names, every version
// against its replies and its stored pieces, and the store's lists. Head, if not empty, is the
// hash of an entry or the seal of a version that must be part of the session. The session may
// be running.
func Verify(ctx context.Context, st store.Store, thread, head string) (*Proof, error) {
	return verify(ctx, st, &Proof{Thread: thread, words: wordings()}, head)
}

func verify(ctx context.Context, st store.Store, p *Proof, head string) (*Proof, error) {
	thread := p.Thread
	before, err := st.Records(ctx, store.Query{ID: thread, Type: record.ResearchArtifact})
	if err != nil {
		return nil, err
	}
	entries, err := st.Entries(ctx, Prefix+thread, 0)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, unknownSession(ctx, st, thread)
	}
	p.Entries, p.Head = len(entries), journal.HeadOf(entries).Hash
	if err := journal.Check(Prefix+thread, journal.Head{}, entries); err != nil {
		p.Faults.Add(err)
		return p, nil // nothing after a broken chain can be trusted
	}
	state, err := flow.Fold(entries)
	if err != nil {
		p.Faults.Add(err)
		return p, nil
	}
	h := &History{Store: st, Thread: thread, Entries: entries, State: state}
	p.Seal, p.Versions = state.Seal(), state.Version()
	if head != "" {
		p.Faults.Add(h.checkKnown(head))
	}
	p.Faults.Add(h.checkHead(ctx), h.checkListed(ctx))
	p.checkBlobs(ctx, h)
	if len(p.Faults) == 0 { // a missing blob would be reported twice
		all, err := h.Replay(ctx)
		p.Faults.Add(err)
		for i := range all {
			then := &all[i].Diff
			if then.Lint != "" && !slices.Contains(p.Lint, then.Lint) {
				p.Lint = append(p.Lint, then.Lint)
			}
			if then.Reworded {
				p.Reworded++
			}
		}
		p.checkVersions(ctx, h)
		if err == nil {
			p.checkRecords(ctx, h, before, all)
			p.checkSideRecords(ctx, h)
		}
	}
	return p, ctx.Err()
}

// checkHead compares the end of the journal with the store's head, which may be ahead while the
// session is running.
func (h *History) checkHead(ctx context.Context) error {
	end := h.State.Head
	head, ends, err := store.EndsAt(ctx, h.Store, Prefix+h.Thread, end)
	if err != nil || ends {
		return err
	}
	return &fault.Error{
		Code: store.Damaged, Place: h.Thread,
		Detail: fmt.Sprintf("the store lists entry %d (%s) as the end of the journal, but the last entry is %d (%s)", head.Seq, shortHash(head.Hash), end.Seq, shortHash(end.Hash)),
		Hint:   "entries were removed from the end, or the list of streams was changed",
	}
}

// checkListed compares what lists show with the journal, unless that has grown since.
func (h *History) checkListed(ctx context.Context) error {
	s, err := store.StreamOf(ctx, h.Store, Prefix+h.Thread)
	if err != nil || s.Head != h.State.Head || h.State.ListedAs(s.Summary) {
		return err
	}
	return &fault.Error{
		Code: store.Damaged, Place: h.Thread, Detail: "the store's list of sessions disagrees with the journal",
		Hint: "the column summary of the table streams was changed; the journal is right",
	}
}

// checkKnown returns an error unless a hash is that of an entry or the seal of a version.
func (h *History) checkKnown(hash string) error {
	for i := range h.State.Commits {
		if h.State.Commits[i].Seal == hash {
			return nil
		}
	}
	return journal.CheckHead(h.Entries, hash)
}

func (p *Proof) checkBlobs(ctx context.Context, h *History) {
	for _, ref := range h.References() {
		p.Blobs++
		if _, err := h.Store.Blob(ctx, ref.Hash); err != nil {
			p.Faults.Add(&fault.Error{
				Code: fault.CodeOf(err), Place: h.Thread + ", " + ref.What, Cause: err,
				Hint: "an export of the session, if any, also contains it",
			})
		}
	}
}

func (p *Proof) checkVersions(ctx context.Context, h *History) {
	for v := 1; v <= h.State.Version(); v++ {
		_, err := h.Artifact(ctx, v)
		p.Faults.Add(err)
	}
}

// checkRecords compares the store's list of versions with the journal: those listed before the
// journal was read must be in it, and those in it must be listed now.
func (p *Proof) checkRecords(ctx context.Context, h *History, before []record.Record, all []ReplayedCommit) {
	wanted := make(map[int][]record.Record)
	for i := range all {
		r := &all[i]
		for w := 0; w < len(p.words) && r.Settlement.Changed; w++ {
			wanted[r.Commit.Version] = append(wanted[r.Commit.Version], h.recordIn(&p.words[w], &r.Commit.Committed, r.Commit.Instant, &r.Settlement))
		}
	}
	now, err := h.Store.Records(ctx, store.Query{ID: h.Thread, Type: record.ResearchArtifact})
	if err != nil {
		p.Faults.Add(err)
		return
	}
	marked := marks{store: h.Store}
	for _, want := range wanted {
		if err := marked.apply(ctx, want); err != nil {
			p.Faults.Add(err)
			return
		}
	}
	wrong := func(version int, format string, args ...any) {
		p.Faults.Add(&fault.Error{Code: store.Damaged, Place: fmt.Sprintf("%s, record of version %d", h.Thread, version), Detail: fmt.Sprintf(format, args...)})
	}
	have := make(map[int]bool)
	for i := range now {
		have[now[i].Version] = true
	}
	for _, r := range before {
		switch want, ok := wanted[r.Version]; {
		case !ok:
			wrong(r.Version, "the journal has no such version")
		case !isOneOf(&r, want):
			wrong(r.Version, "the record differs from the journal")
		}
	}
	for i := range all {
		if c := &all[i]; c.Settlement.Changed && !have[c.Commit.Version] {
			wrong(c.Commit.Version, "the record is missing")
		}
	}
}

// checkSideRecords compares the roster, kickoffs and replies that the store keeps as records with
// the journal.
func (p *Proof) checkSideRecords(ctx context.Context, h *History) {
	var wanted [][]record.Record // of each record, in all wordings
	for w := range p.words {
		records, _, err := p.words[w].sideRecords(&flow.State{}, h.Entries)
		if err != nil {
			p.Faults.Add(err)
			return
		}
		if wanted == nil {
			wanted = make([][]record.Record, len(records))
		}
		for i := range records {
			wanted[i] = append(wanted[i], records[i])
		}
	}
	marked := marks{store: h.Store}
	for _, want := range wanted {
		ref := want[0].Ref()
		found, err := h.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version})
		if err == nil {
			err = marked.apply(ctx, want)
		}
		switch {
		case err != nil:
			p.Faults.Add(err)
			return
		case len(found) == 0:
			p.Faults.Add(&fault.Error{Code: store.Damaged, Place: ref.String(), Detail: "the record is missing"})
		case !isOneOf(&found[0], want):
			p.Faults.Add(&fault.Error{Code: store.Damaged, Place: ref.String(), Detail: "the record differs from the journal"})
		}
	}
}

// isOneOf reports whether a stored record equals the expected one in any of its wordings.
func isOneOf(r *record.Record, wanted []record.Record) bool {
	return slices.ContainsFunc(wanted, func(want record.Record) bool { return reflect.DeepEqual(want, *r) })
}

// marks caches the later statuses of records, which are not in a session's journal.
type marks struct {
	store store.Store
	read  map[string][]record.Mark
}

// apply sets the last status of a record in all wordings.
func (m *marks) apply(ctx context.Context, records []record.Record) error {
	for i := range records {
		r := &records[i]
		all, ok := m.read[r.ID]
		if !ok {
			var err error
			if all, err = m.store.Marks(ctx, r.ID); err != nil {
				return err
			}
			if m.read == nil {
				m.read = make(map[string][]record.Mark)
			}
			m.read[r.ID] = all
		}
		first := r.Status
		for _, one := range all {
			if one.Version == r.Version {
				r.Status = one.Status
			}
		}
		if !slices.ContainsFunc(all, func(one record.Mark) bool { return one.Version == r.Version }) {
			continue
		}
		was, err := m.store.Records(ctx, store.Query{ID: r.ID, Version: r.Version, Initial: true})
		if err == nil && len(was) > 0 && was[0].Status != first {
			err = &fault.Error{Code: store.Damaged, Place: r.Ref().String(), Detail: "the status it was stored with differs from the journal"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Reference is a blob that a journal names, and its role.
type Reference struct {
	Hash string
	What string
}

// References returns every blob that the journal names once, with its first role.
func (h *History) References() []Reference {
	o := &h.State.Opened
	refs := []Reference{{o.Brief, "the brief"}, {o.Excerpt, "the excerpt"}, {o.Rehearsal, "the script of the rehearsal"}}
	for _, e := range o.Evidence {
		refs = append(refs, Reference{e.Hash, "the evidence " + e.ID})
	}
	for _, a := range o.Agents {
		refs = append(refs, Reference{a.View, "the view of " + a.Name})
	}
	for i := range h.State.Legs {
		l := &h.State.Legs[i]
		for _, k := range l.Kickoffs {
			refs = append(refs,
				Reference{k.Body, fmt.Sprintf("the kickoff of %s in round %d", k.Agent, l.Round)},
				Reference{k.Examples, fmt.Sprintf("the examples for %s in round %d", k.Agent, l.Round)})
		}
		for c := range l.Calls() {
			what := fmt.Sprintf("of %s in round %d (%s)", c.Agent, c.Round, c.Turn)
			refs = append(refs,
				Reference{c.Prompt, "the question " + what}, Reference{c.Schema, "the schema of the reply " + what}, Reference{c.Answered.Reply, "the reply " + what},
				Reference{c.Failed.Partial, "the broken reply " + what})
		}
	}
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		what := " of version " + itoa(c.Version)
		refs = append(refs,
			Reference{c.Deltas, "the deltas" + what}, Reference{c.Metadata, "the metadata" + what},
			Reference{c.Stamps, "the stamps" + what}, Reference{c.Report, "the report" + what})
		for _, l := range c.Letters {
			refs = append(refs, Reference{l.Body, "the letter " + fault.Shown(l.ID) + " of " + l.Agent}, Reference{l.Examples, "the examples for " + l.Agent})
		}
		for _, piece := range c.Changed {
			refs = append(refs, Reference{piece.Hash, piece.ID + what})
		}
	}
	refs = slices.Concat(refs, h.stalemateReferences(), h.patchReferences())
	seen := map[string]bool{"": true} // absent blobs have no hash
	return slices.DeleteFunc(refs, func(r Reference) bool {
		known := seen[r.Hash]
		seen[r.Hash] = true
		return known
	})
}
