package project

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/sqlite"
)

// The states of a thing that was checked.
const (
	CheckFine   = "ok"
	CheckNote   = "note"
	CheckBroken = "broken"
)

// Check is what was found about one thing.
type Check struct {
	What   string `json:"what"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Fix    string `json:"fix"`
}

// Diagnosis is all that was found about a project.
type Diagnosis struct {
	Schema string  `json:"schema"`
	Checks []Check `json:"checks"`
}

// Broken reports whether anything is broken.
func (d *Diagnosis) Broken() bool {
	return slices.ContainsFunc(d.Checks, func(c Check) bool { return c.Status == CheckBroken })
}

// Diagnose checks the configuration, the store, the roster, the mail server, the models
// and the programs of a project. It spends nothing and sends no mail. The roster is
// resolved by the caller.
func Diagnose(ctx context.Context, h *Host, o config.Options, resolve func() (roster.Roster, error)) *Diagnosis {
	d := &Diagnosis{Schema: "brenner.doctor/v1"}
	add := func(checks ...Check) { d.Checks = append(d.Checks, checks...) }
	p, err := Open(h, o)
	if err != nil {
		add(brokenBy("configuration", err)...)
		return d
	}
	add(checkProject(p))
	add(checkStore(ctx, p)...)
	if p.Config.Question == "" {
		add(note("question", "none in the configuration", "give one with --question, or set question: in "+config.FileName))
	}
	r, err := resolve()
	if err != nil {
		add(brokenBy("roster", err)...)
		return d
	}
	add(fine("roster", fmt.Sprintf("%d agents: %s", len(r.Entries), strings.Join(r.Agents(), ", "))))
	for _, e := range r.Entries {
		add(checkAgent(p, e))
	}
	add(checkMail(ctx, p, r)...)
	add(checkModels(ctx, p, r)...)
	add(checkPrograms(ctx, p, r)...)
	return d
}

func fine(what, found string) Check { return Check{What: what, Status: CheckFine, Found: found} }

func note(what, found, fix string) Check { return Check{what, CheckNote, found, fix} }

func broken(what, found, fix string) Check { return Check{what, CheckBroken, found, fix} }

func brokenBy(what string, err error) []Check {
	var d []Check
	for _, f := range fault.Distinct(err) {
		d = append(d, broken(what, f.Error(), f.Hint))
	}
	return d
}

func checkProject(p *Project) Check {
	if p.Config.Project.File == "" {
		return note("configuration", "no "+config.FileName+"; the built-in defaults hold", "`brenner init` writes one")
	}
	if err := writable(p.Config.Project.Dir); err != nil {
		return broken("configuration", p.Config.Project.Dir+": "+files.Reason(err), "make the folder writable: sessions are stored in "+stateDir)
	}
	return fine("configuration", filepath.Join(p.Config.Project.Dir, p.Config.Project.File))
}

// writable tries to write a file in a folder, which is the only sure way to know: a disk
// that is full lets one be made, and takes no byte of it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".brenner-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 1<<16))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// checkAgent says how an agent would be reached.
func checkAgent(p *Project, e roster.Entry) Check {
	m, what := p.Config.Reach(e.Model), "agent "+e.Agent
	switch {
	case m.Via == "":
		return note(what, "nothing says how it is reached", "set via: in "+config.FileName+", or list its model under agents.models")
	case m.Via == config.ViaOpenAI && m.ID == "":
		return note(what, fmt.Sprintf("via openai, but nothing says which model %q is", e.Model), "list it under agents.models with its id and base_url")
	case m.Via == config.ViaOpenAI:
		return fine(what, strings.TrimSpace("via openai, model "+m.ID+" "+m.BaseURL))
	}
	return fine(what, "via "+m.Via)
}

// localServers are where servers of one's own usually listen.
func localServers() []struct{ name, base string } {
	return []struct{ name, base string }{
		{"Ollama", "http://127.0.0.1:11434/v1"},
		{"LM Studio", "http://127.0.0.1:1234/v1"},
		{"llama.cpp", "http://127.0.0.1:8080/v1"},
		{"vLLM", "http://127.0.0.1:8000/v1"},
	}
}

// patience is how long the doctor waits for an endpoint to answer.
const patience = 2 * time.Second

// checkModels asks every endpoint that the roster would be asked at for its list
// of models, and looks for servers on this machine. It spends nothing.
func checkModels(ctx context.Context, p *Project, r roster.Roster) []Check {
	var d []Check
	var seen []string
	for _, e := range r.Entries {
		model := p.Config.Reach(e.Model)
		if model.Via != config.ViaOpenAI {
			continue
		}
		base := p.addressOf(model)
		if key := base + " " + model.ID; !slices.Contains(seen, key) {
			seen = append(seen, key)
			d = append(d, checkEndpoint(ctx, p, base, model))
		}
	}
	return append(d, findLocal(ctx)...)
}

// checkEndpoint says what is wrong with a configured endpoint.
func checkEndpoint(ctx context.Context, p *Project, base string, model config.Model) Check {
	what := "endpoint " + base
	name, key := p.keyOf(model)
	if err := p.checkTrustOf(model); err != nil {
		f := fault.Distinct(err)[0]
		return broken(what, f.Detail, f.Hint)
	}
	if !baseurl.Valid(base) {
		return broken("endpoint", "its address is none, or holds a password", "write it like http://localhost:11434/v1")
	}
	ids, status, err := listModels(ctx, base, key)
	switch {
	case err != nil:
		return broken(what, "it does not answer: "+files.Reason(err), "start the server, or mend base_url")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return broken(what, fmt.Sprintf("it refuses the key (HTTP %d)", status), "set "+name+" to a key for this endpoint")
	case status != http.StatusOK:
		return note(what, fmt.Sprintf("it answers, but has no list of models (HTTP %d)", status), "this may be all right; a rehearsal cannot tell, a session will")
	case model.ID != "" && !slices.Contains(ids, model.ID):
		return broken(what, fmt.Sprintf("it has no model %q; it has %s", model.ID, cmp.Or(text.Some(ids), "no models")), "mend id: under agents.models, or --model")
	}
	c := fine(what, "answers, has "+model.ID)
	if model.Concurrent == 0 && isLoopback(base) {
		c.Fix = "a small server answers best one at a time: concurrent: 1 under agents.models"
	}
	return c
}

// findLocal names the servers of this machine that answer.
func findLocal(ctx context.Context) []Check {
	servers := localServers()
	found := make([]Check, len(servers))
	var wait sync.WaitGroup
	for i, s := range servers {
		wait.Go(func() {
			// No key: whoever listens there was not chosen by anybody.
			if ids, status, err := listModels(ctx, s.base, ""); err == nil && status == http.StatusOK {
				found[i] = note("local server", fmt.Sprintf("%s answers at %s with %s", s.name, s.base, cmp.Or(text.Some(ids), "no models")), "to use it: --via openai --base-url "+s.base+" --model ID")
			}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(found, func(c Check) bool { return c.What == "" })
}

// listModels asks an endpoint for the ids of its models.
func listModels(ctx context.Context, base, key string) (ids []string, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/models", http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// A key must not follow a redirect to wherever it leads.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, errors.Unwrap(err) // without the address, which the caller names
	}
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, resp.StatusCode, err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if resp.StatusCode == http.StatusOK && json.Unmarshal(data, &list) != nil {
		return nil, http.StatusNotFound, nil // something answers that is no such endpoint
	}
	const longest = 80
	for _, one := range list.Data {
		id := one.ID
		if key != "" && strings.Contains(id, key) {
			id = "[secret]" // whoever sends it back is not to have it shown
		}
		if len(id) > longest {
			id = strings.ToValidUTF8(id[:longest], "") + "…"
		}
		ids = append(ids, id)
	}
	return ids, resp.StatusCode, nil
}

// checkPrograms shows of each program that the roster would run: whether it is
// there, its version, how it is logged in, and the exact command line.
func checkPrograms(ctx context.Context, p *Project, r roster.Roster) []Check {
	m := &Models{Project: p}
	var d []Check
	var seen []string
	for _, e := range r.Entries {
		if e.Program == "" || slices.Contains(seen, e.Program) {
			continue
		}
		seen = append(seen, e.Program)
		reach := p.Config.Reach(e.Model)
		p, err := program.New(m.ProgramOptions(agent.Setup{Entry: e, ModelID: reach.ID}))
		wanted := reach.Via == config.ViaProgram
		if err != nil {
			if wanted {
				d = append(d, brokenBy("program "+e.Program, err)...)
			}
			continue
		}
		d = append(d, checkProgram(ctx, m, e.Program, p, wanted)...)
	}
	return d
}

func checkProgram(ctx context.Context, m *Models, name string, p *program.Program, wanted bool) []Check {
	plan := p.Plan()
	what := "program " + name
	switch {
	case !plan.Found && wanted:
		return []Check{broken(what, "it is not there", plan.Install)}
	case !plan.Found:
		return []Check{note(what, "it is not there", "needed only for agents that are reached via program")}
	}
	if entry, listed := m.Project.Config.FindProgram(name); listed {
		if err := m.Project.mustTrust(m.Project.Config.Origin("agents.programs"), wantOf(entry)); err != nil {
			return brokenBy(what, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	version, err := p.Version(ctx)
	if err != nil {
		version = "its version cannot be asked: " + err.Error()
	}
	state, detail := p.Login()
	c := fine(what, fmt.Sprintf("%s; login: %s", cmp.Or(version, "it is there"), state))
	if state == program.LoginNone {
		c.Fix = detail
		if wanted {
			c.Status = CheckNote
		}
	}
	if !wanted {
		return []Check{c}
	}
	return []Check{c, fine("runs", plan.CommandLine())}
}

// checkStore looks at what the project keeps: whether it can be opened and
// written to, whether its pages are whole, how large it is, and which sessions
// were left. It proves nothing: verify does.
func checkStore(ctx context.Context, p *Project) []Check {
	dir := p.StateDir()
	st, err := p.OpenUnchanged(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return []Check{note("store", "none yet", "the first session makes it, in "+filepath.Join(dir, sqlite.FileName)), checkState(dir)}
	}
	if err != nil {
		return brokenBy("store", err)
	}
	defer p.CloseStore(st)
	if err := st.QuickCheck(ctx); err != nil {
		return damagedBy(err)
	}
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return brokenBy("store", err)
	}
	found := fmt.Sprintf("%s, %s, on a local file system, %s", filepath.Join(dir, sqlite.FileName), sizeOf(dir), text.Count(len(streams), "session"))
	return append([]Check{fine("store", found), checkState(dir)}, checkSessions(ctx, st, streams)...)
}

// damagedBy names the first fault of a store's file; what else is wrong, verify says.
func damagedBy(err error) []Check {
	d := brokenBy("store", err)[:1]
	if fault.CodeOf(err) == store.Damaged {
		d[0].Fix = "`brenner verify` says how much of it is whole; keep a copy of the file before anything else"
	}
	return d
}

// checkState looks whether the state folder, or the one that it would be made in,
// can be written to.
func checkState(dir string) Check {
	err := writable(dir)
	if errors.Is(err, os.ErrNotExist) {
		dir = filepath.Dir(dir)
		err = writable(dir)
	}
	if err != nil {
		return broken("state folder", dir+": "+files.Reason(err), "make the folder writable: sessions are stored in it")
	}
	return fine("state folder", dir)
}

// sizeOf gives the size of the store's files for people.
func sizeOf(dir string) string {
	var sum int64
	for _, ending := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, sqlite.FileName+ending)); err == nil {
			sum += info.Size()
		}
	}
	const kb, mb = 1 << 10, 1 << 20
	if sum < mb {
		return fmt.Sprintf("%d kB", (sum+kb-1)/kb)
	}
	return fmt.Sprintf("%.1f MB", float64(sum)/mb)
}

// checkSessions names the sessions that were left before their end, the newest
// first, and how to go on with each.
func checkSessions(ctx context.Context, st *sqlite.Store, streams []store.Stream) []Check {
	const most = 5
	var d []Check
	left := 0
	for i := range streams {
		thread := session.ThreadOf(&streams[i])
		why, err := leftBy(ctx, st, &streams[i])
		if err != nil {
			d = append(d, brokenBy("session "+thread, err)...)
			continue
		}
		if why == "" {
			continue
		}
		if left++; left <= most {
			d = append(d, note("session "+thread, why, "`brenner session resume "+thread+"` goes on with it"))
		}
	}
	if left > most {
		d = append(d, note("sessions", fmt.Sprintf("%d more were left before their end", left-most), "`brenner session list` shows them"))
	}
	return d
}

// leftBy says how a session was left, or "" for one that is done or runs.
func leftBy(ctx context.Context, st *sqlite.Store, stream *store.Stream) (string, error) {
	if _, held, err := st.HolderOf(session.ThreadOf(stream)); err != nil || held {
		return "", err
	}
	entries, err := st.Entries(ctx, stream.Name, 0)
	if err != nil {
		return "", err
	}
	s, err := flow.Fold(entries)
	switch {
	case err != nil:
		return "", err
	case s.Ended == "":
		return "left before its end", nil
	case s.Ended == flow.EndBudget, flow.Resumable(s.Ended):
		return EndedBy(s.Ended), nil
	}
	return "", nil
}
