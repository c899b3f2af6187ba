package govern

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/govern/graph"
	"brenner/govern/ledger"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Revert puts a new version with the content of an earlier one, or of the latest if that is
// deprecated. It promotes nothing.
func (rs *Records) Revert(ctx context.Context, who Actor, address, reason string) (Put, error) {
	r, h, err := rs.findFor(ctx, who, address, tipOf)
	if err != nil {
		return Put{}, err
	}
	if h.Forked() && h.Canonical == 0 {
		return Put{}, rs.branchError(ctx, "revert", h.ID, "merge them with `brenner store merge "+h.ID+" --take vN`, or continue one with `brenner store put --parent vN`")
	}
	if r.Version == h.Latest && r.Status != record.Deprecated {
		hint := "name an earlier version, such as " + r.ID + "@v1"
		if r.Version == 1 {
			hint = "it is the only one"
		}
		return Put{}, &fault.Error{Code: NothingNew, Detail: r.Ref().String() + " is already the latest version", Hint: hint}
	}
	content, err := rs.Content(ctx, &r)
	if err != nil {
		return Put{}, err
	}
	draft := Draft{
		ID: r.ID, Type: r.Type, Module: r.Module, Content: content, Summary: r.Summary, Tags: r.Tags, NoLinks: true, summaryBy: r.SummaryBy, summaryOf: r.SummaryOf,
		Change: strings.TrimSpace(fmt.Sprintf("back to v%d: %s", r.Version, reason)),
	}
	if r.Type == record.ProjectBrief {
		draft.Summary = "" // its goal
	}
	for _, l := range r.Links {
		if l.ID != r.ID {
			draft.Links = append(draft.Links, asWritten(l))
		}
	}
	draft.repeats = r.Version
	return rs.putOne(ctx, who, draft)
}

func asWritten(l record.Link) Link { return Link{l.Relation, l.Ref().String()} }

// MergeDraft describes how to end a fork.
type MergeDraft struct {
	ID string
	// Others are records that compete with it, which it supersedes.
	Others []string
	// Take is the version whose content is used, TakeFrom the record with that content: ID or one of
	// Others. Neither is set if Content is given.
	Take     int
	TakeFrom string
	Content  []byte
	Summary  string
	Change   string
}

// Merge puts a version that continues all branches of a record, and supersedes its rivals.
func (rs *Records) Merge(ctx context.Context, who Actor, m MergeDraft) (Put, error) {
	h, err := rs.headFor(ctx, who, m.ID)
	if err != nil {
		return Put{}, err
	}
	tips, err := rs.Store.Tips(ctx, h.ID)
	if err != nil {
		return Put{}, err
	}
	sources := make([]record.Ref, len(tips))
	for i, tip := range tips {
		sources[i] = record.Ref{ID: h.ID, Version: tip}
	}
	names := Versions(tips)
	for _, id := range m.Others {
		other, err := rs.rivalToMerge(ctx, who, &h, id)
		if err != nil {
			return Put{}, err
		}
		if m.TakeFrom == id {
			m.TakeFrom = other.ID // id may be abbreviated
		}
		sources = append(sources, other)
		names = refList(sources)
	}
	if len(sources) < 2 {
		return Put{}, &fault.Error{Code: NoFork, Detail: h.ID + " has only one branch: nothing to merge", Hint: "list forked records with `brenner store forks`"}
	}
	parent := tips[0]
	if h.Canonical > 0 && slices.Contains(tips, h.Canonical) {
		parent = h.Canonical
	}
	if m.TakeFrom == m.ID {
		if len(tips) > 1 {
			return Put{}, rs.branchError(ctx, "merge", h.ID, "select one with --take vN")
		}
		m.Take, m.TakeFrom = tips[0], ""
	}
	taken, err := m.findTaken(&h, sources)
	if err != nil {
		return Put{}, err
	}
	if m.Take > 0 {
		parent = m.Take
	}
	if strings.TrimSpace(m.Change) == "" {
		return Put{}, &fault.Error{Code: BadRecord, Op: "merge " + h.ID, Detail: "the merge of " + names + " needs a change note", Hint: "pass -m with what was decided, and why"}
	}
	draft := Draft{ID: h.ID, Parent: parent, NoLinks: true, merges: true, Content: m.Content, Summary: m.Summary, Change: m.Change}
	if taken != (record.Ref{}) {
		from, err := rs.Version(ctx, taken, taken.Version)
		if err != nil {
			return Put{}, err
		}
		if draft.Content, err = rs.Content(ctx, &from); err != nil {
			return Put{}, err
		}
		if taken.ID == h.ID {
			draft.repeats = taken.Version
		}
	}
	if err := rs.gather(ctx, &draft, sources, taken); err != nil {
		return Put{}, err
	}
	return rs.putOne(ctx, who, draft)
}

// findTaken returns the source whose content is used, or the zero value for a new text.
func (m *MergeDraft) findTaken(h *record.Head, sources []record.Ref) (record.Ref, error) {
	want := record.Ref{ID: h.ID, Version: m.Take}
	for _, ref := range sources {
		if ref == want || m.TakeFrom != "" && ref.ID == m.TakeFrom && ref.ID != h.ID {
			return ref, nil
		}
	}
	if m.Take == 0 && m.TakeFrom == "" {
		return record.Ref{}, nil
	}
	if m.TakeFrom != "" {
		return record.Ref{}, &fault.Error{Code: NoFork, Detail: fault.Shown(m.TakeFrom) + " is not merged into " + h.ID, Hint: "name it after " + h.ID + ", too"}
	}
	var tips []int
	for _, ref := range sources {
		if ref.ID == h.ID {
			tips = append(tips, ref.Version)
		}
	}
	return record.Ref{}, &fault.Error{Code: NoFork, Detail: fmt.Sprintf("v%d is not a branch tip of %s", m.Take, h.ID), Hint: "the tips are " + Versions(tips)}
}

// headFor returns the head of a record that the actor may read.
func (rs *Records) headFor(ctx context.Context, who Actor, id string) (record.Head, error) {
	h, err := rs.Head(ctx, id)
	if err == nil && !rs.mayRead(who, h.Type) {
		err = rs.refuse(ctx, who, "read", h.Type, h.ID)
	}
	return h, err
}

// rivalToMerge returns the last version of another record that can be merged into one.
func (rs *Records) rivalToMerge(ctx context.Context, who Actor, into *record.Head, id string) (record.Ref, error) {
	h, err := rs.headFor(ctx, who, id)
	if err != nil {
		return record.Ref{}, err
	}
	bad := func(detail, hint string) error {
		return &fault.Error{Code: NoFork, Op: "merge " + h.ID + " into " + into.ID, Detail: detail, Hint: hint}
	}
	switch {
	case h.ID == into.ID:
		err = bad("it is the same record", "name another one")
	case h.Type != into.Type || h.Module != into.Module:
		err = bad(fmt.Sprintf("it is %s of %s, not %s of %s", record.A(h.Type), h.Module, record.A(into.Type), into.Module), "merge records of one type and module")
	case h.Forked():
		err = rs.branchError(ctx, "merge", h.ID, "merge them first with `brenner store merge "+h.ID+"`")
	}
	return record.Ref{ID: h.ID, Version: h.Tip}, err
}

// gather adds the links of all sources, or of the one taken, and closes the others. A text that
// merges a rehearsal is one, too.
func (rs *Records) gather(ctx context.Context, draft *Draft, sources []record.Ref, taken record.Ref) error {
	merged := func(id string) bool {
		return slices.ContainsFunc(sources, func(s record.Ref) bool { return s.ID == id })
	}
	isNew := taken == (record.Ref{})
	rehearsed := false
	for _, ref := range sources {
		r, err := rs.Version(ctx, ref, ref.Version)
		if err != nil {
			return err
		}
		rehearsed = rehearsed || record.Rehearsed(&r) && (isNew || ref == taken)
		if ref.ID == draft.ID && ref.Version == draft.Parent {
			draft.Tags = slices.Clone(r.Tags)
		} else {
			draft.Links = append(draft.Links, Link{record.Supersedes, ref.String()})
		}
		if !isNew && ref != taken {
			continue // the chosen text does not depend on its links
		}
		links := r.Links
		if isNew {
			if links, err = rs.withoutTasks(ctx, links); err != nil {
				return err
			}
		}
		for _, l := range links {
			if !merged(l.ID) {
				draft.Links = append(draft.Links, asWritten(l))
			}
		}
	}
	if rehearsed && !slices.Contains(draft.Tags, record.Rehearsal) {
		draft.Tags = append(draft.Tags, record.Rehearsal)
	}
	return nil
}

// withoutTasks replaces links to tasks by those to their inputs: a new text is the result of the
// merge, not of earlier tasks, but it rests on the same versions.
func (rs *Records) withoutTasks(ctx context.Context, links []record.Link) ([]record.Link, error) {
	var out []record.Link
	for _, l := range links {
		found, err := rs.Store.Records(ctx, store.Query{ID: l.ID, Version: l.Version, Type: record.TaskSpec})
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			out = append(out, l)
			continue
		}
		inputs, err := rs.withoutTasks(ctx, found[0].Links)
		if err != nil {
			return nil, err
		}
		out = append(out, inputs...)
	}
	return out, nil
}

// Versions formats version numbers as a list such as "v1, v2".
func Versions(tips []int) string {
	all := make([]string, len(tips))
	for i, n := range tips {
		all[i] = "v" + strconv.Itoa(n)
	}
	return strings.Join(all, ", ")
}

type marking struct {
	*Records
	who   Actor
	at    time.Time
	marks []record.Mark
	// despite is why the version that is promoted is stale.
	despite []string
}

func (rs *Records) marking(who Actor) *marking {
	return &marking{Records: rs, who: who, at: rs.Now().UTC()}
}

func (m *marking) mark(ref record.Ref, status, reason string) {
	m.marks = append(m.marks, record.Mark{ID: ref.ID, Version: ref.Version, Status: status, By: m.who.signature(), Reason: reason, At: m.at})
}

// Stale is a version that depends on what no longer holds.
type Stale = graph.Stale

// markStale marks what rests on versions of records that the marks so far make lapse.
func (m *marking) markStale(ctx context.Context, ids ...string) ([]Stale, error) {
	stale, err := m.FindStale(ctx, m.marks, ids...)
	for _, s := range stale {
		m.mark(s.Ref, record.NeedsUpdate, graph.RestsOn+s.Because+graph.NotCurrent)
	}
	return stale, err
}

// MarkUnmarked marks every relevant version that is stale, and was not marked when it was put.
func (rs *Records) MarkUnmarked(ctx context.Context, who Actor, why string) error {
	return rs.write(ctx, func() (*change, error) {
		found, err := rs.Unmarked(ctx)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		m := rs.marking(who)
		for _, s := range found {
			m.mark(s.Ref, record.NeedsUpdate, graph.RestsOn+s.Because+graph.NotCurrent)
		}
		return m.change(kindMarked, "mark", why), nil
	})
}

func (m *marking) change(kind, action, reason string) *change {
	return &change{marks: m.marks, kind: kind, event: ledger.MarkEvent{
		By: m.who.signature(), Role: m.who.Role, Reason: reason, Action: action, Marks: ledger.MarkEntries(m.marks), Despite: m.despite,
	}}
}
