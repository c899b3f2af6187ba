package brief

import (
	"slices"
	"strings"
	"unicode"
)

// names are the names of the fields but non-goals, in plain words.
var names = [fieldCount][]string{
	Goal: {
		"goal", "goals", "objective", "objectives", "aim", "aims", "purpose", "mission", "question", "research question",
		"research questions", "research goal", "research goals", "research aim", "research aims", "research objective", "research objectives",
	},
	Constraints: {
		"constraint", "constraints", "limit", "limits", "limitation", "limitations", "requirement", "requirements", "restriction",
		"restrictions", "boundary conditions", "rules",
	},
	Scope:    {"scope", "in scope", "scope of work", "inclusions", "included", "coverage", "what is in scope"},
	Audience: {"audience", "audiences", "reader", "readers", "readership", "for whom", "who is it for", "who it is for", "who this is for"},
	Glossary: {"glossary", "glossary of terms", "term", "terms", "terminology", "definition", "definitions", "vocabulary", "abbreviations"},
}

// fillers are words that may begin the name of a field.
var fillers = []string{
	"the", "our", "its", "this", "project", "project's", "main", "overall", "primary", "key", "core", "central", "general",
	"overarching", "intended", "target", "explicit", "important", "known",
}

// tails are words that may end the name of a field.
var tails = []string{" of the project", " of this project", " for the project", " for this project", " of the study", " of this study", " statement"}

// fieldOf returns the field with a name, or Rest.
func fieldOf(title string) Field {
	if base, qualifier, ok := strings.Cut(title, "("); ok {
		f := fieldOf(base)
		if strings.TrimSpace(base) != "" && (f == NonGoals || !slices.ContainsFunc(strings.Fields(plainName(qualifier)), denies)) {
			return f
		}
	}
	name := plainName(title)
	if f := lookup(name); f != Rest {
		return f
	}
	found, unknown := Rest, false
	for part := range strings.SplitSeq(name, " and ") { // "goals and objectives"
		f := lookup(part)
		switch {
		case f == Rest:
			unknown = true
		case found != Rest && f != found:
			return Rest
		default:
			found = f
		}
	}
	if unknown && found != Constraints { // "constraints and assumptions"
		return Rest
	}
	return found
}

func lookup(name string) Field {
	name = strings.TrimSpace(name)
	for _, tail := range tails {
		name = strings.TrimSuffix(name, tail)
	}
	words := strings.Fields(name)
	if namesNonGoals(words) {
		return NonGoals
	}
	for {
		for f := Goal; f < fieldCount; f++ {
			if slices.Contains(names[f], name) {
				return f
			}
		}
		word, rest, ok := strings.Cut(name, " ")
		if !ok || !slices.Contains(fillers, word) {
			break
		}
		name = rest
	}
	if n := len(words); n > 0 && n <= 3 && slices.Contains(names[Constraints][:2], words[n-1]) && !slices.ContainsFunc(words, denies) {
		return Constraints // "hard constraints"
	}
	return Rest
}

// maxName is the number of words of the longest name that is matched by its words.
const maxName = 8

// namesNonGoals reports whether words, in lower case and without contractions, are a heading of
// non-goals: they deny that something is in scope, a goal, or done.
func namesNonGoals(words []string) bool {
	denial := slices.IndexFunc(words, denies)
	if denial < 0 || len(words) > maxName || slices.ContainsFunc(words, blurs) {
		return false
	}
	within := func(list []string) int {
		return slices.IndexFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	scope, goal := slices.Index(words, "scope"), within([]string{"goal", "goals", "objective", "objectives", "aim", "aims", "purpose"})
	last := words[len(words)-1]
	switch {
	case strings.HasPrefix(words[denial], "nongoal") || words[denial] == "off" && last == "limits":
		return true
	case goal >= 0:
		return denial < goal && words[denial] != "out" && words[denial] != "off"
	case scope >= 0 && denial > scope:
		return isQualifier(strings.Join(words[denial:], " "))
	case scope >= 0:
		return true
	case excludes(words[denial]):
		return len(words) <= 4
	case words[denial] == "out":
		return within([]string{"leave", "leaves", "left", "leaving", "rule", "ruled"}) >= 0
	case last == "not":
		return words[denial] == "not"
	case words[denial] == "not" && (denial == 0 || slices.Contains(askers, words[0])):
		return within(doings) > denial || within([]string{"do", "doing"}) >= 0
	}
	return false
}

// askers begin headings such as "What we do not do".
var askers = strings.Fields("what things topics areas work we will do does this it stuff anything items explicitly never that which")

// doings are what is denied in headings such as "Not part of this project".
var doings = strings.Fields("do doing done part cover covered covering include included study studied address addressed consider considered treat treated pursue pursued attempt attempted about our for concerned")

// blurs reports whether a word in a heading leaves open what the heading is about.
func blurs(word string) bool { return word == "and" || word == "only" || isDoubt(word) }

// isDoubt reports whether a word is about knowledge: "What we do not know" names no non-goals.
func isDoubt(word string) bool {
	return slices.ContainsFunc([]string{"know", "underst", "clear", "sure", "certain", "decid", "explain", "agree", "why", "how"}, func(p string) bool { return strings.HasPrefix(word, p) })
}

// denies reports whether a word denies, or excludes.
func denies(word string) bool {
	return slices.Contains([]string{"not", "no", "non", "anti", "out", "outside", "beyond", "without", "except", "off", "never"}, word) || strings.HasPrefix(word, "nongoal") || excludes(word)
}

func excludes(word string) bool {
	return strings.HasPrefix(word, "exclu") && !strings.HasPrefix(word, "exclusiv") || strings.HasPrefix(word, "omit") || strings.HasPrefix(word, "omission")
}

// isQualifier reports whether a text only says "out", as in "Scope: out" and "Scope (not included)".
func isQualifier(text string) bool {
	words := strings.Fields(plainName(text))
	return slices.ContainsFunc(words, func(word string) bool { return denies(word) && word != "no" }) && !slices.ContainsFunc(words, func(word string) bool {
		return !denies(word) && !slices.Contains([]string{"of", "in", "the", "scope", "is", "what", "included", "covered", "part", "for", "now"}, word)
	}) && plainName(text) != "not"
}

// speaksOfScope reports whether a text says that something is out of scope, or not a goal.
func speaksOfScope(text string) bool {
	words := strings.Fields(plainName(text))
	for i, word := range words {
		before := words[max(0, i-4):i]
		switch {
		case strings.HasPrefix(word, "nongoal"):
			return true
		case word == "scope" || word == "goal" || word == "goals":
			if slices.ContainsFunc(before, denies) {
				return true
			}
		}
	}
	return false
}

var writtenOut = strings.NewReplacer("won't", "will not", "can't", "can not", "cannot", "can not", "n't", " not", "what's", "what is", "that's", "that is")

// plainName returns a title in lower case, without marks and numbers, with one space between words.
func plainName(title string) string {
	title = strings.NewReplacer("&", " and ", "/", " and ", ",", " and ").Replace(writtenOut.Replace(strings.ReplaceAll(strings.ToLower(title), "’", "'")))
	words := strings.FieldsFunc(title, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.' && r != ')'
	})
	for len(words) > 0 && isNumber(words[0]) {
		words = words[1:]
	}
	return strings.Trim(strings.Join(words, " "), ".)' ")
}

// isNumber reports whether a word is the number of a heading: "1", "1.2", "2)", "iv.", "a)".
func isNumber(word string) bool {
	bare := strings.TrimRight(word, ".)")
	if strings.Trim(bare, "0123456789.") == "" {
		return true
	}
	return bare != word && (len(bare) == 1 || strings.Trim(bare, "ivx") == "")
}
