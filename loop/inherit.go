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

// Earlier is the session that another one begins with.
type Earlier struct {
	Thread   string
	Artifact *artifact.Artifact
	// Evidence are the hashes of its evidence, in order.
	Evidence []string
}

// Inherited is an item that a session takes over. Label is how others that are
// taken over with it refer to it.
type Inherited struct {
	Section   artifact.Section
	Label     string
	Payload   []byte // canonical JSON
	Rationale string
}

// Inherit gives what a session takes over from an earlier one: the items of the
// sections that still stand, each with a reference to what it was. Evidence are
// the hashes of the new session's own: anchors are kept where both have the same.
func Inherit(from *Earlier, f *Follow, evidence []string) []Inherited {
	h := &heir{from: from, follow: f, evidence: evidence, labels: make(map[string]string)}
	for _, s := range artifact.Sections() {
		if !slices.Contains(f.Take, s.String()) {
			continue
		}
		for _, it := range from.Artifact.Active(s) {
			h.labels[it.ID] = "from_" + strings.ToLower(it.ID)
		}
	}
	for {
		items, whole := h.take()
		if whole {
			return items
		}
	}
}

// take gives the items that have a label. It takes the label of those away that cannot be
// taken over; then it was not whole, for others may speak of them.
func (h *heir) take() (items []Inherited, whole bool) {
	whole = true
	for _, s := range artifact.Sections() {
		for _, it := range h.from.Artifact.Active(s) {
			label, ok := h.labels[it.ID]
			if !ok {
				continue
			}
			payload, ok := h.payload(s, it)
			if !ok {
				delete(h.labels, it.ID)
				whole = false
				continue
			}
			items = append(items, Inherited{
				Section: s, Label: label, Payload: artifact.Canonical(payload),
				Rationale: fmt.Sprintf("taken over from %s@v%d#%s", h.from.Thread, h.from.Artifact.Metadata.Version, it.ID),
			})
		}
	}
	return items, whole
}

// heir takes over.
type heir struct {
	from     *Earlier
	follow   *Follow
	evidence []string
	labels   map[string]string // of the items that are taken over, by their old ids
}

// payload gives an item as it is added anew; false if what it cannot do without is
// undecided, or spoke of nothing that is taken over.
func (h *heir) payload(s artifact.Section, it *artifact.Item) (artifact.Map, bool) {
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

// value gives a field's value with the new labels in it; nil for what is undecided
// or says nothing without what it spoke of.
func (h *heir) value(f *artifact.FieldSpec, v artifact.Value) artifact.Value {
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

func (h *heir) list(f *artifact.FieldSpec, list artifact.List) artifact.Value {
	var out artifact.List
	for _, e := range list {
		text, ok := e.(artifact.Text)
		switch {
		case !ok:
		case f.Refs:
			if label, ok := h.labels[string(text)]; ok {
				out = append(out, artifact.Text(label))
			}
		case f.Name == "anchors" && !h.same(string(text)):
		default:
			out = append(out, text)
		}
	}
	if out == nil {
		return nil
	}
	return out
}

func (h *heir) entries(f *artifact.FieldSpec, m artifact.Map) artifact.Value {
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

// relabel puts the new labels into a text.
func (h *heir) relabel(text string) string {
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

// same tells whether an anchor means the same in both sessions.
func (h *heir) same(anchor string) bool {
	rest, isEvidence := strings.CutPrefix(anchor, "EV-")
	if !isEvidence {
		return true
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 1 && n <= len(h.evidence) && n <= len(h.from.Evidence) && h.evidence[n-1] == h.from.Evidence[n-1]
}

// Account gives an earlier session in plain text, as evidence for the next one:
// what stands, what was struck out and why, by the ids to which it may refer.
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

// oneLine gives a text in one line of a length that is bounded, without the dash
// of a name that is not there.
func oneLine(s string) string {
	return text.Clip(strings.TrimPrefix(strings.Join(strings.Fields(s), " "), "- "), 400)
}

// bases are the sessions that those of the open round begin with.
type bases struct {
	own  map[int]string    // by cell
	best map[string]string // by question
}

// of gives what a cell begins with, or "".
func (b *bases) of(c *Cell, index int) string {
	if b.best != nil {
		return b.best[c.Question]
	}
	return b.own[index]
}

// bases looks for them in the rounds before: what a cell last came to, or the best
// that the last round made of a question.
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

// Best chooses, for each question of the work, the session to show: of the latest round
// in which one came to something, the one that leaves the least to mend. Where none did,
// it is the last one that anybody answered in.
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

// bestBefore looks for it in the rounds before one.
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

// usable tells whether a job came to something that can be shown, and gone on with.
func (j *Job) usable() bool {
	return (j.Status == Finished || j.Status == Cut && j.Answered()) && j.Settled.Version > 0
}

// ahead tells which of two sessions of a round is shown and begun with: one that came
// to its end, then the better one.
func ahead(a, b *Job) bool {
	if done := a.Status == Finished; done != (b.Status == Finished) {
		return done
	}
	return better(a, b)
}

// better tells which of two jobs is the better one: it prefers what needs nobody, then what lint finds least in, then what has
// more tests; of equals the first one.
func better(a, b *Job) bool {
	x, y := &a.Settled, &b.Settled
	return cmp.Or(
		cmp.Compare(x.Needs(), y.Needs()), cmp.Compare(x.Errors, y.Errors), cmp.Compare(x.Warnings, y.Warnings),
		cmp.Compare(y.Tests, x.Tests), cmp.Compare(a.Number, b.Number),
	) < 0
}

// Rotated gives everybody the role of the one so many places after them; programs
// and models stay with whom they belong to.
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
