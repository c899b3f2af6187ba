package audit

import (
	"context"

	"brenner/internal/fault"
	"brenner/session"
)

// Blame is who wrote an item.
type Blame struct {
	Schema    string   `json:"schema"`
	Thread    string   `json:"thread_id"`
	Version   int      `json:"version"`
	Item      string   `json:"item"`
	Field     string   `json:"field"`
	Rehearsal bool     `json:"rehearsal"`
	Origins   []Origin `json:"origins"`
}

// BlameItem returns who wrote the item, or the field, of an address.
func BlameItem(ctx context.Context, h *session.History, at session.Address) (*Blame, error) {
	origins, err := h.Origins(ctx)
	if err != nil {
		return nil, err
	}
	if err := origins.At(at.Version); err != nil {
		return nil, err
	}
	found, err := origins.Blame(ctx, at.Item, at.Field)
	if err != nil {
		return nil, err
	}
	return &Blame{
		Schema: "brenner.blame/v1", Thread: h.Thread, Version: origins.Version(), Item: at.Item,
		Field: at.Field, Rehearsal: h.State.Opened.Rehearsal != "", Origins: originsOf(found),
	}, nil
}

// Origin is where a text came from.
type Origin struct {
	Address   string       `json:"address"`
	Item      string       `json:"item"`
	Field     string       `json:"field"`
	Text      string       `json:"text"`
	Fate      session.Fate `json:"fate"`
	Delta     string       `json:"delta_id"`
	Agent     string       `json:"agent"`
	Operation string       `json:"operation"`
	Rationale string       `json:"rationale"`
	At        string       `json:"at"`
	Source    string       `json:"source"`
	Ruling    string       `json:"ruling,omitempty"` // the stalemate, where it was ruled so
	Round     int          `json:"round"`
	Version   int          `json:"version"` // that it was merged into
	Outcome   string       `json:"outcome"`
	Code      fault.Code   `json:"code"`
	Message   string       `json:"message"`
	By        string       `json:"replaced_by"` // the delta that stands there now
	ByAgent   string       `json:"replaced_by_agent"`
	Call      string       `json:"call"`
	Reply     string       `json:"reply"` // hashes, here and below
	Block     int          `json:"block"`
	Line      int          `json:"line"`
	Kickoff   string       `json:"kickoff"`
	Template  string       `json:"template"`
	Base      int          `json:"base_version"`
	Saw       []string     `json:"items_shown"`
	Deltas    string       `json:"deltas"` // of a person
	Letter    string       `json:"letter"` // the message on the mail server, for what came by mail
}

func originsOf(found []session.Origin) []Origin {
	out := make([]Origin, len(found))
	for i := range found {
		o := &found[i]
		out[i] = Origin{
			Address: o.Address.String(), Item: o.Address.Item, Field: o.Address.Field, Text: o.Text, Fate: o.Fate,
			Delta: o.Delta, Agent: o.Agent, Operation: o.Operation, Rationale: o.Rationale, At: o.At, Source: o.Source, Ruling: o.Ruling,
			Round: o.Round, Version: o.Version, Outcome: o.Outcome, Code: o.Code, Message: o.Message, By: o.By, ByAgent: o.ByAgent,
			Call: o.Call, Reply: o.Reply, Block: o.Block, Line: o.Line, Kickoff: o.Kickoff, Template: o.Template,
			Base: o.Base, Saw: append([]string{}, o.Saw...), Deltas: o.Deltas, Letter: o.Letter,
		}
	}
	return out
}
