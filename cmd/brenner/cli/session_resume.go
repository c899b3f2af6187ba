package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

func (a *app) sessionResumeCommand() *cobra.Command {
	var project string
	var run runFlags
	c := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a session after a crash, an interrupt or a timeout",
		Long: `Goes on with a session where its journal ends. Nobody is asked again for what was
answered; calls that failed, or that were never heard of again, are made once more.
Who takes part, how they are reached, the rules and the script of a rehearsal are those
that the session was opened with.

Of the settings only those change that are given here as flags, and the deadlines, which
are those of the flags and of brenner.yaml as it is now. Every change is journaled.

A session that has ended is no fault: it says so, and shows where the session stands.`,
		Example: `  brenner session resume RS-20261115-cell-fate
  brenner session resume RS-20261115-cell-fate --rounds 5 --budget-tokens 1000000
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes: 0 done, or there was nothing left to do; 1 it could not be stored; 2 there is
no such session, or an agent cannot be reached; 3 done, but an agent did not answer;
4 a file wants what needs ` + "`brenner trust`" + `; 5 it has an open conflict or stalemate, or another process
holds the session; 6 the budget does not reach further; 75 too few answered, and they said when
to return; 130 interrupted.`,
		Args: oneSession,
		RunE: func(c *cobra.Command, args []string) error { return a.resume(c, project, args[0], &run) },
	}
	addProjectFlag(c, &project)
	run.add(c)
	return c
}

func oneSession(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(c, fmt.Sprintf("one session is needed, %d given", len(args)), "`brenner session list` shows those there are")
	}
	return nil
}

// wholeSession refuses what names a part of a session where the whole is meant.
func wholeSession(c *cobra.Command, address session.Address) error {
	if address.Version == 0 && address.Item == "" {
		return nil
	}
	return usage(c, c.CommandPath()+" takes a whole session, not "+clean(address.String()), "leave out what follows "+clean(address.Thread))
}

// storedSession reads the name of a session of the store: what is to be changed
// is not the file of an export.
func storedSession(c *cobra.Command, arg string) (string, error) {
	if file, _, ok := exportFile(arg); ok {
		return "", usage(c, clean(file)+" is a file, not a session of this project", "`brenner session import "+clean(file)+"` takes it in")
	}
	address, err := session.ParseAddress(arg)
	if err != nil {
		return "", err
	}
	return address.Thread, wholeSession(c, address)
}

func (a *app) resume(c *cobra.Command, project, arg string, run *runFlags) error {
	if err := run.checkWatch(c, a); err != nil {
		return err
	}
	thread, err := storedSession(c, arg)
	if err != nil {
		return err
	}
	cfg, err := a.open(project, "", run.keys(c))
	if err != nil {
		return err
	}
	if err := cfg.mustHave(c.Context(), thread); err != nil {
		return err
	}
	st, err := cfg.openStore(c.Context())
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	h, err := session.Load(c.Context(), st, thread)
	if err != nil {
		return err
	}
	parties := everyone(h.State.Opened.Agents, h.State.Opened.Arbiter)
	if err := checkVias(parties); err != nil {
		return err
	}
	script, err := pinnedScript(c.Context(), h)
	if err != nil {
		return err
	}
	models, err := cfg.models(run.traffic, parties, budgetAfter(c, h, cfg))
	if err != nil {
		return err
	}
	defer models.close()
	if err := models.openPost(c.Context(), parties, run.serveMail); err != nil {
		return err
	}
	err = a.job(c, models, st, script, parties, run).run(func(ctx context.Context, r *session.Runner) (string, *session.Result, error) {
		res, err := r.Resume(ctx, thread, func(s *flow.Settings) {
			run.change(c, s, &cfg.Session)
			s.Prices = prices(cfg, parties)
		})
		return thread, res, err
	})
	if fault.CodeOf(err) != session.NotOpen {
		return err
	}
	return a.nothingToResume(c, cfg, st, h, err)
}

// budgetAfter is the budget in money that the next run has.
func budgetAfter(c *cobra.Command, h *session.History, cfg *Project) int64 {
	if c.Flags().Changed("budget-usd") {
		return cfg.Session.BudgetUSD
	}
	return h.State.Settings.BudgetUSD
}

// mustHave looks for a session without making a store for it.
func (p *Project) mustHave(ctx context.Context, thread string) error {
	st, err := p.openToRead(ctx)
	if err != nil {
		return err
	}
	defer p.closeStore(st)
	_, err = session.Load(ctx, st, thread)
	return err
}

// pinnedScript is the script that a rehearsal was opened with, or nil.
func pinnedScript(ctx context.Context, h *session.History) (*rehearsal.Script, error) {
	hash := h.State.Opened.Rehearsal
	if hash == "" {
		return nil, nil
	}
	data, err := h.Store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return rehearsal.Parse(data)
}

// change sets what the flags say, and leaves everything else as it is journaled.
func (r *runFlags) change(c *cobra.Command, s, given *flow.Settings) {
	for flag, set := range map[string]func(){
		"rounds":        func() { s.Rounds = given.Rounds },
		"flow":          func() { s.Flow = given.Flow },
		"quorum":        func() { s.Quorum = given.Quorum },
		"budget-tokens": func() { s.Budget = given.Budget },
		"budget-usd":    func() { s.BudgetUSD = given.BudgetUSD },
	} {
		if c.Flags().Changed(flag) {
			set()
		}
	}
	s.Limits = given.Limits // deadlines are those of now
}

// nothingToResume shows a session that has come to its end: for whoever resumes
// all sessions each night that is as it should be.
func (a *app) nothingToResume(c *cobra.Command, cfg *Project, st interface {
	store.Store
	store.Locks
}, h *session.History, why error,
) error {
	if !a.quiet {
		a.say(clean(why.Error()) + "; " + clean(fault.HintOf(why)) + "\n")
	}
	return a.showStatus(c.Context(), &source{store: st, locks: st, config: cfg}, h)
}
