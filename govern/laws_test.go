package govern_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/govern"
	"brenner/govern/brief"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/view"
	"brenner/store/opentest"
	"brenner/store/record"
)

// anyStore returns a random project: types, modules, tags, links of every kind, promotions,
// deprecations. The text of each record names its type.
func anyStore(t *testing.T, rt *rapid.T) *kit {
	k := newKit(t, opentest.New(t))
	k.Rules.Compression = 0
	ids := []string{"a", "b", "c", "d", "e", "f"}
	kinds := []string{record.ManuscriptSection, record.PaperNote, record.IntegratedMemo, record.Reply, record.ProjectBrief, record.ModelSpec}
	for range rapid.IntRange(1, 15).Draw(rt, "puts") {
		kind := rapid.SampledFrom(kinds).Draw(rt, "type")
		d := govern.Draft{
			ID: rapid.SampledFrom(ids).Draw(rt, "id") + "-" + kind, Type: kind, Module: rapid.SampledFrom([]string{"fate", "signal"}).Draw(rt, "module"),
			Summary: "OF_" + kind + " " + rapid.StringMatching(`[a-z ]{0,60}`).Draw(rt, "summary"), Change: "c",
			Content: []byte("OF_" + kind + rapid.String().Draw(rt, "content")), Tags: []string{rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "tag")},
		}
		if kind == record.ProjectBrief {
			d.Module, d.Summary = "", ""
		}
		heads, err := k.Store.Heads(k.ctx(), storeAll)
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(0, 2).Draw(rt, "links") {
			if len(heads) > 0 {
				to := rapid.SampledFrom(heads).Draw(rt, "to")
				d.Links = append(d.Links, govern.Link{Relation: rapid.SampledFrom(record.Relations()).Draw(rt, "relation"), To: to.ID})
			}
		}
		if kind == record.Reply { // sessions write those
			if !slices.ContainsFunc(heads, func(h record.Head) bool { return h.ID == d.ID }) {
				k.putBySession(d.ID, kind, "OF_"+kind)
			}
			continue
		}
		put, err := k.Put(k.ctx(), sydney, d)
		if err != nil {
			switch fault.CodeOf(err) {
			case govern.LinkCycle, govern.NothingNew, govern.BadRecord, brief.Bad:
				continue
			}
			rt.Fatal(err)
		}
		address := put[0].Record.Ref().String()
		switch rapid.IntRange(0, 3).Draw(rt, "then") {
		case 0:
			_, err = k.Promote(k.ctx(), sydney, address, govern.PromoteOptions{Reason: "r", Replace: true})
		case 1:
			_, err = k.Deprecate(k.ctx(), sydney, address, "r", true)
		}
		if code := fault.CodeOf(err); err != nil && code != policy.Blocked && code != govern.StillUsed {
			rt.Fatal(err)
		}
	}
	return k
}

// With random stores, views, links, tags and tasks, no context has text of a type that its role
// may not read, or of raw messages, or exceeds its bound; and considering all records shows the
// same ones as considering a few.
func TestContextsNeverShowUnreadableTypes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := anyStore(t, rt)
		heads, err := k.Store.Heads(k.ctx(), storeAll)
		if err != nil {
			rt.Fatal(err)
		}
		role := rapid.SampledFrom(k.Access.Roles()).Draw(rt, "role")
		q := govern.Request{
			Role: role, Modules: []string{rapid.SampledFrom([]string{"fate", "signal", "none"}).Draw(rt, "of")},
			Tags: rapid.SampledFrom([][]string{nil, {"x"}, {"x", "y"}}).Draw(rt, "tags"), Cross: rapid.Bool().Draw(rt, "cross"), Full: rapid.Bool().Draw(rt, "full"),
		}
		for _, h := range heads {
			if rapid.Bool().Draw(rt, "input") {
				q.Inputs = append(q.Inputs, h.ID)
			}
		}
		spec := contexts.Spec{Role: role, MaxTokens: rapid.IntRange(30, 900).Draw(rt, "bound")}
		for _, kind := range k.Types.Names(nil) {
			if rapid.Bool().Draw(rt, kind) {
				spec.Types = append(spec.Types, contexts.TypeView{Type: kind, Form: view.Full, Max: rapid.IntRange(0, 5).Draw(rt, "max"), Priority: rapid.IntRange(0, 3).Draw(rt, "priority")})
			}
		}
		k.Views = map[string]contexts.Spec{role: spec}
		g, err := k.Context(k.ctx(), q)
		if err != nil {
			if fault.CodeOf(err) != view.TooLarge {
				rt.Fatal(err)
			}
			return
		}
		if g.Tokens > spec.Bound() || len(g.Text) > spec.Bound() {
			rt.Fatalf("%d tokens of %d", g.Tokens, spec.Bound())
		}
		for _, kind := range k.Types {
			if (kind.Raw || !k.Access.MayRead(role, kind.Name)) && strings.Contains(g.Text, "OF_"+kind.Name) {
				rt.Fatalf("%s sees a %s:\n%s", role, kind.Name, g.Text)
			}
		}
		q.All = true
		all, err := k.Context(k.ctx(), q)
		if err != nil || fmt.Sprint(all.Shown) != fmt.Sprint(g.Shown) {
			rt.Fatalf("%v\n%v\n%v", err, g.Shown, all.Shown)
		}
		seen := make(map[string]bool)
		for _, s := range all.Shown {
			seen[s.Ref.ID] = true
		}
		for _, l := range all.LeftOut {
			seen[l.Ref.ID] = true
		}
		if i := slices.IndexFunc(heads, func(h record.Head) bool { return !seen[h.ID] }); i >= 0 {
			rt.Fatalf("%s is not accounted for", heads[i].ID)
		}
	})
}
