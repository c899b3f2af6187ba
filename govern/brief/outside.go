package brief

import (
	"slices"
	"strings"
	"unicode"

	"brenner/internal/markdown"
)

// Outside returns the phrases of the non-goals: what items of lists and sentences name. "We do not
// study plant cells, tumours or moss." has three. What the goal mentions is not among them.
func (b *Brief) Outside() []string {
	var out []string
	goal := stems(b.texts[Goal])
	for _, sentence := range sentences(b.texts[NonGoals]) {
		for _, phrase := range parts(sentence) {
			if phrase = phraseOf(phrase); hasWord(phrase) && !isNone(phrase) && indexOf(goal, stems(phrase), 0) < 0 && !slices.Contains(out, phrase) {
				out = append(out, phrase)
			}
		}
	}
	return out
}

// Breaches returns the phrases of the non-goals that a text is about. A mention in a sentence that
// excludes it, or under a heading of non-goals, is none.
func (b *Brief) Breaches(text string) []string {
	var own strings.Builder
	for _, l := range read(text).out {
		if l.field != NonGoals {
			own.WriteString(l.text)
		}
		own.WriteByte('\n')
	}
	var all [][]string
	for _, sentence := range sentences(own.String()) {
		all = append(all, stems(sentence))
	}
	var out []string
	for _, phrase := range b.Outside() {
		want := stems(phrase)
		if slices.ContainsFunc(all, func(words []string) bool { return isAbout(words, want) }) {
			out = append(out, phrase)
		}
	}
	return out
}

// isAbout reports whether a sentence mentions a phrase without excluding it.
func isAbout(words, phrase []string) bool {
	for at := indexOf(words, phrase, 0); at >= 0; at = indexOf(words, phrase, at+1) {
		if !excluded(words, at) {
			return true
		}
	}
	return false
}

// excluded reports whether a sentence excludes what it mentions at a word: "We do not study plants."
func excluded(words []string, at int) bool {
	if deniedBefore(words, at) {
		return true
	}
	clause := clauseAt(words, at)
	for i, word := range clause {
		next := ""
		if i+1 < len(clause) {
			next = clause[i+1]
		}
		switch {
		case excludes(word) || strings.HasPrefix(word, "ignor"):
			return true
		case (word == "out" || word == "outside" || word == "beyond") && slices.Contains(clause[i:min(len(clause), i+4)], "scope"):
			return true
		case word == "out" && i > 0 && slices.ContainsFunc(clause[:i], leaves):
			return true
		case (word == "not" || word == "never" || word == "neither") && next != "only":
			if slices.ContainsFunc(clause[i+1:min(len(clause), i+4)], isStudy) {
				return true
			}
		}
	}
	return false
}

// deniedBefore reports whether a denial is right before a word: "without the plants".
func deniedBefore(words []string, at int) bool {
	before := at - 1
	for before >= 0 && slices.Contains([]string{"the", "a", "an", "any", "of", "in", "for", "about", "to", "on", "with"}, words[before]) {
		before--
	}
	return before >= 0 && slices.Contains([]string{"no", "not", "without", "unlike", "neither", "nor", "never", "except"}, words[before])
}

// clauseAt returns the words of a sentence from the beginning of the clause with a word.
func clauseAt(words []string, at int) []string {
	from := 0
	for i, word := range words[:at] {
		if word == "but" || word == "however" || word == "yet" {
			from = i + 1
		}
	}
	return words[from:]
}

// leaves reports whether a word leaves or rules something out, if "out" follows.
func leaves(word string) bool {
	return word == "leave" || word == "left" || word == "rule" || word == "ruled"
}

// isStudy reports whether a word says that a project works on something.
func isStudy(word string) bool {
	return slices.ContainsFunc(strings.Fields("study studi studied cover consider inclu treat address examin investigat pursu work deal model discuss analy scope part concern about goal"), func(p string) bool { return strings.HasPrefix(word, p) })
}

// sentences splits a text into sentences and items of lists. An item with several sentences is one.
func sentences(text string) []string {
	var out, prose []string
	item := ""
	flush := func() {
		if item != "" {
			out = append(out, strings.Split(item, ";")...)
		}
		if n := len(prose); n > 0 && strings.HasSuffix(prose[n-1], ":") {
			prose = prose[:n-1] // it introduces a list
		}
		joined, from := strings.Join(prose, " ")+" ", 0
		for i := range len(joined) - 1 {
			if joined[i] == ';' || strings.IndexByte(".!?", joined[i]) >= 0 && joined[i+1] == ' ' { // not as in "1.5"
				out, from = append(out, joined[from:i+1]), i+1
			}
		}
		out = append(out, joined[from:])
		item, prose = "", nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		width, bare := indent(line)
		mark := itemMark(bare)
		switch {
		case mark > 0 || bare == "" || markdown.HeadingLevel(bare) > 0:
			flush()
			if mark > 0 {
				item = bare[mark:]
			} else if bare != "" {
				out = append(out, strings.TrimLeft(bare, "# "))
			}
		case item != "" && width > 0:
			item += " " + bare
		default:
			if item != "" {
				flush()
			}
			prose = append(prose, strings.TrimRight(bare, " \t"))
		}
	}
	flush()
	return slices.DeleteFunc(out, func(s string) bool { return !hasWord(s) })
}

// fixedPairs are names with an "and".
var fixedPairs = []string{"research and development", "trial and error", "supply and demand", "cause and effect"}

// parts splits a sentence or an item that lists things, without the remarks behind them.
func parts(sentence string) []string {
	sentence = strings.NewReplacer("*", "", "`", "", "__", "").Replace(strings.Join(strings.Fields(inParentheses(sentence)), " "))
	for _, mark := range []string{": ", " – ", " — ", " - ", " -- ", "—"} {
		if name, _, ok := strings.Cut(sentence, mark); ok && hasWord(phraseOf(name)) {
			sentence = name
		}
	}
	var out []string
	for i, part := range strings.Split(strings.NewReplacer(" or ", ", ", " nor ", ", ").Replace(sentence), ",") {
		if words := strings.Fields(strings.ToLower(part)); i > 0 && len(words) > 1 && slices.Contains(remarks, words[0]) {
			break
		}
		for _, word := range []string{" because ", " since ", " which ", " that ", " unless ", " although "} {
			if name, _, ok := strings.Cut(part, word); ok && hasWord(phraseOf(name)) {
				part = name
			}
		}
		out = append(out, pair(part)...)
	}
	return out
}

// remarks begin what is said about a thing, after a comma.
var remarks = strings.Fields("since because as which who that but although unless for so they it we see these this even except where when while though not")

// pair splits "tumours and moss", and "plant and animal cells" into "plant cells" and "animal cells".
func pair(part string) []string {
	left, right, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(part), "and "), " and ")
	if !ok || slices.ContainsFunc(fixedPairs, func(p string) bool { return strings.Contains(strings.ToLower(part), p) }) {
		return []string{strings.TrimPrefix(strings.TrimSpace(part), "and ")}
	}
	left, right = phraseOf(left), phraseOf(right)
	if words := strings.Fields(right); len(words) == 2 && !strings.Contains(left, " ") && stem(left) == left {
		left += " " + words[1]
	}
	return []string{left, right}
}

// isNone reports whether a phrase says that there is nothing.
func isNone(phrase string) bool {
	plain := strings.Join(strings.FieldsFunc(strings.ToLower(phrase), func(r rune) bool { return !unicode.IsLetter(r) }), " ")
	return slices.Contains([]string{"", "none", "none so far", "none yet", "nothing", "n a", "na", "tbd", "tba", "to be written", "to be decided", "to be determined", "be written", "be decided", "be determined", "written", "decided", "determined", "unknown", "open"}, plain)
}

// leading and trailing are words around what a non-goal names.
var (
	leading = strings.Fields("we the this project it they do does did will shall should must can is are be not no non never don't doesn't won't any anything" +
		" study studies cover covers treat treats consider considers address addresses include includes investigate examine model about" +
		" with at of in on to for also either neither or and nor a an deal look everything all studying covering building making claims")
	trailing = strings.Fields("is are be not out of scope excluded covered studied considered included here now yet will for too either as well in this the project treated addressed examined investigated ignored" +
		" were was been our goal goals a part")
)

// inParentheses removes remarks in parentheses. Those that narrow a thing are kept: "cells (of plants)".
func inParentheses(text string) string {
	for {
		from := strings.IndexByte(text, '(')
		if from < 0 {
			return text
		}
		to := strings.IndexByte(text[from:], ')')
		if to < 0 {
			return text[:from]
		}
		inner := text[from+1 : from+to]
		if words := strings.Fields(inner); len(words) < 2 || !slices.Contains([]string{"of", "in", "from", "with", "without", "on", "under"}, strings.ToLower(words[0])) {
			inner = ""
		}
		text = text[:from] + " " + inner + " " + text[from+to+1:]
	}
}

// phraseOf returns what a non-goal names, without words such as "We do not study".
func phraseOf(text string) string {
	words := strings.Fields(text)
	is := func(list []string, word string) bool {
		return slices.Contains(list, strings.ToLower(strings.Trim(word, "_.!?,:;\"")))
	}
	for len(words) > 0 && is(leading, words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && is(trailing, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Trim(strings.Join(words, " "), " _.!?,:;\"'")
}

// stems returns the words of a text in lower case and in the singular.
func stems(text string) []string {
	text = writtenOut.Replace(strings.ReplaceAll(strings.ToLower(text), "’", "'"))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words {
		words[i] = stem(words[i])
	}
	return words
}

// stem returns a word in lower case without the ending of a plural, about.
func stem(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 4 && slices.ContainsFunc([]string{"sses", "shes", "ches", "xes", "zes"}, func(end string) bool { return strings.HasSuffix(word, end) }):
		return word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// indexOf returns the first place of a phrase in words, from a place on, or -1.
func indexOf(words, phrase []string, from int) int {
	if len(phrase) == 0 {
		return -1
	}
	for i := from; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}
