// Package rehearsal implements scripted agents. They reply from a file, without
// key, server or model.
//
// It promises: a reply depends only on the script, the agent, the round and the
// turn; an invalid script is rejected with all its errors, each with its line;
// and an agent without a part is rejected before any agent is asked.
//
// It must not know what a reply means, or whether a session may be a rehearsal.
package rehearsal

import (
	"bytes"
	"context"
	_ "embed" // for the built-in script
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
)

// Schema is the schema id of scripts.
const Schema = "brenner.rehearsal/v1"

//go:embed cell-fate.yaml
var cellFate string

// BuiltIn parses and returns the embedded script.
func BuiltIn() *Script {
	s, err := Parse([]byte(cellFate))
	if err != nil {
		panic("built-in rehearsal: " + err.Error()) // covered by a test
	}
	return s
}

// Script holds the replies of a rehearsal's agents. It is safe for concurrent use.
type Script struct {
	question string
	parts    []part
	source   []byte
	failed   counts
}

// part is the script of one agent, chosen by name or by role.
type part struct {
	name   string
	role   string
	rounds []round
}

// round scripts one round of an agent.
type round struct {
	reply  string
	repair string
	delay  time.Duration
	fail   *fail
	usage  *agent.Usage
	hang   bool
	cut    bool // the connection is lost
	limit  bool // the reply ends at its token limit
}

// fail is a scripted failure before the reply.
type fail struct {
	code    fault.Code
	message string
	times   int // 0 means every time
	retry   bool
	after   time.Duration
}

// counts holds how often each call has failed.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

// due reports whether a call must fail once more, and counts the failure.
func (c *counts) due(id string, times int) bool {
	if times == 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	if c.of[id] >= times {
		return false
	}
	c.of[id]++
	return true
}

// Question returns the question that the script answers.
func (s *Script) Question() string { return s.question }

// Source returns a copy of the script's bytes.
func (s *Script) Source() []byte { return bytes.Clone(s.source) }

// Agent returns the agent that plays a part. A part with the agent's name comes
// first. Otherwise the role's parts are assigned in roster order to its agents
// without a named part. Agents beyond the last part have nothing to say, so that no
// reply appears twice. A role without any part is an error.
func (s *Script) Agent(setup agent.Setup) (agent.Agent, error) {
	if p := s.named(setup.Agent); p != nil {
		return &player{script: s, part: p}, nil
	}
	before := 0
	for _, other := range setup.Before {
		if s.named(other) == nil {
			before++
		}
	}
	var listener *part
	for i := range s.parts {
		p := &s.parts[i]
		if p.name != "" || p.role != string(setup.Role) {
			continue
		}
		if before == 0 {
			return &player{script: s, part: p}, nil
		}
		before--
		listener = &part{role: p.role}
	}
	if listener == nil {
		return nil, s.noPart(setup)
	}
	return &player{script: s, part: listener}, nil
}

func (s *Script) named(agent string) *part {
	for i := range s.parts {
		if s.parts[i].name == agent && agent != "" {
			return &s.parts[i]
		}
	}
	return nil
}

func (s *Script) noPart(setup agent.Setup) error {
	var known []string
	for _, p := range s.parts {
		known = append(known, fault.Shown(p.name+p.role))
	}
	return &fault.Error{
		Code:   NoPart,
		Detail: "the script has no part for " + fault.Shown(setup.Agent) + ", " + fault.Shown(string(setup.Role)),
		Hint:   "change the agent's role, or add an entry to the script; it has parts for " + strings.Join(known, ", "),
	}
}

// model is the model name in traces; it must not look like a real model.
const model = "rehearsal"

// nothingToAdd is the reply where the script has none.
const nothingToAdd = "NO CHANGES: the script has nothing for this round.\n"

// player is an agent that plays a part.
type player struct {
	script *Script
	part   *part
}

func (p *player) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	alive(c)
	r := p.part.at(c.Round)
	if len(c.Turns) > 1 { // a repair turn: ours, its own, ours
		return r.replyWith(c, r.repair), nil
	}
	if r.hang {
		<-ctx.Done()
		return agent.Reply{}, agent.ContextFailure(ctx)
	}
	if !pause(ctx, r.delay) {
		return agent.Reply{}, agent.ContextFailure(ctx)
	}
	alive(c)
	if f := r.fail; f != nil && p.script.failed.due(c.ID, f.times) {
		return agent.Reply{}, &agent.Failure{
			Code: f.code, Detail: f.message, Retry: f.retry, After: f.after, Attempts: 1,
		}
	}
	if r.cut {
		return agent.Reply{}, &agent.Failure{
			Code: agent.Cut, Detail: "reply cut off by the script", Retry: true, Partial: r.reply, Attempts: 1,
		}
	}
	reply := r.replyWith(c, r.reply)
	reply.Cut = r.limit
	return reply, nil
}

// at returns the part's round n, counted from 1, or an empty one past the end.
func (p *part) at(n int) round {
	if n = max(n, 1); n <= len(p.rounds) {
		return p.rounds[n-1]
	}
	return round{reply: nothingToAdd, repair: nothingToAdd}
}

// replyWith returns text as a reply.
func (r round) replyWith(c agent.Call, text string) agent.Reply {
	reply := agent.Reply{Text: text, Model: model, Attempts: 1}
	if r.usage != nil {
		reply.Usage = *r.usage
		return reply
	}
	reply.Usage = agent.Usage{Input: c.Tokens, Output: agent.EstimateTokens(text), Guessed: true}
	if c.Tokens == 0 {
		for _, t := range c.Turns {
			reply.Usage.Input += agent.EstimateTokens(t.Text)
		}
	}
	return reply
}

func alive(c agent.Call) {
	if c.Alive != nil {
		c.Alive()
	}
}

// pause waits for d. It returns false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
