package govern

import (
	"context"
	"unicode/utf8"

	"brenner/govern/brief"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store/record"
)

// briefOf reads the fields of a version of the project's brief.
func (rs *Records) briefOf(ctx context.Context, r *record.Record) (brief.Brief, error) {
	content, err := rs.Content(ctx, r)
	return brief.Parse(string(content)), err
}

// canonicalBrief returns the canonical brief of the project and its fields, or nil.
func (rs *Records) canonicalBrief(ctx context.Context) (*record.Record, brief.Brief, error) {
	h, err := rs.holderOf(ctx, record.ProjectBrief, record.Project)
	if err != nil || h == nil {
		return nil, brief.Brief{}, err
	}
	r, err := rs.standingRecord(ctx, h)
	if err != nil {
		return nil, brief.Brief{}, err
	}
	b, err := rs.briefOf(ctx, &r)
	return &r, b, err
}

// stateGoals replaces the summaries of briefs by their goals. Those of earlier programs may say
// something else.
func (rs *Records) stateGoals(ctx context.Context, all []record.Record) error {
	for i := range all {
		if all[i].Type != record.ProjectBrief {
			continue
		}
		b, err := rs.briefOf(ctx, &all[i])
		if err != nil {
			return err
		}
		all[i].Summary = text.Clip(b.Stated(), record.MaxSummary)
	}
	return nil
}

// setGoal sets the summary of a brief to its goal. No other summary is accepted.
func setGoal(r, parent *record.Record, draft *Draft) error {
	b := brief.Parse(string(draft.Content))
	goal, err := b.Summary()
	op := "put " + fault.Shown(r.ID)
	switch {
	case err != nil:
		return &fault.Error{Code: brief.Bad, Op: op, Cause: err}
	case draft.Summary != "" && oneLine(draft.Summary) != goal:
		return &fault.Error{Code: brief.Bad, Op: op, Detail: "the summary differs from the goal, which is the summary of a brief", Hint: "omit --summary, or change the goal in the text"}
	case draft.KeepSummary && parent.Version > 0 && parent.Summary != goal:
		return &fault.Error{Code: brief.Bad, Op: op, Detail: "the goal has changed, and it is the summary of a brief", Hint: "omit --keep-summary"}
	}
	r.Summary, r.SummaryBy, r.SummaryOf = goal, record.Given, r.Content
	return nil
}

// restateGoal puts a version of a brief whose summary is its goal.
func (rs *Records) restateGoal(ctx context.Context, who Actor, r *record.Record) (Put, error) {
	b, err := rs.briefOf(ctx, r)
	if err != nil {
		return Put{}, err
	}
	goal, err := b.Summary()
	if err != nil {
		return Put{}, &fault.Error{Code: brief.Bad, Op: "summarise " + r.Ref().String(), Cause: err}
	}
	if r.Summary == goal {
		return Put{}, &fault.Error{Code: NothingNew, Op: "summarise " + r.Ref().String(), Detail: "its summary is its goal", Hint: "nothing was written"}
	}
	content, err := rs.Content(ctx, r)
	if err != nil {
		return Put{}, err
	}
	draft := Draft{ID: r.ID, Type: r.Type, Content: content, Tags: r.Tags, Change: "its summary is its goal"}
	if draft.Parent, err = rs.summaryParent(ctx, r, true); err != nil {
		return Put{}, err
	}
	return rs.putOne(ctx, who, draft)
}

// briefFault returns what is wrong with a brief of an earlier program, and how to fix it, or "".
func (rs *Records) briefFault(ctx context.Context, r *record.Record) (detail, fix string, err error) {
	b, err := rs.briefOf(ctx, r)
	if err != nil {
		return "", "", err
	}
	switch goal, bad := b.Summary(); {
	case b.Goal() == "":
		return noGoal, "add a heading \"## Goal\": `brenner project brief FILE -m REASON`", nil
	case utf8.RuneCountInString(b.Goal()) > record.MaxSummary:
		return longGoal, "shorten it: `brenner project brief FILE -m REASON`", nil
	case bad != nil:
		return badGoal, "change it: `brenner project brief FILE -m REASON`", nil
	case r.Summary != goal:
		return otherSummary, "`brenner store check summaries --mend`", nil
	}
	return "", "", nil
}

// BriefProblem is what is wrong with the canonical brief, and how to fix it.
type BriefProblem struct {
	Ref    string `json:"record"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

// BriefProblem returns what is wrong with the canonical brief, which an earlier program may have
// put, or nil.
func (rs *Records) BriefProblem(ctx context.Context) (*BriefProblem, error) {
	r, _, err := rs.canonicalBrief(ctx)
	if err != nil || r == nil {
		return nil, err
	}
	detail, fix, err := rs.briefFault(ctx, r)
	if err != nil || detail == "" {
		return nil, err
	}
	return &BriefProblem{r.Ref().String(), detail, fix}, nil
}

// Details of findings about briefs.
const (
	noGoal       = "the brief does not state a goal"
	longGoal     = "its goal is too long for a summary"
	badGoal      = "its goal cannot be its summary, or a table or HTML names its fields"
	otherSummary = "its summary is not its goal"
)
