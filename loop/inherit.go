package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/internal/text"
	"brenner/roster"
)

// Earlier is the session that another one starts from.
type Earlier struct {
	Thread   string
	Artifact *artifact.Artifact
	// Evidence lists the hashes of its evidence, in order.
	Evidence []string
}

// Inherited is an item taken over from an earlier session. Other inherited items refer to
// it by Label.
type Inherited struct {
	Section   artifact.Section
	Label     string
	Payload   []byte // canonical JSON
	Rationale string
}

// Inherit returns the active items that a session takes over from an earlier one, each
// with a reference to the original. Evidence lists the hashes of the new session's
// evidence: anchors are kept where both sessions have the same file.
func Inherit(from *Earlier, f *Follow, evidence []string) []Inherited {
	h := &inheritor{from: from, follow: f, evidence: evidence, labels: make(map[string]string)}
	for _, s := range artifact.Sections() {
		if !slices.Contains(f.Take, s.String()) {
			continue
		}
		for _, it := range from.Artifact.Active(s) {
			h.labels[it.ID] = "from_" + strings.ToLower(it.ID)
		}
	}
	for {
		items, complete := h.take()
		if complete {
			return items
		}
	}
}

// take returns the labelled items. It drops the label of an item that cannot be taken
// over; the result is then incomplete, since other items may refer to that label.
func (h *inheritor) take() (items []Inherited, complete bool) {
	complete = true
	for _, s := range artifact.Sections() {
		for _, it := range h.from.Artifact.Active(s) {
			label, ok := h.labels[it.ID]
			if !ok {
				continue
			}
			payload, ok := h.payload(s, it)
			if !ok {
				delete(h.labels, it.ID)
				complete = false
				continue
			}
			items = append(items, Inherited{
				Section: s, Label: label, Payload: artifact.Canonical(payload),
				Rationale: fmt.Sprintf("taken over from %s@v%d#%s", h.from.Thread, h.from.Artifact.Metadata.Version, it.ID),
			})
		}
	}
	return items, complete
}

// inheritor collects the items to take over.
type inheritor struct {
	from     *Earlier
	follow   *Follow
	evidence []string
	labels   map[string]string // of inherited items, by old id
}

// payload returns the payload that adds an item again. It returns false if a required
// field is in conflict or refers only to items that are not taken over.
func (h *inheritor) payload(s artifact.Section, it *artifact.Item) (artifact.Map, bool) {
	var entries []artifact.Entry
	spec := s.Spec()
	for i := range spec.Fields {
		f := &spec.Fields[i]
		if f.Name == "references" {
			continue
		}
		v := h.value(f, it.Get(f.Name))
		if v == nil && f.Required {
			return nil, false
		}
		if v != nil {
			entries = append(entries, artifact.Entry{Key: f.Name, Value: v})
		}
	}
	own := artifact.MapOf(
		artifact.Entry{Key: "session", Value: artifact.Text(h.from.Thread)}, artifact.Entry{Key: "item", Value: artifact.Text(it.ID)},
		artifact.Entry{Key: "relation", Value: artifact.Text(h.follow.Relation)},
	)
	return artifact.MapOf(append(entries, artifact.Entry{Key: "references", Value: artifact.List{own}})...), true
}

// value returns a field's value with references replaced by new labels. It returns nil for
// a conflict, or if no reference remains.
func (h *inheritor) value(f *artifact.FieldSpec, v artifact.Value) artifact.Value {
	switch v := v.(type) {
	case artifact.Text:
		if f.Refs {
			return artifact.Text(h.relabel(string(v)))
		}
		return v
	case artifact.Bool, artifact.Number:
		return v
	case artifact.List:
		return h.list(f, v)
	case artifact.Map:
		return h.entries(f, v)
	}
	return nil
}

func (h *inheritor) list(f *artifact.FieldSpec, list artifact.List) artifact.Value {
	var out artifact.List
	for _, e := range list {
		text, ok := e.(artifact.Text)
		switch {
		case !ok:
		case f.Refs:
			if label, ok := h.labels[string(text)]; ok {
				out = append(out, artifact.Text(label))
			}
		case f.Name == "anchors" && !h.sameAnchor(string(text)):
		default:
			out = append(out, text)
		}
	}
	if out == nil {
		return nil
	}
	return out
}

func (h *inheritor) entries(f *artifact.FieldSpec, m artifact.Map) artifact.Value {
	var out []artifact.Entry
	for _, e := range m {
		switch e.Value.(type) {
		case artifact.Text, artifact.Number, artifact.Bool:
		default:
			continue
		}
		if f.Refs {
			label, ok := h.labels[e.Key]
			if !ok {
				continue
			}
			e.Key = label
		}
		out = append(out, e)
	}
	if out == nil {
		return nil
	}
	return artifact.MapOf(out...)
}

// relabel replaces old ids in text by labels.
func (h *inheritor) relabel(text string) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, notWord)
		switch {
		case n < 0:
			n = len(text)
		case n == 0:
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		word := text[:n]
		if label, ok := h.labels[word]; ok {
			word = label
		}
		b.WriteString(word)
		text = text[n:]
	}
	return b.String()
}

func notWord(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_'
}

// sameAnchor reports whether an anchor means the same in both sessions.
func (h *inheritor) sameAnchor(anchor string) bool {
	rest, isEvidence := strings.CutPrefix(anchor, "EV-")
	if !isEvidence {
		return true
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 1 && n <= len(h.evidence) && n <= len(h.from.Evidence) && h.evidence[n-1] == h.from.Evidence[n-1]
}

// Account renders an earlier session as plain text, as evidence for the next one: its
// items by id, and which were killed and why.
func Account(from *Earlier) []byte {
	var b strings.Builder
	a := from.Artifact
	fmt.Fprintf(&b, "What the session %s came to (version %d). To refer to an item of it, write\n", from.Thread, a.Metadata.Version)
	fmt.Fprintf(&b, "\"references\": [{\"session\": \"%s\", \"item\": \"H1\", \"relation\": \"refines\"}] (%s).\n", from.Thread, strings.Join(artifact.Relations(), ", "))
	for _, s := range artifact.Sections() {
		if s == artifact.ResearchThread || len(a.Items(s)) == 0 {
			continue
		}
		spec := s.Spec()
		fmt.Fprintf(&b, "\n%s\n", spec.Title)
		for _, it := range a.Items(s) {
			line := it.ID + ": " + oneLine(it.Text("name")+" - "+it.Text(spec.Main))
			if it.Killed() {
				line = "(struck out) " + line + "; why: " + oneLine(it.Kill.Reason)
			}
			b.WriteString(line + "\n")
		}
	}
	return []byte(b.String())
}

// oneLine collapses s to one bounded line, without the dash after a missing name.
func oneLine(s string) string {
	return text.Clip(strings.TrimPrefix(strings.Join(strings.Fields(s), " "), "- "), 400)
}

// bases holds the sessions that sessions of the open round start from.
type bases struct {
	own  map[int]string    // by cell
	best map[string]string // by question
}

// of returns the session that a cell starts from, or "".
func (b *bases) of(c *Cell, index int) string {
	if b.best != nil {
		return b.best[c.Question]
	}
	return b.own[index]
}

// bases finds the base sessions in earlier rounds: the last usable one of each cell, and
// the best of the last round for each question.
func (s *State) bases() *bases {
	b := &bases{}
	if s.Work.Follow == nil || s.Round < 2 {
		return b
	}
	b.own = make(map[int]string)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.usable() && j.Round < s.Round {
			b.own[j.Index] = j.Thread
		}
	}
	if s.Work.Follow.From != FollowBest {
		return b
	}
	best := s.bestBefore(s.Round)
	b.best = make(map[string]string)
	for i := range s.Work.Questions {
		if j := best[s.Work.Questions[i].ID]; j != nil {
			b.best[j.Cell.Question] = j.Thread
		}
	}
	return b
}

// Best chooses the session to show for each question: the one that leaves the least to
// fix, from the latest round with a usable result. Otherwise it chooses the last session
// with replies.
func (s *State) Best() map[string]*Job {
	best := s.bestBefore(s.Round + 1)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		first := best[j.Cell.Question]
		if j.Settled.Merged > 0 && (first == nil || !first.usable() && j.Settled.Merged >= first.Settled.Merged) {
			best[j.Cell.Question] = j
		}
	}
	return best
}

// bestBefore chooses the best usable session of each question in rounds before round.
func (s *State) bestBefore(round int) map[string]*Job {
	best := make(map[string]*Job)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.usable() || j.Round >= round {
			continue
		}
		if first := best[j.Cell.Question]; first == nil || j.Round > first.Round || j.Round == first.Round && ahead(j, first) {
			best[j.Cell.Question] = j
		}
	}
	return best
}

// usable reports whether a job has a result that can be shown and followed.
func (j *Job) usable() bool {
	return (j.Status == Finished || j.Status == Cut && j.Answered()) && j.Settled.Version > 0
}

// ahead reports whether a is preferred to b: finished sessions first, then the better one.
func ahead(a, b *Job) bool {
	if done := a.Status == Finished; done != (b.Status == Finished) {
		return done
	}
	return better(a, b)
}

// better reports whether a is better than b: fewer open decisions, then fewer lint
// findings, then more tests, then the lower number.
func better(a, b *Job) bool {
	x, y := &a.Settled, &b.Settled
	return cmp.Or(
		cmp.Compare(x.Needs(), y.Needs()), cmp.Compare(x.Errors, y.Errors), cmp.Compare(x.Warnings, y.Warnings),
		cmp.Compare(y.Tests, x.Tests), cmp.Compare(a.Number, b.Number),
	) < 0
}

// Rotated returns the roster with every role moved by turn places; programs and models
// stay with their agents.
func Rotated(r roster.Roster, turn int) roster.Roster {
	n := len(r.Entries)
	if n == 0 || turn%n == 0 {
		return r
	}
	entries := slices.Clone(r.Entries)
	for i := range entries {
		entries[i].Role = r.Entries[(i+turn)%n].Role
	}
	r.Entries = entries
	return r
}
