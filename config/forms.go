package config

import (
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
	"brenner/session/flow"
)

// form is the type of a key's value.
type form interface {
	// read returns the value of a node of a file. It reports errors to the reader.
	read(r *reader, path string, n *yaml.Node) (any, bool)
	// parse returns the value of strings from the environment or the command line, or the
	// reason why they are invalid. Of several strings for a single value the last counts.
	parse(values []string) (v any, detail, hint string)
}

// scalar is the form of a single value.
type scalar struct {
	want  string   // the expected type
	noun  string   // completes "X is not …"; empty for an enumeration
	tags  []string // of YAML
	value func(text string) (v any, ok bool)
	// hidden replaces the invalid value in messages, because it may be a secret.
	hidden string
	hint   func(text string) string
	// anyVariable accepts every string from a variable: other programs may accept more.
	anyVariable bool
	// emptyInFiles accepts an empty string in files, as if the key were not set.
	emptyInFiles bool
}

func (s scalar) read(r *reader, path string, n *yaml.Node) (any, bool) {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || !slices.Contains(s.tags, tag) {
		r.wrongType(n, path, s.want)
		return nil, false
	}
	given := n.Value
	if given == "" && s.emptyInFiles {
		return given, true
	}
	if tag == tagBool {
		given = strings.ToLower(given)
	}
	v, detail, hint := s.judge(given)
	switch {
	case detail != "" && s.want == wantText && tag != tagText:
		r.wrongType(n, path, s.want)
	case detail != "":
		r.found.Add(InvalidValue, r.place(n.Line), hint, "%s: %s", path, detail)
	}
	return v, detail == ""
}

func (s scalar) parse(values []string) (v any, detail, hint string) {
	last := values[len(values)-1]
	if s.anyVariable {
		return last, "", ""
	}
	return s.judge(last)
}

func (s scalar) judge(given string) (v any, detail, hint string) {
	v, ok := s.value(given)
	switch {
	case ok:
		return v, "", ""
	case s.hidden != "":
		return nil, s.hidden, s.hint(given)
	}
	if s.noun == "" {
		return nil, "unknown value " + quoted(given), s.hint(given)
	}
	return nil, quoted(given) + " is not " + s.noun, s.hint(given)
}

// quoted returns a value in quotes for a message.
func quoted(s string) string {
	shown := fault.Shown(s)
	if strings.HasPrefix(shown, `"`) {
		return shown
	}
	return `"` + shown + `"`
}

// list is the form of a list of distinct strings.
type list struct {
	words []string // the allowed items, if restricted
	hosts bool     // the items are hosts, at least one
	alone string   // a word that may stand instead of a list
}

func (l list) read(r *reader, path string, n *yaml.Node) (any, bool) {
	if l.alone != "" && n.Kind == yaml.ScalarNode && n.Tag == tagText && n.Value == l.alone {
		return []string{l.alone}, true
	}
	nodes, ok := r.list(path, n)
	all, seen := make([]string, 0, len(nodes)), make(map[string]bool, len(nodes))
	for _, one := range nodes {
		s, isText := r.text(path+"[]", one)
		if !isText {
			continue
		}
		if detail, hint := l.unfit(s, seen); detail != "" {
			r.found.Add(InvalidValue, r.place(one.Line), hint, "%s: %s", path, detail)
			continue
		}
		all, seen[s] = append(all, s), true
	}
	if ok && l.hosts && len(nodes) == 0 {
		r.found.Add(InvalidValue, r.place(n.Line), "list at least one host, or remove the key", "%s: empty list", path)
	}
	return all, ok
}

// parse splits lists at commas.
func (l list) parse(values []string) (v any, detail, hint string) {
	all, seen := []string{}, map[string]bool{}
	for _, value := range values {
		for s := range strings.SplitSeq(value, ",") {
			s = strings.TrimSpace(s)
			if detail, hint := l.unfit(s, seen); detail != "" {
				return nil, detail, hint
			}
			all, seen[s] = append(all, s), true
		}
	}
	return all, "", ""
}

// unfit returns why an item cannot be added to a list, or "".
func (l list) unfit(s string, seen map[string]bool) (detail, hint string) {
	switch {
	case strings.TrimSpace(s) == "":
		return "empty item", "remove it"
	case len(l.words) > 0 && !slices.Contains(l.words, s):
		return "unknown item " + quoted(s), text.SuggestOf(s, l.words, "known: "+joinWords(l.words))
	case l.hosts && !isHost(s):
		return quoted(baseurl.Shown(s)) + " is not a host", hostHint
	case seen[s]:
		return "duplicate item " + quoted(s), "remove one"
	}
	return "", ""
}

// objects is the form of a list of objects, which only files can hold.
type objects func(r *reader, path string, n *yaml.Node) any

func (o objects) read(r *reader, path string, n *yaml.Node) (any, bool) { return o(r, path, n), true }

func (o objects) parse([]string) (v any, detail, hint string) {
	return nil, "can only be set in a file", "set it in " + FileName
}

// The tags of YAML that values may have.
const (
	tagText  = "!!str"
	tagInt   = "!!int"
	tagFloat = "!!float"
	tagBool  = "!!bool"
)

// plain is the form of strings for which fits returns true. Messages show invalid values.
func plain(fits func(string) bool, hint string) scalar {
	return scalar{
		want: wantText, tags: []string{tagText}, hint: func(string) string { return hint },
		value: func(s string) (any, bool) { return s, fits(s) },
	}
}

// hiddenForm is plain for strings that messages must not show.
func hiddenForm(fits func(string) bool, hidden, hint string) scalar {
	s := plain(fits, hint)
	s.hidden = hidden
	return s
}

func textForm() scalar { return plain(func(string) bool { return true }, "") }

func word(words ...string) scalar {
	s := plain(func(s string) bool { return slices.Contains(words, s) }, "")
	s.hint = func(given string) string { return text.SuggestOf(given, words, "use one of "+joinWords(words)) }
	return s
}

// quorum is one of the words, or a number of at least 1.
func quorum(words ...string) scalar {
	s := plain(func(s string) bool {
		n, isNumber := wholeNumber(s)
		return slices.Contains(words, s) || isNumber && n >= 1
	}, "use "+strings.Join(words, ", ")+" or a number from 1")
	s.want, s.tags = "a string or a number", []string{tagText, tagInt, tagFloat}
	return s
}

// addressForm is the URL of an endpoint, or empty. It may contain a password.
func addressForm() scalar {
	return hiddenForm(func(s string) bool { return s == "" || baseurl.IsWeb(s) }, noAddress, baseurl.WebHint)
}

// serverForm is a URL in files. From a variable it is not checked.
func serverForm() scalar {
	s := addressForm()
	s.anyVariable = true
	return s
}

// endpointForm is the URL of a model's endpoint, or empty.
func endpointForm() scalar {
	return hiddenForm(func(s string) bool { return s == "" || baseurl.Valid(s) }, noAddress, baseurl.Hint)
}

// databaseForm is the address of a database, or empty.
func databaseForm() scalar {
	fits := func(s string) bool {
		_, ok := baseurl.ParseDatabase(s)
		return s == "" || ok
	}
	s := hiddenForm(fits, "not the address of a project in a PostgreSQL database, or with a password", "")
	s.hint = func(given string) string { return baseurl.DatabaseProblem(given) + "; " + baseurl.DatabaseHint }
	return s
}

const noAddress = "not a valid http or https URL"

// variableForm is the name of a variable. An invalid value may be the secret itself.
func variableForm(hint string) scalar {
	return hiddenForm(isVariable, "not a valid variable name", hint)
}

// optionalVariable is the name of a variable, or empty.
func optionalVariable(hint string) scalar {
	return hiddenForm(func(s string) bool { return s == "" || isVariable(s) }, "not a valid variable name", hint)
}

// engineForm is HOST:PORT, or empty.
func engineForm() scalar {
	return hiddenForm(func(s string) bool {
		host, port, err := net.SplitHostPort(s)
		n, isNumber := wholeNumber(port)
		return s == "" || err == nil && host != "" && isNumber && n > 0 && n < 1<<16
	}, "not HOST:PORT", "write HOST:PORT, such as temporal.example:7233")
}

const apiKeyHint = "name the environment variable that holds the API key, such as TEMPORAL_API_KEY"

const tokenHint = "name the environment variable that holds the token, such as AGENT_MAIL_BEARER_TOKEN"

func isVariable(name string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name)
}

// dollarForm is an amount of dollars, usually unquoted.
func dollarForm() scalar {
	s := plain(func(s string) bool {
		nano, ok := flow.ParseDollars(s)
		return ok && nano > 0
	}, "write an amount such as 5 or 0.50; omit it for no limit")
	s.want, s.noun, s.tags = "an amount in dollars", "an amount in dollars", []string{tagText, tagInt, tagFloat}
	s.emptyInFiles = true
	return s
}

// setDollars returns a setter of billionths of a dollar.
func setDollars(to *int64) func(any) {
	return func(v any) {
		s, _ := v.(string)
		*to, _ = flow.ParseDollars(s)
	}
}

// durationForm is a non-negative duration as accepted by time.ParseDuration.
func durationForm() scalar {
	s := plain(func(s string) bool {
		d, err := time.ParseDuration(s)
		return err == nil && d >= 0
	}, "write a duration such as 90s, 10m or 1h30m; 0s means no limit")
	s.want, s.noun = "a duration", "a duration"
	return s
}

func boolForm() scalar {
	return scalar{
		want: wantSwitch, noun: wantSwitch, tags: []string{tagBool}, hint: func(string) string { return "write true or false" },
		value: func(s string) (any, bool) { return s == "true", s == "true" || s == "false" },
	}
}

// mostNumber is far above any useful limit.
const mostNumber = 1_000_000_000

// mostRounds is also the limit of a loop's plan.
const mostRounds = 1000

// intForm is a non-negative int.
func intForm() scalar { return intUpTo(mostNumber) }

func intUpTo(most int) scalar {
	return scalar{
		want: "a whole number", noun: "a whole number from 0 to " + strconv.Itoa(most), tags: []string{tagInt},
		hint: func(string) string { return "write digits only, without a unit" },
		value: func(s string) (any, bool) {
			n, ok := wholeNumber(s)
			return n, ok && n <= most
		},
	}
}

// tokenForm is intForm for a number of tokens, which may be written as 100k or 1.5M.
func tokenForm() scalar {
	f := intForm()
	f.tags = append(f.tags, tagText)
	f.noun += ", or one such as 100k or 1.5M"
	f.hint = func(string) string { return "write digits, or 100k, 1.5M" }
	f.value = func(s string) (any, bool) {
		n, ok := text.Amount(s)
		return n, ok && n <= mostNumber
	}
	return f
}

// wholeNumber accepts decimal digits only: 010 is ambiguous.
func wholeNumber(s string) (int, bool) {
	i, err := strconv.Atoi(s)
	return i, err == nil && i >= 0 && i <= mostNumber && strconv.Itoa(i) == s
}

// decimalForm is a float64 from 0 to 1000 in decimal notation.
func decimalForm() scalar {
	return scalar{
		want: wantNumber, noun: "a number from 0 to 1000", tags: []string{tagInt, tagFloat}, hint: func(string) string { return "write a number from 0 to 1000, such as 3 or 0.8" },
		value: func(s string) (any, bool) {
			f, err := strconv.ParseFloat(s, 64)
			return f, err == nil && f >= 0 && f <= 1000 && !strings.ContainsAny(s, "eExXpP_+-nN")
		},
	}
}

// upTo is a float64 from 0 to most.
func upTo(most float64) scalar {
	noun := "a number from 0 to " + strconv.FormatFloat(most, 'f', -1, 64)
	return scalar{
		want: wantNumber, noun: noun, tags: []string{tagInt, tagFloat}, hint: func(string) string { return "write " + noun },
		value: func(s string) (any, bool) {
			f, err := strconv.ParseFloat(s, 64)
			return f, err == nil && f >= 0 && f <= most
		},
	}
}

func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
