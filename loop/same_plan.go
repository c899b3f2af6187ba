package loop

import (
	"brenner/internal/fault"
	"brenner/store/journal"
)

// PlanChanged is the code of a plan that is not the one a loop was opened with.
const PlanChanged fault.Code = "PLAN_CHANGED"

// CheckWork refuses to go on with a loop by a plan of other work than it was opened
// with: what the plan asks for would silently not happen. Limits may change. File is the
// plan's file, for the error.
func (o *Opened) CheckWork(plan *Opened, file string) error {
	was, err := journal.Encode(o.Work)
	if err != nil {
		return err
	}
	is, err := journal.Encode(plan.Work)
	if err != nil || string(is) == string(was) {
		return err
	}
	return &fault.Error{
		Code: PlanChanged, Place: file, Detail: "the loop " + o.Name + " was begun with another plan: its questions, rosters, models, sessions or their settings differ",
		Hint: "rounds, concurrency, the whole budget, stop: and failed: may change; for other work choose another name: or --run, or `brenner loop add`",
	}
}

// CheckPlan is CheckWork for a loop that has ended and is not run: an unchanged file is the
// same plan, whatever the configuration says by now.
func (o *Opened) CheckPlan(plan *Opened, file string) error {
	if o.Plan == plan.Plan {
		return nil
	}
	return o.CheckWork(plan, file)
}

// IsOf reports whether a loop was begun with a plan, changed since or not.
func (o *Opened) IsOf(plan *Opened) bool {
	return plan.File != "" && o.File == plan.File || o.CheckPlan(plan, "") == nil
}
