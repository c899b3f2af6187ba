package govern

import (
	"context"
	"time"

	"brenner/fault"
	"brenner/policy"
	"brenner/record"
	"brenner/stalemate"
	"brenner/store"
)

// Stalemate is a request for a ruling about patches of a record, and what came of it.
type Stalemate struct {
	ID      string
	Kind    string
	State   string     // open, ruled, or expired when the record went on meanwhile
	About   record.Ref // the version that refuses the patches
	By      string     // who ruled
	Opened  time.Time
	Moved   time.Time // when it came to its state
	Request stalemate.Request
	Verdict *stalemate.Verdict
}

// stalematePrefix begins the ids of requests that the door puts. Those of sessions have
// other ids, and are ruled on where they belong.
const stalematePrefix = "ST-"

func verdictOf(id string) string { return "verdict-" + id }

// Stalemates gives the stalemates about records, by their ids.
func (d *Door) Stalemates(ctx context.Context) ([]Stalemate, error) {
	heads, err := d.Store.Heads(ctx, store.HeadQuery{Prefix: stalematePrefix, Types: []string{record.StalemateRequest}})
	if err != nil {
		return nil, err
	}
	var all []Stalemate
	for _, h := range heads {
		s, err := d.Stalemate(ctx, "", h.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, *s)
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
	if r.Type != record.StalemateRequest || len(r.Links) == 0 || len(r.Tags) == 0 {
		return nil, no
	}
	s := &Stalemate{ID: r.ID, Kind: r.Tags[0], State: stalemate.Open, About: r.Links[0].Ref(), Opened: r.At, Moved: r.At}
	about, err := d.Head(ctx, s.About.ID)
	if err != nil {
		return nil, err
	}
	if of != "" && of != about.ID {
		no.Detail = r.ID + " is not about " + fault.Shown(of) + ", but about " + about.ID
		return nil, no
	}
	data, err := d.Store.Blob(ctx, r.Content)
	if err != nil {
		return nil, err
	}
	if s.Request, _, err = stalemate.ReadRequest(data); err != nil {
		return nil, err
	}
	if about.Latest > s.About.Version {
		s.State, s.Moved = stalemate.Expired, about.At
	}
	return s, d.verdict(ctx, s)
}

// verdict fills in what was ruled, if anything was.
func (d *Door) verdict(ctx context.Context, s *Stalemate) error {
	found, err := d.Store.Records(ctx, store.Query{ID: verdictOf(s.ID), Version: 1})
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

// Rule puts the verdict of a person who may decide, and is no party, on a stalemate
// about a record. It changes no text: whoever was right, the next patch shows it.
func (d *Door) Rule(ctx context.Context, who Actor, of, id string, text []byte) (*Stalemate, error) {
	s, err := d.Stalemate(ctx, of, id)
	if err != nil {
		return nil, err
	}
	if !d.authority(who) {
		return nil, &fault.Error{
			Code: policy.OutOfScope, Op: "rule on " + s.ID, Detail: fault.Shown(who.Name) + " is nobody who may decide",
			Hint: "the operator and the authorities of brenner.yaml may",
		}
	}
	if err := stalemate.Step(s.ID, s.State, stalemate.Ruled); err != nil {
		return nil, err
	}
	v, err := stalemate.ReadVerdict(text, stalemate.Arbiter{Kind: stalemate.ByPerson, Name: who.Name}, &s.Request)
	if err != nil {
		return nil, err
	}
	request, _, err := d.Find(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	_, err = d.Put(ctx, who, Draft{
		ID: verdictOf(s.ID), Type: record.StalemateVerdict, Module: request.Module, Content: v.JSON(),
		Summary: record.Extract([]byte(who.Name + " ruled for " + v.For + " on " + s.About.String() + ": " + v.RootCause)),
		Links:   []Link{{Relation: record.RepliesTo, To: request.Ref().String()}},
	})
	if err != nil {
		return nil, err
	}
	return d.Stalemate(ctx, of, s.ID)
}
