package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/session/flow"

	"brenner/internal/yaml"
)

// value reads what a key holds.
func (r *reader) value(k key, n *yaml.Node) (any, bool) {
	switch k.kind {
	case aText:
		return r.text(k.path, n)
	case aWord:
		return r.word(k.path, n, k.words)
	case aNumber:
		return r.number(k.path, n)
	case aQuorum:
		return r.quorum(k, n)
	case anAddress, aServer:
		return r.addressOf(k.path, n)
	case aVariable:
		return r.variableOf(k.path, n)
	case aDollar:
		return r.dollar(k.path, n)
	case aDecimal:
		return r.decimal(k.path, n)
	case aTime:
		return r.fitting(k.path, n, isDuration, durationHint)
	case aSwitch:
		return r.yesOrNo(k.path, n)
	case texts:
		return r.texts(k, n)
	case models:
		return r.models(k.path, n), true
	case programs:
		return r.programs(k.path, n), true
	case roles:
		return r.roles(k.path, n), true
	case presets:
		return r.presets(k.path, n), true
	default:
		return r.entries(k.path, n), true
	}
}

func (r *reader) text(path string, n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		r.wrongType(n, path, wantText)
		return "", false
	}
	return n.Value, true
}

func (r *reader) word(path string, n *yaml.Node, words []string) (string, bool) {
	s, ok := r.text(path, n)
	if ok && !slices.Contains(words, s) {
		r.found.Add(InvalidValue, r.place(n.Line), wordHint(s, words), "%s cannot be %s", path, fault.Shown(s))
		return "", false
	}
	return s, ok
}

func wordHint(word string, words []string) string {
	return didYouMean(word, words) + "it is one of " + listed(words)
}

func (r *reader) number(path string, n *yaml.Node) (int, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		r.wrongType(n, path, "a whole number")
		return 0, false
	}
	i, ok := wholeNumber(n.Value)
	if !ok {
		r.found.Add(InvalidValue, r.place(n.Line), numberHint, "%s cannot be %s", path, fault.Shown(n.Value))
	}
	return i, ok
}

// quorum takes a number as it is usually written, without quotes.
func (r *reader) quorum(k key, n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" && n.ShortTag() != "!!int" {
		r.wrongType(n, k.path, "a word or a number")
		return "", false
	}
	if !k.isQuorum(n.Value) {
		r.found.Add(InvalidValue, r.place(n.Line), k.quorumHint(), "%s cannot be %s", k.path, fault.Shown(n.Value))
		return "", false
	}
	return n.Value, true
}

func (k key) isQuorum(s string) bool {
	n, isNumber := wholeNumber(s)
	return slices.Contains(k.words, s) || isNumber && n >= 1
}

func (k key) quorumHint() string { return "it is " + listed(k.words) + ", or a number from 1" }

// fitting reads a text that must be of a certain form.
func (r *reader) fitting(path string, n *yaml.Node, fits func(string) bool, hint string) (string, bool) {
	s, ok := r.text(path, n)
	if ok && !fits(s) {
		r.found.Add(InvalidValue, r.place(n.Line), hint, "%s cannot be %s", path, fault.Shown(s))
		return "", false
	}
	return s, ok
}

// addressOf does not show what it refuses: there may be a password in it.
func (r *reader) addressOf(path string, n *yaml.Node) (string, bool) {
	s, ok := r.text(path, n)
	if ok && !isAddress(s) {
		r.found.Add(InvalidValue, r.place(n.Line), baseurl.WebHint, "%s is no address of an endpoint", path)
		return "", false
	}
	return s, ok
}

const variableHint = "name the environment variable that holds the token, such as AGENT_MAIL_BEARER_TOKEN"

// variableOf does not show what it refuses: it may be the secret itself.
func (r *reader) variableOf(path string, n *yaml.Node) (string, bool) {
	s, ok := r.text(path, n)
	if ok && !isVariable(s) {
		r.found.Add(InvalidValue, r.place(n.Line), variableHint, "%s is no name of a variable", path)
		return "", false
	}
	return s, ok
}

func isAddress(s string) bool { return s == "" || baseurl.IsWeb(s) }

// dollar takes an amount as it is usually written, without quotes.
func (r *reader) dollar(path string, n *yaml.Node) (string, bool) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") && isDollar(n.Value) {
		return n.Value, true
	}
	return r.fitting(path, n, isDollar, dollarHint)
}

const dollarHint = "write an amount of dollars such as 5 or 0.50; leave it out for no limit"

func isDollar(s string) bool {
	nano, ok := flow.ParseDollars(s)
	return s == "" || ok && nano > 0
}

const durationHint = "write a time such as 90s, 10m or 1h30m; 0s is no limit"

func isDuration(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d >= 0
}

// mostNumber is far more than anybody limits anything to.
const (
	mostNumber = 1_000_000_000
	numberHint = "write a whole number from 0 to 1000000000 in digits"
)

// wholeNumber takes decimal digits only: 010 is eight to some and ten to others.
func wholeNumber(s string) (int, bool) {
	i, err := strconv.Atoi(s)
	return i, err == nil && i >= 0 && i <= mostNumber && strconv.Itoa(i) == s
}

func (r *reader) yesOrNo(path string, n *yaml.Node) (yes, ok bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.wrongType(n, path, "true or false")
		return false, false
	}
	return strings.EqualFold(n.Value, "true"), true
}

// list gives the elements of a list.
func (r *reader) list(path string, n *yaml.Node) ([]*yaml.Node, bool) {
	if n.Kind != yaml.SequenceNode {
		r.wrongType(n, path, "a list")
		return nil, false
	}
	return n.Content, true
}

func (r *reader) texts(k key, n *yaml.Node) ([]string, bool) {
	nodes, ok := r.list(k.path, n)
	all, seen := make([]string, 0, len(nodes)), make(map[string]bool, len(nodes))
	for _, one := range nodes {
		s, isText := r.text(k.path+"[]", one)
		if !isText {
			continue
		}
		if detail, hint := k.unfit(s, seen); detail != "" {
			r.found.Add(InvalidValue, r.place(one.Line), hint, "%s %s", k.path, detail)
			continue
		}
		all, seen[s] = append(all, s), true
	}
	return all, ok
}

// unfit says why a text cannot stand in a list that has seen others, if so.
func (k key) unfit(s string, seen map[string]bool) (detail, hint string) {
	switch {
	case strings.TrimSpace(s) == "":
		return "holds an empty text", "take it out"
	case len(k.words) > 0 && !slices.Contains(k.words, s):
		return "cannot hold " + fault.Shown(s), didYouMean(s, k.words) + "it holds any of " + listed(k.words)
	case seen[s]:
		return "holds " + fault.Shown(s) + " twice", "keep one of the two"
	default:
		return "", ""
	}
}
