package mail

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"brenner/fault"
)

// The limits of what is kept.
const (
	MaxBody       = 8 << 20 // bytes of a message
	MaxSubject    = 1000    // characters; a longer subject of theirs is never refused, but cut
	MaxRecipients = 100
	maxName       = 64
	maxThread     = 128
	maxKey        = 200
)

// CheckName refuses what cannot be an agent's name: it stands in addresses, in
// file names and in tables.
func CheckName(name string) error {
	if ok(name, maxName, "-_.") && !strings.Contains(name, "..") {
		return nil
	}
	return &fault.Error{
		Code: Invalid, Detail: "not an agent's name: " + fault.Shown(name),
		Hint: fmt.Sprintf("up to %d of a-z, A-Z, 0-9, - and _, such as BlueLake", maxName),
	}
}

// CheckThread refuses what cannot be a thread's id: it is used as a file name.
func CheckThread(id string) error {
	if ok(id, maxThread, "-_.:") && !strings.Contains(id, "..") {
		return nil
	}
	return &fault.Error{
		Code: Invalid, Detail: "not a thread id: " + fault.Shown(id),
		Hint: fmt.Sprintf("up to %d of a-z, A-Z, 0-9, - and _, such as RS-20260131-cell-fate", maxThread),
	}
}

func ok(word string, longest int, marks string) bool {
	if word == "" || len(word) > longest {
		return false
	}
	for i, r := range word {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune(marks, r)) {
			return false
		}
	}
	return true
}

// Check refuses a draft that no box could keep.
func (d *Draft) Check() error {
	var l fault.List
	wrong := func(code fault.Code, hint, format string, args ...any) { l.Add(code, "", hint, format, args...) }
	if err := CheckName(d.From); err != nil {
		wrong(Invalid, fault.HintOf(err), "the sender: %s", err)
	}
	all := d.Recipients()
	if len(all) == 0 {
		wrong(Invalid, "name at least one agent in `to`", "the message has no recipient")
	}
	if len(all) > MaxRecipients {
		wrong(Invalid, "send it in parts", "%d recipients are more than %d", len(all), MaxRecipients)
	}
	for _, name := range all {
		if err := CheckName(name); err != nil {
			wrong(Invalid, fault.HintOf(err), "a recipient: %s", err)
		}
	}
	if d.Thread != "" {
		if err := CheckThread(d.Thread); err != nil {
			wrong(Invalid, fault.HintOf(err), "%s", err)
		}
	}
	switch d.Importance {
	case "", Low, Normal, High, Urgent:
	default:
		wrong(Invalid, "low, normal, high or urgent", "not an importance: %s", fault.Shown(d.Importance))
	}
	if len(d.Body) > MaxBody {
		wrong(TooLarge, "send less, or the text in parts", "the body has %d bytes, and %d are the most", len(d.Body), MaxBody)
	}
	if !utf8.ValidString(d.Body) || !utf8.ValidString(d.Subject) {
		wrong(Invalid, "", "the text is no UTF-8")
	}
	if len(d.Key) > maxKey {
		wrong(Invalid, "", "the idempotency key is longer than %d bytes", maxKey)
	}
	return l.Err()
}

// Recipients are all of a draft's, each once, in order.
func (d *Draft) Recipients() []string {
	var all []string
	seen := make(map[string]bool)
	for _, names := range [][]string{d.To, d.CC, d.BCC} {
		for _, name := range names {
			if !seen[strings.ToLower(name)] {
				seen[strings.ToLower(name)] = true
				all = append(all, name)
			}
		}
	}
	return all
}

// CutSubject gives a subject as it is kept: one line, and not without end.
func CutSubject(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n == MaxSubject {
			return s[:i]
		}
		n++
	}
	return s
}
