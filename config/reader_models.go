package config

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"brenner/internal/yaml"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
)

// The words of a model's entry.
const (
	APIChat      = "chat"
	APIResponses = "responses"

	StructuredFences = "fences" // deltas in fences, as the prompts ask for them
	StructuredSchema = "schema" // JSON by a schema
	StructuredAuto   = "auto"   // by a schema where the endpoint can
)

// models reads what human-readable models mean.
func (r *reader) models(path string, n *yaml.Node) []Model {
	list := []Model{}
	first := map[string]int{}
	for _, o := range r.objects(path, n,
		"model", "via", "id", "base_url", "key_env", "api", "organization", "headers", "temperature", "seed",
		"reasoning_effort", "structured", "price_input", "price_output", "concurrent",
	) {
		m := r.model(o)
		r.once(first, path, o.line, m.Model, "model", "Opus 4.5")
		list = append(list, m)
	}
	return list
}

// once refuses an entry of a list that names nothing, or what another one names.
func (r *reader) once(first map[string]int, path string, at int, name, what, example string) {
	switch line, twice := first[name]; {
	case name == "":
		r.found.Add(InvalidValue, r.place(at), "give it the name that rosters use, such as "+what+": "+example, "an entry of %s names no %s", path, what)
	case twice:
		r.found.Add(InvalidValue, r.place(at), alreadyOn(line), "%s says twice what %s means", path, fault.Shown(name))
	}
	first[name] = at
}

func (r *reader) model(o object) Model {
	m := Model{
		Model: r.textOf(o, "model"), ID: r.textOf(o, "id"), BaseURL: r.baseURL(o), Organization: r.textOf(o, "organization"),
		Effort: r.textOf(o, "reasoning_effort"), KeyEnv: r.variableName(o), Headers: r.headers(o),
		Via: r.wordOf(o, "via", Vias()), API: r.wordOf(o, "api", []string{APIChat, APIResponses}),
		Structured:  r.wordOf(o, "structured", []string{StructuredFences, StructuredSchema, StructuredAuto}),
		Temperature: r.decimalOf(o, "temperature", 2), PriceInput: r.decimalOf(o, "price_input", mostPrice), PriceOutput: r.decimalOf(o, "price_output", mostPrice),
	}
	if n, ok := o.fields["concurrent"]; ok {
		m.Concurrent, _ = r.number(join(o.path, "concurrent"), n)
	}
	if n, ok := o.fields["seed"]; ok {
		if seed, ok := r.number(join(o.path, "seed"), n); ok {
			m.Seed = &seed
		}
	}
	for _, price := range []*float64{m.PriceInput, m.PriceOutput} {
		// A thousandth of a dollar for a million is a billionth for one: finer would be rounded.
		if price != nil && math.Abs(*price*1000-math.Round(*price*1000)) > 1e-6 {
			r.found.Add(InvalidValue, r.place(o.line), "prices have at most three decimals: thousandths of a dollar for a million tokens", "a price of %s cannot be %v", o.path, *price)
		}
	}
	if (m.PriceInput == nil) != (m.PriceOutput == nil) {
		r.found.Add(InvalidValue, r.place(o.line), "give both, in dollars for a million tokens", "an entry of %s has only one of price_input and price_output", o.path)
	}
	return m
}

// programs reads what the roster's programs are here.
func (r *reader) programs(path string, n *yaml.Node) []Program {
	list := []Program{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, "program", "command", "key_env", "pass", "turns") {
		p := r.program(o)
		r.once(first, path, o.line, p.Program, "program", "codex-cli")
		list = append(list, p)
	}
	return list
}

func (r *reader) program(o object) Program {
	p := Program{Program: r.textOf(o, "program"), KeyEnv: r.variableName(o), Command: r.textsOf(o, "command"), Pass: r.textsOf(o, "pass")}
	if n, ok := o.fields["turns"]; ok {
		p.Turns, _ = r.number(join(o.path, "turns"), n)
	}
	for _, name := range p.Pass {
		if !isVariable(name) {
			r.found.Add(InvalidValue, r.place(o.fields["pass"].Line), "name environment variables, not their values", "%s holds what is no name of a variable", join(o.path, "pass"))
		}
	}
	return p
}

// textsOf gives the texts of an object's list, which may hold a text twice.
func (r *reader) textsOf(o object, field string) []string {
	n, ok := o.fields[field]
	if !ok {
		return nil
	}
	path := join(o.path, field)
	nodes, _ := r.list(path, n)
	var all []string
	for _, one := range nodes {
		if s, ok := r.text(path+"[]", one); ok {
			all = append(all, s)
		}
	}
	return all
}

func isVariable(name string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name)
}

func (r *reader) wordOf(o object, field string, words []string) string {
	n, ok := o.fields[field]
	if !ok {
		return ""
	}
	s, _ := r.word(join(o.path, field), n, words)
	return s
}

// mostPrice is more than a million tokens will ever cost, in dollars.
const mostPrice = 1_000_000

// decimalOf reads a number that may have a fraction.
func (r *reader) decimalOf(o object, field string, most float64) *float64 {
	n, ok := o.fields[field]
	if !ok {
		return nil
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!float" {
		r.wrongType(n, join(o.path, field), "a number")
		return nil
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > most {
		r.found.Add(InvalidValue, r.place(n.Line), "write a number from 0 to "+strconv.FormatFloat(most, 'f', -1, 64), "%s cannot be %s", join(o.path, field), fault.Shown(n.Value))
		return nil
	}
	return &f
}

// variableName reads the name of the variable that holds a key. The key itself
// has no place in a file.
func (r *reader) variableName(o object) string {
	const field = "key_env"
	s := r.textOf(o, field)
	if s != "" && !isVariable(s) {
		r.found.Add(InvalidValue, r.place(o.fields[field].Line), "name the environment variable that holds the key, such as OPENAI_API_KEY",
			"%s is no name of a variable", join(o.path, field))
		return ""
	}
	return s
}

// headers reads a list of "Name: value". Those that carry secrets are refused.
func (r *reader) headers(o object) []string {
	n, ok := o.fields["headers"]
	if !ok {
		return nil
	}
	path := join(o.path, "headers")
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
			r.found.Add(InvalidValue, r.place(one.Line), "write it like \"X-Team: research\"", "%s holds what is no header", path)
		case name == "Authorization" || name == "Api-Key" || name == "X-Api-Key" || name == "Cookie":
			r.found.Add(InvalidValue, r.place(one.Line), "keys stand in the environment: key_env names the variable", "%s holds a secret", path)
		default:
			all = append(all, name+": "+strings.TrimSpace(value))
		}
	}
	return all
}

// baseURL reads the address of an endpoint.
func (r *reader) baseURL(o object) string {
	const field = "base_url"
	s := r.textOf(o, field)
	if s != "" && !baseurl.Valid(s) {
		r.found.Add(InvalidValue, r.place(o.fields[field].Line), baseurl.Hint, "%s is no address of an endpoint", join(o.path, field))
		return ""
	}
	return s
}
