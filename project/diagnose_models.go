package project

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/roster"
)

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
	m := &Models{Project: p}
	var d []Check
	var seen []string
	for _, e := range r.Entries {
		model := p.Config.Reach(e.Model)
		if model.Via != config.ViaOpenAI {
			continue
		}
		base := m.Address(model)
		if key := base + " " + model.ID; !slices.Contains(seen, key) {
			seen = append(seen, key)
			d = append(d, checkEndpoint(ctx, m, base, model))
		}
	}
	return append(d, findLocal(ctx)...)
}

// checkEndpoint says what is wrong with a configured endpoint.
func checkEndpoint(ctx context.Context, m *Models, base string, model config.Model) Check {
	c := Check{What: "endpoint " + base, Status: CheckFine}
	name, key := m.Key(model)
	if err := m.CheckTrustOf(model); err != nil {
		f := fault.Distinct(err)[0]
		return Check{c.What, CheckBroken, f.Detail, f.Hint}
	}
	if !baseurl.Valid(base) {
		return Check{"endpoint", CheckBroken, "its address is none, or holds a password", "write it like http://localhost:11434/v1"}
	}
	ids, status, err := listModels(ctx, base, key)
	switch {
	case err != nil:
		c.Status, c.Found, c.Fix = CheckBroken, "it does not answer: "+files.Reason(err), "start the server, or mend base_url"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		c.Status, c.Found, c.Fix = CheckBroken, fmt.Sprintf("it refuses the key (HTTP %d)", status), "set "+name+" to a key for this endpoint"
	case status != http.StatusOK:
		c.Status, c.Found = CheckNote, fmt.Sprintf("it answers, but has no list of models (HTTP %d)", status)
		c.Fix = "this may be all right; a rehearsal cannot tell, a session will"
	case model.ID != "" && !slices.Contains(ids, model.ID):
		c.Status, c.Found = CheckBroken, fmt.Sprintf("it has no model %q; it has %s", model.ID, cmp.Or(text.Some(ids), "no models"))
		c.Fix = "mend id: under agents.models, or --model"
	default:
		c.Found = "answers, has " + model.ID
		if model.Concurrent == 0 && isLoopback(base) {
			c.Fix = "a small server answers best one at a time: concurrent: 1 under agents.models"
		}
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
				found[i] = Check{"local server", CheckNote, fmt.Sprintf("%s answers at %s with %s", s.name, s.base, cmp.Or(text.Some(ids), "no models")), "to use it: --via openai --base-url " + s.base + " --model ID"}
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
