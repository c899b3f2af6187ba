// Package preflight prepares sessions: it asks models whether they reply and can write deltas, and
// estimates what a session costs at most.
package preflight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
)

// Failed is the code of a loop none of whose models can be asked.
const Failed fault.Code = "PREFLIGHT_FAILED" // No model of the loop can be asked, so no session was started.

// Classes returns the classes of this package's codes.
func Classes() fault.Classes { return fault.Classes{Failed: fault.ClassFailed} }

// Probe is what one model, or one program, replied before the first session.
type Probe struct {
	Agents   []string `json:"agents"` // that use it
	Via      string   `json:"via"`
	Endpoint string   `json:"endpoint,omitempty"`
	Model    string   `json:"model,omitempty"` // its id
	Program  string   `json:"program,omitempty"`
	Version  string   `json:"version,omitempty"`        // of the program
	Status   string   `json:"status"`                   // ok, note or broken
	Reading  string   `json:"reading,omitempty"`        // what the reader found in the reply to the delta probe
	Answered string   `json:"answered_model,omitempty"` // another model than the requested one, which replied
	Cut      bool     `json:"cut"`                      // a reply ended at the limit of its length
	// LatencyMS is how long the short question took.
	LatencyMS int        `json:"latency_ms"`
	Context   int        `json:"context_tokens"` // as the server reports it; 0 means unknown
	Input     int        `json:"input_tokens"`   // of both calls
	Output    int        `json:"output_tokens"`
	Lost      int        `json:"tokens_lost,omitzero"` // the part of both that is assumed for calls without a usable reply
	USD       *float64   `json:"usd"`                  // null if the price is unknown
	Code      fault.Code `json:"code,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	Fix       string     `json:"fix,omitempty"`

	Cost       flow.Cost `json:"-"`
	Structured string    `json:"-"` // how deltas are requested
}

// Statuses of probes.
const (
	Fine   = "ok"
	Doubt  = "note" // it replies, but not as asked
	Broken = "broken"
)

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

// Ask asks an agent both questions and records the replies. Name is the agent's; count counts the
// tokens of a question.
func (r *Probe) Ask(ctx context.Context, a agent.Agent, name string, maxReply int, count func(string) int, now func() time.Time) {
	r.Status = Fine
	began := now()
	_, err := r.ask(ctx, a, count, agent.Call{ID: callID(began, name, "short"), Agent: name, MaxReply: maxReply, Turns: []agent.Turn{{Text: shortQuestion}}})
	r.LatencyMS = int(now().Sub(began) / time.Millisecond)
	var reply agent.Reply
	if err == nil {
		question, schema := r.deltaQuestion(name, maxReply)
		reply, err = r.ask(ctx, a, count, agent.Call{ID: callID(began, name, "delta"), Agent: name, MaxReply: maxReply, Turns: []agent.Turn{{Text: question}}, Schema: schema})
	}
	if err != nil {
		r.Fail(err)
		return
	}
	if r.read(reply.Text); r.Reading != ReadDelta {
		r.doubt(flow.FormatFix(r.Structured, ""))
	}
	if r.Answered != "" {
		r.doubt("check the model's id: --model, or id: under agents.models")
	}
	if r.Cut {
		r.doubt("raise budget.reply_tokens; reasoning counts too")
	}
}

// deltaQuestion returns the second question, and the schema of its reply as a session would send it.
func (r *Probe) deltaQuestion(name string, maxReply int) (question string, schema []byte) {
	p := flow.Party{Via: r.Via, Way: &flow.Way{Structured: r.Structured}}
	if p.Structured() == "" {
		return deltaQuestion, nil
	}
	return deltaQuestion + kickoff.AsJSON, kickoff.Schema(roster.Roster{Mode: roster.Unified}, merge.Scopes{}, "", kickoff.Shown{Agent: name, MaxReply: maxReply})
}

// doubt records that the model replies, but not as asked. The last fix replaces the others.
func (r *Probe) doubt(fix string) { r.Status, r.Fix = Doubt, fix }

func callID(at time.Time, name, turn string) string {
	return fmt.Sprintf("preflight/%d/%s/%s", at.UnixNano(), name, turn)
}

// ask makes one call and adds its usage. A call that may have been answered counts with all tokens
// reserved for it, as in a session.
func (r *Probe) ask(ctx context.Context, a agent.Agent, count func(string) int, c agent.Call) (agent.Reply, error) {
	c.Round, c.Subject = 1, "preflight"
	reply, err := a.Ask(ctx, c)
	used := reply.Usage
	var failure *agent.Failure
	if errors.As(err, &failure) {
		used = failure.Usage
		input := count(c.Turns[0].Text)
		reserved := flow.Cost{Tokens: input + c.MaxReply}
		if session.FailureCost(c.Agent, failure, reserved, nil).Tokens == reserved.Tokens {
			used.Input, used.Output = input, c.MaxReply
		}
		r.Lost += used.Input + used.Output
	}
	r.Input, r.Output = r.Input+used.Input, r.Output+used.Output
	if err == nil {
		r.Cut = r.Cut || reply.Cut
		if flow.MatchModels(r.Model, reply.Model) == flow.MatchOther {
			r.Answered = reply.Model
		}
	}
	return reply, err
}

// Fail records an error.
func (r *Probe) Fail(err error) {
	r.Status, r.Code, r.Detail, r.Fix = Broken, fault.CodeOf(err), err.Error(), fault.HintOf(err)
	var failure *agent.Failure
	if errors.As(err, &failure) {
		r.Code, r.Detail, r.Fix = failure.Code, failure.Detail, failure.Hint
	}
}

// read records what the reader finds in a reply to the delta probe.
func (r *Probe) read(text string) {
	reply := delta.Read([]byte(text), delta.Options{NoChanges: true})
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
	case reply.NoChanges != nil:
		r.Reading = ReadNoChanges
	default:
		r.Reading = ReadProse
	}
}

// Price sets the cost of the probe, if the price of its model is known.
func (r *Probe) Price(prices flow.Prices, name string) {
	r.Cost = prices.Cost(name, r.Input, r.Output)
	if slices.ContainsFunc(prices, func(p flow.Price) bool { return p.Agent == name }) {
		usd := flow.Dollars(r.Cost.USD)
		r.USD = &usd
	}
}

// Most returns the tokens of both questions, and those of the replies at most, if they have a limit.
func Most(count func(string) int, reply int) (input, output int) {
	return count(shortQuestion) + count(deltaQuestion), 2 * max(0, reply)
}

// Fit leaves out the probes that may cost more than what the others leave of a budget, and returns
// how many remain. Programs are asked for their version only.
func Fit(probes []Probe, budget flow.Cost, cost func(i int) flow.Cost) int {
	n, reserved := 0, flow.Cost{}
	for i := range probes {
		if probes[i].Via != flow.ViaProgram {
			next := reserved.Plus(cost(i))
			if !next.Within(budget) {
				probes[i].Omit()
				continue
			}
			reserved = next
		}
		n++
	}
	return n
}

// Omit records that a model is not asked.
func (r *Probe) Omit() {
	r.Status, r.Detail = Doubt, "not asked: the loop's budget does not cover it"
}

// Summary describes the result of a probe in one line.
func (r *Probe) Summary() string {
	if r.Via == flow.ViaProgram && r.Status == Fine && r.Reading == "" {
		return cmp.Or(r.Version, "version unknown")
	}
	if r.Status == Broken {
		line := strings.TrimSpace(string(r.Code) + ": " + r.Detail)
		if r.Lost > 0 {
			line += fmt.Sprintf("; %d tokens assumed for calls without a usable reply", r.Lost)
		}
		return line
	}
	if r.Reading == "" {
		return r.Detail
	}
	var b strings.Builder
	if r.Version != "" {
		b.WriteString(r.Version + " ")
	}
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
	if r.Cut {
		b.WriteString("; cut off at the token limit")
	}
	if r.Answered != "" {
		fmt.Fprintf(&b, "; asked for %s, but %s answered", r.Model, r.Answered)
	}
	if r.Context > 0 {
		fmt.Fprintf(&b, "; context of %d tokens", r.Context)
	}
	fmt.Fprintf(&b, "; %d tokens, %s", r.Input+r.Output, usdText(r.USD))
	return b.String()
}

// Found returns the agents of the probe and its summary.
func (r *Probe) Found() string { return strings.Join(r.Agents, ", ") + ": " + r.Summary() }

// Name returns what was probed.
func (r *Probe) Name() string {
	if r.Via == flow.ViaProgram {
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

// Check returns an error if nothing that was asked can be used and waiting would not help.
func Check(probes []Probe) error {
	var causes []string
	hint := ""
	for i := range probes {
		r := &probes[i]
		if r.Status != Broken || !session.Lasts(r.Code) {
			return nil // usable, or it may pass: the loop waits for it
		}
		causes = append(causes, r.Name()+": "+r.Summary())
		hint = cmp.Or(hint, r.Fix)
	}
	if len(causes) == 0 {
		return nil
	}
	return &fault.Error{Code: Failed, Detail: "no model can be asked: " + strings.Join(causes, "; "), Hint: hint}
}
