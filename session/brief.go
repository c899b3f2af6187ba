package session

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/view"
)

// Brief is the input with which a session is opened.
type Brief struct {
	Thread      string
	Operator    string
	Program     string // version of this program
	Question    string
	Context     string
	Excerpt     string
	Hypotheses  []string
	Constraints []string
	Evidence    []File
	Roster      roster.Roster
	Agents      []flow.Party // in roster order
	Arbiter     *flow.Party  // rules on stalemates; may be nil
	Views       map[string]view.Spec
	Rules       merge.Rules
	Script      []byte // of a rehearsal, else nil
	// Module is the module of the project that the session belongs to; "" is the whole project.
	Module   string
	Domain   string // of the playbook
	Settings flow.Settings
	// Seeds are initial items besides the hypotheses, carried over from an earlier session.
	Seeds []Seed
	// Task is the task that the session runs, with one agent in one round; nil for a research session.
	Task *Task
}

// Seed is an initial item. Other seeds refer to it by Label.
type Seed struct {
	Section   artifact.Section
	Label     string
	Payload   jsontext.Value // a JSON object
	Rationale string
}

// File is a piece of evidence.
type File struct {
	Name string
	Data []byte
}

// open returns the opening. With writes, the answers may put records of the project.
func (b *Brief) open(writes bool) (*draft, error) {
	if err := b.CheckNames(); err != nil {
		return nil, err
	}
	d := &draft{}
	deltas, err := b.deltas()
	if err != nil {
		return nil, err
	}
	o := flow.Opened{
		Thread: b.Thread, Operator: b.Operator, Program: b.Program, Question: b.Question, Context: b.Context,
		Constraints: b.Constraints, Brief: d.blob(deltas), Roster: artifact.Canonical(b.Roster.Value()),
		Rules: flow.PinRules(&b.Rules), Settings: b.Settings, Records: true, Module: b.Module, Arbiter: b.Arbiter,
		Protocol: flow.ThirdProtocol, Reader: delta.NewestReader,
	}
	if writes {
		o.Writes = flow.RecordsForm
	}
	if b.Task != nil {
		o.Task, o.TaskContent = b.Task.Address, b.Task.Content
	}
	if b.Excerpt != "" {
		o.Excerpt = d.blob([]byte(b.Excerpt))
	}
	for i, f := range b.Evidence {
		o.Evidence = append(o.Evidence, flow.Evidence{ID: fmt.Sprintf("EV-%03d", i+1), Name: f.Name, Hash: d.blob(f.Data)})
	}
	if o.Domain = b.Domain; b.Script != nil {
		o.Rehearsal, o.Domain = d.blob(b.Script), ""
	}
	for _, p := range b.Agents {
		spec := b.Views[p.Name]
		p.View = d.blob(spec.Canonical())
		o.Agents = append(o.Agents, p)
	}
	d.event(flow.KindOpened, o)
	return d, nil
}

// CheckNames returns an error if an agent has the name of an authority, and with it its rights.
func (b *Brief) CheckNames() error {
	if err := b.checkArbiter(); err != nil {
		return err
	}
	for _, p := range b.Agents {
		if b.isPerson(p.Name) {
			return &fault.Error{
				Code: NameTaken, Detail: fault.Shown(p.Name) + " is both an agent in the roster and an authority",
				Hint: "rename the agent, or change operator: or authorities: in brenner.yaml",
			}
		}
	}
	return nil
}

// deltas returns the research thread, the initial hypotheses and the seeds as the operator's
// deltas.
func (b *Brief) deltas() ([]byte, error) {
	type op struct {
		Operation string  `json:"operation"`
		Section   string  `json:"section"`
		Target    *string `json:"target_id"`
		Label     string  `json:"ref,omitempty"`
		Payload   any     `json:"payload"`
		Rationale string  `json:"rationale"`
	}
	thread := map[string]string{"statement": strings.TrimSpace(b.Question)}
	if c := strings.TrimSpace(b.Context); c != "" {
		thread["context"] = c
	}
	rt := artifact.ThreadID
	all := []op{{"EDIT", artifact.ResearchThread.String(), &rt, "", thread, "the operator's brief"}}
	for _, h := range b.Hypotheses {
		all = append(all, op{"ADD", artifact.HypothesisSlate.String(), nil, "", map[string]string{"claim": h}, "the operator's brief"})
	}
	for _, s := range b.Seeds {
		all = append(all, op{"ADD", s.Section.String(), nil, s.Label, s.Payload, s.Rationale})
	}
	data, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return nil, &fault.Error{Code: artifact.InvalidJSON, Op: "write the brief", Cause: err, Hint: "the question, the context and the hypotheses must be UTF-8"}
	}
	return data, nil
}
