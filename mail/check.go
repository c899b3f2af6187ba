package mail

import (
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Limits of a box.
const (
	MaxBody       = 8 << 20 // bytes of a message
	MaxSubject    = 1000    // characters; a longer subject is cut, not refused
	MaxRecipients = 100
	maxName       = 64
	maxThread     = 128
	maxKey        = 200
	maxProgram    = 200  // characters, also of a model
	maxTask       = 2000 // characters
	maxPaths      = 500  // of one claim
	maxPath       = 1024 // bytes
	maxReason     = 1000 // characters
	// MaxAttached bounds the bytes of all attachments of a message.
	MaxAttached    = 8 << 20
	maxAttachments = 20 // of one message
	maxFileName    = 200
)

// CheckName refuses invalid agent names: they are used in addresses, file names and tables.
func CheckName(name string) error {
	return checkWord(name, maxName, "-_.", "an agent's name", "BlueLake")
}

// CheckThread refuses invalid thread ids: they are used as file names.
func CheckThread(id string) error {
	return checkWord(id, maxThread, "-_.:", "a thread id", "RS-20260131-cell-fate")
}

func checkWord(word string, longest int, marks, what, example string) error {
	if validWord(word, longest, marks) && !strings.Contains(word, "..") {
		return nil
	}
	return &fault.Error{
		Code: Invalid, Detail: "not " + what + ": " + fault.Shown(word),
		Hint: fmt.Sprintf("use up to %d characters of a-z, A-Z, 0-9, - and _, such as %s", longest, example),
	}
}

func validWord(word string, longest int, marks string) bool {
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

// Check refuses a draft that no box could store.
func (d *Draft) Check() error {
	var l fault.List
	wrong := func(code fault.Code, hint, format string, args ...any) { l.Add(code, "", hint, format, args...) }
	if err := CheckName(d.From); err != nil {
		wrong(Invalid, fault.HintOf(err), "sender: %s", err)
	}
	all := d.Recipients()
	if len(all) == 0 {
		wrong(Invalid, "name at least one agent in `to`", "no recipient")
	}
	if len(all) > MaxRecipients {
		wrong(Invalid, "send it in parts", "%d recipients exceed the limit of %d", len(all), MaxRecipients)
		all = nil // a request may name a million, each with a fault
	}
	for _, name := range all {
		if err := CheckName(name); err != nil {
			wrong(Invalid, fault.HintOf(err), "recipient: %s", err)
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
		wrong(Invalid, "use low, normal, high or urgent", "unknown importance %s", fault.Shown(d.Importance))
	}
	if len(d.Body) > MaxBody {
		wrong(TooLarge, "send less, or split the text", "the body has %d bytes; the limit is %d", len(d.Body), MaxBody)
	}
	if !utf8.ValidString(d.Body) || !utf8.ValidString(d.Subject) {
		wrong(Invalid, "", "body or subject is not valid UTF-8")
	}
	d.checkAttachments(wrong)
	if len(d.Key) > maxKey {
		wrong(Invalid, "", "the idempotency key is longer than %d bytes", maxKey)
	}
	return l.Err()
}

// CheckAttachments refuses attachments that no box could store.
func (d *Draft) CheckAttachments() error {
	var l fault.List
	d.checkAttachments(func(code fault.Code, hint, format string, args ...any) { l.Add(code, "", hint, format, args...) })
	return l.Err()
}

// checkAttachments refuses attachments that are too large, or whose names could not be those of files.
func (d *Draft) checkAttachments(wrong func(code fault.Code, hint, format string, args ...any)) {
	if n := len(d.Attachments); n > maxAttachments {
		wrong(Invalid, "send them in several messages", "%d attachments exceed the limit of %d", n, maxAttachments)
		return
	}
	total := 0
	seen := make(map[string]bool)
	for i := range d.Attachments {
		f := &d.Attachments[i]
		total += len(f.Data)
		_, _, err := mime.ParseMediaType(f.MediaType)
		switch {
		case f.Name == "" || f.Name == "." || f.Name == ".." || utf8.RuneCountInString(f.Name) > maxFileName || strings.ContainsAny(f.Name, `/\`) || strings.ContainsFunc(f.Name, unprintable):
			wrong(Invalid, fmt.Sprintf("use up to %d printable characters without / and \\, such as figure.png", maxFileName), "not a name of an attachment: %s", fault.Shown(text.Clip(f.Name, maxShown)))
		case seen[f.Name]:
			wrong(Invalid, "give each its own name", "two attachments have the name %s", fault.Shown(f.Name))
		case err != nil:
			wrong(Invalid, "use a form such as image/png", "attachment %s: not a media type: %s", fault.Shown(f.Name), fault.Shown(text.Clip(f.MediaType, maxShown)))
		}
		seen[f.Name] = true
	}
	if total > MaxAttached {
		wrong(TooLarge, "send less, or name a path in the text", "the attachments have %d bytes; the limit is %d", total, MaxAttached)
	}
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Check refuses a registration that no box could store. Its fields are in every list of agents.
func (r *Registration) Check() error {
	if err := CheckName(r.Name); err != nil {
		return err
	}
	var l fault.List
	for _, c := range []struct {
		what, text string
		limit      int
	}{{"program", r.Program, maxProgram}, {"model", r.Model, maxProgram}, {"task", r.Task, maxTask}} {
		if n := utf8.RuneCountInString(c.text); n > c.limit {
			l.Add(Invalid, "", "shorten it", "the %s has %d characters; the limit is %d", c.what, n, c.limit)
		}
	}
	switch r.Policy {
	case "", PolicyOpen, PolicyAuto, PolicyContacts, PolicyBlock:
	default:
		l.Add(Invalid, "", "use open, auto, contacts_only or block_all", "unknown contact policy %s", fault.Shown(r.Policy))
	}
	return l.Err()
}

// Check refuses a claim that no box could store. Each of its paths is compared with those of all
// other claims.
func (c *Claim) Check() error {
	var l fault.List
	if n := len(c.Paths); n == 0 || n > maxPaths {
		l.Add(Invalid, "", "name at least one path; claim many as dir/**", "a claim must have 1 to %d paths, not %d", maxPaths, n)
	}
	for _, p := range c.Paths {
		if len(p) > maxPath {
			l.Add(Invalid, "", "claim a directory above it, as dir/**", "a path has %d bytes; the limit is %d: %s", len(p), maxPath, fault.Shown(text.Clip(p, maxShown)))
			break // the others may be as long
		}
		if !claimable(p) {
			l.Add(Invalid, "", "use a path or a pattern below the project's directory, such as src/main.go or docs/**", "not a path of the project: %s", fault.Shown(text.Clip(p, maxShown)))
			break // the others may be as many
		}
	}
	if n := utf8.RuneCountInString(c.Reason); n > maxReason {
		l.Add(Invalid, "", "shorten it", "the reason has %d characters; the limit is %d", n, maxReason)
	}
	return l.Err()
}

// claimable reports whether a path or a pattern is one of files in the project.
func claimable(p string) bool {
	_, err := path.Match(p, "")
	return err == nil && strings.TrimSpace(p) != "" && !path.IsAbs(p) && !slices.Contains(strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// Recipients returns all recipients of a draft, each once, in order.
func (d *Draft) Recipients() []string {
	once := d.Unique()
	return slices.Concat(once.To, once.CC, once.BCC)
}

// Unique returns a draft that names each recipient once.
func (d Draft) Unique() Draft {
	seen := make(map[string]bool)
	keep := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			again := seen[strings.ToLower(name)]
			seen[strings.ToLower(name)] = true
			return again
		})
	}
	d.To, d.CC, d.BCC = keep(d.To), keep(d.CC), keep(d.BCC)
	return d
}

// CutSubject returns a subject as it is stored: one line of bounded length.
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
