package project

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/agent/openai"
	"brenner/agent/program"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/text"
	"brenner/session/flow"
)

// localServers returns the usual addresses of local model servers.
func localServers() []struct{ name, base string } {
	return []struct{ name, base string }{
		{"Ollama", "http://127.0.0.1:11434/v1"},
		{"LM Studio", "http://127.0.0.1:1234/v1"},
		{"llama.cpp", "http://127.0.0.1:8080/v1"},
		{"vLLM", "http://127.0.0.1:8000/v1"},
	}
}

// modelEndpoint is an endpoint of a roster, with the ids of its models.
type modelEndpoint struct {
	base  string
	model config.Model // one of them: how to reach the endpoint
	ids   []string
}

// endpointsOf returns the distinct endpoints of parties; two keys for one address are two endpoints.
func (p *Project) endpointsOf(parties []flow.Party) []modelEndpoint {
	var all []modelEndpoint
	for _, party := range parties {
		if party.Via != config.ViaOpenAI {
			continue
		}
		model := p.Config.Reach(party.Model)
		base := endpointOf(&party)
		if !baseurl.Valid(base) {
			continue // reported for the session
		}
		at := slices.IndexFunc(all, func(e modelEndpoint) bool { return e.base == base && e.model.KeyEnv == model.KeyEnv })
		if at < 0 {
			at = len(all)
			all = append(all, modelEndpoint{base: base, model: model})
		}
		if id := party.ModelID; id != "" && !slices.Contains(all[at].ids, id) {
			all[at].ids = append(all[at].ids, id)
		}
	}
	return all
}

// checkModels requests the list of models from every endpoint, and looks for servers on this
// machine. It costs nothing.
func checkModels(ctx context.Context, p *Project, parties []flow.Party) []Check {
	var d []Check
	endpoints := p.endpointsOf(parties)
	for i := range endpoints {
		d = append(d, checkEndpoint(ctx, p, &endpoints[i])...)
	}
	return append(d, findLocal(ctx, p, endpoints)...)
}

// checkEndpoint checks a configured endpoint. Nothing is sent to one that a session may not use.
func checkEndpoint(ctx context.Context, p *Project, e *modelEndpoint) []Check {
	what := "endpoint " + baseurl.Shown(e.base)
	if p.checkTrustOf(e.model, e.base, false) != nil || p.checkHost(e.base) != nil {
		return nil // reported for the session
	}
	name, key := p.keyOf(e.model)
	ids, status, err := openai.ListModels(ctx, e.base, key)
	switch {
	case err != nil:
		return []Check{broken(what, "no response: "+openai.NetworkReason(err), "start the server, or fix base_url")}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return []Check{broken(what, fmt.Sprintf("key rejected (HTTP %d)", status), "set "+name+" to a key for this endpoint")}
	case status != http.StatusOK:
		return []Check{note(what, fmt.Sprintf("responds, but does not list its models (HTTP %d)", status), "`brenner doctor --models` asks them")}
	}
	missing := slices.DeleteFunc(slices.Clone(e.ids), func(id string) bool { return slices.Contains(ids, id) })
	if len(missing) > 0 {
		return []Check{broken(what, fmt.Sprintf("no model %s; available: %s", strings.Join(missing, ", "), cmp.Or(text.Some(ids), "none")), "fix id: under agents.models, or --model")}
	}
	found := "responds"
	if len(e.ids) > 0 {
		found += ", has " + strings.Join(e.ids, ", ")
	}
	if e.model.Concurrent == 0 && isLoopback(e.base) {
		found += "; asked about all agents at once (concurrent: 1 under agents.models asks one by one)"
	}
	return []Check{fine(what, found)}
}

// findLocal lists the model servers that respond on this machine, other than the known ones.
func findLocal(ctx context.Context, p *Project, known []modelEndpoint) []Check {
	servers := localServers()
	found := make([]Check, len(servers))
	var wait sync.WaitGroup
	for i, s := range servers {
		if p.checkHost(s.base) != nil || slices.ContainsFunc(known, func(e modelEndpoint) bool { return e.base == s.base }) {
			continue
		}
		wait.Go(func() {
			// Send no key: the user did not configure this server.
			if ids, status, err := openai.ListModels(ctx, s.base, ""); err == nil && status == http.StatusOK {
				found[i] = note("local server", fmt.Sprintf("%s responds at %s with %s", s.name, s.base, cmp.Or(text.Some(ids), "no models")), "to use it: --via openai --base-url "+s.base+" --model ID")
			}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(found, func(c Check) bool { return c.What == "" })
}

// checkPrograms reports for each program of the roster whether it is installed, its
// version, its login, and the exact command line.
func checkPrograms(ctx context.Context, p *Project, parties []flow.Party) []Check {
	m := &Models{Project: p}
	var d []Check
	var seen []string
	for _, party := range parties {
		if party.Program == "" || slices.Contains(seen, party.Program) {
			continue
		}
		seen = append(seen, party.Program)
		made, err := program.New(m.ProgramOptions(p.setupOf(&party)))
		usable := err == nil
		if !usable { // reported for the session; some programs require a model
			setup := p.setupOf(&party)
			setup.ModelID = cmp.Or(setup.ModelID, "any")
			made, err = program.New(m.ProgramOptions(setup))
		}
		if err == nil {
			checks := checkProgram(ctx, m, party.Program, made, party.Via == config.ViaProgram)
			if !usable {
				checks = checks[:min(len(checks), 1)] // without the command line
			}
			d = append(d, checks...)
		}
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
		return []Check{fine(what, "not found; required only for agents reached via program")}
	}
	if entry, listed := m.Project.Config.FindProgram(name); listed {
		if m.Project.mustTrust(m.Project.Config.Origin("agents.programs"), programAction(entry)) != nil {
			return nil // reported for the session, if it is used
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
