package playbook

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quantity is a number and its unit, or a name that has a digit in it.
type quantity struct {
	name  string // "gpt-4"; empty for a number
	value float64
	unit  string
	shown string
}

// tokenLength gives how many bytes the token at the beginning of a text has; 0 where
// none begins.
func tokenLength(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if isDigit(r) || (r == '.' || r == '-' || r == '+') && numberFollows(text[n:]) {
		return numberLength(text)
	}
	if r == '°' {
		return n + wordLength(text[n:])
	}
	return wordLength(text)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func numberFollows(text string) bool {
	text = strings.TrimPrefix(text, ".")
	return text != "" && isDigit(rune(text[0]))
}

// wordLength takes letters, digits and marks within a word: "state-of-the-art" is
// several words, "don't" is one.
func wordLength(text string) int {
	n := 0
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '_' || r == '\'' && i > 0
		if !inside {
			return i
		}
		n = i + utf8.RuneLen(r)
	}
	return n
}

// numberLength takes digits with a point, commas between thousands, and an exponent.
func numberLength(text string) int {
	i := 0
	if text[0] == '-' || text[0] == '+' {
		i++
	}
	seen := false
	for i < len(text) {
		c := text[i]
		switch {
		case isDigit(rune(c)):
			seen = true
		case c == ',' && seen && thousands(text[i+1:]):
		case c == '.' && i+1 < len(text) && isDigit(rune(text[i+1])):
		case (c == 'e' || c == 'E') && exponent(text[i+1:]) > 0:
			return i + 1 + exponent(text[i+1:])
		default:
			return i
		}
		i++
	}
	return i
}

// thousands tells whether three digits and no more follow.
func thousands(text string) bool {
	for i := range 3 {
		if i >= len(text) || !isDigit(rune(text[i])) {
			return false
		}
	}
	return len(text) == 3 || !isDigit(rune(text[3]))
}

// exponent gives the length of an exponent at the beginning of a text.
func exponent(text string) int {
	n := 0
	if n < len(text) && (text[n] == '-' || text[n] == '+') {
		n++
	}
	digits := 0
	for n+digits < len(text) && isDigit(rune(text[n+digits])) {
		digits++
	}
	if digits == 0 || n+digits < len(text) && unicode.IsLetter(rune(text[n+digits])) {
		return 0
	}
	return n + digits
}

// readQuantity reads a number, with the unit behind it, or a name with a digit. It
// tells how many tokens it took; 0 where there is none.
func readQuantity(tokens []token) (quantity, int) {
	t := tokens[0]
	lower := strings.ToLower(t.text)
	if v, ok := numberWords(lower); ok {
		return withUnit(quantity{value: v, shown: t.text}, tokens)
	}
	if v, err := strconv.ParseFloat(strings.ReplaceAll(t.text, ",", ""), 64); err == nil && numberFollows(strings.TrimLeft(t.text, "+-")) {
		return withUnit(quantity{value: v, shown: t.text}, tokens)
	}
	if strings.ContainsFunc(lower, isDigit) {
		return quantity{name: lower, shown: t.text}, 1
	}
	return quantity{}, 0
}

func withUnit(q quantity, tokens []token) (quantity, int) {
	if len(tokens) < 2 || tokens[1].breaks {
		return q, 1
	}
	next := tokens[1]
	symbol, factor, ok := unitSymbol(next.text)
	if !ok {
		if symbol, ok = spelledUnit(strings.ToLower(next.text)); ok {
			symbol, factor, ok = unitSymbol(symbol)
		}
	}
	if !ok {
		return q, 1
	}
	q.shown += " " + next.text
	q.value, q.unit = q.value*factor, symbol
	return q, 2
}

// numberWords reads numbers that are written as words.
func numberWords(w string) (float64, bool) {
	words := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if i := slices.Index(words, w); i >= 0 {
		return float64(i), true
	}
	switch w {
	case "once":
		return 1, true
	case "twice", "double", "doubled", "doubling", "both", "pair":
		return 2, true
	case "thrice", "triple", "tripled":
		return 3, true
	case "half", "halve", "halved", "halving":
		return 0.5, true
	case "twenty":
		return 20, true
	case "thirty":
		return 30, true
	case "fifty":
		return 50, true
	case "hundred":
		return 100, true
	case "thousand":
		return 1000, true
	case "million":
		return 1e6, true
	case "billion":
		return 1e9, true
	}
	return 0, false
}

// differInNumbers compares all numbers, in their order. A bare "one" is often no
// number, and is passed over.
func differInNumbers(a, b []quantity) string {
	bare := func(q quantity) bool { return q.name == "" && q.unit == "" && strings.EqualFold(q.shown, "one") }
	x, y := slices.DeleteFunc(slices.Clone(a), bare), slices.DeleteFunc(slices.Clone(b), bare)
	for i := range min(len(x), len(y)) {
		switch {
		case x[i].unit != y[i].unit && x[i].name == y[i].name:
			return "“" + x[i].shown + "” and “" + y[i].shown + "” are different units"
		case x[i].name != y[i].name || !nearly(x[i].value, y[i].value):
			return "“" + x[i].shown + "” and “" + y[i].shown + "” are different numbers"
		}
	}
	switch {
	case len(x) > len(y):
		return "only one has “" + x[len(y)].shown + "”"
	case len(y) > len(x):
		return "only one has “" + y[len(x)].shown + "”"
	}
	return ""
}

// nearly forgives what converting units rounds away.
func nearly(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// differInUnits compares the units that stand without a number.
func differInUnits(a, b []string) string {
	if len(a) == 0 || len(b) == 0 || slices.Equal(a, b) {
		return ""
	}
	return "“" + a[0] + "” and “" + b[len(b)-1] + "” are different units"
}
