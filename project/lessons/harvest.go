package lessons

import (
	"context"

	"brenner/internal/fault"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/session/memory"
	"brenner/store"
)

// Harvest is what the playbook learned.
type Harvest struct {
	Schema   string             `json:"schema"`
	Sessions []HarvestedSession `json:"sessions"`
}

// HarvestedSession is what one session taught.
type HarvestedSession struct {
	Thread string `json:"thread_id"`
	keeper.Learned
	RolledBack string `json:"rolled_back"` // what the guardrail rolled back, and why
}

// Learn learns from one session that has ended, or from all that are due if
// thread is empty.
func Learn(ctx context.Context, p *project.Project, thread string) (*Harvest, error) {
	out := &Harvest{Schema: "brenner.playbook.harvest/v1"}
	// Look first: do not create a store.
	look, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore && thread == "" {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	p.CloseStore(look)
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	threads := []string{thread}
	if thread == "" {
		if threads, err = memory.Due(ctx, st); err != nil {
			return nil, err
		}
	}
	m := p.Learner(st)
	for _, t := range threads {
		h, err := p.Source(st, t).Load(ctx)
		if err != nil {
			return nil, err
		}
		if why := memory.Unfit(h); why != "" && thread == "" {
			continue // due again when it ends
		} else if why != "" {
			return nil, &fault.Error{Code: NothingToLearn, Op: "learn from " + h.Thread, Detail: why, Hint: "the playbook learns only from finished sessions with real agents"}
		}
		learned, back, err := m.Ingest(ctx, h)
		if err != nil {
			return nil, err
		}
		out.Sessions = append(out.Sessions, HarvestedSession{Thread: h.Thread, Learned: learned, RolledBack: back})
	}
	return out, nil
}

// NothingToLearn is the code of a session that has nothing to teach.
const NothingToLearn fault.Code = "NOTHING_TO_LEARN" // No lessons from this session: it is a rehearsal or has not ended.
