package audit

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
)

// StalemateRow is a stalemate in a list.
type StalemateRow struct {
	ID      string   `json:"id"`
	Thread  string   `json:"thread_id"`
	State   string   `json:"state"`
	Kind    string   `json:"kind"`
	Place   string   `json:"place"`
	Parties []string `json:"parties"`
	By      string   `json:"by"`
	Why     string   `json:"why"`
	Asked   string   `json:"asked,omitempty"` // for the ruling, if known
	Opened  string   `json:"opened_at"`
	Moved   string   `json:"moved_at"`
	Waits   bool     `json:"-"`
}

// stalemateRow returns the row of a stalemate, without its parties.
func stalemateRow(thread string, s *flow.Stalemate) StalemateRow {
	return StalemateRow{
		ID: s.ID, Thread: thread, State: s.State, Kind: s.Kind, Place: s.Place, By: s.By, Why: s.Why,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), Waits: s.Waits(),
	}
}

// stalemateRows returns the stalemates of a session, without their parties.
func stalemateRows(h *session.History) []StalemateRow {
	rows := []StalemateRow{}
	for i := range h.State.Stalemates {
		rows = append(rows, stalemateRow(h.Thread, &h.State.Stalemates[i]))
	}
	return rows
}

// StalemateList is a list of stalemates.
type StalemateList struct {
	Schema     string           `json:"schema"`
	Stalemates []StalemateRow   `json:"stalemates"`
	Damaged    []DamagedSession `json:"damaged"`
}

// DamagedSession is a session whose stalemates cannot be read.
type DamagedSession struct {
	Thread  string     `json:"thread_id"`
	Code    fault.Code `json:"code"`
	Problem string     `json:"problem"`
}

// NewStalemateList returns an empty list.
func NewStalemateList() *StalemateList {
	return &StalemateList{Schema: "brenner.stalemate.list/v1"}
}

// Waits reports whether a stalemate of the list waits for a ruling.
func (l *StalemateList) Waits() bool { return anyWaits(l.Stalemates) }

func anyWaits(rows []StalemateRow) bool {
	return slices.ContainsFunc(rows, func(r StalemateRow) bool { return r.Waits })
}

// AddSession adds the stalemates of a session; unless all is set, only those that wait for a
// ruling. On an error it adds none.
func (l *StalemateList) AddSession(ctx context.Context, h *session.History, all bool) error {
	var rows []StalemateRow
	for i := range h.State.Stalemates {
		s := &h.State.Stalemates[i]
		if !all && !s.Waits() {
			continue
		}
		r, err := h.Request(ctx, s.ID)
		if err != nil {
			return err
		}
		rows = append(rows, stalemateRow(h.Thread, s).withParties(&r))
	}
	l.Stalemates = append(l.Stalemates, rows...)
	return nil
}

// AddSessions adds the stalemates of all sessions; unreadable ones are listed as damaged.
func (l *StalemateList) AddSessions(ctx context.Context, st store.Store, all bool) error {
	threads, err := session.List(ctx, st)
	if err != nil {
		return err
	}
	for _, thread := range threads {
		h, err := session.Load(ctx, st, thread)
		if err == nil {
			err = l.AddSession(ctx, h, all)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			l.Damaged = append(l.Damaged, DamagedSession{thread, fault.CodeOf(err), err.Error()})
		}
	}
	return nil
}

func (r StalemateRow) withParties(request *stalemate.Request) StalemateRow {
	for _, p := range request.Parties {
		r.Parties = append(r.Parties, p.Name)
	}
	return r
}

// Stalemate is everything about a stalemate.
type Stalemate struct {
	Schema   string         `json:"schema"`
	Row      StalemateRow   `json:"stalemate"`
	Request  jsontext.Value `json:"request"`
	Verdict  jsontext.Value `json:"verdict"` // null before the ruling
	Version  int            `json:"version"`
	Warnings []string       `json:"warnings"`
	// Asked and Ruled are the parsed request and verdict.
	Asked stalemate.Request  `json:"-"`
	Ruled *stalemate.Verdict `json:"-"`
}

// NewStalemate returns everything about a stalemate; its parties are those of the request.
func NewStalemate(row StalemateRow, version int, request stalemate.Request, verdict *stalemate.Verdict) *Stalemate {
	s := &Stalemate{
		Schema: "brenner.stalemate/v1", Row: row.withParties(&request), Version: version,
		Request: request.JSON(), Verdict: jsontext.Value("null"), Asked: request, Ruled: verdict,
	}
	if verdict != nil {
		s.Verdict = verdict.JSON()
	}
	return s
}

// ShowStalemate returns everything about a stalemate of a session.
func ShowStalemate(ctx context.Context, h *session.History, id string) (*Stalemate, error) {
	r, err := h.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	s, _ := h.State.Stalemate(id)
	row := stalemateRow(h.Thread, &s)
	var verdict *stalemate.Verdict
	if s.Verdict != "" {
		v, err := h.Verdict(ctx, id)
		if err != nil {
			return nil, err
		}
		verdict = &v
		if v.Arbiter.Kind != stalemate.ByPerson {
			row.Asked = h.State.Ruler(&flow.Committed{Ruling: id, Author: v.Arbiter.Name})
		}
	}
	return NewStalemate(row, h.State.Version(), r, verdict), nil
}

// Warn adds warnings about a request.
func (s *Stalemate) Warn(warnings []*fault.Error) {
	for _, w := range warnings {
		s.Warnings = append(s.Warnings, string(w.Code)+": "+w.Error())
	}
}

// NeedsRuling reports whether a stalemate waits for a ruling.
func (s *Summary) NeedsRuling() bool {
	return anyWaits(s.Stuck)
}

func (s *Summary) nextRuling() []string {
	for _, r := range s.Stuck {
		if r.Waits {
			return []string{"brenner stalemate show " + s.Thread + " " + r.ID, "brenner session show " + s.Thread}
		}
	}
	return nil
}
