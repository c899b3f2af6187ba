package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/artifact/delta"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
)

// PreflightFailed is the code of a loop none of whose models can be asked.
const PreflightFailed fault.Code = "PREFLIGHT_FAILED" // No model of the loop can be asked, so no session was started.

// Classes returns the classes of this package's codes.
func Classes() fault.Classes { return fault.Classes{PreflightFailed: fault.ClassFailed} }

// ModelProbe is what one model, or one program, replied before the first session.
type ModelProbe struct {
	Agents   []string `json:"agents"` // that use it
	Via      string   `json:"via"`
	Endpoint string   `json:"endpoint,omitempty"`
	Model    string   `json:"model,omitempty"` // its id
	Program  string   `json:"program,omitempty"`
	Version  string   `json:"version,omitempty"` // of the program
	Status   string   `json:"status"`            // ok, note or broken
	Reading  string   `json:"reading,omitempty"` // what the reader found in the reply to the delta probe
	// LatencyMS is how long the short question took.
	LatencyMS int        `json:"latency_ms"`
	Context   int        `json:"context_tokens"` // as the server reports it; 0 means unknown
	Input     int        `json:"input_tokens"`   // of both calls
	Output    int        `json:"output_tokens"`
	USD       *float64   `json:"usd"` // null if the price is unknown
	Code      fault.Code `json:"code,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	Fix       string     `json:"fix,omitempty"`

	cost flow.Cost
}

// What the reader found in the reply to a delta probe.
const (
	ReadDelta      = "delta"
	ReadNoChanges  = "no_changes"
	ReadProse      = "prose_only"
	ReadUnreadable = "unreadable"
)

// The two questions of a preflight. They are sent to models that may be slow or cost money, so they
// are short.
const (
	shortQuestion = "This is a test of the connection. Reply with the one word: ready"
	deltaQuestion = "This is a test of the format, not research. Reply with this block, unchanged, and with nothing else:\n\n" +
		"```delta\n" + `{"operation": "ADD", "section": "hypothesis_slate", "payload": {"name": "Format test", "claim": "This block can be read."}, "rationale": "test"}` + "\n```\n"
)

// Preflight asks each distinct model of the parties a short question and for a delta, and each
// program for its version. Agents with a mailbox and scripted ones are not asked.
func (m *Models) Preflight(ctx context.Context, parties []flow.Party) []ModelProbe {
	var probes []ModelProbe
	var asked []flow.Party
	for _, p := range parties {
		if p.Via != config.ViaOpenAI && p.Via != config.ViaProgram {
			continue
		}
		at := slices.IndexFunc(asked, func(o flow.Party) bool { return sameWay(&o, &p) })
		if at < 0 {
			at = len(asked)
			asked = append(asked, p)
			probes = append(probes, ModelProbe{Via: p.Via, Endpoint: baseurl.Shown(endpointOf(&p)), Model: p.ModelID})
		}
		if !slices.Contains(probes[at].Agents, p.Name) {
			probes[at].Agents = append(probes[at].Agents, p.Name)
		}
	}
	once := m.withoutRetries()
	var wait sync.WaitGroup
	for i := range probes {
		wait.Go(func() { once.probe(ctx, &probes[i], asked[i]) })
	}
	wait.Wait()
	return probes
}

func sameWay(a, b *flow.Party) bool {
	if a.Via == config.ViaProgram {
		return b.Via == a.Via && a.Program == b.Program
	}
	return a.Via == b.Via && a.ModelID == b.ModelID && endpointOf(a) == endpointOf(b) && a.Model == b.Model
}

// withoutRetries returns a copy that asks once: a probe reports a failure, it does not wait for it
// to pass.
func (m *Models) withoutRetries() *Models {
	once := m.fork()
	own := *m.Project.Config
	own.Attempts = 1
	once.Project = &Project{Host: m.Project.Host, Config: &own}
	return once
}

func (m *Models) probe(ctx context.Context, r *ModelProbe, p flow.Party) {
	r.Status = CheckFine
	if p.Via == config.ViaProgram {
		m.probeProgram(ctx, r, p)
		return
	}
	made, err := m.Agents(nil, []flow.Party{p})(p)
	if err != nil {
		r.fail(err)
		return
	}
	began := m.Project.Now()
	_, err = m.ask(ctx, made, r, p, "short", shortQuestion)
	r.LatencyMS = int(m.Project.Now().Sub(began) / time.Millisecond)
	var reply agent.Reply
	if err == nil {
		reply, err = m.ask(ctx, made, r, p, "delta", deltaQuestion)
	}
	if err != nil {
		r.fail(err)
	} else {
		r.read(reply.Text)
	}
	r.price(m.Project.prices([]flow.Party{p}), p.Name)
	if r.Status != CheckBroken {
		r.Context = m.contextOf(ctx, p)
	}
}

// ask makes one call of a probe and adds its usage.
func (m *Models) ask(ctx context.Context, a agent.Agent, r *ModelProbe, p flow.Party, turn, question string) (agent.Reply, error) {
	reply, err := a.Ask(ctx, agent.Call{
		ID: fmt.Sprintf("preflight/%d/%s/%s", m.Project.Now().UnixNano(), p.Name, turn), Agent: p.Name, Round: 1, Subject: "preflight",
		MaxReply: m.Project.Config.Session.Reply, Turns: []agent.Turn{{Text: question}},
	})
	used := reply.Usage
	var failure *agent.Failure
	if errors.As(err, &failure) {
		used = failure.Usage
	}
	r.Input, r.Output = r.Input+used.Input, r.Output+used.Output
	return reply, err
}

func (r *ModelProbe) fail(err error) {
	r.Status, r.Code, r.Detail, r.Fix = CheckBroken, fault.CodeOf(err), err.Error(), fault.HintOf(err)
	var failure *agent.Failure
	if errors.As(err, &failure) {
		r.Code, r.Detail, r.Fix = failure.Code, failure.Detail, failure.Hint
	}
}

// read records what the reader finds in a reply to the delta probe.
func (r *ModelProbe) read(text string) {
	reply := delta.Read([]byte(text), delta.Options{})
	refused := 0
	for i := range reply.Blocks {
		if reply.Blocks[i].OK {
			r.Reading = ReadDelta
			return
		}
		if !reply.Blocks[i].Skipped() {
			refused++
		}
	}
	switch {
	case refused > 0:
		r.Reading = ReadUnreadable
	case writesNoChanges(text):
		r.Reading = ReadNoChanges
	default:
		r.Reading = ReadProse
	}
	r.Status, r.Fix = CheckNote, "use a larger model, or set structured: auto for it under agents.models:"
}

func writesNoChanges(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "NO CHANGES") {
			return true
		}
	}
	return false
}

// price sets the cost of the probe, if the price of its model is known.
func (r *ModelProbe) price(prices flow.Prices, name string) {
	r.cost = prices.Cost(name, r.Input, r.Output)
	if slices.ContainsFunc(prices, func(p flow.Price) bool { return p.Agent == name }) {
		usd := flow.Dollars(r.cost.USD)
		r.USD = &usd
	}
}

func (m *Models) probeProgram(ctx context.Context, r *ModelProbe, p flow.Party) {
	r.Program, r.Model, r.Endpoint = p.Program, "", ""
	made, err := program.New(m.ProgramOptions(m.Project.setupOf(&p)))
	if err == nil {
		r.Version, err = made.Version(ctx)
	}
	if err != nil {
		r.fail(err)
	}
}

// Summary describes the result of a probe in one line.
func (r *ModelProbe) Summary() string {
	if r.Via == config.ViaProgram && r.Status == CheckFine {
		return cmp.Or(r.Version, "version unknown")
	}
	if r.Status == CheckBroken {
		return strings.TrimSpace(string(r.Code) + ": " + r.Detail)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "replied in %.1f s; ", float64(r.LatencyMS)/1000)
	switch r.Reading {
	case ReadDelta:
		b.WriteString("delta read")
	case ReadNoChanges:
		b.WriteString("wrote NO CHANGES instead of the delta")
	case ReadUnreadable:
		b.WriteString("wrote a delta that cannot be read")
	default:
		b.WriteString("wrote prose instead of the delta")
	}
	if r.Context > 0 {
		fmt.Fprintf(&b, "; context of %d tokens", r.Context)
	}
	fmt.Fprintf(&b, "; %d tokens, %s", r.Input+r.Output, usdText(r.USD))
	return b.String()
}

// Name returns what was probed.
func (r *ModelProbe) Name() string {
	if r.Via == config.ViaProgram {
		return "program " + r.Program
	}
	return "model " + r.Model + " at " + r.Endpoint
}

func usdText(usd *float64) string {
	if usd == nil {
		return "price unknown"
	}
	return fmt.Sprintf("$%.4f", *usd)
}

// preflightError returns an error if nothing that was asked can be used and waiting would not help.
func preflightError(probes []ModelProbe) error {
	var causes []string
	hint := ""
	for i := range probes {
		r := &probes[i]
		if r.Status != CheckBroken || !session.Lasts(r.Code) {
			return nil // usable, or it may pass: the loop waits for it
		}
		causes = append(causes, r.Name()+": "+r.Summary())
		hint = cmp.Or(hint, r.Fix)
	}
	if len(causes) == 0 {
		return nil
	}
	return &fault.Error{Code: PreflightFailed, Detail: "no model can be asked: " + strings.Join(causes, "; "), Hint: hint}
}
