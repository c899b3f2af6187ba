package doctor

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
	"brenner/project"
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

// checkModels requests the list of models from every endpoint, and looks for servers on this
// machine. It costs nothing.
func checkModels(ctx context.Context, p *project.Project, parties []flow.Party) []Check {
	var d []Check
	endpoints := p.Endpoints(parties)
	for i := range endpoints {
		d = append(d, checkEndpoint(ctx, p, &endpoints[i])...)
	}
	return append(d, findLocal(ctx, p, endpoints)...)
}

// checkEndpoint checks a configured endpoint. Nothing is sent to one that a session may not use.
func checkEndpoint(ctx context.Context, p *project.Project, e *project.Endpoint) []Check {
	what := "endpoint " + baseurl.Shown(e.Base)
	if p.CheckEndpoint(e) != nil {
		return nil // reported for the session
	}
	ids, status, err := p.ListModels(ctx, e)
	switch {
	case err != nil:
		return []Check{broken(what, "no response: "+openai.NetworkReason(err), "start the server, or fix base_url")}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return []Check{broken(what, fmt.Sprintf("key rejected (HTTP %d)", status), "set "+p.KeyName(e)+" to a key for this endpoint")}
	case status != http.StatusOK:
		return []Check{note(what, fmt.Sprintf("responds, but does not list its models (HTTP %d)", status), "`brenner doctor --models` asks them")}
	}
	missing := slices.DeleteFunc(slices.Clone(e.IDs), func(id string) bool { return slices.Contains(ids, id) })
	if len(missing) > 0 {
		return []Check{broken(what, fmt.Sprintf("no model %s; available: %s", strings.Join(missing, ", "), cmp.Or(text.Some(ids), "none")), "fix id: under agents.models, or --model")}
	}
	found := "responds"
	if len(e.IDs) > 0 {
		found += ", has " + strings.Join(e.IDs, ", ")
	}
	if e.Model.Concurrent == 0 && baseurl.IsLocal(e.Base) {
		found += "; asked about all agents at once (concurrent: 1 under agents.models asks one by one)"
	}
	return []Check{fine(what, found)}
}

// findLocal lists the model servers that respond on this machine, other than the known ones.
func findLocal(ctx context.Context, p *project.Project, known []project.Endpoint) []Check {
	servers := localServers()
	found := make([]Check, len(servers))
	var wait sync.WaitGroup
	for i, s := range servers {
		if p.CheckHost(s.base) != nil || slices.ContainsFunc(known, func(e project.Endpoint) bool { return e.Base == s.base }) {
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
func checkPrograms(ctx context.Context, p *project.Project, parties []flow.Party) []Check {
	var d []Check
	var seen []string
	for _, party := range parties {
		if party.Program == "" || slices.Contains(seen, party.Program) {
			continue
		}
		seen = append(seen, party.Program)
		made, err := p.Program(&party)
		usable := err == nil
		if !usable { // reported for the session; some programs require a model
			party.ModelID = cmp.Or(party.ModelID, "any")
			made, err = p.Program(&party)
		}
		if err == nil {
			checks := checkProgram(ctx, p, party.Program, made, party.Via == config.ViaProgram)
			if !usable {
				checks = checks[:min(len(checks), 1)] // without the command line
			}
			d = append(d, checks...)
		}
	}
	return d
}

func checkProgram(ctx context.Context, p *project.Project, name string, made *program.Program, wanted bool) []Check {
	plan := made.Plan()
	what := "program " + name
	switch {
	case !plan.Found && wanted:
		return []Check{broken(what, "not found", plan.Install)}
	case !plan.Found:
		return []Check{fine(what, "not found; required only for agents reached via program")}
	}
	if p.CheckProgram(name) != nil {
		return nil // reported for the session, if it is used
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	version, err := made.Version(ctx)
	if err != nil {
		version = "cannot get its version: " + err.Error()
	}
	state, detail := made.Login()
	c := fine(what, fmt.Sprintf("%s; login: %s", cmp.Or(version, "installed"), state))
	if state == program.LoginNone {
		c.Fix = detail
		if wanted {
			c.Status = Note
		}
	}
	if !wanted {
		return []Check{c}
	}
	return []Check{c, fine("runs", plan.CommandLine())}
}
