package govern

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// Patching is a sequence of patches of one record, each applied to the result of those before it.
type Patching struct {
	// Address is the record. If it names an older version, the result becomes a separate branch
	// that needs a rebase.
	Address string
	Patches []patch.Patch
	Change  string   // what changed, and why; for all patches
	Summary string   // of the final result; extracted from the text if empty
	Tags    []string // in addition to the record's
	Try     bool     // only report the result
}

// Patched is the result of patches.
type Patched struct {
	Base   record.Ref // the version they were applied to
	Behind int        // how many versions it is behind the latest
	Before *patch.Text
	After  *patch.Text // nil unless all of them apply
	// Reports are in patch order; each patch sees the result of the applied ones before it.
	Reports []patch.Report
	Put     []Put
	// Stuck is the request for a ruling, if the same patch was refused too often.
	Stuck *record.Ref
}

// Text returns the text of a version for patches, to an actor who may read it.
func (rs *Records) Text(ctx context.Context, who Actor, address string) (record.Record, record.Head, *patch.Text, error) {
	return rs.textFor(ctx, who, address, "")
}

// textFor is Text for a patch of a base with a hash, which selects one of several tips.
func (rs *Records) textFor(ctx context.Context, who Actor, address, base string) (record.Record, record.Head, *patch.Text, error) {
	r, h, err := rs.Find(ctx, address)
	if err == nil && h.Forked() && rs.mayRead(who, r.Type) {
		r, err = rs.onBranch(ctx, r, h, address, base)
	}
	if err != nil {
		return r, h, nil, err
	}
	if !rs.mayRead(who, r.Type) {
		return r, h, nil, rs.refuse(ctx, who, "read", r.Type, r.ID)
	}
	if r.Type == record.ResearchArtifact && rs.Artifact != nil {
		return r, h, nil, bySessions("patch", r.ID)
	}
	t, err := rs.text(ctx, &r)
	return r, h, t, err
}

// onBranch returns the version that an address without a version means if the record has several
// branches: the tip with the hash base, else the newest tip that is not set aside. A version
// kept with needs_rebase may be the latest, but is not the default for patches.
func (rs *Records) onBranch(ctx context.Context, latest record.Record, h record.Head, address, base string) (record.Record, error) {
	if a, err := record.ParseAddress(address); err != nil || a.Version > 0 || a.Canonical || a.Latest {
		return latest, err
	}
	tips, err := rs.Store.Tips(ctx, h.ID)
	if err != nil {
		return latest, err
	}
	chosen, found := latest, false
	for _, n := range slices.Backward(tips) {
		r, err := rs.version(ctx, record.Ref{ID: h.ID, Version: n}, h.Latest)
		if err != nil {
			return latest, err
		}
		if base != "" {
			t, err := rs.text(ctx, &r)
			if err != nil {
				return latest, err
			}
			if t.Hash() == base {
				return r, nil
			}
		}
		if !found && !setAside(r.Status, true) {
			chosen, found = r, true
		}
	}
	return chosen, nil
}

func (rs *Records) text(ctx context.Context, r *record.Record) (*patch.Text, error) {
	data, err := rs.Store.Blob(ctx, r.Content)
	if err != nil {
		return nil, err
	}
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return nil, &fault.Error{Code: BadRecord, Op: "patch " + r.Ref().String(), Cause: patch.Err(problems), Hint: "only text can be patched"}
	}
	return t, nil
}

// Patch applies patches to a record, all or none; each makes a new version. A patch for an
// older version is never applied.
func (rs *Records) Patch(ctx context.Context, who Actor, p *Patching) (*Patched, error) {
	r, _, _, err := rs.Text(ctx, who, p.Address)
	if err == nil && !p.Try {
		err = rs.mayPut(ctx, who, &Draft{ID: r.ID, Type: r.Type})
	}
	if err != nil {
		return nil, err
	}
	var out *Patched
	err = rs.putAll(ctx, who, func(b *putting) (err error) {
		out, err = b.patched(ctx, p)
		return err
	})
	if err == nil && !p.Try && out.After == nil {
		err = rs.logRefusedPatches(ctx, who, p, out)
	}
	return out, err
}

func (b *putting) patched(ctx context.Context, p *Patching) (*Patched, error) {
	base := ""
	if len(p.Patches) > 0 {
		base = p.Patches[0].Base
	}
	r, h, text, err := b.textFor(ctx, b.who, p.Address, base)
	if err != nil {
		return nil, err
	}
	out := &Patched{Base: r.Ref(), Before: text}
	tips, err := b.Store.Tips(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(tips, r.Version) { // a tip of a fork is not behind
		out.Behind = h.Latest - r.Version
	}
	now, failed, parent := text, false, r.Version
	for i := range p.Patches {
		one := &p.Patches[i]
		next, report := one.ApplyTo(now, r.Version, nil)
		if slices.ContainsFunc(report.Problems, func(q patch.Problem) bool { return q.Code == patch.BaseMismatch }) {
			known, err := b.known(ctx, r.Ref())
			if err != nil {
				return nil, err
			}
			_, report = one.ApplyTo(now, r.Version, known)
		}
		out.Reports = append(out.Reports, report)
		if next == nil {
			failed = true
			continue
		}
		if now = next; p.Try || failed {
			continue
		}
		draft := &Draft{ID: r.ID, Parent: parent, Content: next.Bytes(), Change: cmp.Or(p.Change, one.Notes()), rebase: out.Behind > 0}
		if i == len(p.Patches)-1 {
			draft.Summary = p.Summary
		}
		if len(p.Tags) > 0 {
			draft.Tags = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Tags, p.Tags))))
		}
		put, err := b.put(ctx, draft)
		if err != nil {
			return nil, err
		}
		parent = put.Record.Version
		out.Put = append(out.Put, put)
	}
	if failed {
		out.Put, b.c.records = nil, nil // all of them, or none
		return out, nil
	}
	out.After = now
	return out, nil
}

// known returns the earlier versions, by the hashes of their texts.
func (b *putting) known(ctx context.Context, before record.Ref) ([]patch.Version, error) {
	all, err := b.Store.Records(ctx, store.Query{ID: before.ID})
	if err != nil {
		return nil, err
	}
	var out []patch.Version
	hashes := make(map[string]string) // of contents already read
	for i := range all {
		r := &all[i]
		if r.Version >= before.Version {
			continue
		}
		if _, seen := hashes[r.Content]; !seen {
			t, err := b.text(ctx, r)
			if err != nil {
				return nil, err
			}
			hashes[r.Content] = t.Hash()
		}
		out = append(out, patch.Version{Number: r.Version, Hash: hashes[r.Content]})
	}
	return out, nil
}

// bySessions is the error for an artifact, which only sessions write.
func bySessions(op, id string) error {
	return &fault.Error{
		Code: BadRecord, Op: op + " " + fault.Shown(id), Detail: "research artifacts are written by sessions",
		Hint: "create one with `brenner session start`, change one with `brenner session apply`",
	}
}

// Reply is an agent's reply to a message with texts of records.
type Reply struct {
	Text   []byte
	Reader delta.Reader // by whose rules it is read
	// Shown are the versions shown in full. The agent cannot change others, nor learn their
	// text from an error.
	Shown  []record.Ref
	Change string   // why a new version is made
	Tags   []string // in addition to the record's
}

// PatchOutcome is the outcome of the search/replace blocks about one text.
type PatchOutcome struct {
	Name    string          // the version, or what the reply names instead
	Blocks  string          // as parsed
	Content string          // hash of the version's content
	Patch   []byte          // the resulting patch, or nil
	Made    *record.Record  // the resulting version, including a fork that needs a rebase
	Warning string          // what was assumed
	Problem []patch.Problem // why no version was made
}

// PatchBy makes versions from the search/replace blocks in an agent's reply. They apply to the
// version that was shown; if that is no longer the latest, the result needs a rebase. The same
// reply twice makes one version.
func (rs *Records) PatchBy(ctx context.Context, who Actor, a *Reply) ([]PatchOutcome, error) {
	found := patch.ReadBlocks(a.Text, a.Reader, names(a.Shown)...)
	all := shownBlocks(found.Shown)
	if broken := found.Problems; len(broken) > 0 {
		if broken[0].Line > 0 { // the meaning of the other blocks is uncertain
			all = append(all, PatchOutcome{Name: wholeReply, Blocks: string(a.Text), Problem: broken})
		}
		return all, nil
	}
	blocks := slices.DeleteFunc(found.Blocks, func(b patch.Block) bool { return b.Search == patch.ExampleSearch })
	for _, group := range groupBlocks(blocks, a.Shown) {
		c, err := rs.patchBy(ctx, who, a, group)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// wholeReply is the name of outcomes that are about no text.
const wholeReply = "reply"

// shownBlocks returns the outcomes of blocks that are not applied: one for each of the first ones, and
// one for the others.
func shownBlocks(shown []patch.Shown) []PatchOutcome {
	const most = 20
	var all []PatchOutcome
	for i, s := range shown {
		c := PatchOutcome{Name: clippedName(s.Path), Blocks: patch.WriteBlocks(s.Path, []patch.Block{s.Block}), Problem: []patch.Problem{s.Problem}}
		if i == most {
			c.Problem[0].Message += fmt.Sprintf(" (and %d more)", len(shown)-most-1)
		}
		if all = append(all, c); i == most {
			break
		}
	}
	return all
}

func clippedName(path string) string {
	if path == "" {
		return wholeReply
	}
	return fault.Shown(path)
}

type blockGroup struct {
	name   string
	ref    record.Ref // zero if it was not shown
	blocks []patch.Block
}

func names(shown []record.Ref) []string {
	var all []string
	for _, ref := range shown {
		all = append(all, ref.ID, ref.String())
	}
	return all
}

// groupBlocks returns blocks by the texts that they name, in order. Blocks about texts that were
// not shown form one group.
func groupBlocks(blocks []patch.Block, shown []record.Ref) []*blockGroup {
	var all []*blockGroup
	for _, b := range blocks {
		to := &blockGroup{name: b.Path}
		for _, ref := range shown {
			if b.Path == ref.ID || b.Path == ref.String() || b.Path == "" && len(shown) == 1 {
				to.name, to.ref = ref.String(), ref
			}
		}
		i := slices.IndexFunc(all, func(one *blockGroup) bool { return one.ref == to.ref })
		if i < 0 {
			i, all = len(all), append(all, to)
		}
		all[i].blocks = append(all[i].blocks, b)
	}
	return all
}

func (rs *Records) patchBy(ctx context.Context, who Actor, a *Reply, on *blockGroup) (PatchOutcome, error) {
	c := PatchOutcome{Name: on.name, Blocks: patch.WriteBlocks(on.name, on.blocks)}
	if on.ref == (record.Ref{}) {
		writable, err := filter(a.Shown, func(ref record.Ref) (bool, error) { return rs.mayPatch(ctx, who, ref) })
		c.notShown(on.blocks, writable)
		return c, err
	}
	r, _, text, err := rs.Text(ctx, who, on.ref.String())
	if err == nil {
		c.Content = r.Content
		err = rs.mayPut(ctx, who, &Draft{ID: r.ID, Type: r.Type})
	}
	if err != nil {
		err = c.problemFrom(err)
		return c, err
	}
	p, report := patch.Convert(r.ID, text, on.blocks)
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
	out, err := rs.Patch(ctx, who, &Patching{Address: on.ref.String(), Patches: []patch.Patch{p}, Change: a.Change, Tags: a.Tags})
	if err != nil {
		err = c.problemFrom(err)
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
	r, err := rs.lookup(ctx, ref)
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

const maxUnshown = 8

func (c *PatchOutcome) notShown(blocks []patch.Block, writable []record.Ref) {
	p := patch.Problem{Code: patch.BaseMissing, Message: "the blocks name no text", Hint: "no text was shown in full that could be changed"}
	var named []string
	seen := map[string]bool{"": true}
	for _, b := range blocks {
		if !seen[b.Path] {
			named = append(named, fault.Shown(b.Path))
		}
		seen[b.Path] = true
	}
	if c.Name = wholeReply; len(named) > 0 {
		c.Name = named[0]
	}
	switch n := len(named); {
	case n == 1:
		p.Message = named[0] + " is no text that was shown in full"
	case n > maxUnshown:
		p.Message = strings.Join(named[:maxUnshown], ", ") + " and " + strconv.Itoa(n-maxUnshown) + " more are no texts that were shown in full"
	case n > 1:
		p.Message = strings.Join(named, ", ") + " are no texts that were shown in full"
	}
	if len(writable) > 0 {
		p.Hint = "write one of these on the line above a block: " + strings.Join(names(writable), ", ")
	}
	c.Problem = []patch.Problem{p}
}

// problemFrom turns an error that the author could fix into a problem; it returns any other error.
func (c *PatchOutcome) problemFrom(err error) error {
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
