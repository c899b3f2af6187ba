package govern

import (
	"cmp"
	"context"
	"slices"
	"time"

	"brenner/artifact/delta"
	"brenner/govern/contexts"
	"brenner/govern/ledger"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Stalemate is a request for a ruling about patches of a record, and its result.
type Stalemate struct {
	ID      string
	Kind    string
	State   string     // open, requested, ruled, withdrawn, or expired if the record has a newer version
	Why     string     // it was withdrawn
	About   record.Ref // the version that refuses the patches
	Subject string     // its name, or the path of the file that it is
	By      string     // holder of the request, or author of the ruling
	Opened  time.Time
	Moved   time.Time // when it reached its state
	Request stalemate.Request
	Verdict *stalemate.Verdict
}

// Waits reports whether a ruling is still needed.
func (s *Stalemate) Waits() bool {
	return s.State == stalemate.Open || s.State == stalemate.Requested
}

func (s *Stalemate) closed() bool { return s.Verdict != nil || s.State == stalemate.Withdrawn }

// stalematePrefix begins the ids of requests about records; those of sessions differ.
const stalematePrefix = "ST-"

func verdictOf(id string) string { return "verdict-" + id }

// Stalemates returns the stalemates about all records, or about one of them, by id.
func (rs *Records) Stalemates(ctx context.Context, of string) ([]Stalemate, error) {
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Prefix: stalematePrefix, Types: []string{record.StalemateRequest}})
	if err != nil {
		return nil, err
	}
	var all []Stalemate
	for _, h := range heads {
		s, err := rs.Stalemate(ctx, "", h.ID)
		if fault.CodeOf(err) == store.NoRecord {
			continue // an unrelated record of this type and name
		}
		if err != nil {
			return nil, err
		}
		if of == "" || s.About.ID == of {
			all = append(all, *s)
		}
	}
	return all, nil
}

// Stalemate returns one stalemate. If of is not empty, it must be about that record.
func (rs *Records) Stalemate(ctx context.Context, of, id string) (*Stalemate, error) {
	r, _, err := rs.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	no := &fault.Error{Code: store.NoRecord, Detail: fault.Shown(id) + " is not a stalemate about a record", Hint: "list stalemates with `brenner stalemate list`"}
	if r.Type != record.StalemateRequest || len(r.Links) == 0 || len(r.Tags) == 0 || !slices.Contains(stalemate.Kinds(), r.Tags[0]) {
		return nil, no
	}
	first, err := rs.Version(ctx, record.Ref{ID: r.ID, Version: 1}, r.Version)
	if err != nil {
		return nil, err
	}
	s := &Stalemate{ID: r.ID, Kind: r.Tags[0], State: stalemate.Open, About: r.Links[0].Ref(), Opened: first.At, Moved: r.At}
	if slices.Contains(r.Tags, stalemate.Requested) {
		s.State, s.By = stalemate.Requested, r.Creator
	}
	if slices.Contains(r.Tags, stalemate.Withdrawn) {
		s.State, s.By, s.Why = stalemate.Withdrawn, r.Creator, r.Change
	}
	about, err := rs.existingHead(ctx, s.About.ID)
	if err != nil {
		return nil, err
	}
	// The address may have a version or an abbreviated id.
	if ref, _, err := rs.refOf(ctx, of, tipOf); of != "" && (err != nil || ref.ID != about.ID) {
		no.Detail = r.ID + " is about " + about.ID + ", not " + fault.Shown(of)
		return nil, no
	}
	version, err := rs.Version(ctx, s.About, about.Latest)
	if err != nil {
		return nil, err
	}
	s.Subject = version.Subject()
	data, err := rs.Store.Blob(ctx, r.Content)
	if err != nil {
		return nil, err
	}
	if s.Request, _, err = stalemate.ReadRequest(data); err != nil {
		return nil, no
	}
	tips, err := rs.Store.Tips(ctx, about.ID)
	if err != nil {
		return nil, err
	}
	if s.Waits() && !slices.Contains(tips, s.About.Version) {
		s.State, s.Moved = stalemate.Expired, about.At
	}
	return s, rs.verdict(ctx, s)
}

func (rs *Records) verdict(ctx context.Context, s *Stalemate) error {
	found, err := rs.Store.Records(ctx, store.Query{ID: verdictOf(s.ID), Version: 1, Type: record.StalemateVerdict})
	if err != nil || len(found) == 0 {
		return err
	}
	data, err := rs.Store.Blob(ctx, found[0].Content)
	if err != nil {
		return err
	}
	v, err := stalemate.StoredVerdict(data, &s.Request)
	s.State, s.By, s.Moved, s.Verdict = stalemate.Ruled, found[0].Creator, found[0].At, &v
	return err
}

// openStalemateFor returns a stalemate for an actor with authority and a step that its state allows.
func (rs *Records) openStalemateFor(ctx context.Context, who Actor, of, id, next string) (*Stalemate, error) {
	s, err := rs.Stalemate(ctx, of, id)
	if err == nil {
		err = rs.mayDecide(who, map[string]string{stalemate.Withdrawn: "withdraw ", stalemate.Requested: "request a ruling on ", stalemate.Ruled: "rule on "}[next]+s.ID)
	}
	if err == nil && s.State == stalemate.Ruled {
		err = s.ruledError()
	}
	if err == nil {
		err = stalemate.CheckTransition(s.ID, s.State, next)
	}
	return s, err
}

func (rs *Records) mayDecide(who Actor, op string) error {
	if rs.authority(who) {
		return nil
	}
	return &fault.Error{Code: policy.OutOfScope, Op: op, Detail: fault.Shown(who.Name) + " has no authority to decide", Hint: "the operator and the authorities of brenner.yaml have it"}
}

func (s *Stalemate) ruledError() error {
	return &fault.Error{Code: stalemate.BadState, Detail: s.ID + " is already ruled", Hint: "see `brenner stalemate show " + s.Subject + " " + s.ID + "`"}
}

// Send marks a request as handed out. Placeholder evidence cannot be sent.
func (rs *Records) Send(ctx context.Context, who Actor, of, id string) (*Stalemate, error) {
	s, err := rs.openStalemateFor(ctx, who, of, id, stalemate.Requested)
	if err != nil {
		return nil, err
	}
	if err := s.Request.Sendable(); err != nil {
		return nil, err
	}
	return rs.mark(ctx, who, s, stalemate.Requested, "given out, to be ruled on")
}

// Withdraw closes a stalemate without a ruling. Who may rule on it may withdraw it.
func (rs *Records) Withdraw(ctx context.Context, who Actor, of, id, why string) (*Stalemate, error) {
	s, err := rs.openStalemateFor(ctx, who, of, id, stalemate.Withdrawn)
	if err == nil {
		err = s.Request.CheckWithdrawal(who.Name, why)
	}
	if err != nil {
		return nil, err
	}
	return rs.mark(ctx, who, s, stalemate.Withdrawn, why)
}

// mark puts a version of a request with its next state as a tag, unless it has that state.
func (rs *Records) mark(ctx context.Context, who Actor, s *Stalemate, state, why string) (*Stalemate, error) {
	err := rs.putAll(ctx, who, func(b *putting) error {
		now, _, err := rs.Find(ctx, s.ID)
		if err != nil || slices.Contains(now.Tags, state) {
			return err
		}
		if h, err := b.headOf(ctx, verdictOf(s.ID)); err != nil || h.Latest > 0 {
			return cmp.Or(err, s.ruledError())
		}
		_, err = b.put(ctx, &Draft{
			ID: s.ID, Parent: now.Version, Content: s.Request.JSON(), Change: why, Tags: []string{s.Kind, state}, internal: true,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return rs.Stalemate(ctx, "", s.ID)
}

// Rule puts the verdict of a person who may decide and is not a party. It changes no text.
func (rs *Records) Rule(ctx context.Context, who Actor, of, id string, text []byte) (*Stalemate, error) {
	s, err := rs.openStalemateFor(ctx, who, of, id, stalemate.Ruled)
	if err != nil {
		return nil, err
	}
	v, err := stalemate.ReadVerdict(text, stalemate.Arbiter{Kind: stalemate.ByPerson, Name: who.Name}, &s.Request)
	if err == nil && v.Value != nil {
		err = &fault.Error{Code: delta.InvalidField, Detail: "a ruling about a text changes no text and takes no value", Hint: "leave it out, and apply a patch of " + s.Subject + " after the ruling"}
	}
	if err != nil {
		return nil, err
	}
	if _, err := rs.putVerdict(ctx, who, s, &v); err != nil {
		return nil, err
	}
	return rs.Stalemate(ctx, "", s.ID)
}

// putVerdict puts the only verdict on a stalemate; a second one is an error.
func (rs *Records) putVerdict(ctx context.Context, who Actor, s *Stalemate, v *stalemate.Verdict) (record.Ref, error) {
	var ref record.Ref
	err := rs.putAll(ctx, who, func(b *putting) error {
		request, _, err := rs.Find(ctx, s.ID)
		if err != nil {
			return err
		}
		h, err := b.headOf(ctx, verdictOf(s.ID))
		switch {
		case err == nil && h.Latest > 0:
			err = s.ruledError()
		case err == nil && slices.Contains(request.Tags, stalemate.Withdrawn):
			err = stalemate.CheckTransition(s.ID, stalemate.Withdrawn, stalemate.Ruled)
		}
		if err != nil {
			return err
		}
		put, err := b.put(ctx, &Draft{
			ID: verdictOf(s.ID), Type: record.StalemateVerdict, Module: request.Module, Content: v.JSON(),
			Summary: record.Extract([]byte(who.Name + " ruled for " + v.For + " on " + s.About.String() + ": " + v.RootCause)),
			Links:   []Link{{Relation: record.RepliesTo, To: request.Ref().String()}}, summaryBy: record.Extracted, internal: true,
		})
		ref = put.Record.Ref()
		return err
	})
	return ref, err
}

// OpenStalemate opens a stalemate for a person: about the patches that a version refused,
// however few, or about a request. Warnings name placeholder evidence.
func (rs *Records) OpenStalemate(ctx context.Context, who Actor, address string, request []byte) (*Stalemate, []*fault.Error, error) {
	r, _, text, err := rs.Text(ctx, who, address)
	if err != nil {
		return nil, nil, err
	}
	if err := rs.mayDecide(who, "open a stalemate about "+r.ID); err != nil {
		return nil, nil, err
	}
	var c stalemate.Case
	var asked stalemate.Request
	var warnings []*fault.Error
	if request != nil {
		if asked, warnings, err = stalemate.ReadSubmittedRequest(request); err != nil {
			return nil, nil, err
		}
		c = stalemate.FromRequest(r.ID, &asked, r.Subject(), 0)
	} else {
		on := &stalemate.PatchedText{Name: r.Subject(), Key: r.Ref().String(), Content: text.Canonical(), Bound: stalemate.EvidenceBound(rs.Rules.Call)}
		if c, err = rs.refusedSoFar(ctx, &r, on); err != nil {
			return nil, nil, err
		}
		docs, err := rs.caseDocuments(ctx, &c, on)
		if err != nil {
			return nil, nil, err
		}
		asked = stalemate.PatchRequest(on, rs.Now().UTC(), &c, docs...)
	}
	put, fresh, err := rs.request(ctx, who, &r, &c, &asked)
	if err == nil && !fresh {
		err = &fault.Error{Code: stalemate.BadState, Detail: "already opened as " + put.ID, Hint: "see `brenner stalemate show " + r.Subject() + " " + put.ID + "`"}
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := rs.Stalemate(ctx, "", put.ID)
	return s, warnings, err
}

// refusedSoFar returns the case of the patches that a version refused, however few.
func (rs *Records) refusedSoFar(ctx context.Context, r *record.Record, on *stalemate.PatchedText) (stalemate.Case, error) {
	tries, err := rs.tries(ctx, r.Ref())
	if err != nil {
		return stalemate.Case{}, err
	}
	c, ok := stalemate.DeclaredFromPatches(on, tries)
	if !ok {
		return c, &fault.Error{Code: NothingGiven, Op: "open a stalemate about " + on.Name, Detail: "no patch of it was refused", Hint: "describe the stalemate with --request FILE"}
	}
	patch, err := rs.Store.Blob(ctx, tries[len(tries)-1].Content)
	on.Patch = string(patch)
	return c, err
}

// maxLookback bounds the attempts, of all records, that are searched for those of one.
const maxLookback = 1000

// logRefusedPatches records refused patches, and requests a ruling when their author is stuck.
func (rs *Records) logRefusedPatches(ctx context.Context, who Actor, p *Patching, out *Patched) error {
	last := ""
	for i := range out.Reports {
		if out.Reports[i].OK() || p.Patches[i].Result == out.Before.Hash() { // the latter was applied already
			continue
		}
		one, problem := &p.Patches[i], &out.Reports[i].Problems[0]
		text := one.JSON()
		last = string(text)
		e := ledger.TriedEvent{
			By: who.Name, Role: who.Role, ID: out.Base.ID, Version: out.Base.Version, Patch: store.Hash(text),
			Code: problem.Code, Message: problem.Message, Why: one.Notes(),
		}
		if err := rs.log(ctx, Attempts, kindTried, e, text); err != nil {
			return err
		}
	}
	if last == "" {
		return nil
	}
	before, err := rs.lastAbout(ctx, out.Base)
	if err != nil {
		return err
	}
	tries, err := rs.tries(ctx, out.Base)
	if err != nil {
		return err
	}
	if before != nil && before.closed() { // then counting begins again at zero
		tries = stalemate.Since(tries, before.Moved)
		if before.Verdict != nil {
			out.Ruled = before
		}
	}
	of, _, err := rs.Find(ctx, out.Base.String())
	if err != nil {
		return err
	}
	on := &stalemate.PatchedText{Name: of.Subject(), Key: out.Base.String(), Content: out.Before.Canonical(), Patch: last, Bound: stalemate.EvidenceBound(rs.Rules.Call)}
	c, stuck := stalemate.FromPatches(on, tries)
	if stuck && before != nil && !before.closed() { // one about a text is enough
		out.Stuck = &record.Ref{ID: before.ID, Version: 1}
	}
	if !stuck || out.Stuck != nil {
		return nil
	}
	docs, err := rs.caseDocuments(ctx, &c, on)
	if err != nil {
		return err
	}
	asked := stalemate.PatchRequest(on, rs.Now().UTC(), &c, docs...)
	ref, _, err := rs.request(ctx, who, &of, &c, &asked)
	out.Stuck, out.Ruled = &ref, nil
	return err
}

// lastAbout returns the stalemate about a version that is not closed, else the one closed last, or nil.
func (rs *Records) lastAbout(ctx context.Context, of record.Ref) (last *Stalemate, err error) {
	all, err := rs.Stalemates(ctx, of.ID)
	for i := range all {
		if s := &all[i]; s.About == of && (last == nil || last.closed() && (!s.closed() || s.Moved.After(last.Moved))) {
			last = s
		}
	}
	return last, err
}

// briefDocument returns the brief, if there is one.
func (rs *Records) briefDocument(ctx context.Context) ([]stalemate.Document, error) {
	r, b, err := rs.canonicalBrief(ctx)
	if err != nil || r == nil {
		return nil, err
	}
	return []stalemate.Document{{Type: stalemate.TypeBrief, Description: "The brief of the project, " + r.Ref().String() + ".", Text: contexts.BriefText(r, &b)}}, nil
}

// caseDocuments returns the brief, and the versions of records that a case or its patch cites as "memo@v1".
func (rs *Records) caseDocuments(ctx context.Context, c *stalemate.Case, on *stalemate.PatchedText) ([]stalemate.Document, error) {
	docs, err := rs.briefDocument(ctx)
	if err != nil {
		return nil, err
	}
	for _, address := range stalemate.Addresses(c.Words(nil) + on.Patch) {
		r, _, err := rs.Find(ctx, address)
		if err != nil || address == on.Name {
			continue // it only looks like an address
		}
		content, err := rs.Content(ctx, &r)
		if err != nil {
			return nil, err
		}
		docs = append(docs, stalemate.Document{Type: stalemate.TypeRecord, Description: "The record " + address + ".", Text: string(content), Where: "`brenner store show " + address + "`"})
	}
	return docs, nil
}

func (rs *Records) tries(ctx context.Context, of record.Ref) ([]stalemate.Attempt, error) {
	entries, _, err := rs.newest(ctx, Attempts, maxLookback)
	if err != nil {
		return nil, err
	}
	var all []stalemate.Attempt
	for i := len(entries) - 1; i >= 0; i-- {
		e, err := journal.Decode[ledger.TriedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		if e.ID == of.ID && e.Version == of.Version {
			all = append(all, stalemate.Attempt{By: e.By, Place: e.ID, Content: e.Patch, Code: e.Code, Message: e.Message, Why: e.Why, At: entries[i].At})
		}
	}
	return all, nil
}

// request puts the request for a ruling on a version, and reports whether it is new. The
// program asks, so the author's rights do not matter.
func (rs *Records) request(ctx context.Context, who Actor, of *record.Record, c *stalemate.Case, r *stalemate.Request) (ref record.Ref, fresh bool, err error) {
	err = rs.putAll(ctx, who, func(b *putting) error {
		h, err := b.headOf(ctx, c.ID)
		for ; err == nil && h.Latest > 0; h, err = b.headOf(ctx, c.ID) {
			if s, err := rs.Stalemate(ctx, "", c.ID); err != nil || !s.closed() {
				ref = record.Ref{ID: h.ID, Version: h.Latest}
				return err
			}
			c.ID = stalemate.NextID(c.ID)
		}
		if fresh = err == nil; !fresh {
			return err
		}
		put, err := b.put(ctx, &Draft{
			ID: c.ID, Type: record.StalemateRequest, Module: of.Module, Content: r.JSON(), Tags: []string{c.Kind}, Summary: record.Extract([]byte(r.Summary)),
			Links: []Link{{Relation: record.Cites, To: of.Ref().String()}}, summaryBy: record.Extracted, internal: true,
		})
		ref = put.Record.Ref()
		return err
	})
	return ref, fresh, err
}
