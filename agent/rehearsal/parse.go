package rehearsal

import (
	"bytes"
	"fmt"
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

// Parse reads a script. It says everything that is wrong at once, each with its
// line.
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
	var schema, title string // the title is for whoever reads the file
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
		r.Add(InvalidValue, root.Line, "write schema: "+Schema, "the schema is %s, not %s", fault.Shown(schema), Schema)
	case s.question == "":
		r.Add(InvalidValue, root.Line, "write question: and the question that the script plays", "the script has no question")
	case len(s.parts) == 0:
		r.Add(InvalidValue, root.Line, "write agents: and below it a list of entries, each with a role and rounds", "the script has no agents")
	}
}

// part reads one entry; before are those above it.
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
		r.Add(InvalidValue, n.Line, "write role: for any agent of a role, or name: for one agent", "an entry has a name or a role, and not both")
	case p.role != "" && !roster.Role(p.role).Valid():
		r.Add(InvalidValue, n.Line, meant(p.role, roster.AllRoles()), "there is no role %s", fault.Shown(p.role))
	case p.name != "" && slices.ContainsFunc(before, func(b part) bool { return b.name == p.name }):
		r.Add(InvalidValue, n.Line, "put its rounds into one entry", "there are two entries for %s", fault.Shown(p.name))
	}
	return p
}

// round reads what an entry says in one round.
func (r *reader) round(n *yaml.Node, number int) round {
	said := round{repair: nothingToAdd}
	replies := false
	reply := r.Text("reply", &said.reply)
	if !r.Object(n, "a round",
		yaml.Key{Name: reply.Name, Take: func(n *yaml.Node) {
			replies = true
			reply.Take(n)
		}},
		r.Text("repair", &said.repair), r.duration("delay", &said.delay),
		yaml.Key{Name: "fail", Take: func(n *yaml.Node) { said.fail = r.fail(n) }},
		yaml.Key{Name: "usage", Take: func(n *yaml.Node) {
			said.usage = &agent.Usage{}
			r.Object(n, "usage", r.number("input", &said.usage.Input), r.number("output", &said.usage.Output))
		}},
		r.Flag("hang", &said.hang), r.Flag("cut", &said.cut),
	) {
		return said
	}
	silent := said.hang || said.fail != nil && said.fail.times == 0
	if !replies && !silent {
		r.Add(InvalidValue, n.Line, "write reply: and what the agent says, or hang: true", "round %d has no reply", number)
	}
	return said
}

func (r *reader) fail(n *yaml.Node) *fail {
	f := &fail{message: "the script lets the call fail"}
	code := string(agent.Unavailable)
	r.Object(n, "fail",
		r.Text("code", &code), r.Text("message", &f.message), r.number("times", &f.times),
		r.Flag("retry", &f.retry), r.duration("after", &f.after))
	f.code = fault.Code(code)
	if known := failures(); !slices.Contains(known, f.code) {
		r.Add(InvalidValue, n.Line, meant(code, known), "no call fails with the code %s", fault.Shown(code))
	}
	return f
}

// failures are the codes with which a script may let a call fail.
func failures() []fault.Code {
	return []fault.Code{agent.Unavailable, agent.Refused, agent.TimedOut, agent.Idle, agent.Cut, agent.Empty, agent.Stopped, agent.Broken}
}

// meant says which of the known words was probably meant, and which there are.
func meant[S ~string](word string, known []S) string {
	list := strings.Trim(fmt.Sprint(known), "[]")
	return text.SuggestOf(word, known, "it is one of "+strings.ReplaceAll(list, " ", ", "))
}

// reader reads a script.
type reader struct{ yaml.Reader }

func newReader() *reader {
	return &reader{yaml.Reader{
		UnknownKey: UnknownKey, DuplicateKey: DuplicateKey, WrongType: WrongType,
		See: "see the built-in script, agent/rehearsal/cell-fate.yaml, for an example",
	}}
}

// number takes a whole number that is not negative.
func (r *reader) number(name string, to *int) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.Wrong(n, name, "a whole number")
			return
		}
		value, err := strconv.ParseInt(n.Value, 10, 32)
		if err != nil || value < 0 {
			r.Add(InvalidValue, n.Line, "write it in digits, such as 900", "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		*to = int(value)
	}}
}

func (r *reader) duration(name string, to *time.Duration) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
			r.Add(InvalidValue, n.Line, "write a number and its unit, such as 30ms or 1.5s", "%s must be a time, not %s", name, yaml.KindOf(n))
			return
		}
		*to = d
	}}
}

// The codes of scripts that cannot be played.
const (
	InvalidYAML  fault.Code = "SCRIPT_INVALID_YAML"  // A script is not valid UTF-8 YAML.
	UnknownKey   fault.Code = "SCRIPT_UNKNOWN_KEY"   // Unknown key in a script.
	DuplicateKey fault.Code = "SCRIPT_DUPLICATE_KEY" // Duplicate key in a script.
	WrongType    fault.Code = "SCRIPT_WRONG_TYPE"    // A value in a script has the wrong type.
	InvalidValue fault.Code = "SCRIPT_INVALID_VALUE" // Invalid value in a script.
	NoPart       fault.Code = "SCRIPT_NO_PART"       // The script has no part for an agent of the roster.
)

// document gives the root of the one YAML document in data; nil where what is
// wrong has been said.
func (r *reader) document(data []byte) *yaml.Node {
	root, p := yaml.Read(data)
	switch {
	case p != nil:
		r.Add(InvalidYAML, p.Line, p.Hint, "%s", p.Detail)
	case root == nil:
		r.Add(InvalidYAML, 1, "begin with schema: "+Schema, "the script is empty")
	}
	return root
}
