package recordform

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// Order is a line that says what is to become of a record, or announces one.
type Order struct {
	At   int    // where the operation, or the id of an announced record, is
	Word string // the operation in capitals
	ID   string
}

var (
	orders = pattern.New("(?m)^[-+#\\d.) \\t]*[*_`]{0,3}(PROMOTE|DEPRECATE|KILL|Promote|Deprecate|Kill)[*_`]{0,3}:?[ \\t]+(?:record[ \\t]+)?[*_`]{0,3}" +
		"([a-z0-9][\\w./-]*?(?:@v\\d{1,9})?)" + behindID)
	announcements = pattern.New("(?m)^[-+#\\d.) \\t]*[*_`]{0,3}(?:(?i:delta)[ \\d.:)*_-]+)?(?:(?:Add|New|add|new) (?:a )?(?:new )?(?:project )?[Rr]ecord|(?:# ?|\\*\\*)Record)(?::[*_`]{0,3}|[*_`]{0,3}:)? [*_`]{0,3}([a-z0-9]\\w*[-./][\\w./-]*\\w)" + behindID +
		"|^[-+#\\d.) \\t]*[*_`]{0,3}ADD(?: new)? record:? [*_`]{0,3}([a-z0-9][\\w./-]*)[*_`]{0,3}[ \\t]*[:—–(]")
)

// behindID matches what may be behind the id in such a line.
const behindID = "[*_`]{0,3}[ \\t]*(?:\\r?$|[—–:(,;]|[-.](?:\\s|$))"

// Orders returns such lines of a text, which is the reply to a task if only is true: the orders, and then the announcements.
func Orders(text []byte, only bool) []Order {
	var all []Order
	for _, m := range orders.FindAllSubmatchIndex(text, -1) {
		word, id := string(text[m[2]:m[3]]), string(text[m[4]:m[5]])
		proper := strings.ToUpper(word)
		if strings.Contains(id, "@v") || word == proper && (only && !isPronoun(id) || strings.Contains(id, "-")) {
			all = append(all, Order{m[2], proper, id})
		}
	}
	for _, m := range announcements.FindAllSubmatchIndex(text, -1) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		all = append(all, Order{from, "ADD", string(text[from:to])})
	}
	return all
}

func isPronoun(word string) bool {
	return slices.Contains([]string{"it", "this", "that", "these", "those", "them", "none", "nothing", "all", "both", "any", "one", "no"}, word)
}

// IsOperation reports whether a word in capitals is an operation on an existing record, and not another word for ADD.
// No reply may use one.
func IsOperation(word string) bool {
	const longest = 20
	isLetter := func(r rune) bool { return 'A' <= r && r <= 'Z' || r == '_' || r == '-' }
	isOther := strings.TrimFunc(word, isLetter) != "" || len(word) > longest || len(word) == 0
	return !isOther && !slices.Contains([]string{"CREATE", "INSERT", "PUT", "UPSERT", "WRITE", "NEW", "APPEND", "SAVE", "STORE", "SUBMIT", "RECORD", "NOTE"}, word)
}

// IsChange reports whether a word in capitals is an operation that changes the text of a record.
func IsChange(word string) bool {
	return slices.Contains([]string{"EDIT", "UPDATE", "REPLACE", "CHANGE", "MODIFY", "REVISE", "PATCH", "REWRITE"}, word)
}
