package project

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project/publish"
	"brenner/project/storage"
	"brenner/session"
	"brenner/store"
)

// withLoops opens the store of a project that has loops for reading.
func (p *Project) withLoops(ctx context.Context, do func(storage.Store) error) error {
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return &fault.Error{Code: runner.NoLoop, Detail: "this project has no loops yet", Hint: "`brenner loop run PLAN.yaml` starts one"}
	}
	if err != nil {
		return err
	}
	defer p.CloseStore(st)
	return do(st)
}

// withLoop calls do with the state of a loop.
func (p *Project) withLoop(ctx context.Context, name string, do func(storage.Store, *loop.State) error) error {
	return p.withLoops(ctx, func(st storage.Store) error {
		state, err := runner.Load(ctx, st, name)
		if err != nil {
			return err
		}
		return do(st, state)
	})
}

// openLoops opens the store of a project to change a loop. It creates no store for a loop
// that does not exist.
func (p *Project) openLoops(ctx context.Context, name string) (storage.Store, error) {
	if err := p.withLoop(ctx, name, func(storage.Store, *loop.State) error { return nil }); err != nil {
		return nil, err
	}
	return p.OpenStore(ctx)
}

// What a loop's status consists of.
type (
	// LoopSummary is the status of a loop.
	LoopSummary struct {
		*runner.Summary
		// NotDurable says that a crash of the database's server can lose what was stored last.
		NotDurable bool `json:"not_durable,omitzero"`
	}
	// LoopSession is one session of a loop.
	LoopSession = runner.SummarySession
)

// The phases that only loops have, and the results of a loop's sessions.
const (
	PhasePaused    = runner.PhasePaused
	PhaseStopping  = runner.PhaseStopping
	PhaseSubmitted = runner.PhaseSubmitted

	LoopFine   = runner.ResultFine
	LoopPartly = runner.ResultPartly
	LoopFailed = runner.ResultFailed
)

// LoopStatus returns the status of a loop, with later decisions about its sessions
// included.
func (p *Project) LoopStatus(ctx context.Context, name string) (s *LoopSummary, err error) {
	err = p.withLoop(ctx, name, func(st storage.Store, state *loop.State) (err error) {
		s, err = p.refreshedSummary(ctx, st, st, state)
		return err
	})
	return s, err
}

// refreshedSummary is summariseLoop with later decisions about the sessions included.
func (p *Project) refreshedSummary(ctx context.Context, st store.Store, locks store.Locks, state *loop.State) (*LoopSummary, error) {
	if err := runner.Refresh(ctx, st, state); err != nil {
		return nil, err
	}
	return p.summariseLoop(st, locks, state), nil
}

// summariseLoop returns the status of a loop in a store; see runner.Summarise.
func (p *Project) summariseLoop(in store.Store, locks store.Locks, st *loop.State) *LoopSummary {
	s := &LoopSummary{runner.Summarise(st, locks, p.Now()), store.NotDurable(in)}
	s.ResumeCommand, s.Unpriced = p.resumeCommand(st), len(st.Unpriced(nil, p.prices))
	if dir := p.reportDir(s.Loop); st.Ended != "" && dir.Has(st) {
		s.Report = filepath.Join(string(dir), publish.ReportText)
	}
	s.Next = s.Commands()
	return s
}

// LoopList is all loops of a project, the most recently changed first.
type LoopList struct {
	Schema string    `json:"schema"`
	Loops  []LoopRow `json:"loops"`
}

// LoopRow is a loop in a list.
type LoopRow struct {
	Loop      string     `json:"loop"`
	Phase     string     `json:"phase"`
	Reason    string     `json:"reason"`
	RetryAt   string     `json:"retry_at"` // no session starts before
	Round     int        `json:"round"`
	Rounds    int        `json:"rounds"`
	Planned   int        `json:"planned"`
	Done      int        `json:"done"`
	Failed    int        `json:"failed"`
	Short     int        `json:"short"`
	Nothing   int        `json:"nothing"` // ended without any contribution
	Skipped   int        `json:"skipped"`
	Person    int        `json:"needs_person"` // sessions that need a decision
	Attention int        `json:"attention"`    // items that the report lists for a person
	Tokens    int        `json:"tokens_spent"`
	Rehearsal bool       `json:"rehearsal"`
	Started   string     `json:"started_at"`
	Updated   string     `json:"updated_at"`
	Code      fault.Code `json:"code,omitempty"` // for a loop that cannot be read
	Problem   string     `json:"problem,omitempty"`
}

// Loops lists the loops of the project. A loop that cannot be read has the phase
// session.PhaseDamaged.
func (p *Project) Loops(ctx context.Context) (*LoopList, error) {
	list := &LoopList{Schema: "brenner.loop.list/v1", Loops: []LoopRow{}}
	err := p.withLoops(ctx, func(st storage.Store) error {
		streams, err := runner.List(ctx, st)
		if err != nil {
			return err
		}
		slices.SortStableFunc(streams, func(x, y store.Stream) int {
			return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(y.Name, x.Name))
		})
		for i := range streams {
			row := p.loopRow(ctx, st, &streams[i])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			list.Loops = append(list.Loops, row)
		}
		return nil
	})
	if err != nil && fault.CodeOf(err) != runner.NoLoop {
		return nil, err
	}
	return list, nil
}

func (p *Project) loopRow(ctx context.Context, st storage.Store, stream *store.Stream) LoopRow {
	row := LoopRow{Loop: runner.NameOf(stream), Started: artifact.FormatInstant(stream.Began), Updated: artifact.FormatInstant(stream.Last)}
	state, err := runner.Load(ctx, st, row.Loop)
	if err == nil {
		err = runner.RefreshDecisions(ctx, st, state)
	}
	if err != nil { // list the others anyway
		row.Phase, row.Code, row.Problem = session.PhaseDamaged, fault.CodeOf(err), err.Error()
		return row
	}
	s := p.summariseLoop(st, st, state)
	row.Phase, row.Reason, row.RetryAt, row.Round, row.Rounds = s.Phase, s.Reason, s.RetryAt, s.Round, s.Rounds
	row.Planned, row.Done, row.Failed, row.Short, row.Tokens, row.Rehearsal = s.Planned, s.Done, s.Failed, s.Short, s.Tokens, s.Rehearsal
	row.Nothing, row.Skipped, row.Person, row.Attention = s.Nothing, s.Skipped, len(s.NeedsPerson), s.Attention
	return row
}

// resumeCommand returns the command that resumes a loop, with its original plan and key, and the
// addresses that a flag must confirm.
func (p *Project) resumeCommand(s *loop.State) string {
	o := &s.Opened
	const plan = "PLAN.yaml" // if the file is unknown, or cannot be shown in a command
	name, flags := "brenner loop run", ""
	switch program := "brenner-" + s.At.Place; {
	case s.At.Submitted && s.Ended == "":
		name = program + " submit"
	case s.At.Place != "":
		name, flags = program+" loop run", " --place "+s.At.Place
	}
	command := name + " " + plan
	if o.File != "" {
		file := filepath.FromSlash(o.File)
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Config.Project.Dir, file)
		}
		command = text.CommandToCopy(name, plan, files.FromHere(file))
	}
	if o.Key != "" {
		command += " --run " + o.Key
	}
	command += flags
	if confirm := p.confirm((&loopPins{reached: s.Ways}).parties(), nil); confirm != "" {
		command += " --base-url " + confirm
	}
	return command
}
