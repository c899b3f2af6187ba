package playbook

import (
	"fmt"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

// BadLine is the code of a line that cannot be imported.
const BadLine fault.Code = "BAD_LINE" // A line of an import is invalid or conflicts with an existing bullet; nothing was imported.

// Line is a bullet in the exchange format of playbook tools:
//
//	[id] helpful=N harmful=N :: text
type Line struct {
	Number  int // in its file, from 1
	ID      string
	Helpful int
	Harmful int
	Text    string
}

// maxCounter keeps sums of counters within an int.
const maxCounter = 1_000_000_000

// LineOf returns a bullet in the line format.
func LineOf(b *Bullet) Line {
	return Line{ID: b.ID, Helpful: b.Helpful, Harmful: b.Harmful, Text: b.Content}
}

func (l Line) String() string {
	return fmt.Sprintf("[%s] helpful=%d harmful=%d :: %s", l.ID, l.Helpful, l.Harmful, l.Text)
}

// ParseLines parses a file of lines. It skips blank lines and headings, which begin with #. The
// error reports all invalid lines with their numbers.
func ParseLines(text string, longest int) ([]Line, error) {
	var lines []Line
	var found fault.List
	ids := map[string]int{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		l, err := parseLine(line, longest)
		if err != nil {
			found = append(found, badLine(number, fault.HintOf(err), "%s", detailOf(err)))
			continue
		}
		if first, ok := ids[l.ID]; ok {
			found = append(found, badLine(number, "change one of the ids", "duplicate id %s (first on line %d)", l.ID, first))
			continue
		}
		l.Number, ids[l.ID] = number, number
		lines = append(lines, l)
	}
	return lines, found.Err()
}

func badLine(number int, hint, format string, args ...any) *fault.Error {
	return &fault.Error{Code: BadLine, Line: number, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

const formHint = "write it as [id] helpful=N harmful=N :: text"

func parseLine(line string, longest int) (Line, error) {
	rest, ok := strings.CutPrefix(line, "[")
	id, rest, closed := strings.Cut(rest, "] ")
	if !ok || !closed {
		return Line{}, badBullet(formHint, "does not begin with an id in brackets")
	}
	l := Line{ID: id}
	if err := CheckID(id); err != nil {
		return Line{}, err
	}
	counts, content, ok := strings.Cut(rest, " :: ")
	if !ok {
		return Line{}, badBullet(formHint, "missing “ :: ” before the text")
	}
	helpful, harmful, ok := strings.Cut(counts, " ")
	if !ok || !counter(helpful, "helpful=", &l.Helpful) || !counter(harmful, "harmful=", &l.Harmful) {
		return Line{}, badBullet(formHint, "invalid counters %s", fault.Shown(counts))
	}
	l.Text = content
	return l, CheckContent(content, longest)
}

// counter parses a counter in canonical form only, so that it is written back unchanged.
func counter(text, key string, to *int) bool {
	digits, ok := strings.CutPrefix(text, key)
	n, err := strconv.Atoi(digits)
	*to = n
	return ok && err == nil && n >= 0 && n <= maxCounter && strconv.Itoa(n) == digits
}

// Into is the target of imported lines.
type Into struct {
	Domain string
	// Named reports whether the user named the domain. Then a line that exists in another domain is
	// an error; otherwise it is skipped, since an export has the lines of all domains.
	Named bool
}

// Import adds lines, all or none. It skips lines that already exist verbatim, and refuses those
// whose id or text another bullet has. The bullets begin in SHADOW, whatever their counters.
func (d *Draft) Import(lines []Line, into Into, embed func(n int) Embedding) (added int, err error) {
	var found fault.List
	fresh := make(map[string][]*Line) // by text
	for n := range lines {
		l := &lines[n]
		if old, err := d.book.Find(l.ID); err == nil {
			l.clash(old, into, &found)
			continue
		}
		if where, hint := d.duplicateOf(l, into.Domain, fresh); where != "" {
			found = append(found, badLine(l.Number, hint, "same text as %s", where))
			continue
		}
		key := Normalise(l.Text)
		fresh[key] = append(fresh[key], l)
		b := &Bullet{
			ID: l.ID, Domain: into.Domain, Section: Helpful, Content: l.Text, Helpful: l.Helpful, Harmful: l.Harmful,
			Created: d.act.At, LastSeen: d.act.At, Stage: Shadow, Source: Source{Agent: d.act.Actor, Task: "import"},
			Confidence: roundShare(d.rules.AgentConfidence), Embedding: embed(n),
		}
		if l.Harmful > l.Helpful { // a mostly harmful lesson is a warning
			b.Section = Harmful
		}
		d.add(b, note{})
		added++
	}
	if err := found.Err(); err != nil {
		return 0, err
	}
	return added, nil
}

// clash adds an error if a line conflicts with the bullet of the same id.
func (l *Line) clash(old *Bullet, into Into, found *fault.List) {
	is := LineOf(old)
	switch {
	case is != (Line{ID: l.ID, Helpful: l.Helpful, Harmful: l.Harmful, Text: l.Text}):
		*found = append(*found, badLine(l.Number, "change the id, or remove the line", "id %s already belongs to the bullet %s", l.ID, fault.Shown(is.String())))
	case into.Named && old.Domain != into.Domain:
		*found = append(*found, badLine(l.Number, "a bullet stays in its domain: change the id, or remove the line",
			"bullet %s is in domain %s, not in %s", l.ID, fault.Shown(old.Domain), fault.Shown(into.Domain)))
	}
}

func (d *Draft) duplicateOf(l *Line, domain string, fresh map[string][]*Line) (where, hint string) {
	if b := d.book.sameMeaning(domain, l.Text, ""); b != nil {
		return "bullet " + b.ID, "remove the line, or credit that bullet"
	}
	for _, o := range fresh[Normalise(l.Text)] {
		if Differ(l.Text, o.Text) == "" {
			return "line " + strconv.Itoa(o.Number), "remove one of them; with two domains, import each with --domain"
		}
	}
	return "", ""
}

func detailOf(err error) string {
	for _, f := range fault.All(err) {
		if f.Detail != "" {
			return f.Detail
		}
	}
	return err.Error()
}
