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
// machine. It costs nothing. Probes are of models that were asked before.
func checkModels(ctx context.Context, p *project.Project, parties []flow.Party, probes []project.ModelProbe) []Check {
	var d []Check
	endpoints := p.Endpoints(parties)
	for i := range endpoints {
		d = append(d, checkEndpoint(ctx, p, &endpoints[i], probes)...)
		d = append(d, describeLimit(p, &endpoints[i])...)
	}
	return append(d, findLocal(ctx, p, endpoints)...)
}

// checkEndpoint checks a configured endpoint. Nothing is sent to one that a session may not use.
// Whatever its list of models says, models that replied can be used.
func checkEndpoint(ctx context.Context, p *project.Project, e *project.Endpoint, probes []project.ModelProbe) []Check {
	what := "endpoint " + baseurl.Shown(e.Base)
	if p.CheckEndpoint(e) != nil {
		return nil // reported for the session
	}
	unproven := slices.DeleteFunc(slices.Clone(e.IDs), func(id string) bool { return replied(probes, e.Base, id) })
	ids, status, err := p.ListModels(ctx, e)
	switch {
	case err == nil && status == http.StatusOK:
		if c := checkListed(what, e.IDs, unproven, ids); c.Status != Fine {
			return []Check{c}
		}
	case len(e.IDs) > 0 && len(unproven) == 0:
		return []Check{note(what, "replies, but does not list its models", "")}
	case err != nil:
		return []Check{broken(what, "no response: "+openai.NetworkReason(err), "start the server, or fix base_url")}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return []Check{broken(what, fmt.Sprintf("key rejected (HTTP %d)", status), "set "+p.KeyName(e)+" to a key for this endpoint")}
	default:
		return []Check{note(what, fmt.Sprintf("responds, but does not list its models (HTTP %d)", status), askThem)}
	}
	found := "responds"
	if len(e.IDs) > 0 {
		found += ", has " + strings.Join(e.IDs, ", ")
	} else {
		found += "; available: " + cmp.Or(text.FirstOf(ids, mostModels), "none")
	}
	if e.Model.Concurrent == 0 && baseurl.IsLocal(e.Base) {
		found += "; asked about all agents at once (concurrent: 1 under agents.models asks one by one)"
	}
	return []Check{fine(what, found)}
}

// describeLimit says for whom an endpoint's limit of concurrent calls holds, if it has one.
func describeLimit(p *project.Project, e *project.Endpoint) []Check {
	if e.Model.Concurrent == 0 || p.CheckEndpoint(e) != nil {
		return nil
	}
	whose := "of each process"
	if p.Config.StoreAddress != "" {
		whose = "of all sessions of the project, on all machines"
		if baseurl.IsLocal(e.Base) {
			whose = "of all sessions of the project on this machine"
		}
	}
	return []Check{fine("endpoint "+baseurl.Shown(e.Base), fmt.Sprintf("at most %d concurrent calls %s", e.Model.Concurrent, whose))}
}

const mostModels = 20 // shown of an endpoint

const askThem = "`brenner doctor --models` asks them"

// replied reports whether a model of an endpoint replied to a probe.
func replied(probes []project.ModelProbe, base, id string) bool {
	return slices.ContainsFunc(probes, func(r project.ModelProbe) bool {
		return r.Status != Broken && r.Reading != "" && r.Model == id && r.Endpoint == baseurl.Shown(base)
	})
}

// checkListed compares the ids of models with those that their server lists. Many servers list none,
// or accept other names than they list. Unproven are the ids of models that did not reply yet.
func checkListed(what string, want, unproven, listed []string) Check {
	missing := func(ids []string, match ...flow.Match) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			return slices.ContainsFunc(listed, func(l string) bool { return slices.Contains(match, flow.MatchModels(id, l)) })
		})
	}
	unlisted := missing(want, flow.MatchSame)
	if len(unlisted) == 0 {
		return fine(what, "")
	}
	available := "; available: " + cmp.Or(text.FirstOf(listed, mostModels), "none")
	if unknown := missing(unproven, flow.MatchSame, flow.MatchVariant); len(unknown) > 0 && len(listed) > 0 {
		return broken(what, "no model "+strings.Join(unknown, ", ")+available, "pass --model ID, or set id: under agents.models; "+askThem)
	}
	c := note(what, "does not list "+strings.Join(unlisted, ", ")+available, "")
	if len(missing(unproven, flow.MatchSame)) > 0 {
		c.Fix = askThem
	}
	return c
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
				found[i] = note("local server", fmt.Sprintf("%s responds at %s with %s", s.name, s.base, cmp.Or(text.FirstOf(ids, mostModels), "no models")), "to use it: --via openai --base-url "+s.base+" --model ID")
			}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(found, func(c Check) bool { return c.What == "" })
}

// checkPrograms reports for each program of the roster whether it is installed, its
// version, its login, and the exact command line; and which other known programs are on PATH.
func checkPrograms(ctx context.Context, p *project.Project, parties []flow.Party) []Check {
	checks := make([][]Check, len(parties))
	var seen []string
	var wait sync.WaitGroup // a program may take seconds to report its version
	for i, party := range parties {
		if party.Program == "" || slices.Contains(seen, party.Program) {
			continue
		}
		seen = append(seen, party.Program)
		wait.Go(func() { checks[i] = checkParty(ctx, p, party) })
	}
	more := slices.DeleteFunc(p.FoundPrograms(), func(kind string) bool { return slices.Contains(seen, kind) })
	short, cancel := context.WithTimeout(ctx, unusedTimeout)
	defer cancel()
	for i, kind := range more {
		wait.Go(func() { more[i] = withVersion(short, p, kind) })
	}
	wait.Wait()
	d := slices.Concat(checks...)
	if len(more) > 0 {
		d = append(d, note("programs", "also on PATH: "+strings.Join(more, ", "), "to use one: --via program, with its name as program in the roster"))
	}
	return d
}

// unusedTimeout is how long the doctor waits for the versions of programs that are not in the roster.
const unusedTimeout = 5 * time.Second

// checkParty checks the program of a party.
func checkParty(ctx context.Context, p *project.Project, party flow.Party) []Check {
	made, err := p.Program(&party)
	usable := err == nil
	if !usable { // reported for the session; some programs require a model
		party.ModelID = cmp.Or(party.ModelID, "any")
		made, err = p.Program(&party)
	}
	if err != nil {
		return nil
	}
	checks := checkProgram(ctx, p, party.Program, made, party.Via == config.ViaProgram)
	if !usable {
		checks = checks[:min(len(checks), 1)] // without the command line
	}
	return checks
}

// withVersion returns a known program with its version, if it reports one.
func withVersion(ctx context.Context, p *project.Project, kind string) string {
	made, err := p.Program(&flow.Party{Program: kind, ModelID: "any"})
	if err != nil || p.CheckProgram(kind) != nil {
		return kind
	}
	version, err := made.Version(ctx)
	if ctx.Err() != nil {
		return kind + " (no version within " + unusedTimeout.String() + ")"
	}
	if err != nil || version == "" {
		return kind
	}
	return kind + " " + version[strings.LastIndexByte(version, ' ')+1:] // without its name
}

func checkProgram(ctx context.Context, p *project.Project, name string, made *program.Program, wanted bool) []Check {
	plan := made.Plan()
	what := "program " + name
	switch {
	case !plan.Found && wanted:
		why, fix := made.Problem()
		return []Check{broken(what, why, fix)}
	case !plan.Found:
		return []Check{fine(what, "not found; required only for agents reached via program")}
	}
	if p.CheckProgram(name) != nil {
		return nil // reported for the session, if it is used
	}
	version, err := made.Version(ctx)
	if err != nil {
		c := broken(what, "cannot get its version: "+err.Error(), "run `"+program.Plan{Argv: plan.Argv[:1]}.CommandLine()+" --version` by hand")
		if !wanted {
			c.Status = Note
		}
		return []Check{c}
	}
	if tested := program.Tested(name); tested != "" && !strings.HasSuffix(" "+version, " "+tested) {
		version += " (tested: " + tested + ")"
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
