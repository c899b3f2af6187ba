package cli

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/config"
	"brenner/fault"
	"brenner/flow"
	"brenner/internal/schemas"
	"brenner/roster"
	"brenner/session"
	"brenner/tokens"
	"brenner/trust"
)

// NoPrice is the code of a model that a budget in money cannot be kept for.
const NoPrice fault.Code = "NO_PRICE"

// The variables that everybody who speaks to such endpoints knows.
const (
	envKey     = "OPENAI_API_KEY"
	envBaseURL = "OPENAI_BASE_URL"
)

// models is how the models of a session are reached: what the configuration, the
// flags and the environment say about it together.
type models struct {
	app       *app
	config    *config.Config
	transport http.RoundTripper
	counter   session.Counter
	progress  func(call string, output int)
	slots     map[string]*agent.Slots
	offline   bool         // a tape is played: no key leaves the machine
	done      func() error // ends a recording
}

// models prepares the way to models. Nothing is sent yet.
func (a *app) models(cfg *config.Config, run *runFlags) (*models, error) {
	counter := tokens.New()
	counter.Warm()
	m := &models{app: a, config: cfg, counter: counter, slots: make(map[string]*agent.Slots), done: func() error { return nil }}
	if err := m.traffic(run); err != nil {
		return nil, err
	}
	return m, nil
}

// close ends a recording.
func (m *models) close() {
	if err := m.done(); err != nil {
		m.app.log.Warn().Err(err).Msg("the tape could not be closed")
	}
}

// tell passes on how much of an answer has come.
func (m *models) tell(call string, output int) {
	if m.progress != nil {
		m.progress(call, output)
	}
}

func (a *app) variable(name string) string {
	value := ""
	for _, pair := range a.Environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// address gives where a model is asked, and whether only the project's own file
// says so. The stronger layer decides between the model's own address and the
// general one.
func (m *models) address(model config.Model) (base string, projectSays bool) {
	general, own := m.config.Origin("agents.base_url"), m.config.Origin("agents.models")
	base, from := model.BaseURL, own
	if base == "" || m.config.BaseURL != "" && general.Level < own.Level {
		base, from = m.config.BaseURL, general
	}
	if base != "" {
		return base, from.Level == roster.ProjectConfig
	}
	if base = m.app.variable(envBaseURL); base != "" {
		return base, false
	}
	return openai.PublicBaseURL, false
}

func (m *models) key(model config.Model) (name, value string) {
	name = model.KeyEnv
	if name == "" {
		name = envKey
	}
	return name, m.app.variable(name)
}

// check says everything that would go wrong before anything is sent: a model
// without a name or a price, an address that may not have the key.
func (m *models) check(parties []flow.Party, budgetUSD int64) error {
	var found fault.List
	for _, p := range parties {
		if p.Via != config.ViaOpenAI {
			continue
		}
		model := m.config.Reach(p.Model)
		if p.ModelID == "" {
			found.Add(openai.NoModel, "", fmt.Sprintf("give --model %s=ID, or an entry for the model %s with its id under agents.models: in %s", p.Name, fault.Shown(orDash(p.Model)), config.FileName),
				"nothing says which model %s is where it is asked", fault.Shown(p.Name))
		}
		if budgetUSD > 0 && model.PriceInput == nil {
			found.Add(NoPrice, "", "give its entry under agents.models: price_input and price_output, or take --budget-tokens",
				"a budget in dollars needs a price for the model of %s", fault.Shown(p.Name))
		}
	}
	if err := errors.Join(found.Err(), m.checkPrograms(parties)); err != nil {
		return err
	}
	return m.checkTrust(parties)
}

// checkTrust makes sure that no key goes to an address that only the project's
// file names, unless the user has looked at that file.
func (m *models) checkTrust(parties []flow.Party) error {
	for _, p := range parties {
		if p.Via != config.ViaOpenAI && p.Via != config.ViaProgram {
			continue
		}
		if err := m.checkTrustOf(m.config.Reach(p.Model)); err != nil {
			return err
		}
	}
	return nil
}

func (m *models) checkTrustOf(model config.Model) error {
	base, projectSays := m.address(model)
	name, key := m.key(model)
	if !projectSays || key == "" || m.offline {
		return nil
	}
	trusted, err := m.app.trusts(m.config)
	if err != nil || trusted {
		return err
	}
	return &fault.Error{
		Code: trust.Untrusted, Place: filepath.Join(m.config.Project.Dir, m.config.Project.File),
		Detail: fmt.Sprintf("the file wants the key of %s sent to %s, and is not trusted", name, base),
		Hint:   "look at the file, then `brenner trust`; or name the address yourself with --base-url",
	}
}

// trusts tells whether the user trusts the project's file as it is.
func (a *app) trusts(cfg *config.Config) (bool, error) {
	path, data, err := projectFile(cfg)
	if err != nil {
		return false, err
	}
	book, err := trust.Find(a.Environ)
	if err != nil {
		return false, err
	}
	return book.Trusts(path, data)
}

// projectFile gives the project's file by its one true name.
func projectFile(cfg *config.Config) (path string, data []byte, err error) {
	path = filepath.Join(cfg.Project.Dir, cfg.Project.File)
	data, err = os.ReadFile(path)
	if err == nil {
		if path, err = filepath.Abs(path); err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
	}
	if err != nil {
		return "", nil, &fault.Error{Code: UnreadableFile, Op: "read the project's file", Place: path, Detail: reason(err), Hint: "check the path and its permissions"}
	}
	return path, data, nil
}

// maker makes agents that ask models.
func (m *models) maker(s agent.Setup) (agent.Agent, error) {
	model := m.config.Reach(s.Model)
	base, _ := m.address(model)
	_, key := m.key(model)
	o := openai.Options{
		BaseURL: base, Key: key, Organization: model.Organization, Headers: headers(model.Headers), Model: s.ModelID,
		API: model.API, Temperature: model.Temperature, Seed: model.Seed, ReasoningEffort: model.Effort,
		Structured: model.Structured, Client: &http.Client{Transport: m.transport}, Count: m.counter.Count, Progress: m.tell,
	}
	if model.Structured != "" && model.Structured != config.StructuredFences {
		o.Schema = schemas.Answer()
	}
	return openai.New(o)
}

func headers(lines []string) map[string]string {
	out := make(map[string]string)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		out[name] = strings.TrimSpace(value)
	}
	return out
}

// limit gives the slots of the endpoint that a party is asked at; nil is no limit.
func (m *models) limit(p flow.Party) *agent.Slots {
	if p.Via != config.ViaOpenAI {
		return nil
	}
	model := m.config.Reach(p.Model)
	if model.Concurrent == 0 {
		return nil
	}
	base, _ := m.address(model)
	if m.slots[base] == nil {
		m.slots[base] = agent.NewSlots(model.Concurrent)
	}
	return m.slots[base]
}

// prices gives what each party's tokens cost, in billionths of a dollar.
func prices(cfg *config.Config, parties []flow.Party) flow.Prices {
	const perMillion = 1000 // a dollar for a million tokens is so many billionths for one
	var all flow.Prices
	for _, p := range parties {
		model := cfg.Reach(p.Model)
		if p.Via == config.ViaRehearsal || model.PriceInput == nil {
			continue
		}
		all = append(all, flow.Price{
			Agent: p.Name, Input: int64(math.Round(*model.PriceInput * perMillion)), Output: int64(math.Round(*model.PriceOutput * perMillion)),
		})
	}
	return all
}

// isLoopback tells whether an address is of this machine.
func isLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
