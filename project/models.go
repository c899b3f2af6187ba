package project

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/tape"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project/slots"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// The codes of models that cannot be asked as configured.
const (
	NoPrice fault.Code = "NO_PRICE"    // A dollar budget needs a price for every model.
	NoKey   fault.Code = "KEY_NOT_SET" // The environment variable that should hold a model's key is not set.
)

// The usual environment variables of OpenAI-compatible endpoints.
const (
	envKey     = "OPENAI_API_KEY"
	EnvBaseURL = "OPENAI_BASE_URL"
)

// Models provides access to the models of a session, as set by flags, environment and
// configuration.
type Models struct {
	closers   // a recording, and our own mail server
	Project   *Project
	Transport http.RoundTripper
	Progress  func(call string, output int)
	slots     *slots.Endpoints // shared by the sessions of a loop
	Mail      *sessionMail     // for agents with mailboxes
	mailbox   func() (*Mailbox, error)
	Allow     session.Allowance
	patience  time.Duration     // the longest wait a provider may ask for; 0 means no limit
	offline   bool              // playing a tape: no key leaves the machine
	named     map[string]string // addresses that a flag names for agents
	versions  *programVersions
	contexts  *contextSizes
}

// OpenModels prepares access to the models of these parties, and reports every fault.
// Nothing is sent yet, and nothing is written in case of a fault.
func (p *Project) OpenModels(run Traffic, parties []flow.Party, budgetUSD int64) (*Models, error) {
	if err := run.reachModels(parties); err != nil {
		return nil, err
	}
	p.Tokens.Warm()
	m := &Models{
		Project: p, slots: &slots.Endpoints{},
		offline: run.Tape != "", named: run.named(), versions: &programVersions{of: make(map[string]string)}, contexts: &contextSizes{of: make(map[[3]string]func() int)},
		mailbox: func() (*Mailbox, error) { return p.mailboxOf(parties, "") },
	}
	m.Mail = p.sessionMail(m.mailbox)
	if err := m.check(parties, budgetUSD); err != nil {
		return nil, err
	}
	if err := m.setTransport(run, parties); err != nil {
		return nil, err
	}
	return m, nil
}

// tell reports how many output tokens have arrived.
func (m *Models) tell(call string, output int) {
	if m.Progress != nil {
		m.Progress(call, output)
	}
}

// Variable returns the value of an environment variable.
func (h *Host) Variable(name string) string {
	value := ""
	for _, pair := range h.Environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// asked returns the settings of the model that a party asks.
func (p *Project) asked(party *flow.Party) config.Model {
	return p.Config.Asked(party.Model, party.ModelID)
}

// keyOf returns the name and the value of the variable with a model's key.
func (p *Project) keyOf(model config.Model) (name, value string) {
	name = cmp.Or(model.KeyEnv, envKey)
	return name, p.Variable(name)
}

// keyName returns the name of the variable with a party's key.
func (p *Project) keyName(party *flow.Party) string {
	if made, err := p.Program(party); party.Via == config.ViaProgram && err == nil {
		return made.KeyName()
	}
	name, _ := p.keyOf(p.asked(party))
	return name
}

// check reports every fault before anything is sent: a model without an id or a price, an
// address that may not receive the key.
func (m *Models) check(parties []flow.Party, budgetUSD int64) error {
	found := m.checkAddresses(parties)
	var models, nameless, priceless []*flow.Party
	for i := range parties {
		p := &parties[i]
		if !m.offline || p.Via == config.ViaProgram {
			found = append(found, faultsIn(m.Project.CheckHost(m.Project.setupOf(p).BaseURL))...)
		}
		if p.Via != config.ViaOpenAI {
			continue
		}
		model := m.Project.asked(p)
		models = append(models, p)
		if p.ModelID == "" {
			nameless = append(nameless, p)
		}
		if _, key := m.Project.keyOf(model); model.KeyEnv != "" && key == "" && !m.offline {
			found.Add(NoKey, "", "set "+model.KeyEnv+" to the key, or remove key_env: of the model under agents.models:",
				"%s, which holds the key for %s, is not set", model.KeyEnv, fault.Shown(p.Name))
		}
		if budgetUSD > 0 && model.PriceInput == nil {
			priceless = append(priceless, p)
		}
	}
	if len(nameless) > 0 {
		found.Add(openai.NoModel, "", hintOfIDs(nameless, len(nameless) == len(models)), "no model id for %s", namesOf(nameless, ""))
	}
	if len(priceless) > 0 {
		found.Add(NoPrice, "", "set price_input: and price_output: of the model under agents.models:, or use --budget-tokens",
			"a budget in dollars requires a price for the model of %s", namesOf(priceless, ""))
	}
	if base := m.Project.Variable(EnvBaseURL); !baseurl.Valid(base) && slices.Contains(addresses(parties), base) {
		found.Add(fault.Usage, EnvBaseURL, baseurl.Hint, "not a valid http or https URL")
	}
	if err := errors.Join(m.checkPrograms(parties), found.Err()); err != nil {
		return err
	}
	return m.checkTrust(parties)
}

// namesOf lists the names of parties, each with a suffix.
func namesOf(parties []*flow.Party, suffix string) string {
	all := make([]string, len(parties))
	for i, p := range parties {
		all[i] = fault.Shown(p.Name) + suffix
	}
	return strings.Join(all, ", ")
}

// hintOfIDs says how to choose the models of parties that have none.
func hintOfIDs(parties []*flow.Party, all bool) string {
	hint := "pass --model "
	if all && len(parties) > 1 {
		hint += "ID for all agents, or --model "
	}
	if names := strings.ReplaceAll(namesOf(parties, "=ID"), ", ", ","); all && len(parties) == 1 {
		hint += "ID" // also where the flag takes no names
	} else {
		hint += names
	}
	var models []string
	for _, p := range parties {
		if name := fault.Shown(p.Model); p.Model != "" && !slices.Contains(models, name) {
			models = append(models, name)
		}
	}
	if len(models) > 0 {
		hint += "; or set id: of " + strings.Join(models, ", ") + " under agents.models: in " + config.FileName
	}
	return hint
}

// maker makes agents that ask models.
func (m *Models) maker(s agent.Setup) (agent.Agent, error) {
	model := m.Project.Config.Asked(s.Model, s.ModelID)
	name, key := m.Project.keyOf(model)
	if err := m.checkSetup(&s); err != nil {
		return nil, err
	}
	o := openai.Options{
		BaseURL: s.BaseURL, Key: key, KeyName: name, Organization: model.Organization, Headers: headers(model.Headers), Model: s.ModelID,
		API: s.API, Temperature: model.Temperature, Seed: model.Seed, ReasoningEffort: model.Effort,
		Structured: s.Structured, Client: &http.Client{Transport: m.Transport}, Count: m.Project.Tokens.Count, Progress: m.tell,
	}
	if s.Seed != nil { // fixed when the session started
		o.Seed = s.Seed
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

// limit returns the limit of calls to a party's endpoint; nil means no limit.
func (m *Models) limit(p flow.Party) agent.Limiter {
	if p.Via != config.ViaOpenAI {
		return nil
	}
	model := m.Project.asked(&p)
	if model.Concurrent == 0 {
		return nil
	}
	return m.slots.At(p.Endpoint(), model.Concurrent)
}

// shareSlots makes the limits of endpoints hold for all machines, if they share the store. A tape calls no endpoint.
// The returned function waits until the slots are released.
func (m *Models) shareSlots(st store.Locks) (wait func()) {
	if m.Project.storagePlace().Shared() && !m.offline {
		m.slots.Share(st, m.Project.holder)
	}
	return m.slots.Wait
}

// prices returns what each party's tokens cost, in billionths of a dollar.
func (p *Project) prices(parties []flow.Party) flow.Prices {
	const perMillion = 1000 // dollars per million tokens to billionths of a dollar per token
	var all flow.Prices
	for _, party := range parties {
		model := p.asked(&party)
		if party.Via == config.ViaRehearsal || model.PriceInput == nil {
			continue
		}
		all = append(all, flow.Price{
			Agent: party.Name, Input: int64(math.Round(*model.PriceInput * perMillion)), Output: int64(math.Round(*model.PriceOutput * perMillion)),
		})
	}
	return all
}

// Traffic configures the transport of requests to models.
type Traffic struct {
	// BaseURL is the flag's value: an address, already part of the configuration, or NAME=URL,…
	BaseURL string
	Record  string // file to record the traffic to
	Tape    string // file to play it from
	dry     bool   // only check: write no file
}

// Unwritten returns the traffic of a dry run: it is checked, and no file is written.
func (r Traffic) Unwritten() Traffic {
	r.dry = true
	return r
}

// reachModels rejects traffic flags if no agent is a model: --tape in a rehearsal would
// have no effect. A program may be told an address.
func (r Traffic) reachModels(parties []flow.Party) error {
	if anyVia(parties, config.ViaOpenAI) {
		return nil
	}
	if len(addresses(parties)) > 0 {
		r.BaseURL = ""
	}
	for _, f := range []struct{ name, value string }{{"--base-url", r.BaseURL}, {"--record-tape", r.Record}, {"--tape", r.Tape}} {
		if f.value != "" {
			return &fault.Error{
				Code: fault.Usage, Detail: f.name + " has no effect: no agent is a model at an endpoint",
				Hint: "omit it: it is for agents with via: " + config.ViaOpenAI,
			}
		}
	}
	return nil
}

// setTransport sets the transport of requests to models: the network, the network with a recorder,
// or a tape.
func (m *Models) setTransport(run Traffic, parties []flow.Party) error {
	m.Transport = http.DefaultTransport
	switch {
	case run.Record != "" && run.Tape != "":
		return &fault.Error{Code: fault.Usage, Detail: "--record-tape and --tape are mutually exclusive", Hint: "omit one of them"}
	case run.Record != "" && run.dry:
		return mustNotExist(run.Record)
	case run.Record != "":
		return m.recordTo(run.Record)
	case run.Tape != "":
		return m.playFrom(run.Tape, parties)
	}
	return nil
}

func mustNotExist(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return files.ExistsError(path)
	}
	return nil
}

func (m *Models) recordTo(path string) error {
	// Never overwrite a tape: it is evidence.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if os.IsExist(err) {
			return files.ExistsError(path)
		}
		return &fault.Error{Code: files.CannotWrite, Op: "record a tape", Place: path, Detail: files.Reason(err), Hint: "check the directory and its permissions"}
	}
	recorder, err := tape.Record(http.DefaultTransport, f, tape.Options{Secrets: m.Project.keys()})
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	begun, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	m.Transport = recorder
	m.onClose(func() {
		ended, err := f.Stat()
		err = errors.Join(err, f.Close())
		if err == nil && ended.Size() == begun.Size() { // or the same command would fail when repeated
			err = os.Remove(path)
		}
		if err != nil {
			m.Project.Log.Warn().Err(err).Msg("cannot close the tape")
		}
	})
	return nil
}

// playFrom plays a tape. Artifacts name the addresses of models, so that it must have been recorded there.
func (m *Models) playFrom(path string, parties []flow.Party) error {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return &fault.Error{Code: files.Unreadable, Op: "play a tape", Place: path, Detail: files.Reason(err), Hint: "check the path and its permissions"}
	}
	player, err := tape.Play(f, tape.Options{Secrets: m.Project.keys()})
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fault.InFile("play a tape", path, err)
	}
	for i := range parties {
		if host := parties[i].Way.Host(); parties[i].Via == config.ViaOpenAI && host != "" && !player.RecordedAt(host) {
			return &fault.Error{Code: fault.Usage, Place: path, Detail: "the tape was not recorded at " + host, Hint: "pass the address of the recording with --base-url"}
		}
	}
	m.Transport = player
	return nil
}
