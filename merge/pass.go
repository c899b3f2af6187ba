package merge

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// pass judges the whole batch once, on a working copy of the base.
type pass struct {
	base  *artifact.Artifact
	index *ruleIndex
	*orderedBatch
	sections   [artifact.SectionCount]*sectionState
	vetoed     map[entry]bool // KILLs that the third-alternative rule refuses
	late       []lateWrite
	awaited    bool // some reference may still resolve to an item of this batch
	kills      []*kill
	warnings   []Warning
	openUsed   [artifact.SectionCount]bool
	words      []string
	fields     space[artifact.Field]
	outcomes   space[FieldOutcome]
	stamps     space[*artifact.Stamp]
	additions  []addition
	raised     bool      // a list lost elements, so the additions must be examined
	counted    []*author // authors whose deltas changed the artifact
	applied    int
	overtook   map[string]entry                 // ids claimed while others waited
	makers     map[*artifact.Stamp]itemPosition // items of the base by the delta that added them
	badTargets []badTarget
	letterAdds map[ownName][]*letterAdd
}

// kill records which deltas killed a hypothesis, and whether it was a third alternative then.
type kill struct {
	third bool
	by    []entry
}

// again returns a pass that judges the same batch once more, without some KILLs.
func (p *pass) again(vetoed map[entry]bool) *pass {
	for i := range p.facts {
		p.entry(i).reset()
	}
	for i := range p.authors {
		p.authors[i].oldest, p.authors[i].newest = nil, nil
	}
	p.link()
	return &pass{base: p.base, index: p.index, orderedBatch: p.orderedBatch, vetoed: vetoed}
}

func (p *pass) self(e entry) []*artifact.Stamp { return append(p.stamps.take(1), e.stamp()) }

func (p *pass) section(s artifact.Section) *sectionState {
	if p.sections[s] == nil {
		var reserved []string
		if p.second {
			reserved = p.base.Reserved(s)
		}
		p.sections[s] = newSectionState(s, p.base.Sections[s], reserved)
	}
	return p.sections[s]
}

// run judges all deltas in order. A delta that addresses the item of a later ADD waits for it. One
// that only refers to such an item is written at the end.
func (p *pass) run() {
	for i := range p.facts {
		if e := p.next(i); !p.waits(e) {
			p.judge(e)
		}
	}
	if p.overtook != nil {
		for i := range p.facts {
			if e := p.entry(i); !e.judged { // deltas that wait for each other in a cycle
				p.judge(e)
			}
		}
	}
	for _, w := range p.late {
		p.writeAll(w.e, w.slot, w.writes, false)
	}
	p.settleRefs()
	p.adviseTargets()
	p.conclude()
}

// waits defers a delta until the ADD that it needs is judged: because it addresses the new item, or
// because an earlier delta with the same id or content does.
func (p *pass) waits(e entry) bool {
	add := p.addressed(e)
	if links := e.links(); add.none() && links != nil {
		add = links.waitFor()
	}
	if add.none() || add == e || add.judged {
		return false
	}
	e.queued().waitsFor = add
	others := add.queued()
	others.waiting = append(others.waiting, e)
	if p.overtook == nil {
		p.overtook = make(map[string]entry)
	}
	return true
}

// addressed returns an unjudged ADD whose item an EDIT or KILL addresses by label: as a whole, or
// as the row or the hypothesis of a cell.
func (p *pass) addressed(e entry) entry {
	if e.labels() == nil || (e.d().Operation != opEdit && e.d().Operation != opKill) {
		return entry{}
	}
	for _, label := range namesIn(e.d().Target) {
		if add := p.unjudged(e, label); !add.none() {
			return add
		}
	}
	return entry{}
}

// judge decides about one delta, then about those that waited for it.
func (p *pass) judge(e entry) {
	row, stamp := e.row(), e.stamp()
	row.DeltaID, row.Agent = stamp.Delta, stamp.Agent
	p.decide(e)
	e.judged = true
	e.claimed = row.Code != UnknownAgent && row.Code != WriteScope && row.Code != DuplicateDeltaID
	if e.claimed && p.overtook != nil {
		p.overtook[e.stamp().Delta] = e
	}
	queue := e.queue()
	if queue == nil {
		return
	}
	for _, w := range queue.waiting {
		if !w.judged && !p.waits(w) {
			p.judge(w)
		}
	}
}

func (p *pass) decide(e entry) {
	d, who := e.d(), e.author()
	if !who.known && !who.blank {
		e.reject(UnknownAgent, fmt.Sprintf("%s is neither in the roster nor an authority", fault.Shown(d.Agent)))
		return
	}
	if p.seenBefore(e) {
		return
	}
	p.makeRoom(e)
	switch {
	case d.Problem != nil:
		e.reject(d.Problem.Code, d.Problem.Message)
		if taken := e.explainTaken(); taken != "" && p.index.rules.RejectTaken && d.Problem.Code == delta.InvalidField {
			e.reject(LabelTaken, taken+"; "+d.Problem.Message)
		}
		return
	case who.blank:
		e.reject(delta.MissingRequiredField, "the delta names no agent")
		return
	case d.Timestamp == "" && p.second:
		e.reject(delta.InvalidTimestamp, "the delta has no timestamp")
		return
	case d.At.IsZero():
		e.reject(delta.InvalidTimestamp, fmt.Sprintf("%s is not an RFC 3339 timestamp such as 2025-12-30T12:00:00Z", fault.Shown(d.Timestamp)))
		return
	}
	section := artifact.Section(e.section)
	switch {
	case d.Operation != opAdd && d.Operation != opEdit && d.Operation != opKill:
		e.reject(delta.InvalidOperation, fmt.Sprintf("%s is not ADD, EDIT or KILL", fault.Shown(d.Operation)))
	case e.section == noSection:
		e.reject(delta.InvalidSection, fmt.Sprintf("there is no section %s", fault.Shown(d.Section)))
	case section == artifact.ResearchThread && d.Operation != opEdit:
		e.reject(RTEditOnly, "the research thread can only be edited")
	case e.is(adds):
		p.add(e, section)
	case d.Operation == opEdit:
		p.edit(e, section)
	default:
		p.kill(e, section)
	}
	p.warnIgnored(e)
}

func (p *pass) warnIgnored(e entry) {
	for _, key := range e.d().Ignored {
		p.warn(SystemFieldIgnored, "%s: a delta has no key %s; ignored", e, fault.Shown(key))
	}
}

func (p *pass) warn(code fault.Code, format string, args ...any) *Warning {
	p.warnings = append(p.warnings, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	return &p.warnings[len(p.warnings)-1]
}

func (p *pass) allowed(e entry, section artifact.Section, author string) bool {
	who := e.author()
	if p.index.scoped() && p.index.open[section] && !who.authority {
		p.openUsed[section] = true
	}
	if p.index.may(who, e.d().Operation, section, author) {
		return true
	}
	role := who.Role
	if role == "" {
		role = "an agent without a role"
	}
	hint := "nobody but its author"
	if owners := p.index.owners(e.d().Operation, section); len(owners) > 0 {
		hint = strings.Join(owners, ", ")
		if e.d().Operation != opAdd {
			hint += " or its author"
		}
	}
	message := fmt.Sprintf("%s may not %s in %s; %s may", role, e.d().Operation, section, hint)
	if ids := p.memory[assumed{e.d().Agent, e.d().Target}]; p.third && len(ids) > 0 && !slices.Contains(ids, e.d().Target) {
		message += calledBy(e.d().Agent, e.d().Target) + strings.Join(ids, " or ")
	}
	e.reject(WriteScope, message)
	return false
}

// calledBy begins the part of a message that says which item an agent called by an id.
func calledBy(agent, id string) string { return "; " + fault.Shown(agent) + "'s " + id + " is " }

// NamesOwn reports whether a delta may not write the item with an id, and its author called an item of its own by that id.
func (r *Row) NamesOwn() bool {
	return r.Code == WriteScope && strings.Contains(r.Message, calledBy(r.Agent, r.TargetID))
}

func (e entry) reject(code fault.Code, message string) {
	row := e.row()
	row.Disposition, row.Code, row.Message = Rejected, code, message
}

func (e entry) skip(code fault.Code, message string) {
	row := e.row()
	row.Disposition, row.Code, row.Message = Skipped, code, message
}

// String names the delta in warnings.
func (e entry) String() string { return e.stamp().Delta + " of " + fault.Shown(e.d().Agent) }
