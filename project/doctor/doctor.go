// Package doctor checks a project, and reports how to fix what is broken.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/project/slots"
	"brenner/project/storage"
	"brenner/roster"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/session/preflight"
	"brenner/store"
)

// The states of a check.
const (
	Fine   = preflight.Fine
	Note   = preflight.Doubt
	Broken = preflight.Broken
)

// Check is one finding.
type Check struct {
	What   string `json:"what"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Fix    string `json:"fix"`
	Code   string `json:"code,omitempty"` // of the error that was found
	blocks bool   // a session could not start, although nothing is broken
}

// Diagnosis is all findings about a project.
type Diagnosis struct {
	Schema string               `json:"schema"`
	Checks []Check              `json:"checks"`
	Models []project.ModelProbe `json:"models,omitempty"` // only if they were asked
}

// Broken reports whether anything is broken.
func (d *Diagnosis) Broken() bool {
	return slices.ContainsFunc(d.Checks, func(c Check) bool { return c.Status == Broken })
}

// Options are what to check.
type Options struct {
	// Resolve opens the project and resolves its roster. It returns the project, too, if only the
	// roster is wrong.
	Resolve func() (*project.Project, roster.Resolution, error)
	Start   project.StartOptions // the session to check for
	Models  bool                 // ask each model, which costs a few tokens
	// Engine describes the project's engine, and says which machines are missing; nil if this program knows none.
	Engine func(context.Context, *project.Project) (found []string, lacks []*fault.Error, err error)
	// Chosen says that flags decide how a session runs. Otherwise a missing question is only noted,
	// and without a configuration file also that there is no way to the agents.
	Chosen bool
}

// Diagnose checks the configuration, the store, the roster, the mail server, the models and the
// programs of a project, and whether a session could start: everything that makes `session start`
// refuse is broken, by the same checks. It sends no mail, and spends nothing unless models are asked.
func Diagnose(ctx context.Context, o *Options) *Diagnosis {
	d := &Diagnosis{Schema: "brenner.doctor/v1"}
	add := func(checks ...Check) { d.Checks = append(d.Checks, checks...) }
	p, res, err := o.Resolve()
	if p == nil {
		add(brokenBy("configuration", err)...)
		return d
	}
	add(checkProject(p)...)
	add(checkStore(ctx, p)...)
	add(checkEngine(ctx, p, o)...)
	if err != nil {
		add(brokenBy("roster", err)...)
		return d
	}
	r := res.Roster
	add(fine("roster", fmt.Sprintf("%s: %s", text.Count(len(r.Entries), "agent"), strings.Join(r.Agents(), ", "))))
	parties, _ := p.Parties(&o.Start.Agents, r) // the error is part of the next check
	k := &project.Composed{Project: p, Roster: res, Input: kickoff.Input{Roster: r}}
	add(checkStart(ctx, k, o)...)
	for _, party := range parties {
		add(checkAgent(party)...)
	}
	p.SweepProbes()
	programs := make(chan []Check, 1)
	go func() { programs <- checkPrograms(ctx, p, parties) }() // they may take seconds
	add(checkMail(ctx, p, parties)...)
	if o.Models {
		if d.Models = k.Preflight(ctx, &o.Start); len(d.Models) == 0 {
			add(note("models", "none was asked: no agent has a model, an address and permission to use it", "pass --via openai --base-url URL --model ID"))
		}
	}
	add(checkModels(ctx, p, parties, d.Models)...)
	add(<-programs...)
	for i := range d.Models {
		r := &d.Models[i]
		add(Check{What: r.Name(), Status: r.Status, Found: r.Found(), Fix: r.Fix})
	}
	d.limitSession()
	return d
}

// limitSession takes back that a session could start if something else is broken.
func (d *Diagnosis) limitSession() {
	var others []string
	for _, c := range d.Checks {
		if c.What != engine && c.Status == Broken || c.blocks {
			others = append(others, c.What)
		}
	}
	i := slices.IndexFunc(d.Checks, func(c Check) bool { return c.Found == startable })
	if i >= 0 && len(others) > 0 {
		d.Checks[i] = note(d.Checks[i].What, "its settings are complete, but this prevents it: "+strings.Join(others, ", "), "")
	}
}

// engine names the checks of what places the sessions of loops. Sessions of this process do not need it.
const engine = "engine"

// startable says that the checks before a session pass.
const startable = "nothing prevents a session from starting"

// checkStart does what a session does before it starts, and reports what would make it refuse.
func checkStart(ctx context.Context, k *project.Composed, o *Options) []Check {
	kickoffs, err := k.Check(ctx, &o.Start)
	if err == nil {
		return append([]Check{fine("session", startable)}, checkKickoffs(kickoffs)...)
	}
	d := brokenBy("session", err)
	for i, f := range fault.Distinct(err) {
		open := f.Code == kickoff.NoQuestion || f.Code == project.NoWay && k.Project.Config.Project.File == ""
		if open && !o.Chosen {
			d[i].Status = Note
		}
	}
	return append(d, checkKickoffs(kickoffs)...)
}

func fine(what, found string) Check { return Check{What: what, Status: Fine, Found: found} }

func note(what, found, fix string) Check {
	return Check{What: what, Status: Note, Found: found, Fix: fix}
}

func broken(what, found, fix string) Check {
	return Check{What: what, Status: Broken, Found: found, Fix: fix}
}

func brokenBy(what string, err error) []Check {
	var d []Check
	for _, f := range fault.Distinct(err) {
		d = append(d, Check{What: what, Status: Broken, Found: f.Error(), Fix: f.Hint, Code: string(f.Code)})
	}
	return d
}

func checkProject(p *project.Project) []Check {
	at := p.Config.Project
	var checks []Check
	if at.Foreign != "" {
		checks = append(checks, note("configuration", at.Foreign+" is not read: it is a program",
			"copy its object, from { to }, into "+config.FileName+": that is valid YAML if no line is a // comment"))
	}
	if at.File == "" {
		return append(checks, note("configuration", "no "+config.FileName+"; using the built-in defaults", "`brenner init` writes one"))
	}
	if err := writable(at.Dir); err != nil {
		return append(checks, broken("configuration", at.Dir+": "+files.Reason(err), "make the directory writable: sessions are stored in "+filepath.Base(p.StateDir())))
	}
	return append(checks, fine("configuration", filepath.Join(at.Dir, at.File)))
}

// writable tries to write a file in a directory. Creating one is not enough: on a full disk
// that succeeds, but writing a byte fails.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".brenner-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 1<<16))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// checkAgent describes how an agent would be reached.
func checkAgent(party flow.Party) []Check {
	found := "via " + party.Via
	switch party.Via {
	case "":
		return nil // reported for the session
	case config.ViaOpenAI:
		if party.ModelID == "" || !baseurl.Valid(party.Endpoint()) {
			return nil // reported for the session
		}
		found += fmt.Sprintf(", model %s at %s", party.ModelID, party.Endpoint())
	case config.ViaProgram:
		found += " " + party.Program
	}
	return []Check{fine("agent "+party.Name, found)}
}

// checkStore reports whether the store can be opened and written to, whether its pages are
// intact, its size, and which sessions are unfinished. It proves nothing: verify does.
func checkStore(ctx context.Context, p *project.Project) []Check {
	dir := p.StateDir()
	server, err := p.StoreServer(ctx)
	if err != nil {
		return brokenBy("store", err)
	}
	checks := describeServer(server)
	st, err := p.OpenUnchanged(ctx)
	switch {
	case fault.CodeOf(err) == store.NoStore && server != nil && server.Unwritable != nil:
		return append(checks, brokenBy("store", server.Unwritable)...)
	case fault.CodeOf(err) == store.NoStore:
		return append(checks, fine("store", "none yet; the first session creates "+p.StorePlace()), checkState(dir))
	case err != nil:
		return append(checks, brokenBy("store", err)...)
	}
	defer p.CloseStore(st)
	health, err := st.Health(ctx)
	if err != nil {
		return append(checks, damagedBy(p, err)...)
	}
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return append(checks, brokenBy("store", err)...)
	}
	found := append([]string{p.StorePlace(), size(health.Size)}, health.Facts...)
	one := fine("store", strings.Join(append(found, text.Count(len(streams), "session")), ", "))
	if health.Unwritable != nil {
		one = brokenBy("store", health.Unwritable)[0]
	}
	if health.OnlyReads {
		one.Status, one.blocks = Note, true
	}
	checks = append(checks, one, checkState(dir))
	held, err := st.Holders(ctx)
	if err != nil {
		checks = append(checks, brokenBy("store", err)...)
	}
	checks = append(checks, describeUse(held)...)
	checks = append(checks, checkSessions(ctx, p, st, streams)...)
	switch b, err := p.Records(st).BriefProblem(ctx); {
	case err != nil:
		checks = append(checks, brokenBy("brief", err)...)
	case b != nil:
		checks = append(checks, note("brief", b.Ref+": "+b.Detail, b.Fix))
	}
	return checks
}

// checkEngine checks what places the sessions of loops on machines, if the configuration names it.
func checkEngine(ctx context.Context, p *project.Project, o *Options) []Check {
	address := p.Config.Engine.Address
	switch {
	case o.Engine == nil && address == "":
		return nil
	case o.Engine == nil:
		return []Check{fine(engine, "Temporal at "+address+": not checked by this program; `brenner-temporal doctor` checks it")}
	}
	found, lacks, err := o.Engine(ctx, p)
	if fault.CodeOf(err) == project.NoEngine {
		return []Check{note(engine, err.Error(), fault.HintOf(err))}
	}
	var all []Check
	for _, one := range found {
		all = append(all, fine(engine, one))
	}
	for _, f := range lacks {
		all = append(all, Check{What: engine, Status: Note, Found: f.Error(), Fix: f.Hint, Code: string(f.Code)})
	}
	if err != nil {
		all = append(all, brokenBy(engine, err)...)
	}
	return all
}

// describeUse names the locks that processes hold. Those of calls to endpoints, which may be many, are counted.
func describeUse(held []store.Holding) (checks []Check) {
	calls := make(map[string]int)
	for _, one := range held {
		if slots.IsLock(one.Name) {
			calls[one.By.Doing]++
		} else {
			checks = append(checks, fine("in use", one.Name+": "+one.By.String()))
		}
	}
	for _, doing := range slices.Sorted(maps.Keys(calls)) {
		checks = append(checks, fine("in use", fmt.Sprintf("%d × %s", calls[doing], doing)))
	}
	return checks
}

// describeServer describes the server of a database; nil is a file.
func describeServer(server *storage.Health) []Check {
	if server == nil {
		return nil
	}
	checks := []Check{fine("store's server", strings.Join(server.Facts, ", "))}
	for _, n := range server.Notes {
		checks = append(checks, note("store's "+n.What, n.Found, n.Fix))
	}
	return checks
}

// damagedBy reports the first fault of a store. Verify reports the others. A database's faults have their own hint.
func damagedBy(p *project.Project, err error) []Check {
	d := brokenBy("store", err)[:1]
	if fault.CodeOf(err) == store.Damaged && p.Config.StoreAddress == "" {
		d[0].Fix = "copy the file first; then `brenner verify` shows how much of it is intact"
	}
	return d
}

// checkState reports whether the state directory, or its future parent, can be written to.
func checkState(dir string) Check {
	err := writable(dir)
	if errors.Is(err, os.ErrNotExist) {
		dir = filepath.Dir(dir)
		err = writable(dir)
	}
	if err != nil {
		return broken("state directory", dir+": "+files.Reason(err), "make the directory writable: sessions are stored in it")
	}
	return fine("state directory", dir)
}

// size formats the size of a store.
func size(sum int64) string {
	const kb, mb = 1 << 10, 1 << 20
	if sum < mb {
		return fmt.Sprintf("%d kB", (sum+kb-1)/kb)
	}
	return fmt.Sprintf("%.1f MB", float64(sum)/mb)
}

// checkSessions lists the unfinished sessions, newest first, and how to resume each.
func checkSessions(ctx context.Context, p *project.Project, st storage.Store, streams []store.Stream) []Check {
	const most = 3
	var d []Check
	left := 0
	for i := range streams {
		thread := session.ThreadOf(&streams[i])
		why, fix, err := unfinishedReason(ctx, p, st, &streams[i])
		if err != nil {
			d = append(d, brokenBy("session "+thread, err)...)
			continue
		}
		if why == "" {
			continue
		}
		if left++; left <= most {
			d = append(d, note("session "+thread, why, fix))
		}
	}
	if left > most {
		d = append(d, note("sessions", fmt.Sprintf("%d more are unfinished", left-most), "`brenner session list` shows them"))
	}
	return d
}

// unfinishedReason returns why a session is unfinished, or "" for one that is done or runs, and how to
// resume it: what its failed calls need first, and its flags.
func unfinishedReason(ctx context.Context, p *project.Project, st storage.Store, stream *store.Stream) (why, fix string, err error) {
	if _, held, err := st.HolderOf(session.ThreadOf(stream)); err != nil || held {
		return "", "", err
	}
	entries, err := st.Entries(ctx, stream.Name, 0)
	if err != nil {
		return "", "", err
	}
	s, err := flow.Fold(entries)
	if err != nil || s.Ended != "" && s.Ended != flow.EndBudget && !flow.Resumable(s.Ended) {
		return "", "", err
	}
	agents := audit.AgentSummaries(s)
	command := "brenner session resume " + s.Opened.Thread + audit.OtherModels(agents) + p.ConfirmFlag(s)
	why = "unfinished"
	if s.Ended != "" {
		why = audit.EndedBy(s.Ended, string(s.Verdict()))
	}
	switch {
	case s.Ended == flow.EndBudget:
		command += s.EnoughBudget().Flags()
	case s.Ended != "" && s.Ended != flow.EndLater:
		if i := slices.IndexFunc(agents, func(a audit.AgentSummary) bool { return a.Hint != "" }); i >= 0 {
			return why, agents[i].Hint + "; then `" + command + "`", nil
		}
	}
	return why, "`" + command + "` resumes it", nil
}
