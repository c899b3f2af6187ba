package govern

import (
	"context"
	"slices"
	"time"

	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/record"
)

// Stalemate is a request for a ruling about patches of a record, and what came of it.
type Stalemate struct {
	ID      string
	Kind    string
	State   string     // open, requested, ruled, or expired when the record went on meanwhile
	About   record.Ref // the version that refuses the patches
	By      string     // who has the request, or ruled
	Opened  time.Time
	Moved   time.Time // when it came to its state
	Request stalemate.Request
	Verdict *stalemate.Verdict
}

// Waits tells whether somebody is still needed. A ruling about a record changes no text
// by itself, so there is nothing to wait for behind it.
func (s *Stalemate) Waits() bool {
	return s.State == stalemate.Open || s.State == stalemate.Requested
}

// stalematePrefix begins the ids of requests that the door puts. Those of sessions have
// other ids, and are ruled on where they belong.
const stalematePrefix = "ST-"

func verdictOf(id string) string { return "verdict-" + id }

// Stalemates gives the stalemates about records, by their ids. Of, if it is not empty,
// is the record that they must be about.
func (d *Door) Stalemates(ctx context.Context, of string) ([]Stalemate, error) {
	heads, err := d.Store.Heads(ctx, store.HeadQuery{Prefix: stalematePrefix, Types: []string{record.StalemateRequest}})
	if err != nil {
		return nil, err
	}
	var all []Stalemate
	for _, h := range heads {
		s, err := d.Stalemate(ctx, "", h.ID)
		if fault.CodeOf(err) == store.NoRecord {
			continue // somebody put a record of this type and name, and that is all
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

// Stalemate gives one of them. Of, if it is not empty, is the record that it must be
// about.
func (d *Door) Stalemate(ctx context.Context, of, id string) (*Stalemate, error) {
	r, _, err := d.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	no := &fault.Error{Code: store.NoRecord, Detail: fault.Shown(id) + " is no stalemate about a record", Hint: "`brenner stalemate list` shows those there are"}
	if r.Type != record.StalemateRequest || len(r.Links) == 0 || len(r.Tags) == 0 || !slices.Contains(stalemate.Kinds(), r.Tags[0]) {
		return nil, no
	}
	first, err := d.version(ctx, record.Ref{ID: r.ID, Version: 1}, r.Version)
	if err != nil {
		return nil, err
	}
	s := &Stalemate{ID: r.ID, Kind: r.Tags[0], State: stalemate.Open, About: r.Links[0].Ref(), Opened: first.At, Moved: r.At}
	if slices.Contains(r.Tags, stalemate.Requested) {
		s.State, s.By = stalemate.Requested, r.Creator
	}
	about, err := d.whole(ctx, s.About.ID)
	if err != nil {
		return nil, err
	}
	// An address with a version, and one that is not whole, name the record too.
	if ref, _, err := d.refOf(ctx, of, func(h *record.Head) int { return h.Latest }); of != "" && (err != nil || ref.ID != about.ID) {
		no.Detail = r.ID + " is not about " + fault.Shown(of) + ", but about " + about.ID
		return nil, no
	}
	data, err := d.Store.Blob(ctx, r.Content)
	if err != nil {
		return nil, err
	}
	if s.Request, _, err = stalemate.ReadRequest(data); err != nil {
		return nil, no
	}
	tips, err := d.Store.Tips(ctx, about.ID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(tips, s.About.Version) {
		s.State, s.Moved = stalemate.Expired, about.At
	}
	return s, d.verdict(ctx, s)
}

// verdict fills in what was ruled, if anything was.
func (d *Door) verdict(ctx context.Context, s *Stalemate) error {
	found, err := d.Store.Records(ctx, store.Query{ID: verdictOf(s.ID), Version: 1, Type: record.StalemateVerdict})
	if err != nil || len(found) == 0 {
		return err
	}
	data, err := d.Store.Blob(ctx, found[0].Content)
	if err != nil {
		return err
	}
	v, err := stalemate.StoredVerdict(data, &s.Request)
	s.State, s.By, s.Moved, s.Verdict = stalemate.Ruled, found[0].Creator, found[0].At, &v
	return err
}

// mayRule refuses whoever may not decide, and what cannot be decided any more.
func (d *Door) mayRule(who Actor, s *Stalemate, next string) error {
	if !d.authority(who) {
		return &fault.Error{
			Code: policy.OutOfScope, Op: "rule on " + s.ID, Detail: fault.Shown(who.Name) + " is nobody who may decide",
			Hint: "the operator and the authorities of brenner.yaml may",
		}
	}
	if s.State == stalemate.Ruled {
		return s.ruledAlready()
	}
	return stalemate.Step(s.ID, s.State, next)
}

func (s *Stalemate) ruledAlready() error {
	return &fault.Error{
		Code: stalemate.BadState, Detail: s.ID + " is ruled already", Hint: "`brenner stalemate show " + s.About.ID + " " + s.ID + "` shows how",
	}
}

// Send notes that a request is given out, to be ruled on, and gives it. Evidence that
// is only a placeholder cannot be sent.
func (d *Door) Send(ctx context.Context, who Actor, of, id string) (*Stalemate, error) {
	s, err := d.Stalemate(ctx, of, id)
	if err != nil {
		return nil, err
	}
	if err := d.mayRule(who, s, stalemate.Requested); err != nil {
		return nil, err
	}
	if err := s.Request.Sendable(); err != nil {
		return nil, err
	}
	return d.requested(ctx, who, s)
}

// requested puts the version of a request that says it was given out.
func (d *Door) requested(ctx context.Context, who Actor, s *Stalemate) (*Stalemate, error) {
	err := d.write(ctx, func() (*change, error) {
		now, _, err := d.Find(ctx, s.ID)
		if err != nil || slices.Contains(now.Tags, stalemate.Requested) {
			return nil, err
		}
		b := d.putting(who)
		_, err = b.put(ctx, &Draft{
			ID: s.ID, Parent: now.Version, Content: s.Request.JSON(), Change: "given out, to be ruled on", Tags: []string{s.Kind, stalemate.Requested}, ours: true,
		})
		b.c.event = b.event()
		return b.c, err
	})
	if err != nil {
		return nil, err
	}
	return d.Stalemate(ctx, "", s.ID)
}

// Rule puts the verdict of a person who may decide, and is no party, on a stalemate
// about a record. It changes no text: whoever was right, the next patch shows it.
func (d *Door) Rule(ctx context.Context, who Actor, of, id string, text []byte) (*Stalemate, error) {
	s, err := d.Stalemate(ctx, of, id)
	if err != nil {
		return nil, err
	}
	if err := d.mayRule(who, s, stalemate.Ruled); err != nil {
		return nil, err
	}
	v, err := stalemate.ReadVerdict(text, stalemate.Arbiter{Kind: stalemate.ByPerson, Name: who.Name}, &s.Request)
	if err != nil {
		return nil, err
	}
	if _, err := d.putVerdict(ctx, who, s, &v); err != nil {
		return nil, err
	}
	return d.Stalemate(ctx, "", s.ID)
}

// putVerdict puts the one verdict on a stalemate. Whoever is second is told so.
func (d *Door) putVerdict(ctx context.Context, who Actor, s *Stalemate, v *stalemate.Verdict) (record.Ref, error) {
	var ref record.Ref
	err := d.write(ctx, func() (*change, error) {
		request, _, err := d.Find(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		b := d.putting(who)
		h, err := b.headOf(ctx, verdictOf(s.ID))
		if err == nil && h.Latest > 0 {
			err = s.ruledAlready()
		}
		if err != nil {
			return nil, err
		}
		put, err := b.put(ctx, &Draft{
			ID: verdictOf(s.ID), Type: record.StalemateVerdict, Module: request.Module, Content: v.JSON(),
			Summary: record.Extract([]byte(who.Name + " ruled for " + v.For + " on " + s.About.String() + ": " + v.RootCause)),
			Links:   []Link{{Relation: record.RepliesTo, To: request.Ref().String()}}, summaryBy: record.Extracted, ours: true,
		})
		ref = put.Record.Ref()
		b.c.event = b.event()
		return b.c, err
	})
	return ref, err
}
