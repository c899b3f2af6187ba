package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"brenner/govern/contexts"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
	"brenner/roster"
	"brenner/session/view"
)

// The allowed values of api, structured and kickoff in a model's entry.
const (
	APIChat      = "chat"
	APIResponses = "responses"

	StructuredFences = "fences" // deltas in fences, as the prompts ask for them
	StructuredSchema = "schema" // JSON by a schema
	StructuredAuto   = "auto"   // by a schema if the endpoint supports it

	KickoffAuto  = "auto"  // short if the endpoint reports a small context
	KickoffShort = "short" // for small contexts
	KickoffFull  = "full"
)

type object struct {
	line   int
	path   string
	fields map[string]*yaml.Node
}

// objects reads a list of objects that have only known keys.
func (r *reader) objects(path string, n *yaml.Node, known ...string) []object {
	nodes, _ := r.list(path, n)
	all := make([]object, 0, len(nodes))
	for _, one := range nodes {
		o := object{line: one.Line, path: path + "[]", fields: make(map[string]*yaml.Node, len(known))}
		if one.Kind != yaml.MappingNode {
			r.wrongType(one, o.path, "a mapping")
			continue
		}
		for _, p := range r.pairs(o.path, one) {
			switch {
			case !slices.Contains(known, p.name):
				hint := cmp.Or(text.Suggest(p.name, known), "known keys here: "+joinWords(known))
				r.found.Add(UnknownKey, r.place(p.line), hint, "unknown key %s", fault.Shown(join(o.path, p.name)))
			case !yaml.IsNull(p.value):
				o.fields[p.name] = p.value
			}
		}
		all = append(all, o)
	}
	return all
}

// field is a key of an object with its form and setter.
type field struct {
	name string
	form form
	set  func(any)
}

// at returns a field that is set if the object has it.
func at[T any](name string, f form, to *T) field { return field{name, f, into(to)} }

// ifAny returns a field that stays nil if the object lacks it.
func ifAny[T any](name string, f form, to **T) field {
	return field{name, f, func(v any) {
		value, _ := v.(T)
		*to = &value
	}}
}

// take sets the fields that an object has.
func (r *reader) take(o object, fields ...field) {
	for _, f := range fields {
		n, ok := o.fields[f.name]
		if !ok {
			continue
		}
		if v, ok := f.form.read(r, join(o.path, f.name), n); ok {
			f.set(v)
		}
	}
}

// keyed reads a list of objects that each define one name. what is the key of the name.
func keyed[T any](r *reader, path string, n *yaml.Node, what, example string, known []string, one func(o object) (T, string)) []T {
	list := []T{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, append([]string{what}, known...)...) {
		value, name := one(o)
		switch line, twice := first[name]; {
		case name == "":
			r.found.Add(InvalidValue, r.place(o.line), "add the name that rosters use, such as "+what+": "+example, "%s: entry without %s", path, what)
		case twice:
			r.found.Add(InvalidValue, r.place(o.line), alreadyOn(line), "%s: duplicate entry %s", path, fault.Shown(name))
		}
		first[name] = o.line
		list = append(list, value)
	}
	return list
}

func modelList(r *reader, path string, n *yaml.Node) any {
	known := []string{
		"via", "id", "base_url", "key_env", "api", "organization", "headers", "temperature", "seed",
		"reasoning_effort", "structured", "kickoff", "price_input", "price_output", "concurrent",
	}
	return keyed(r, path, n, "model", "Opus 4.5", known, func(o object) (Model, string) {
		m := r.model(o)
		return m, m.Model
	})
}

// mostPrice is an upper bound of the price of a million tokens, in dollars.
const mostPrice = 1_000_000

func (r *reader) model(o object) Model {
	var m Model
	r.take(o,
		at("model", textForm(), &m.Model),
		at("id", textForm(), &m.ID),
		at("base_url", endpointForm(), &m.BaseURL),
		at("organization", textForm(), &m.Organization),
		at("reasoning_effort", textForm(), &m.Effort),
		at("key_env", keyNameForm(), &m.KeyEnv),
		at("headers", objects(headerList), &m.Headers),
		at("via", word(Vias()...), &m.Via),
		at("api", word(APIChat, APIResponses), &m.API),
		at("structured", word(StructuredFences, StructuredSchema, StructuredAuto), &m.Structured),
		at("kickoff", word(KickoffAuto, KickoffShort, KickoffFull), &m.Kickoff),
		ifAny("temperature", upTo(2), &m.Temperature),
		ifAny("price_input", upTo(mostPrice), &m.PriceInput),
		ifAny("price_output", upTo(mostPrice), &m.PriceOutput),
		at("concurrent", intForm(), &m.Concurrent),
		ifAny("seed", intForm(), &m.Seed),
	)
	for _, price := range []*float64{m.PriceInput, m.PriceOutput} {
		// Prices are stored in billionths of a dollar per token; a finer one would be rounded.
		if price != nil && math.Abs(*price*1000-math.Round(*price*1000)) > 1e-6 {
			r.found.Add(InvalidValue, r.place(o.line), "use at most three decimals: thousandths of a dollar per million tokens", "%s: price %v has too many decimals", o.path, *price)
		}
	}
	if (m.PriceInput == nil) != (m.PriceOutput == nil) {
		r.found.Add(InvalidValue, r.place(o.line), "set both, in dollars per million tokens", "%s: only one of price_input and price_output is set", o.path)
	}
	return m
}

// keyNameForm is the name of the variable that holds a key, or empty. Files must not hold keys.
func keyNameForm() scalar {
	s := variableForm("name the environment variable that holds the key, such as OPENAI_API_KEY")
	s.value = func(s string) (any, bool) { return s, s == "" || isVariable(s) }
	return s
}

// headerList reads a list of "Name: value". It refuses headers that carry secrets.
func headerList(r *reader, path string, n *yaml.Node) any {
	nodes, _ := r.list(path, n)
	var all []string
	for _, one := range nodes {
		s, ok := r.text(path+"[]", one)
		if !ok {
			continue
		}
		name, value, isHeader := strings.Cut(s, ":")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		switch {
		case !isHeader || name == "" || strings.ContainsAny(name, " \t\r\n") || strings.ContainsAny(value, "\r\n"):
			r.found.Add(InvalidValue, r.place(one.Line), "write it like \"X-Team: research\"", "%s: not a valid header", path)
		case name == "Authorization" || name == "Api-Key" || name == "X-Api-Key" || name == "Cookie":
			r.found.Add(InvalidValue, r.place(one.Line), "put the key in an environment variable and name it in key_env", "%s: contains a secret", path)
		default:
			all = append(all, name+": "+strings.TrimSpace(value))
		}
	}
	return all
}

// textList reads strings, which may repeat.
func textList(r *reader, path string, n *yaml.Node) any {
	nodes, _ := r.list(path, n)
	all := []string{}
	for _, one := range nodes {
		if s, ok := r.text(path+"[]", one); ok {
			all = append(all, s)
		}
	}
	return all
}

func programList(r *reader, path string, n *yaml.Node) any {
	known := []string{"command", "key_env", "pass", "turns"}
	return keyed(r, path, n, "program", "codex-cli", known, func(o object) (Program, string) {
		p := Program{}
		r.take(o,
			at("program", textForm(), &p.Program),
			at("key_env", keyNameForm(), &p.KeyEnv),
			at("command", objects(textList), &p.Command),
			at("pass", objects(textList), &p.Pass),
			at("turns", intForm(), &p.Turns),
		)
		for _, name := range p.Pass {
			if !isVariable(name) {
				r.found.Add(InvalidValue, r.place(o.fields["pass"].Line), "name environment variables, not their values", "%s: not a valid variable name", join(o.path, "pass"))
			}
		}
		return p, p.Program
	})
}

func peopleList(r *reader, path string, n *yaml.Node) any {
	return keyed(r, path, n, "name", "Sydney", []string{"token_sha256", "email"}, func(o object) (Person, string) {
		p := Person{}
		r.take(o, at("name", textForm(), &p.Name), at("token_sha256", textForm(), &p.Token), at("email", textForm(), &p.Email))
		if sum, err := hex.DecodeString(p.Token); p.Token != "" && (err != nil || len(sum) != sha256.Size) {
			r.found.Add(InvalidValue, r.place(o.fields["token_sha256"].Line), "`brenner serve token NAME` prints a token and its hash", "%s: not a SHA-256", join(o.path, "token_sha256"))
		}
		return p, p.Name
	})
}

func roleList(r *reader, path string, n *yaml.Node) any {
	known := []string{"read", "write", "max_tokens", "cross", "views"}
	return keyed(r, path, n, "role", "writer", known, func(o object) (Role, string) {
		role := Role{}
		r.take(o,
			at("role", textForm(), &role.Role),
			at("read", objects(textList), &role.Read),
			at("write", objects(textList), &role.Write),
			at("max_tokens", tokenForm(), &role.MaxTokens),
			at("cross", boolForm(), &role.Cross),
			at("views", objects(viewList), &role.Views),
		)
		return role, role.Role
	})
}

func viewList(r *reader, path string, n *yaml.Node) any {
	known := []string{"form", "max", "priority"}
	return keyed(r, path, n, "type", "paper_note", known, func(o object) (contexts.TypeView, string) {
		v, form := contexts.TypeView{Max: contexts.MaxOfKnowledge}, ""
		r.take(o,
			at("type", textForm(), &v.Type),
			at("form", word(string(view.Full), string(view.Summary)), &form),
			at("max", intForm(), &v.Max),
			at("priority", intForm(), &v.Priority),
		)
		v.Form = view.Form(form)
		return v, v.Type
	})
}

// Package roster checks rosters and returns the errors. This file adds the line numbers.

func presetList(r *reader, path string, n *yaml.Node) any {
	known := []string{"id", "name", "description", "entries", "placeholderNames"}
	check := func(p ...roster.Preset) error { return roster.ValidatePresets(p) }
	return validated(r, path, n, known, check, func(o object) (roster.Preset, string) {
		var p roster.Preset
		r.take(o,
			at("id", textForm(), &p.ID),
			at("name", textForm(), &p.Name),
			at("description", textForm(), &p.Description),
			at("placeholderNames", list{}, &p.PlaceholderNames),
		)
		if given, ok := o.fields["entries"]; ok {
			for _, e := range r.objects(join(o.path, "entries"), given, "role", "program", "model", "notes") {
				p.Entries = append(p.Entries, r.entry(e))
			}
		}
		return p, p.ID
	})
}

// entryList reads the roster's entries, which may be partial: roster.Resolve checks the result.
func entryList(r *reader, path string, n *yaml.Node) any {
	known := []string{"agentName", "role", "program", "model", "notes"}
	// Entries may lack roles.
	check := func(e ...roster.Entry) error { return roster.Roster{Mode: roster.Heuristic, Entries: e}.Validate() }
	return validated(r, path, n, known, check, func(o object) (roster.Entry, string) {
		e := r.entry(o)
		return e, e.Agent
	})
}

// validated reads objects that package roster checks, alone and against others of the same name.
func validated[T any](r *reader, path string, n *yaml.Node, known []string, check func(...T) error, one func(object) (T, string)) []T {
	list := []T{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, known...) {
		before := r.found.Len()
		value, name := one(o)
		list = append(list, value)
		if r.found.Len() == before {
			r.takeFaults(o.line, check(value), "")
		}
		if line, twice := first[name]; twice && r.found.Len() == before {
			r.takeFaults(o.line, check(value, value), alreadyOn(line))
		}
		first[name] = o.line
	}
	return list
}

func (r *reader) entry(o object) roster.Entry {
	var e roster.Entry
	var role string
	r.take(o,
		at("role", textForm(), &role),
		at("program", textForm(), &e.Program),
		at("model", textForm(), &e.Model),
		at("notes", textForm(), &e.Notes),
		at("agentName", textForm(), &e.Agent),
	)
	e.Role = roster.Role(role)
	return e
}

// checkMode reports an unknown roster mode.
func (r *reader) checkMode() {
	mode, ok := r.read["roster.mode"]
	if !ok {
		return
	}
	whole := roster.Roster{
		Mode:    roster.Mode(mode.value.(string)), //nolint:forcetypeassert // the key's form is textForm
		Entries: []roster.Entry{{Agent: "any", Role: roster.TestDesigner}},
	}
	r.takeFaults(mode.origin.Line, whole.Validate(), "")
}

func alreadyOn(line int) string {
	return fmt.Sprintf("first on line %d; remove one", line)
}

// takeFaults adds errors of package roster, with a line and optionally a better hint.
func (r *reader) takeFaults(line int, err error, hint string) {
	for _, f := range fault.All(err) {
		located := *f
		located.Line, located.Place = 0, r.place(line)
		if where := f.Where(); where != "" {
			located.Place += ", " + where
		}
		if hint != "" {
			located.Hint = hint
		}
		r.found.Take(&located)
	}
}
