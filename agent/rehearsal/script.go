// Package rehearsal holds scripted agents: they answer from a file, and need no
// key, no server and no model.
//
// It promises: what a part says depends on the script, the agent, the round and
// the turn alone; a script that cannot be played is refused whole, every fault
// with its line; and an agent without a part is refused before anybody is asked.
//
// It must not know what a reply means, or whether a session may be a rehearsal:
// that is decided by whoever chooses it.
package rehearsal

import (
	"bytes"
	"context"
	_ "embed" // the built-in script is a file
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
)

// Schema names the form of a script.
const Schema = "brenner.rehearsal/v1"

//go:embed cell-fate.yaml
var cellFate string

// BuiltIn gives the script that is in the binary, freshly read.
func BuiltIn() *Script {
	s, err := Parse([]byte(cellFate))
	if err != nil {
		panic("the built-in rehearsal cannot be read: " + err.Error()) // a test reads it
	}
	return s
}

// Script is what the agents of a rehearsal say. It is safe for concurrent use.
type Script struct {
	question string
	parts    []part
	source   []byte
	failed   counts
}

// part is what one agent says: the one of that name, or one of that role.
type part struct {
	name   string
	role   string
	rounds []round
}

// round is what a part says in one round.
type round struct {
	reply  string
	repair string
	delay  time.Duration
	fail   *fail
	usage  *agent.Usage
	hang   bool
	cut    bool
}

// fail is how a call fails before it is answered.
type fail struct {
	code    fault.Code
	message string
	times   int // 0 is every time
	retry   bool
	after   time.Duration
}

// counts remembers how often each call has failed.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

// due tells whether a call is to fail once more, and counts it.
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

// Question is the question that the script plays.
func (s *Script) Question() string { return s.question }

// Source gives the script's own bytes, for who keeps what was played.
func (s *Script) Source() []byte { return bytes.Clone(s.source) }

// Agent gives an agent its part. The part of its name comes first. Else the parts
// of its role are given out in the roster's order, one to each of its agents that
// has none by name; those who come after the last part listen, for two agents
// that say the same would only fill the artifact with everything twice. A role
// without any part is a fault.
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
		Hint:   "give the agent another role, or the script another entry; it has parts for " + strings.Join(known, ", "),
	}
}

// model is what answers, in the words of the trace: nothing that could be taken
// for a model.
const model = "rehearsal"

// nothingToAdd is what an agent says for which the script has no words.
const nothingToAdd = "I have nothing to add in this round.\n"

// player is one agent on the stage.
type player struct {
	script *Script
	part   *part
}

func (p *player) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	alive(c)
	r := p.part.at(c.Round)
	if len(c.Turns) > 1 { // a repair turn: ours, its own, ours
		return r.says(c, r.repair), nil
	}
	if r.hang {
		<-ctx.Done()
		return agent.Reply{}, agent.Ended(ctx)
	}
	if !pause(ctx, r.delay) {
		return agent.Reply{}, agent.Ended(ctx)
	}
	alive(c)
	if f := r.fail; f != nil && p.script.failed.due(c.ID, f.times) {
		return agent.Reply{}, &agent.Failure{
			Code: f.code, Detail: f.message, Retry: f.retry, After: f.after, Attempts: 1,
		}
	}
	if r.cut {
		return agent.Reply{}, &agent.Failure{
			Code: agent.Cut, Detail: "the script lets the answer break off here", Retry: true, Partial: r.reply, Attempts: 1,
		}
	}
	return r.says(c, r.reply), nil
}

// at gives what the part says in a round, from 1; past its end that is nothing.
func (p *part) at(n int) round {
	if n = max(n, 1); n <= len(p.rounds) {
		return p.rounds[n-1]
	}
	return round{reply: nothingToAdd, repair: nothingToAdd}
}

// says makes a reply of a text.
func (r round) says(c agent.Call, text string) agent.Reply {
	reply := agent.Reply{Text: text, Model: model, Attempts: 1}
	if r.usage != nil {
		reply.Usage = *r.usage
		return reply
	}
	reply.Usage = agent.Usage{Output: agent.Guess(text), Guessed: true}
	for _, t := range c.Turns {
		reply.Usage.Input += agent.Guess(t.Text)
	}
	return reply
}

func alive(c agent.Call) {
	if c.Alive != nil {
		c.Alive()
	}
}

// pause waits; false means that the context was over first.
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
