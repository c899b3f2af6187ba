package merge

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
)

type finding int

const (
	known     finding = iota // it means the returned item
	unknown                  // it means no item that the author could know
	tooSoon                  // it means an item of a later ADD
	ambiguous                // it may mean one of several items
)

// refer resolves an id or label in a delta.
func (p *pass) refer(e entry, ref string) (*slot, finding) {
	if !e.labelledAdd(ref).none() {
		return p.byLabel(e, ref)
	}
	ref, whole := p.inSession(ref)
	s := p.shownItem(e, ref)
	switch {
	case s == nil:
		return nil, unknown
	case !whole && len(e.remembered(ref)) > 0:
		return nil, ambiguous
	}
	return s, known
}

// shownItem returns the item with an id if the author of e was shown it, or nil.
func (p *pass) shownItem(e entry, id string) *slot {
	if section, ok := artifact.SectionOfID(id); ok {
		if s := p.section(section).find(id); s != nil && s.shownTo(e) {
			return s
		}
	}
	return nil
}

// inSession returns the id in an address with the session, such as RS-20251230-x#H2.
func (p *pass) inSession(ref string) (id string, whole bool) {
	if session := p.base.Metadata.SessionID; p.second && session != "" {
		if id, whole = strings.CutPrefix(ref, session+"#"); whole {
			return id, true
		}
	}
	return ref, false
}

// address finds the target of an EDIT or KILL: an item, or one cell of a prediction (P2.H1). A nil
// item without a rejection is the research thread that does not exist yet.
func (p *pass) address(e entry, section artifact.Section) (*slot, string, bool) {
	target := e.d().Target
	if section == artifact.ResearchThread {
		if target != "" && target != artifact.ThreadID {
			p.noTarget(e, section, target)
			return nil, "", false
		}
		return p.section(section).find(artifact.ThreadID), "", true
	}
	if e.number != 0 && e.labels() == nil && p.memory == nil { // the common case: a plain id
		if s := p.section(section).numbered(int(e.number)); s != nil && s.shownTo(e) {
			return s, "", true
		}
	}
	if target == "" {
		e.reject(InvalidTarget, fmt.Sprintf("%s needs a target_id", e.d().Operation))
		return nil, "", false
	}
	if section == artifact.PredictionsTable {
		if row, cell, isCell := strings.Cut(target, "."); isCell && e.labelledAdd(target).none() {
			return p.addressCell(e, row, cell)
		}
	}
	s, found := p.refer(e, target)
	if found != known || s.section() != section || e.doubts(target) {
		p.noTarget(e, section, target)
		return nil, "", false
	}
	return s, "", true
}

func (p *pass) addressCell(e entry, row, cell string) (*slot, string, bool) {
	s, found := p.refer(e, row)
	if found != known || s.section() != artifact.PredictionsTable || e.doubts(row) {
		p.noTarget(e, artifact.PredictionsTable, row)
		return nil, "", false
	}
	h, found := p.refer(e, cell)
	if found != known || h.section() != artifact.HypothesisSlate || e.doubts(cell) {
		p.noTarget(e, artifact.HypothesisSlate, cell)
		return nil, "", false
	}
	if f := p.open(s).find("predictions"); f != nil && f.shape != mapping && f.shape != unset {
		e.reject(InvalidTarget, fmt.Sprintf("the predictions of %s are not a table row", s.id()))
		return nil, "", false
	}
	return s, h.id(), true
}

// noTarget reports why a target is invalid, and what it may mean.
func (p *pass) noTarget(e entry, section artifact.Section, target string) {
	e.reject(InvalidTarget, p.whyNoTarget(e, section, target))
	if len(e.earlierAdds(target)) > 0 {
		p.badTargets = append(p.badTargets, badTarget{e, section, target})
	}
}

func (p *pass) whyNoTarget(e entry, section artifact.Section, target string) string {
	shown, agent := fault.Shown(target), fault.Shown(e.d().Agent)
	if candidates := p.candidates(e, target); len(candidates) > 1 {
		return fmt.Sprintf("%s may mean %s; write one of them", shown, strings.Join(candidates, " or "))
	}
	if !e.labelledAdd(target).none() {
		made, _ := p.madeAs(e, target)
		if len(made) == 0 {
			return fmt.Sprintf("%s is %s's own name for an item that was refused", shown, agent)
		}
		if e.doubts(target) {
			return fmt.Sprintf("%s is a target before %s gives this name to %s, so it may mean another item; write the id of one that was shown", shown, agent, made[0].id())
		}
		return fmt.Sprintf("%s is %s's own name for %s, which is in %s", shown, agent, made[0].id(), made[0].section())
	}
	why := fmt.Sprintf("there is no %s in %s", shown, section)
	if p.section(section).reserved[target] {
		return why + ": the base has it only in a text that is not an item; write it as an item there, or ADD one"
	}
	other, isID := artifact.SectionOfID(target)
	if !isID {
		id, advice := p.readAs(e, target)
		if other, _ := artifact.SectionOfID(id); advice != "" && other != section {
			advice = fmt.Sprintf("; %s is in %s", id, other)
		}
		return why + advice
	}
	switch s := p.section(other).find(target); {
	case s == nil:
	case !s.shownTo(e) && e.d().Place.Shown == 0:
		why = target + " is an item that its author was not shown"
	case !s.shownTo(e):
		why = fmt.Sprintf("%s is not in version %d, which its author was shown", target, e.d().Place.Shown)
	case other != section:
		return why + fmt.Sprintf("; %s is in %s", target, other)
	}
	if ids := p.memory[assumed{e.d().Agent, target}]; len(ids) > 0 {
		why += fmt.Sprintf("; %s's %s is %s", agent, target, strings.Join(ids, " or "))
	}
	return why
}

// readAs returns the item that the author may mean by a target that is not an id, and advice how to name it, or "".
func (p *pass) readAs(e entry, target string) (id, advice string) {
	if !p.second {
		return "", ""
	}
	id, _ = artifact.Spelled(target)
	if m, ok := e.meaning(target); ok {
		id = m.id
	}
	switch {
	case p.shownItem(e, id) == nil:
		return "", ""
	case p.third && strings.ContainsAny(strings.Trim(target, " ,;"), ",;&+ ") && len(idsIn(target)) > 1:
		return id, "; write one id in each delta"
	}
	return id, "; write " + id + " if you mean that item"
}

// idsIn returns the ids in a text.
func idsIn(text string) (all []string) {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,;&+/", c) }) {
		if _, ok := artifact.SectionOfID(word); ok {
			all = append(all, word)
		}
	}
	return all
}

// candidates returns the items that a name of e may mean, if there are several.
func (p *pass) candidates(e entry, name string) []string {
	if !p.second {
		return nil
	}
	var all []string
	if !e.labelledAdd(name).none() {
		m, ok := e.meaning(name)
		switch {
		case ok && !m.sure:
			all = append(all, m.id)
		case e.readsAsCell(name):
			all = append(all, "a cell of "+m.id)
		}
		made, refused := p.madeAs(e, name)
		for _, one := range made {
			all = append(all, fmt.Sprintf("%s (%s's %s)", one.id(), fault.Shown(e.d().Agent), fault.Shown(name)))
		}
		if refused {
			all = append(all, "an item that was refused")
		}
		return append(all, p.othersItems(e, name)...)
	}
	earlier := e.remembered(name)
	if len(earlier) == 0 || p.shownItem(e, name) == nil {
		return nil
	}
	all = append(all, name)
	if session := p.base.Metadata.SessionID; session != "" {
		all[0] = session + "#" + name
	}
	for _, id := range earlier {
		all = append(all, fmt.Sprintf("%s (%s's %s of an earlier merge)", id, fault.Shown(e.d().Agent), name))
	}
	return all
}
