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
	"brenner/internal/secret"
	"brenner/internal/text"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/sqlite"
)

// The states of a check.
const (
	CheckFine   = "ok"
	CheckNote   = "note"
	CheckBroken = "broken"
)

// Check is one finding.
type Check struct {
	What   string `json:"what"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Fix    string `json:"fix"`
}

// Diagnosis is all findings about a project.
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
		add(note("question", "none in the configuration", "pass --question, or set question: in "+config.FileName))
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
		return note("configuration", "no "+config.FileName+"; using the built-in defaults", "`brenner init` writes one")
	}
	if err := writable(p.Config.Project.Dir); err != nil {
		return broken("configuration", p.Config.Project.Dir+": "+files.Reason(err), "make the directory writable: sessions are stored in "+stateDir)
	}
	return fine("configuration", filepath.Join(p.Config.Project.Dir, p.Config.Project.File))
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

// checkAgent reports how an agent would be reached.
func checkAgent(p *Project, e roster.Entry) Check {
	m, what := p.Config.Reach(e.Model), "agent "+e.Agent
	switch {
	case m.Via == "":
		return note(what, "no way to reach it", "set via: in "+config.FileName+", or list its model under agents.models")
	case m.Via == config.ViaOpenAI && m.ID == "":
		return note(what, fmt.Sprintf("via openai, but model %q has no id", e.Model), "list it under agents.models with its id and base_url")
	case m.Via == config.ViaOpenAI:
		return fine(what, strings.TrimSpace("via openai, model "+m.ID+" "+baseurl.Shown(m.BaseURL)))
	}
	return fine(what, "via "+m.Via)
}

// localServers returns the usual addresses of local model servers.
func localServers() []struct{ name, base string } {
	return []struct{ name, base string }{
		{"Ollama", "http://127.0.0.1:11434/v1"},
		{"LM Studio", "http://127.0.0.1:1234/v1"},
		{"llama.cpp", "http://127.0.0.1:8080/v1"},
		{"vLLM", "http://127.0.0.1:8000/v1"},
	}
}

// probeTimeout is how long the doctor waits for an endpoint's response.
const probeTimeout = 2 * time.Second

// checkModels requests the list of models from every endpoint of the roster, and looks for
// servers on this machine. It costs nothing.
func checkModels(ctx context.Context, p *Project, r roster.Roster) []Check {
	var d []Check
	var seen []string
	for _, e := range r.Entries {
		model := p.Config.Reach(e.Model)
		if model.Via != config.ViaOpenAI {
			continue
		}
		base := p.addressOf(model)
		if base == "" {
			d = append(d, broken("endpoint", "no address for the model of "+e.Agent+", and no key in "+envKey, addressHint))
			continue
		}
		if key := base + " " + model.ID; !slices.Contains(seen, key) {
			seen = append(seen, key)
			d = append(d, checkEndpoint(ctx, p, base, model))
		}
	}
	return append(d, findLocal(ctx)...)
}

// checkEndpoint checks a configured endpoint.
func checkEndpoint(ctx context.Context, p *Project, base string, model config.Model) Check {
	what := "endpoint " + baseurl.Shown(base)
	name, key := p.keyOf(model)
	if err := p.checkTrustOf(model, pinnedAddress(base), false); err != nil {
		f := fault.Distinct(err)[0]
		return broken(what, f.Detail, f.Hint)
	}
	if !baseurl.Valid(base) {
		return broken("endpoint", "the address is invalid, or contains a password", "write it like http://localhost:11434/v1")
	}
	ids, status, err := listModels(ctx, base, key)
	switch {
	case err != nil:
		return broken(what, "no response: "+files.Reason(err), "start the server, or fix base_url")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return broken(what, fmt.Sprintf("key rejected (HTTP %d)", status), "set "+name+" to a key for this endpoint")
	case status != http.StatusOK:
		return note(what, fmt.Sprintf("responds, but does not list its models (HTTP %d)", status), "the model may still work; start a session to find out")
	case model.ID != "" && !slices.Contains(ids, model.ID):
		return broken(what, fmt.Sprintf("no model %q; available: %s", model.ID, cmp.Or(text.Some(ids), "none")), "fix id: under agents.models, or --model")
	}
	c := fine(what, "responds, has "+model.ID)
	if model.Concurrent == 0 && isLoopback(base) {
		c.Fix = "for a small server, set concurrent: 1 under agents.models"
	}
	return c
}

// findLocal lists the model servers that respond on this machine.
func findLocal(ctx context.Context) []Check {
	servers := localServers()
	found := make([]Check, len(servers))
	var wait sync.WaitGroup
	for i, s := range servers {
		wait.Go(func() {
			// Send no key: the user did not configure this server.
			if ids, status, err := listModels(ctx, s.base, ""); err == nil && status == http.StatusOK {
				found[i] = note("local server", fmt.Sprintf("%s responds at %s with %s", s.name, s.base, cmp.Or(text.Some(ids), "no models")), "to use it: --via openai --base-url "+s.base+" --model ID")
			}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(found, func(c Check) bool { return c.What == "" })
}

// listModels requests the ids of an endpoint's models.
func listModels(ctx context.Context, base, key string) (ids []string, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/models", http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// A key must not follow a redirect.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, errors.Unwrap(err) // without the address: the caller adds it
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
		return nil, http.StatusNotFound, nil // not an OpenAI-compatible endpoint
	}
	const longest, shortest = 80, 4
	secrets := secret.New([]string{key}, shortest)
	for _, one := range list.Data {
		id := one.ID
		if secrets.In(id) {
			id = "[secret]" // the server sent the key back
		}
		if len(id) > longest {
			id = strings.ToValidUTF8(id[:longest], "") + "…"
		}
		ids = append(ids, id)
	}
	return ids, resp.StatusCode, nil
}

// checkPrograms reports for each program of the roster whether it is installed, its
// version, its login, and the exact command line.
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
		p, err := program.New(m.ProgramOptions(agent.Setup{Entry: e, ModelID: reach.ID, BaseURL: p.programAddress(reach)}))
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
		return []Check{broken(what, "not found", plan.Install)}
	case !plan.Found:
		return []Check{note(what, "not found", "required only for agents reached via program")}
	}
	if entry, listed := m.Project.Config.FindProgram(name); listed {
		if err := m.Project.mustTrust(m.Project.Config.Origin("agents.programs"), programAction(entry)); err != nil {
			return brokenBy(what, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	version, err := p.Version(ctx)
	if err != nil {
		version = "cannot get its version: " + err.Error()
	}
	state, detail := p.Login()
	c := fine(what, fmt.Sprintf("%s; login: %s", cmp.Or(version, "installed"), state))
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

// checkStore reports whether the store can be opened and written to, whether its pages are
// intact, its size, and which sessions are unfinished. It proves nothing: verify does.
func checkStore(ctx context.Context, p *Project) []Check {
	dir := p.StateDir()
	st, err := p.OpenUnchanged(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return []Check{note("store", "none yet", "the first session creates it, in "+filepath.Join(dir, sqlite.FileName)), checkState(dir)}
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

// damagedBy reports the first fault of a store's file. Verify reports the others.
func damagedBy(err error) []Check {
	d := brokenBy("store", err)[:1]
	if fault.CodeOf(err) == store.Damaged {
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

// sizeOf formats the size of the store's files.
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

// checkSessions lists the unfinished sessions, newest first, and how to resume each.
func checkSessions(ctx context.Context, st *sqlite.Store, streams []store.Stream) []Check {
	const most = 5
	var d []Check
	left := 0
	for i := range streams {
		thread := session.ThreadOf(&streams[i])
		why, err := unfinishedReason(ctx, st, &streams[i])
		if err != nil {
			d = append(d, brokenBy("session "+thread, err)...)
			continue
		}
		if why == "" {
			continue
		}
		if left++; left <= most {
			d = append(d, note("session "+thread, why, "`brenner session resume "+thread+"` resumes it"))
		}
	}
	if left > most {
		d = append(d, note("sessions", fmt.Sprintf("%d more are unfinished", left-most), "`brenner session list` shows them"))
	}
	return d
}

// unfinishedReason returns why a session is unfinished, or "" for one that is done or runs.
func unfinishedReason(ctx context.Context, st *sqlite.Store, stream *store.Stream) (string, error) {
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
		return "unfinished", nil
	case s.Ended == flow.EndBudget, flow.Resumable(s.Ended):
		return EndedBy(s.Ended), nil
	}
	return "", nil
}
