package merge

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
)

// address finds what an EDIT or KILL is about: an item, or one cell of a
// prediction (P2.H1). A nil item without a rejection is the research thread that
// does not exist yet.
func (p *pass) address(e entry, section artifact.Section) (*slot, string, bool) {
	target := e.d().Target
	if section == artifact.ResearchThread {
		if target != "" && target != artifact.ThreadID {
			p.noTarget(e, section, target)
			return nil, "", false
		}
		return p.shelf(section).find(artifact.ThreadID), "", true
	}
	if e.number != 0 && e.labels() == nil { // as nearly always: an id, and a plain one
		if s := p.shelf(section).numbered(int(e.number)); s != nil && s.shownTo(e) {
			return s, "", true
		}
	}
	if target == "" {
		e.reject(InvalidTarget, fmt.Sprintf("%s needs a target_id", e.d().Operation))
		return nil, "", false
	}
	if section == artifact.PredictionsTable {
		if row, cell, isCell := strings.Cut(target, "."); isCell && e.labelled(target).none() {
			return p.addressCell(e, row, cell)
		}
	}
	s, found := p.refer(e, target)
	if found != known || s.section() != section {
		p.noTarget(e, section, target)
		return nil, "", false
	}
	return s, "", true
}

func (p *pass) addressCell(e entry, row, cell string) (*slot, string, bool) {
	s, found := p.refer(e, row)
	if found != known || s.section() != artifact.PredictionsTable {
		p.noTarget(e, artifact.PredictionsTable, row)
		return nil, "", false
	}
	h, found := p.refer(e, cell)
	if found != known || h.section() != artifact.HypothesisSlate {
		p.noTarget(e, artifact.HypothesisSlate, cell)
		return nil, "", false
	}
	if f := p.open(s).find("predictions"); f != nil && f.shape != mapping && f.shape != unset {
		e.reject(InvalidTarget, fmt.Sprintf("the predictions of %s are not a table row", s.id()))
		return nil, "", false
	}
	return s, h.id(), true
}

// noTarget says why a target is none, and where that id does live.
func (p *pass) noTarget(e entry, section artifact.Section, target string) {
	why := fmt.Sprintf("there is no %s in %s", fault.Shown(target), section)
	if add := e.labelled(target); !add.none() {
		switch made := p.made(add); {
		case made == nil:
			why = fmt.Sprintf("%s is %s's own name for an item that was refused", fault.Shown(target), fault.Shown(e.d().Agent))
		default:
			why = fmt.Sprintf("%s is %s's own name for %s, which is in %s", fault.Shown(target), fault.Shown(e.d().Agent), made.id(), made.section())
		}
	} else if other, ok := artifact.SectionOfID(target); ok {
		switch s := p.shelf(other).find(target); {
		case s == nil:
		case !s.shownTo(e):
			why = fmt.Sprintf("%s is not in version %d, which its author was shown", target, e.d().Place.Shown)
		case other != section:
			why += fmt.Sprintf("; %s is in %s", target, other)
		}
	}
	e.reject(InvalidTarget, why)
}
