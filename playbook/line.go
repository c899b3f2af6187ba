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
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return nil, badLine(1, "convert the file to UTF-8", "not UTF-8, but UTF-16")
	}
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

// Imported is what happened to one line.
type Imported struct {
	Line   int       `json:"line"`
	ID     string    `json:"id"`     // of the line
	Did    string    `json:"did"`    // "added", "counted" or "already"
	Bullet string    `json:"bullet"` // the new, the counted or the existing one
	Cosine float64   `json:"cosine"` // of a match; 0 if nothing was compared
	Near   []Refusal `json:"near"`   // similar bullets with another meaning
}

// What an import does with a line.
const (
	ImportAdded   = "added"
	ImportCounted = "counted"
	ImportAlready = "already"
)

// Neighbours returns the matches of a line by its vector, most similar first, and names the vector. Those
// of earlier lines have the ids of these lines.
type Neighbours func(n int) ([]Match, Embedding, error)

// Import takes lines as if they were proposed here one after the other, all or none: a line that
// matches a bullet is counted for it, others become bullets with their own ids and counters, in
// SHADOW. A line that was taken before changes nothing. One that is new under the id of another
// bullet is an error.
func (d *Draft) Import(lines []Line, into Into, near Neighbours) ([]Imported, error) {
	var found fault.List
	out := make([]Imported, len(lines))
	fresh := make(map[string][]string) // added ids, by text
	for n := range lines {
		l := &lines[n]
		out[n] = Imported{Line: l.Number, ID: l.ID}
		if b, done := d.importedBefore(l, into); done {
			out[n].Did, out[n].Bullet = ImportAlready, b
			continue
		}
		old, err := d.book.Find(l.ID)
		if err == nil && old.Content == l.Text { // of another domain
			found = append(found, badLine(l.Number, "a bullet stays in its domain: change the id, or remove the line",
				"bullet %s is in domain %s, not in %s", l.ID, fault.Shown(old.Domain), fault.Shown(into.Domain)))
			continue
		}
		if err := d.importLine(l, &out[n], into.Domain, fresh[Normalise(l.Text)], func() ([]Match, Embedding, error) { return near(n) }); err != nil {
			if fault.CodeOf(err) != BadLine {
				return nil, err
			}
			found = append(found, fault.All(err)...)
		}
		if out[n].Did == ImportAdded {
			key := Normalise(l.Text)
			fresh[key] = append(fresh[key], l.ID)
		}
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// importedBefore returns the bullet of a line that was counted before, or that is a bullet here. Counters
// may differ: those here have gone on.
func (d *Draft) importedBefore(l *Line, into Into) (string, bool) {
	if n, ok := d.book.lines[digestOf(into.Domain, l.ID, l.Text)]; ok {
		return d.book.Standing(d.book.bullets[n].ID), true
	}
	old, err := d.book.Find(l.ID)
	if err != nil || old.Content != l.Text || into.Named && old.Domain != into.Domain {
		return "", false
	}
	return d.book.Standing(old.ID), true
}

func (d *Draft) importLine(l *Line, out *Imported, domain string, fresh []string, near func() ([]Match, Embedding, error)) error {
	var same []Match
	for _, n := range d.book.SameText(domain, l.Text) {
		same = append(same, Match{ID: d.book.At(n).ID, Cosine: 1})
	}
	for _, id := range fresh {
		same = append(same, Match{ID: id, Cosine: 1})
	}
	var e Embedding
	match, refused := choose(l.Text, same, d.find)
	if match == nil {
		matches, named, err := near()
		if err != nil {
			return err
		}
		match, refused = choose(l.Text, matches, d.find)
		e = named
	}
	section := Helpful
	if l.Harmful > l.Helpful { // a mostly harmful lesson is a warning
		section = Harmful
	}
	if match != nil {
		reason := "imported: " + Line{ID: l.ID, Helpful: l.Helpful, Harmful: l.Harmful, Text: "…"}.String()
		_, err := d.increment(match.ID, section, note{reason: strings.TrimSuffix(reason, " :: …"), insight: l.Text, cosine: match.Cosine, with: l.ID})
		out.Did, out.Bullet, out.Cosine = ImportCounted, d.book.Standing(match.ID), match.Cosine
		return err
	}
	if old, err := d.find(l.ID); err == nil {
		return badLine(l.Number, "change the id, or remove the line", "id %s already belongs to the bullet %s", l.ID, fault.Shown(LineOf(old).String()))
	}
	b := &Bullet{
		ID: l.ID, Domain: domain, Section: section, Content: l.Text, Helpful: l.Helpful, Harmful: l.Harmful,
		Created: d.act.At, LastSeen: d.act.At, Stage: Shadow, Source: Source{Agent: d.act.Actor, Task: "import"},
		Confidence: roundShare(d.rules.AgentConfidence), Embedding: e, Near: nearIDs(refused),
	}
	d.add(b)
	out.Did, out.Bullet, out.Near = ImportAdded, l.ID, refused
	return nil
}

func detailOf(err error) string {
	for _, f := range fault.All(err) {
		if f.Detail != "" {
			return f.Detail
		}
	}
	return err.Error()
}
