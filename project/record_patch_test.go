package project_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/govern"
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/patch"
	"brenner/patch/files"
	"brenner/project"
	"brenner/store/memory"
	"brenner/store/record"
)

// patchChain returns the patches that turn each text into the next one.
func patchChain(t *testing.T, texts ...string) files.Sources {
	t.Helper()
	var all files.Sources
	for i := range len(texts) - 1 {
		var parts [2]*patch.Text
		for j := range parts {
			var problems []patch.Problem
			if parts[j], problems = patch.NewText([]byte(texts[i+j])); len(problems) > 0 {
				t.Fatal(problems)
			}
		}
		p, problems := patch.Make("memo", parts[0], parts[1])
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		all = append(all, files.Source{File: "p.json", Patch: p})
	}
	return all
}

func TestPatchRecord(t *testing.T) {
	ctx, who := t.Context(), govern.Actor{Name: "Sydney"}
	d := &govern.Records{
		Source: graph.Source{Store: memory.New()}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(),
		Now:   func() time.Time { return time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC) },
		Rules: govern.Rules{Authorities: []string{who.Name}},
	}
	texts := []string{"alpha\nbeta\n", "alpha\nBETA\n", "ALPHA\nBETA\n"}
	if _, err := d.Put(ctx, who, govern.Draft{ID: "memo", Type: "paper_note", Module: "m", Content: []byte(texts[0])}); err != nil {
		t.Fatal(err)
	}
	q := &project.RecordPatches{Patches: patchChain(t, texts...), Address: "memo", Change: "why", DryRun: true}
	c, err := project.CheckRecord(ctx, d, who, q)
	if err != nil || !c.OK || c.Patches[1].Path != "memo@v1" || !c.Patches[1].Compared {
		t.Fatalf("check: got %+v, %v", c, err)
	}
	r, err := project.PatchRecord(ctx, d, who, q)
	if err != nil || !r.OK || !r.DryRun || len(r.Written) > 0 || !strings.Contains(r.Diff, "+ALPHA\n+BETA\n") {
		t.Fatalf("dry run: got %+v, %v", r, err)
	}
	q.DryRun = false
	r, err = project.PatchRecord(ctx, d, who, q)
	if err != nil || !r.OK || !slices.Equal(r.Written, []string{"memo@v2", "memo@v3"}) || r.Diff != "" || r.Patches[0].Version != "memo@v2" || r.Patches[0].Status == "" {
		t.Fatalf("apply: got %+v, %v", r, err)
	}
	if _, _, text, err := d.Text(ctx, who, "memo"); err != nil || text.Canonical() != texts[2] {
		t.Errorf("record: got %v, %v", text, err)
	}

	// The hint names the patch's version; the third refusal is a stalemate.
	q.Patches = patchChain(t, texts[0], "alpha\ngamma\n")
	for n := range 3 {
		r, err = project.PatchRecord(ctx, d, who, q)
		if err != nil || r.OK || len(r.Written) > 0 || !strings.HasSuffix(r.Patches[0].Problems[0].Hint, "; --record memo@v1 keeps its result as an alternative") {
			t.Fatalf("refused: got %+v, %v", r, err)
		}
		if (r.Stalemate != "") != (n == 2) || (r.Subject == "memo") != (n == 2) {
			t.Errorf("refusal %d: got the stalemate %q of %q", n+1, r.Stalemate, r.Subject)
		}
	}

	// With an unreadable patch the record is not looked up.
	q.Patches, q.Address = append(q.Patches, files.Source{File: "junk.json", Problems: []patch.Problem{{Code: patch.BadProtocol}}}), "missing"
	r, err = project.PatchRecord(ctx, d, who, q)
	if err != nil || r.OK || r.Patches[0].Compared || !r.Patches[0].OK || r.Patches[1].OK {
		t.Errorf("unreadable: got %+v, %v", r, err)
	}
}
