package govern

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/govern/blocks"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// Reply is an agent's reply to a message with texts of records.
type Reply struct {
	Text   []byte
	Reader delta.Reader // by whose rules it is read
	// Shown are the versions shown in full. The agent cannot change others, nor learn their
	// text from an error.
	Shown []record.Ref
	// Inputs are all records that the agent was shown, in any form: its versions rest on them.
	Inputs []contexts.ShownRecord
	Change string   // why a new version is made
	Tags   []string // in addition to the record's
	// Source is the record of the reply, from which its versions derive; zero if there is none.
	Source record.Ref
	Task   string // the address of the task spec that it answers, or ""
}

// PatchOutcome is the outcome of the search/replace blocks and anchor patches about one text.
type PatchOutcome = blocks.Outcome

// PatchBy makes versions from the search/replace blocks and anchor patches in an agent's reply. They apply
// to the version that was shown; if that is no longer the latest, the result needs a rebase. The same reply
// twice makes one version.
func (rs *Records) PatchBy(ctx context.Context, who Actor, a *Reply) ([]PatchOutcome, error) {
	if who.source = a.Source; a.Source.ID != "" {
		if err := rs.checkSource(ctx, a.Source); err != nil {
			return nil, err
		}
	}
	return rs.eachPatch(a, func(on *blocks.Group) (PatchOutcome, error) { return rs.patchBy(ctx, who, a, on) })
}

// CheckPatches returns what PatchBy would refuse, and what it would apply, with neither a version nor a
// problem. It writes nothing.
func (rs *Records) CheckPatches(ctx context.Context, who Actor, a *Reply) ([]PatchOutcome, error) {
	return rs.eachPatch(a, func(on *blocks.Group) (PatchOutcome, error) { return rs.checkPatch(ctx, who, a, on) })
}

// eachPatch returns the outcomes of the blocks of a reply: of those that are not applied, and of each text.
func (rs *Records) eachPatch(a *Reply, outcome func(*blocks.Group) (PatchOutcome, error)) ([]PatchOutcome, error) {
	found := patch.ReadBlocks(a.Text, a.Reader, blocks.Names(a.Shown)...)
	all := blocks.Shown(found.Shown)
	if broken := found.Problems; len(broken) > 0 {
		if broken[0].Line > 0 { // the meaning of the other blocks is uncertain
			all = append(all, PatchOutcome{Name: blocks.WholeReply, Line: broken[0].Line, Blocks: string(a.Text), Problem: broken})
		}
		return all, nil
	}
	for _, group := range blocks.ByText(found.Blocks, a.Shown) {
		c, err := outcome(group)
		if err != nil {
			return nil, err
		}
		c.Line = group.Blocks[0].Line
		all = append(all, c)
	}
	return all, nil
}

func (rs *Records) checkPatch(ctx context.Context, who Actor, a *Reply, on *blocks.Group) (PatchOutcome, error) {
	if on.Ref == (record.Ref{}) {
		return rs.unnamed(ctx, who, a, on)
	}
	c := PatchOutcome{Name: on.Name}
	ok, err := rs.mayPatch(ctx, who, on.Ref)
	if err != nil || !ok {
		c.Problem = []patch.Problem{{Code: policy.OutOfScope, Message: "the role may not change " + on.Name, Hint: "leave it out"}}
		return c, err
	}
	r, _, text, err := rs.Text(ctx, who, on.Ref.String())
	if err != nil {
		return c, err
	}
	p, report := patch.Convert(r.ID, text, on.Blocks)
	if c.Problem = report.Problems; !report.OK() {
		return c, nil
	}
	if next, _ := p.ApplyTo(text, r.Version, nil); next != nil {
		if err := checkDraft(&Draft{ID: r.ID, Content: next.Bytes()}); err != nil {
			c.Problem = []patch.Problem{{Code: fault.CodeOf(err), Message: err.Error(), Hint: "keep a part of the text, or leave the change out"}}
		}
	}
	return c, nil
}

// unnamed returns the outcome of blocks whose text was not shown, or is not known.
func (rs *Records) unnamed(ctx context.Context, who Actor, a *Reply, on *blocks.Group) (PatchOutcome, error) {
	c := PatchOutcome{Name: blocks.ClippedName(on.Name), Blocks: patch.WriteBlocks(on.Name, on.Blocks), Problem: on.Broken}
	if on.Broken != nil {
		return c, nil
	}
	writable, err := filter(a.Shown, func(ref record.Ref) (bool, error) { return rs.mayPatch(ctx, who, ref) })
	c.Name, c.Problem = on.NotShown(writable)
	return c, err
}

func (rs *Records) patchBy(ctx context.Context, who Actor, a *Reply, on *blocks.Group) (PatchOutcome, error) {
	if on.Ref == (record.Ref{}) {
		c, err := rs.unnamed(ctx, who, a, on)
		return c, cmp.Or(err, rs.logUnshown(ctx, who, on.Blocks))
	}
	c := PatchOutcome{Name: on.Name, Blocks: patch.WriteBlocks(on.Name, on.Blocks)}
	r, _, text, err := rs.Text(ctx, who, on.Ref.String())
	if err == nil {
		c.Content = r.Content
		err = rs.mayPut(ctx, who, &Draft{ID: r.ID, Type: r.Type})
	}
	if err != nil {
		err = problemFrom(&c, err)
		return c, err
	}
	p, report := patch.Convert(r.ID, text, on.Blocks)
	if c.Problem = report.Problems; !report.OK() {
		return c, nil
	}
	c.Patch = p.JSON()
	for _, w := range report.Warnings {
		c.Warning = strings.TrimSpace(c.Warning + " " + w.Message)
	}
	if c.Made, err = rs.existingResult(ctx, who, a, &r, &p, text); err != nil || c.Made != nil {
		return c, err
	}
	inputs, err := rs.here(ctx, a.Inputs)
	if err != nil {
		return c, err
	}
	out, err := rs.Patch(ctx, who, &Patching{Address: on.Ref.String(), Patches: []patch.Patch{p}, Change: a.Change, Tags: a.Tags, inputs: inputs, source: a.Source, task: a.Task})
	if err != nil {
		err = problemFrom(&c, err)
		return c, err
	}
	if len(out.Put) == 1 {
		c.Made = &out.Put[0].Record
	} else {
		c.Problem = out.Reports[0].Problems
	}
	return c, nil
}

// mayPatch reports whether an actor may patch a version; no attempt is recorded.
func (rs *Records) mayPatch(ctx context.Context, who Actor, ref record.Ref) (bool, error) {
	r, err := rs.Lookup(ctx, ref)
	if err != nil || r == nil {
		return false, err
	}
	if rs.Types.Check(r.Type) != nil || !rs.mayRead(who, r.Type) || r.Type == record.ResearchArtifact && rs.Artifact != nil {
		return false, nil
	}
	if o, err := rs.outOfScope(ctx, who, &Draft{ID: r.ID, Type: r.Type}); err != nil || o != nil {
		return false, err
	}
	_, err = rs.text(ctx, r)
	if fault.CodeOf(err) == BadRecord { // not a text
		return false, nil
	}
	return err == nil, err
}

// logUnshown records attempts to change records of this project whose text was not shown.
func (rs *Records) logUnshown(ctx context.Context, who Actor, all []patch.Block) error {
	var seen []string
	for _, b := range all {
		a, err := record.ParseAddress(b.Path)
		if err != nil || slices.Contains(seen, a.ID) || len(seen) == blocks.MaxUnshown {
			continue
		}
		seen = append(seen, a.ID)
		h, err := rs.HeadByID(ctx, a.ID)
		if err != nil {
			return err
		}
		if h.Latest == 0 {
			continue
		}
		why := []string{fault.Shown(b.Path) + " was not shown to " + fault.Shown(who.Name) + " in full"}
		if err := rs.logRefusal(ctx, who, &refusedEvent{By: who.Name, Role: who.Role, Action: "write", Type: h.Type, ID: a.ID, Code: policy.OutOfScope, Why: why}); err != nil {
			return err
		}
	}
	return nil
}

// problemFrom turns an error that the author could fix into a problem; it returns any other error.
func problemFrom(c *PatchOutcome, err error) error {
	var f *fault.Error
	if isAuthorError(err) && errors.As(err, &f) {
		c.Problem = []patch.Problem{{Code: f.Code, Message: err.Error(), Hint: fault.HintOf(err)}}
		return nil
	}
	return err
}

// existingResult returns the version that was made from the same reply before a crash.
func (rs *Records) existingResult(ctx context.Context, who Actor, a *Reply, base *record.Record, p *patch.Patch, text *patch.Text) (*record.Record, error) {
	next, _ := p.ApplyTo(text, base.Version, nil)
	if next == nil {
		return nil, nil
	}
	all, err := rs.Store.Records(ctx, store.Query{ID: base.ID})
	if err != nil {
		return nil, err
	}
	content := store.Hash(next.Bytes())
	for i := range all {
		if r := &all[i]; r.Parent == base.Version && r.Creator == who.Name && r.Change == strings.TrimSpace(a.Change) && r.Content == content {
			return r, nil
		}
	}
	return nil, nil
}
