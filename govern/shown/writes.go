package shown

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"brenner/artifact/delta"
	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store/record"
)

// NotAsked is the code of a record in a repair that was not asked for.
const NotAsked fault.Code = "NOT_ASKED" // A repair changes a record of the reply with which nothing was wrong; the first one stands.

// Write puts the records of a reply, within the rights of its author's role.
func (p *Records) Write(ctx context.Context, in *session.WriteInput) ([]session.PatchOutcome, error) {
	who := govern.Actor{Name: in.Agent, Role: in.Role}
	w, note, err := p.writingOf(ctx, in)
	if err != nil {
		return nil, err
	}
	drafts, out, err := p.correct(ctx, who, w)
	if err != nil {
		return nil, err
	}
	w.Drafts = drafts
	all, err := p.Records.WriteBy(ctx, who, w)
	if err != nil {
		return nil, err
	}
	for i := range all {
		one, err := outcomeOf(&drafts[all[i].Draft], &all[i])
		if err != nil {
			return nil, err
		}
		if one.Made != "" {
			beside, err := besideNote(ctx, p.Records, all[i].Made)
			if err != nil {
				return nil, err
			}
			one.Message = withIgnored(drafts[all[i].Draft].Ignored, note, beside)
		}
		out = append(out, one)
	}
	return out, nil
}

// withIgnored returns the notes about a record, and the keys of it that were left out.
func withIgnored(ignored []string, notes ...string) string {
	const most = 5
	all := ignored[:min(len(ignored), most)]
	if more := len(ignored) - len(all); more > 0 {
		all = append(slices.Clone(all), fmt.Sprintf("and %d more", more))
	}
	all = slices.DeleteFunc(slices.Concat(notes, all), func(one string) bool { return one == "" })
	return strings.Join(all, "; ")
}

func outcomeOf(d *delta.Draft, o *govern.WriteOutcome) (session.PatchOutcome, error) {
	text, err := json.Marshal(d, json.Deterministic(true))
	out := session.PatchOutcome{
		Patch:      flow.Patch{Record: o.Name, Code: o.Code, Message: o.Message, Hint: o.Hint, Kind: flow.RecordKind},
		BlocksText: string(text),
	}
	if o.Made != nil {
		out.Made, out.Status = o.Made.Ref().String(), o.Made.Status
	}
	return out, err
}

// correct chooses between the records of a reply and those of its repair: one that could be put as it was
// stands. It returns what to put, and a row for each of the others.
func (p *Records) correct(ctx context.Context, who govern.Actor, in *govern.Writing) (drafts []delta.Draft, rows []session.PatchOutcome, err error) {
	if !slices.ContainsFunc(in.Drafts, func(d delta.Draft) bool { return d.Repair }) {
		return in.Drafts, nil, nil
	}
	var first []delta.Draft
	at := make(map[int]int) // the index in first, by index in the drafts
	for i, d := range in.Drafts {
		if d.First != nil {
			d = *d.First
		}
		if !d.Repair {
			at[i], first = len(first), append(first, d)
		}
	}
	w := *in
	w.Drafts = first
	checked, err := p.Records.CheckBy(ctx, who, &w)
	if err != nil {
		return nil, nil, err
	}
	if err := p.Records.LogAttempts(ctx, who, in.Source, checked); err != nil { // also of what is corrected
		return nil, nil, err
	}
	instead := renamed(in.Drafts, checked, at)
	for i := range in.Drafts {
		d := &in.Drafts[i]
		n, wasFirst := at[i]
		var left *delta.Draft // and why
		var why govern.WriteOutcome
		switch {
		case d.First != nil && checked[n].Code == "":
			left, d = d, d.First
			why = govern.WriteOutcome{
				Name: checked[n].Name, Code: NotAsked, Message: "nothing was wrong with the record; it stands as in the first reply",
				Hint: "in a repair, send only what the request names",
			}
		case d.First != nil:
			left, why = d.First, checked[n]
		case wasFirst && instead[i]:
			left, d, why = d, nil, checked[n]
		}
		if d != nil {
			drafts = append(drafts, *d)
		}
		if left != nil {
			row, err := outcomeOf(left, &why)
			if err != nil {
				return nil, nil, err
			}
			row.Corrected = !left.Repair
			rows = append(rows, row)
		}
	}
	return drafts, rows, nil
}

// renamed finds the records of a reply that its repair has under another id: with the same content, or, if
// the id was wrong, in the same order.
func renamed(drafts []delta.Draft, checked []govern.WriteOutcome, at map[int]int) map[int]bool {
	used, found := make(map[int]bool), make(map[int]bool)
	for _, sameText := range []bool{true, false} {
		for i := range drafts {
			n, wasFirst := at[i]
			if !wasFirst || found[i] || drafts[i].First != nil || checked[n].Code == "" || !checked[n].Mendable {
				continue
			}
			for by, d := range drafts {
				isNew := d.Repair && d.First == nil && d.Operation == drafts[i].Operation && !used[by]
				if isNew && (sameText && d.Content == drafts[i].Content || !sameText && checked[n].Code == govern.BadID) {
					used[by], found[i] = true, true
					break
				}
			}
		}
	}
	return found
}

// Mistakes returns what Write would refuse, for a request to correct it.
func (p *Records) Mistakes(ctx context.Context, in *session.WriteInput) ([]settle.Defect, error) {
	w, _, err := p.writingOf(ctx, in)
	if err != nil {
		return nil, err
	}
	all, err := p.Records.CheckBy(ctx, govern.Actor{Name: in.Agent, Role: in.Role}, w)
	if err != nil {
		return nil, err
	}
	var defects []settle.Defect
	// An order such as PROMOTE cannot be corrected, but the task may still be done.
	isUndone := w.Task != "" && !slices.ContainsFunc(all, func(o govern.WriteOutcome) bool { return o.Code == "" })
	for i := range all {
		one := &all[i]
		if one.Code == "" {
			continue
		}
		d := &in.Drafts[one.Draft]
		if isUndone && d.Operation != delta.Add && !one.Mendable {
			one.Mendable, one.Hint = true, "leave it out, and send the record that the task asks for, or the line NO CHANGES with a reason: "+one.Hint
		}
		defects = append(defects, settle.Defect{
			Block: d.Block, Line: d.Line, Operation: d.Operation, Section: delta.RecordSection, Target: one.Name,
			Final: !one.Mendable, Code: one.Code, Message: one.Message, Hint: one.Hint,
		})
	}
	return defects, nil
}

// writingOf returns the records of a reply. They are linked to the session's task if the store has it; else
// the note says why not.
func (p *Records) writingOf(ctx context.Context, in *session.WriteInput) (_ *govern.Writing, note string, err error) {
	w := &govern.Writing{
		Drafts: in.Drafts, Source: in.Source, Repair: in.Repair, Task: in.Opened.Task, Module: in.Module,
		Change: fmt.Sprintf("%s, round %d: the answer to %s", in.Thread, in.Round, in.Call),
	}
	if in.Rehearsal {
		w.Tags = []string{record.Rehearsal} // like everything that the session writes
	}
	for _, r := range in.Shown {
		w.Inputs = append(w.Inputs, contexts.ShownRecord{Ref: record.Ref{ID: r.ID, Version: r.Version}, Type: r.Type, Form: view.Form(r.Form), Content: r.Content})
	}
	if w.Task == "" {
		return w, "", nil
	}
	why, err := whyOther(ctx, p.Records, in.Opened)
	if why != "" {
		w.Task, note = "", "not linked to its task: "+why
	}
	return w, note, err
}
