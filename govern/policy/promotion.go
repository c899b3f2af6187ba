package policy

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/store/record"
)

// Blocked is the code of a promotion that a gate refuses.
const Blocked fault.Code = "PROMOTION_BLOCKED" // A promotion gate is closed; the message says how to open it.

// Promotion is everything that decides whether a version may become canonical.
type Promotion struct {
	Record    record.Record
	Type      record.Type
	By        string
	Reason    string
	Authority bool // By is a person who may decide
	// Unattended are the types that may be promoted without a person.
	Unattended []string
	// Holder is another record that is canonical for the type and the module, or "". Replace
	// means that it is to be displaced.
	Holder  string
	Replace bool
	// Supersedes are the types of other records that it sets aside, and Ends the canonical
	// versions of key types among them.
	Supersedes, Ends []string
	// Leaves is the module that would lose its canonical version of a key type, since the
	// record has moved to another module.
	Leaves string
	// Due are the modules of the decision whose memo is due, and Limit is how many records may
	// be in no memo.
	Due   []Overdue
	Limit int
	// Missing are links to missing versions, and Faults the lint findings.
	Missing, Faults []string
	// Rehearsed are its direct and indirect dependencies from rehearsals. Unknown means that
	// there are too many dependencies to check.
	Rehearsed []string
	Unknown   bool
	// Outdated is why the version is stale: its dependencies that no longer hold. Stale means that
	// it is to be promoted nevertheless.
	Outdated []string
	Stale    bool
}

// Overdue is a module and the number of its records that no memo covers.
type Overdue struct {
	Module  string
	Changed int
}

// Refusal is why a gate is closed.
type Refusal struct {
	Gate   string
	Detail string
	Hint   string
}

// Names of the gates.
const (
	GateReason      = "reason"
	GateApproval    = "approval"
	GateScope       = "scope"
	GateLint        = "lint"
	GateRebase      = "rebase"
	GateCompression = "compression"
	GateHolder      = "holder"
)

// Gates returns every reason not to promote.
func Gates(p *Promotion) []Refusal {
	var all []Refusal
	refuse := func(when bool, gate, hint, format string, args ...any) {
		if when {
			all = append(all, Refusal{Gate: gate, Detail: fmt.Sprintf(format, args...), Hint: hint})
		}
	}
	r := &p.Record
	refuse(strings.TrimSpace(p.Reason) == "", GateReason, "pass -m REASON", "no reason given")
	refuse(!p.Authority && !slices.Contains(p.Unattended, r.Type), GateApproval,
		"promote it as the operator or an authority of brenner.yaml; the types of store.unattended need no approval",
		"%s has no authority to promote it", fault.Shown(p.By))
	for _, kind := range p.Supersedes {
		refuse(!p.Authority && !slices.Contains(p.Unattended, kind), GateApproval,
			"promote it as the operator or an authority of brenner.yaml", "%s has no authority to set aside %s, which it supersedes", fault.Shown(p.By), record.A(kind))
	}
	refuse(p.Type.Raw || r.Type == record.TaskSpec, GateScope, "", "a %s is never canonical", r.Type)
	refuse(p.Type.Whole && r.Module != record.Project, GateScope, "put it with the module "+record.Project,
		"a %s belongs to the whole project, not to %s", r.Type, fault.Shown(r.Module))
	for _, ref := range p.Rehearsed {
		refuse(true, GateScope, "put a version that does not depend on it", "it depends on %s, which comes from a rehearsal", ref)
	}
	refuse(p.Unknown, GateScope, "link to memos instead", "it has too many dependencies to check for rehearsals")
	refuse(record.Rehearsed(r), GateScope, "", "it comes from a rehearsal, whose agents are scripted")
	refuse(r.StaleSummary(), GateLint, "put a version with --summary, or run `brenner store check summaries --mend`",
		"its summary was written for different content")
	for _, link := range p.Missing {
		refuse(true, GateLint, "", "it links to %s, which is missing", link)
	}
	for _, f := range p.Faults {
		refuse(true, GateLint, "", "%s", f)
	}
	refuse(p.Type.Core && r.Parent > 0 && strings.TrimSpace(r.Change) == "", GateLint, "put the version with -m",
		"a new version of %s needs a change note", record.A(r.Type))
	for _, why := range p.Outdated {
		refuse(!p.Stale || !p.Authority, GateRebase, p.staleHint(), "it depends on %s", why)
	}
	// Put cannot add versions of a session's artifact, so a promotion restores it.
	refuse(r.Status == record.Deprecated && r.Type != record.ResearchArtifact, GateScope, "put it as a new version with `brenner store revert "+r.Ref().String()+" -m REASON`", "it is deprecated")
	for _, due := range p.Due {
		refuse(true, GateCompression, "draft the memo with `brenner store consolidate --module "+due.Module+"`, and promote it first",
			"compression of the module %s is due: %d records are in no memo, and the limit is %d", fault.Shown(due.Module), due.Changed, p.Limit)
	}
	refuse(p.Type.Key && p.Holder != "" && !p.Replace, GateHolder, "pass --replace to make that one an alternative",
		"%s is the canonical %s of %s", fault.Shown(p.Holder), r.Type, fault.Shown(r.Module))
	for _, ref := range p.Ends {
		refuse(!p.Replace, GateHolder, "pass --replace to make that one an alternative", "it supersedes %s, which is canonical", fault.Shown(ref))
	}
	refuse(p.Leaves != "", GateHolder, "put it under another id",
		"it is the canonical %s of %s, which would then have none", r.Type, fault.Shown(p.Leaves))
	return all
}

func (p *Promotion) staleHint() string {
	switch {
	case p.Stale:
		return "only the operator and the authorities of brenner.yaml may promote a stale version"
	case p.Record.Type == record.ResearchArtifact:
		return "start a session, whose agents are shown the current ones, or promote this one as it is with --stale -m REASON"
	}
	return "put a version that depends on current ones and names them with --link or --task, or promote this one as it is with --stale -m REASON"
}

// MemoOf returns the type that summarizes a module: its memo, or the summary of the project.
func MemoOf(module string) string {
	if module == record.Project {
		return record.ProjectSummary
	}
	return record.IntegratedMemo
}

// RefusalError returns one fault for each refusal.
func RefusalError(ref record.Ref, all []Refusal) error {
	var list fault.List
	for _, r := range all {
		list = append(list, &fault.Error{Code: Blocked, Op: "promote " + fault.Shown(ref.String()), Place: "gate " + r.Gate, Detail: r.Detail, Hint: r.Hint})
	}
	return list.Err()
}
