package stalemate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/internal/text"
	"brenner/merge"
)

// Basis is what a request may use besides the case: the history for checks, and documents to
// enclose.
type Basis struct {
	Moments []Moment
	// Attempts are refused changes outside settlements, such as patches.
	Attempts []Attempt
	// IDs are the ids of the evidence and records that parties were shown.
	IDs []string
	// Text is the text that refuses patches; nil if the case is about none.
	Text *PatchedText
	// First come before the disputed item, Documents after it, the most important first.
	First, Documents []Document
	Bound            int // of the evidence in bytes; 0 is MaxEvidence
}

// Check is a check that ran.
type Check struct {
	Name     string // what was looked at
	Observed string
	Explains string // an explanation that no party holds, if the observation suggests one
}

func (b *Basis) artifact() *artifact.Artifact {
	if n := len(b.Moments); n > 0 {
		return &b.Moments[n-1].Out.Artifact
	}
	return &artifact.Artifact{}
}

// checks runs the checks for a kind of case.
func (b *Basis) checks(c *Case) []Check {
	switch {
	case b.Text != nil:
		return b.Text.checks()
	case c.Kind == Conflict || c.Kind == Swing:
		return slices.Concat(b.citations(c), b.sameWords(c), b.laterChanges(c), b.objections(c))
	case c.Kind == Retry || c.Kind == Error:
		return slices.Concat(b.target(c), b.changedItem(c), b.otherAuthors(c))
	}
	return nil
}

// dissidents returns the explanations that checks suggest. An arbiter shown only two answers would
// believe that there are only two.
func dissidents(checks []Check) []Hypothesis {
	var out []Hypothesis
	for _, c := range checks {
		same := func(h Hypothesis) bool { return h.Statement == c.Explains }
		if c.Explains != "" && len(out) < MaxExplanations && !slices.ContainsFunc(out, same) {
			out = append(out, Hypothesis{
				Name: dissidentName(len(out)), Statement: c.Explains, Justification: "Checked: " + c.Name + ". Observed: " + c.Observed + ".", Source: fromCheck + c.Name,
			})
		}
	}
	return out
}

func checksText(checks []Check) string {
	var b strings.Builder
	for _, c := range checks {
		b.WriteString("- " + c.Name + ": " + c.Observed + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Words returns all that the parties of a case wrote about it: positions, reasons, and their deltas
// as far as the history has them.
func (c *Case) Words(moments []Moment) string {
	var b strings.Builder
	for i := range c.Positions {
		b.WriteString(c.Positions[i].words(moments) + "\n")
	}
	return b.String()
}

func (p *Position) words(moments []Moment) string {
	all := p.Statement + "\n" + p.Justification + "\n" + string(artifact.Canonical(p.Edit))
	for i := range moments {
		for j := range moments[i].Out.Deltas {
			if d := &moments[i].Out.Deltas[j]; d.ID == p.Delta && p.Delta != "" {
				all += "\n" + d.Rationale + "\n" + string(artifact.Canonical(payloadOf(d)))
			}
		}
	}
	return all
}

// item returns the id of the item that a case is about, and its field, if any.
func (c *Case) item() (id, field string) {
	id, field, _ = strings.Cut(c.Place, ".")
	return id, field
}

// citations looks for what each party cites.
func (b *Basis) citations(c *Case) []Check {
	about, _ := c.item()
	ids := slices.Clone(b.IDs)
	for _, it := range active(b.artifact()) {
		if it.ID != about {
			ids = append(ids, it.ID)
		}
	}
	check := Check{Name: "what the parties cite"}
	var observed, unknown []string
	var all [][]string
	for i := range c.Positions {
		p := &c.Positions[i]
		words := p.words(b.Moments)
		found := cited(words, ids)
		for _, id := range evidenceIDs(words) {
			if !slices.Contains(found, id) {
				unknown = append(unknown, p.Party+" cites "+id)
			}
		}
		all = append(all, found)
		observed = append(observed, p.Party+" cites "+cmp.Or(strings.Join(found, ", "), "nothing"))
	}
	check.Observed = strings.Join(observed, "; ")
	none := !slices.ContainsFunc(all, func(ids []string) bool { return len(ids) > 0 })
	each := !slices.ContainsFunc(all, func(ids []string) bool { return len(ids) == 0 })
	switch {
	case none:
		check.Explains = "None of the values follows from what this session was shown, and " + c.Place + " should say less."
	case each && len(common(all)) > 0:
		check.Explains = "The parties read " + strings.Join(common(all), ", ") + " differently, and it says something else, or less, than each of them wrote."
	case each:
		check.Explains = "The values rest on different evidence and answer different questions: " + c.Place + " should say what holds under which conditions."
	}
	checks := []Check{check}
	if len(unknown) > 0 {
		checks = append(checks, Check{
			Name: "whether the cited evidence exists", Observed: strings.Join(unknown, "; ") + ", which the session does not have",
			Explains: "A value rests on evidence that does not exist.",
		})
	}
	return checks
}

func common(all [][]string) []string {
	var out []string
	for _, id := range all[0] {
		if !slices.ContainsFunc(all, func(ids []string) bool { return !slices.Contains(ids, id) }) {
			out = append(out, id)
		}
	}
	return out
}

// evidenceIDs returns the ids of evidence in a text, such as EV-001, each once.
func evidenceIDs(text string) []string {
	var all []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }) {
		digits, ok := strings.CutPrefix(word, "EV-")
		if ok && digits != "" && strings.Trim(digits, "0123456789") == "" && !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

// sameWords compares the values without case, punctuation, spaces and invisible characters.
func (b *Basis) sameWords(c *Case) []Check {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	check := Check{Name: "the values without case, punctuation and spaces", Observed: "they differ"}
	for i := range c.Positions[1:] {
		if bare(c.Positions[i].Statement) != bare(c.Positions[i+1].Statement) {
			return []Check{check}
		}
	}
	check.Observed = "they are equal"
	check.Explains = "The values differ only in spelling, and there is nothing to decide: any of them will do."
	return []Check{check}
}

// laterChanges looks for changes of the item by the parties after the disagreement began.
func (b *Basis) laterChanges(c *Case) []Check {
	if c.Kind != Conflict || c.Since >= c.Round {
		return nil
	}
	id, _ := c.item()
	var later []string
	for i := range b.Moments {
		m := &b.Moments[i]
		for j := range m.Out.Deltas {
			d := &m.Out.Deltas[j]
			isParty := slices.ContainsFunc(c.Positions, func(p Position) bool { return p.Party == d.Agent })
			if m.Round > c.Since && isParty && d.Target == id {
				later = append(later, fmt.Sprintf("%s, round %d", d.Agent, m.Round))
			}
		}
	}
	check := Check{Name: fmt.Sprintf("changes of %s by the parties after round %d", id, c.Since), Observed: strings.Join(later, "; ")}
	if len(later) == 0 {
		check.Observed = "none"
		check.Explains = "The parties wrote at the same time, and neither has defended its value since it saw the other one: both can hold, each for its own case."
	}
	return []Check{check}
}

// objections lints the artifact with each of the values.
func (b *Basis) objections(c *Case) []Check {
	id, path := c.item()
	field, key, isKey := strings.Cut(path, ".")
	a := b.artifact()
	it, section, ok := a.Find(id)
	if !ok || isKey || field == "" {
		return nil
	}
	var observed []string
	all := len(c.Positions) > 0
	for i := range c.Positions {
		p := &c.Positions[i]
		value, _ := p.Edit.Get(field)
		if value == nil || key != "" {
			return nil
		}
		rules := findingsOf(a, section, it, field, value)
		all = all && len(rules) > 0
		observed = append(observed, p.Party+": "+cmp.Or(strings.Join(rules, ", "), "no objection"))
	}
	check := Check{Name: "the rules of lint about " + id + " with each value", Observed: strings.Join(observed, "; ")}
	if all {
		check.Explains = "Both values break a rule of lint, and " + c.Place + " should say something that breaks none."
	}
	return []Check{check}
}

// findingsOf returns the ids of the rules that object to an item if a field has a value, and that do not
// object to it without the field.
func findingsOf(a *artifact.Artifact, s artifact.Section, it *artifact.Item, field string, value artifact.Value) []string {
	about := func(v artifact.Value) map[string]bool {
		changed := *it
		changed.Fields = slices.DeleteFunc(slices.Clone(it.Fields), func(f artifact.Field) bool { return f.Name == field && v == nil })
		for i := range changed.Fields {
			if changed.Fields[i].Name == field {
				changed.Fields[i].Value = v
			}
		}
		with := *a
		with.Sections[s] = slices.Clone(a.Sections[s])
		with.Sections[s][slices.Index(a.Sections[s], it)] = &changed
		ids := make(map[string]bool)
		for _, f := range lint.Check(artifact.Document{Artifact: with}).Findings {
			if f.Item == it.ID {
				ids[f.ID] = true
			}
		}
		return ids
	}
	without := about(nil)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(about(value))), func(id string) bool { return without[id] })
}

// target looks for the item and the field that a refused change names.
func (b *Basis) target(c *Case) []Check {
	id, _ := c.item()
	section, isItem := artifact.SectionOfID(id)
	if !isItem {
		return nil
	}
	it, _, found := b.artifact().Find(id)
	check := Check{Name: "whether " + id + " exists"}
	switch {
	case !found:
		var ids []string
		for _, other := range b.artifact().Active(section) {
			ids = append(ids, other.ID)
		}
		check.Observed = "it does not; the section has " + cmp.Or(text.Some(ids), "no items")
		check.Explains = "The change was meant for another item than " + id + ", which does not exist."
	case it.Killed():
		check.Observed = it.ID + " was killed by " + it.Kill.By + ": " + it.Kill.Reason
		check.Explains = "The author does not know that " + id + " was killed, or holds that it should not have been."
	default:
		check.Observed = "it does"
	}
	checks := []Check{check}
	for i := range c.Positions {
		for _, e := range c.Positions[i].Edit {
			if spec := section.Spec(); found && !strings.HasSuffix(e.Key, "_replace") {
				if _, known := spec.Field(e.Key); known && it.Get(e.Key) != nil && string(artifact.Canonical(it.Get(e.Key))) == string(artifact.Canonical(e.Value)) {
					checks = append(checks, Check{
						Name: id + "." + e.Key + " as it stands", Observed: "it says exactly what the change would write",
						Explains: "The change has been made already, and its author does not know it.",
					})
				}
			}
		}
	}
	return checks
}

// changedItem looks for changes of the item between the first try and the last one.
func (b *Basis) changedItem(c *Case) []Check {
	id, _ := c.item()
	var changed []string
	var before *artifact.Item
	for i := range b.Moments {
		m := &b.Moments[i]
		it, _, ok := m.Out.Artifact.Find(id)
		if ok && before != nil && it != before && m.Round >= c.Since && m.Round <= c.Round {
			changed = append(changed, fmt.Sprintf("round %d", m.Round))
		}
		if ok {
			before = it
		}
	}
	if before == nil {
		return nil
	}
	check := Check{Name: fmt.Sprintf("changes of %s from round %d to round %d", id, c.Since, c.Round), Observed: cmp.Or(strings.Join(slices.Compact(changed), ", "), "none")}
	if len(changed) > 0 {
		check.Explains = "The author works from an older text of " + id + ": it changed while the change was refused."
	}
	return []Check{check}
}

// otherAuthors looks for other agents whose changes of the same section were applied, if the change was
// refused for want of a right.
func (b *Basis) otherAuthors(c *Case) []Check {
	id, _ := c.item()
	section, isItem := artifact.SectionOfID(id)
	scoped := slices.ContainsFunc(c.Log, func(line string) bool { return Cites(line, string(merge.WriteScope)) })
	if !isItem || !scoped {
		return nil
	}
	var others []string
	for i := range b.Moments {
		byID := deltasByID(&b.Moments[i])
		for _, row := range b.Moments[i].Out.Report.Deltas {
			d := byID[row.DeltaID]
			if d == nil || row.Disposition != merge.Applied || d.Section != section.String() || slices.Contains(others, row.Agent) {
				continue
			}
			if !slices.ContainsFunc(c.Positions, func(p Position) bool { return p.Party == row.Agent }) {
				others = append(others, row.Agent)
			}
		}
	}
	check := Check{Name: "other authors whose changes of " + section.String() + " were applied", Observed: cmp.Or(strings.Join(others, ", "), "none")}
	if len(others) > 0 {
		check.Explains = "The change is right, and " + strings.Join(others, " or ") + " has the right to make it."
	}
	return []Check{check}
}

// refusalsAbout returns the refusals about the subject of a case that its log does not have.
func (b *Basis) refusalsAbout(c *Case) []string {
	all := slices.Clone(b.Attempts)
	for i := range b.Moments {
		all = append(all, refusals(&b.Moments[i])...)
	}
	id, _ := c.item()
	var lines []string
	for i := range all {
		a := &all[i]
		about, _, _ := strings.Cut(a.Place, ".")
		if line := a.line(); (about == id || a.Place == c.Place) && !slices.Contains(c.Log, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// line returns a refusal as a line of a log; a round is that of a session.
func (a *Attempt) line() string {
	line := fmt.Sprintf("%s: %s: %s", a.By, a.Code, a.Message)
	if a.Round > 0 {
		line = fmt.Sprintf("round %d: ", a.Round) + line
	}
	return line
}

func payloadOf(d *delta.Delta) artifact.Map {
	var payload []artifact.Entry
	for _, f := range d.Payload {
		if f.Value != nil {
			payload = append(payload, artifact.Entry{Key: f.Name, Value: f.Value})
		}
	}
	return artifact.MapOf(payload...)
}
