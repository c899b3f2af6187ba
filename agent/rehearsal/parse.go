package rehearsal

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
	"brenner/roster"
)

// Parse reads a script. It reports all errors, each with its line.
func Parse(data []byte) (*Script, error) {
	r := newReader()
	s := &Script{source: bytes.Clone(data)}
	if root := r.document(data); root != nil {
		r.script(root, s)
	}
	if err := r.Found.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func (r *reader) script(root *yaml.Node, s *Script) {
	var schema, title string // the title is for human readers
	if !r.Object(root, "a script",
		r.Text("schema", &schema), r.Text("title", &title), r.Text("question", &s.question),
		yaml.Key{Name: "agents", Take: func(n *yaml.Node) {
			r.List(n, "agents", func(e *yaml.Node, _ int) { s.parts = append(s.parts, r.part(e, s.parts)) })
		}},
	) {
		return
	}
	s.question = strings.TrimSpace(s.question)
	switch {
	case schema != Schema:
		r.Add(InvalidValue, root.Line, "write schema: "+Schema, "unknown schema %s (want %s)", fault.Shown(schema), Schema)
	case s.question == "":
		r.Add(InvalidValue, root.Line, "add question: with the question that the script plays", "no question")
	case len(s.parts) == 0:
		r.Add(InvalidValue, root.Line, "add agents: with a list of entries, each with a role and rounds", "no agents")
	}
}

// part parses one entry; before holds the entries above it.
func (r *reader) part(n *yaml.Node, before []part) part {
	var p part
	if !r.Object(n, "an entry",
		r.Text("name", &p.name), r.Text("role", &p.role),
		yaml.Key{Name: "rounds", Take: func(n *yaml.Node) {
			r.List(n, "rounds", func(e *yaml.Node, _ int) { p.rounds = append(p.rounds, r.round(e, len(p.rounds)+1)) })
		}},
	) {
		return p
	}
	switch {
	case (strings.TrimSpace(p.name) == "") == (p.role == ""):
		r.Add(InvalidValue, n.Line, "write role: for any agent of a role, or name: for one agent", "an entry needs a name or a role, not both")
	case p.role != "" && !roster.Role(p.role).Valid():
		r.Add(InvalidValue, n.Line, suggest(p.role, roster.AllRoles()), "unknown role %s", fault.Shown(p.role))
	case p.name != "" && slices.ContainsFunc(before, func(b part) bool { return b.name == p.name }):
		r.Add(InvalidValue, n.Line, "merge its rounds into one entry", "duplicate entry for %s", fault.Shown(p.name))
	}
	return p
}

// round parses one round of an entry.
func (r *reader) round(n *yaml.Node, number int) round {
	out := round{repair: nothingToAdd}
	replies := false
	reply := r.Text("reply", &out.reply)
	if !r.Object(n, "a round",
		yaml.Key{Name: reply.Name, Take: func(n *yaml.Node) {
			replies = true
			reply.Take(n)
		}},
		r.Text("repair", &out.repair), r.duration("delay", &out.delay),
		yaml.Key{Name: "fail", Take: func(n *yaml.Node) { out.fail = r.fail(n) }},
		yaml.Key{Name: "usage", Take: func(n *yaml.Node) {
			out.usage = &agent.Usage{}
			r.Object(n, "usage", r.number("input", &out.usage.Input), r.number("output", &out.usage.Output))
		}},
		r.Flag("hang", &out.hang), r.Flag("cut", &out.cut), r.Flag("limit", &out.limit),
	) {
		return out
	}
	silent := out.hang || out.fail != nil && out.fail.times == 0
	if !replies && !silent {
		r.Add(InvalidValue, n.Line, "add reply: with the agent's text, or hang: true", "round %d has no reply", number)
	}
	return out
}

func (r *reader) fail(n *yaml.Node) *fail {
	f := &fail{message: "failed by the script"}
	code := string(agent.Unavailable)
	r.Object(n, "fail",
		r.Text("code", &code), r.Text("message", &f.message), r.number("times", &f.times),
		r.Flag("retry", &f.retry), r.duration("after", &f.after))
	f.code = fault.Code(code)
	if known := failures(); !slices.Contains(known, f.code) {
		r.Add(InvalidValue, n.Line, suggest(code, known), "unknown failure code %s", fault.Shown(code))
	}
	return f
}

// failures returns the codes that a script may use.
func failures() []fault.Code {
	return []fault.Code{agent.Unavailable, agent.Refused, agent.TimedOut, agent.Idle, agent.Cut, agent.Empty, agent.Stopped, agent.Broken}
}

// suggest returns a hint with the nearest known value and the list of all.
func suggest[S ~string](word string, known []S) string {
	list := strings.Trim(fmt.Sprint(known), "[]")
	return text.SuggestOf(word, known, "must be one of "+strings.ReplaceAll(list, " ", ", "))
}

// reader is a yaml.Reader with the codes of this package.
type reader struct{ yaml.Reader }

func newReader() *reader {
	return &reader{yaml.Reader{
		UnknownKey: UnknownKey, DuplicateKey: DuplicateKey, WrongType: WrongType,
		TypeHint: "see the built-in script, agent/rehearsal/cell-fate.yaml, for an example",
	}}
}

// number accepts a non-negative whole number.
func (r *reader) number(name string, to *int) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.Wrong(n, name, "a whole number")
			return
		}
		value, err := strconv.ParseInt(n.Value, 10, 32)
		if err != nil || value < 0 {
			r.Add(InvalidValue, n.Line, "write it in digits, such as 900", "%s must be a decimal number from 0 to %d, not %s", name, math.MaxInt32, fault.Shown(n.Value))
			return
		}
		*to = int(value)
	}}
}

func (r *reader) duration(name string, to *time.Duration) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
			r.Add(InvalidValue, n.Line, "use a number with a unit, such as 30ms or 1.5s", "%s must be a duration, not %s", name, yaml.KindOf(n))
			return
		}
		*to = d
	}}
}

// Codes of invalid scripts.
const (
	InvalidYAML  fault.Code = "SCRIPT_INVALID_YAML"  // A script is not valid UTF-8 YAML.
	UnknownKey   fault.Code = "SCRIPT_UNKNOWN_KEY"   // Unknown key in a script.
	DuplicateKey fault.Code = "SCRIPT_DUPLICATE_KEY" // Duplicate key in a script.
	WrongType    fault.Code = "SCRIPT_WRONG_TYPE"    // A value in a script has the wrong type.
	InvalidValue fault.Code = "SCRIPT_INVALID_VALUE" // Invalid value in a script.
	NoPart       fault.Code = "SCRIPT_NO_PART"       // The script has no part for an agent of the roster.
)

// document returns the root of the single YAML document in data, or nil after
// adding an error.
func (r *reader) document(data []byte) *yaml.Node {
	root, p := yaml.Read(data)
	switch {
	case p != nil:
		r.Add(InvalidYAML, p.Line, p.Hint, "%s", p.Detail)
	case root == nil:
		r.Add(InvalidYAML, 1, "start with schema: "+Schema, "empty script")
	}
	return root
}
