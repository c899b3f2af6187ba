package govern

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/govern/blocks"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// Writing is the records in an agent's reply.
type Writing struct {
	Drafts []delta.Draft
	// Inputs are all records that the agent was shown, in any form. It may link to these versions,
	// and put the next version of those whose form is full.
	Inputs []contexts.ShownRecord
	Source record.Ref // the record of the reply
	Repair record.Ref // the record of its repair, from which drafts marked so derive; zero means Source
	Task   string     // the address of the task spec whose result they are, or ""
	Module string     // of the session; the default is that of the task, or else the whole project
	Change string     // why the records are made, if the agent does not say it
	Tags   []string   // in addition to the agent's
}

// WriteOutcome is the outcome of one record in a reply.
type WriteOutcome struct {
	Draft   int            // its index
	Name    string         // its id, as the agent wrote it
	Made    *record.Record // the version, including one that needs a rebase; nil in a check
	Code    fault.Code     // why there is none; "" if there is
	Message string
	Hint    string
	// Mendable reports whether the agent could correct it, if asked.
	Mendable bool

	refused *refusedEvent // what is logged of it, or nil
}

// WriteBy puts the records in an agent's reply as drafts, within the rights of its role. Each is put
// or refused by itself; all that are put are in one change. The same reply twice puts and logs
// nothing twice.
func (rs *Records) WriteBy(ctx context.Context, who Actor, in *Writing) ([]WriteOutcome, error) {
	for _, source := range []record.Ref{in.Source, cmp.Or(in.Repair, in.Source)} {
		if err := rs.checkSource(ctx, source); err != nil {
			return nil, err
		}
	}
	w, err := rs.writer(ctx, who, in)
	if err != nil {
		return nil, err
	}
	if err := rs.putAll(ctx, w.who, func(b *putting) error { return w.putDrafts(ctx, b) }); err != nil {
		return nil, err
	}
	return w.out, rs.LogAttempts(ctx, w.who, in.Source, w.out)
}

// LogAttempts logs what the author of a reply may not do, as outcomes of its records say. It logs nothing twice.
func (rs *Records) LogAttempts(ctx context.Context, who Actor, source record.Ref, of []WriteOutcome) error {
	who.source = source
	for i := range of {
		if e := of[i].refused; e != nil {
			if err := rs.logRefusal(ctx, who, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckBy returns the outcomes that WriteBy would have. It writes and logs nothing.
func (rs *Records) CheckBy(ctx context.Context, who Actor, in *Writing) ([]WriteOutcome, error) {
	w, err := rs.writer(ctx, who, in)
	if err != nil {
		return nil, err
	}
	err = rs.putAll(ctx, w.who, func(b *putting) error {
		err := w.putDrafts(ctx, b)
		b.c.records = nil
		return err
	})
	for i := range w.out {
		w.out[i].Made = nil
	}
	return w.out, err
}

// writer puts the records in one reply.
type writer struct {
	in     *Writing
	who    Actor
	module string
	cross  bool         // it may put records of other modules
	task   record.Ref   // or zero
	inputs []record.Ref // of the task, as far as they were shown
	shown  []record.Ref
	full   map[string]int // the versions shown in full, by id

	// Of one attempt to put them:
	b    *putting
	made map[string]record.Ref // the records of this reply, by id
	seen map[string]bool       // the ids in this reply
	out  []WriteOutcome
}

func (rs *Records) writer(ctx context.Context, who Actor, in *Writing) (*writer, error) {
	who.source = in.Source
	w := &writer{in: in, who: who, module: cmp.Or(in.Module, record.Project), full: make(map[string]int)}
	if spec, err := rs.view(who.Role); err == nil { // a role without a view has no rights
		w.cross = spec.Cross
	}
	var err error
	if w.shown, err = rs.here(ctx, in.Inputs); err != nil {
		return nil, err
	}
	for _, s := range in.Inputs {
		if s.Form == view.Full && slices.Contains(w.shown, s.Ref) {
			w.full[s.Ref.ID] = max(w.full[s.Ref.ID], s.Ref.Version)
		}
	}
	if in.Task == "" {
		return w, nil
	}
	r, task, _, err := rs.Task(ctx, in.Task)
	if err != nil {
		return nil, err
	}
	w.task, w.module, w.cross = r.Ref(), task.Module, w.cross || task.Cross
	for i := range task.Inputs {
		if ref := task.Inputs[i].Ref(); slices.Contains(w.shown, ref) {
			w.inputs = append(w.inputs, ref)
		}
	}
	return w, nil
}

func (w *writer) putDrafts(ctx context.Context, b *putting) error {
	w.b, w.out = b, make([]WriteOutcome, len(w.in.Drafts))
	w.made, w.seen = make(map[string]record.Ref), make(map[string]bool)
	for _, i := range blocks.LinkOrder(w.in.Drafts) {
		d := &w.in.Drafts[i]
		b.nth = i
		o := WriteOutcome{Draft: i, Name: fault.Shown(cmp.Or(d.ID, d.Target))}
		made, err := w.putDraft(ctx, d)
		var no *refusedDraft
		switch {
		case err == nil:
			o.Made, w.made[made.ID] = made, made.Ref()
		case errors.As(err, &no):
			o.Mendable = !no.final
			if no.action != "" {
				o.refused = &refusedEvent{By: w.who.Name, Role: w.who.Role, Action: no.action, Type: no.kind, ID: o.Name, Code: policy.OutOfScope, Why: no.why}
			}
		case fault.CodeOf(err) == NothingNew:
		case isAuthorError(err), fault.CodeOf(err) == BadID, fault.CodeOf(err) == record.UnknownType:
			o.Mendable = true
		default:
			return err
		}
		if err != nil {
			o.Code, o.Message, o.Hint = fault.CodeOf(err), err.Error(), agentHint(fault.HintOf(err))
		}
		w.out[i] = o
	}
	return nil
}

// refusedDraft is why a record in a reply is not put, beyond the rules for all drafts.
type refusedDraft struct {
	error
	final        bool     // its author cannot correct it
	action, kind string   // what is logged; nothing if the action is empty
	why          []string // in the log
}

func (r *refusedDraft) Unwrap() error { return r.error }

// overstepped refuses an attempt outside the scope of an agent, which is logged.
func overstepped(action, kind, hint, format string, args ...any) *refusedDraft {
	detail := fmt.Sprintf(format, args...)
	return &refusedDraft{error: &fault.Error{Code: policy.OutOfScope, Detail: detail, Hint: hint}, action: action, kind: kind, why: []string{detail}}
}

func mistaken(code fault.Code, hint, format string, args ...any) error {
	return &fault.Error{Code: code, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// putDraft puts one record, or returns the version that the same reply made before.
func (w *writer) putDraft(ctx context.Context, d *delta.Draft) (*record.Record, error) {
	if err := w.checkAction(d); err != nil {
		return nil, err
	}
	if err := CheckID("id", d.ID); err != nil {
		return nil, err
	}
	if w.seen[d.ID] {
		return nil, mistaken(BadID, "write each record once, and under an id of its own", "the reply has two records with the id %s", d.ID)
	}
	w.seen[d.ID] = true
	h, err := w.b.headOf(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	if before, err := w.existing(ctx, d, &h); err != nil || before != nil {
		return before, err
	}
	kind, err := w.kindOf(ctx, d, &h)
	if err != nil {
		return nil, err
	}
	draft := Draft{
		ID: d.ID, Type: kind, Parent: w.full[d.ID], Content: []byte(d.Content), Summary: strings.Join(strings.Fields(d.Summary), " "),
		Tags: slices.Concat(d.Tags, w.in.Tags), shown: w.inputs, source: w.source(d), unparented: h.Latest == 0,
	}
	if h.Latest == 0 {
		draft.Parent = 0
	}
	if w.task.ID != "" {
		draft.Task = w.task.String()
	}
	if err := w.setParent(ctx, &draft, d, &h); err != nil {
		return nil, err
	}
	if draft.Links, err = w.links(d, kind); err != nil {
		return nil, err
	}
	put, err := w.b.put(ctx, &draft)
	return &put.Record, err
}

// checkAction refuses everything but to put a draft.
func (w *writer) checkAction(d *delta.Draft) error {
	const hint = "agents put drafts; a person decides what becomes of them"
	kind := w.typeOf(d)
	switch op := fault.Shown(d.Operation); {
	case d.Operation == delta.Add || d.Operation == "":
	case d.IsChange():
		return overstepped(strings.ToLower(op), kind, "ADD the whole record under the same id, or change its text with a search/replace block", "a record cannot be changed with %s", op)
	default:
		no := overstepped(strings.ToLower(op), kind, hint, "%s may not %s records", fault.Shown(w.who.Name), strings.ToLower(op))
		no.final = true
		return no
	}
	switch d.Status {
	case "", record.Draft:
		return nil
	case record.Deprecated:
		return overstepped("deprecate", kind, hint+": omit the status", "%s may not set the status %s", fault.Shown(w.who.Name), d.Status)
	}
	return overstepped("promote", kind, hint+": omit the status", "%s may not set the status %s", fault.Shown(w.who.Name), fault.Shown(d.Status))
}

// typeOf returns the type of a record for the log: as the agent was shown it, or as it wrote it.
func (w *writer) typeOf(d *delta.Draft) string {
	for _, s := range w.in.Inputs {
		if s.Ref.ID == d.ID {
			return s.Type
		}
	}
	if _, known := w.b.Types.Find(d.Type); known {
		return d.Type
	}
	return ""
}

// existing returns the version that the same reply made before a kill, or nil.
func (w *writer) existing(ctx context.Context, d *delta.Draft, h *record.Head) (*record.Record, error) {
	if h.Latest == 0 || w.in.Source.ID == "" {
		return nil, nil
	}
	all, err := w.b.Store.Records(ctx, store.Query{ID: d.ID})
	if err != nil {
		return nil, err
	}
	content := store.Hash([]byte(d.Content))
	link := sourceLink(w.source(d))
	for i := range all {
		if r := &all[i]; r.Creator == w.who.Name && r.Content == content && slices.Contains(r.Links, link) {
			return r, nil
		}
	}
	return nil, nil
}

// kindOf returns the type of a record, which the agent may write.
func (w *writer) kindOf(ctx context.Context, d *delta.Draft, h *record.Head) (string, error) {
	rs := w.b.Records
	access, _ := rs.Access.Of(w.who.Role)
	may := "the role may write: " + strings.Join(access.Write, ", ")
	if len(access.Write) == 0 {
		may = "the role may write no records"
	}
	kind := d.Type
	if h.Latest > 0 && w.full[d.ID] == 0 {
		if !rs.Access.MayWrite(w.who.Role, h.Type) {
			no := overstepped("write", h.Type, "choose another id", "%s may not write %s as %s", fault.Shown(w.who.Name), d.ID, fault.Shown(w.who.Role))
			return "", no
		}
		return "", mistaken(BadID, "choose another id; only records that were shown in full can be replaced", "another record has the id %s", d.ID)
	}
	if kind == "" {
		kind = h.Type
	}
	if kind == "" {
		return "", mistaken(BadRecord, "set the key type; "+may, "%s is a new record, and its type is missing", d.ID)
	}
	if err := rs.Types.Check(kind); err != nil {
		return "", &fault.Error{Code: fault.CodeOf(err), Cause: err, Hint: may}
	}
	o, err := rs.outOfScope(ctx, w.who, &Draft{ID: d.ID, Type: kind})
	if err != nil || o == nil {
		return kind, err
	}
	no := overstepped(o.action, o.kind, may, "%s may not %s %s as %s", fault.Shown(w.who.Name), o.action, record.A(o.kind), fault.Shown(w.who.Role))
	no.final, no.why = len(access.Write) == 0, nil // the log says why
	return "", no
}

// setParent fills in what depends on whether the record is new: its module, its tags, why it was made,
// and whether its inputs have moved.
func (w *writer) setParent(ctx context.Context, draft *Draft, d *delta.Draft, h *record.Head) error {
	kind, _ := w.b.Types.Find(draft.Type)
	why := strings.TrimSpace(cmp.Or(d.Change, d.Rationale))
	if !kind.Core || h.Latest == 0 {
		why = cmp.Or(why, w.in.Change)
	}
	draft.Change = why
	module := w.module
	if draft.Parent > 0 {
		parent, err := w.b.Version(ctx, record.Ref{ID: d.ID, Version: draft.Parent}, h.Latest)
		if err != nil {
			return err
		}
		module = parent.Module
		if len(d.Tags) == 0 {
			draft.Tags = slices.Concat(parent.Tags, draft.Tags)
		}
		tips, err := w.b.Store.Tips(ctx, d.ID)
		if err != nil {
			return err
		}
		draft.rebase = !slices.Contains(tips, draft.Parent)
	}
	draft.Tags = slices.Compact(slices.Sorted(slices.Values(draft.Tags)))
	if !policy.NeverStale(draft.Type) {
		moved, err := w.b.Graph().NoLongerHold(ctx, d.ID, w.shown)
		if err != nil {
			return err
		}
		draft.rebase = draft.rebase || len(moved) > 0
	}
	switch {
	case kind.Whole: // it has no module
		draft.Module = d.Module
	case d.Module == "" || d.Module == module:
		draft.Module = module
	case !w.cross:
		return overstepped("write", draft.Type, "omit the key module", "%s is of the module %s, but the agent works on %s", d.ID, fault.Shown(d.Module), module)
	default:
		draft.Module = d.Module
	}
	return nil
}

var agentHints = strings.NewReplacer(
	"put a verdict with `brenner stalemate rule`, or ", "", "open a stalemate with `brenner stalemate open`, or ", "",
	"create it with `brenner store pin`", "only a person pins tasks; use another type",
	"create one with `brenner session start`, change one with `brenner session apply`", "use another type",
)

// agentHint returns a hint for an agent, which has neither flags nor commands.
func agentHint(hint string) string {
	return batchHints.Replace(agentHints.Replace(hint))
}
