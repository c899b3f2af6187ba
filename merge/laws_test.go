package merge_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// Each law is one function, run by a property test and by a fuzz target.

func TestLawAnyOrder(t *testing.T) { rapid.Check(t, lawAnyOrder) }
func FuzzLawAnyOrder(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawAnyOrder)) }

func lawAnyOrder(t *rapid.T) {
	base, batch, rules := anyBase().Draw(t, "base"), anyBatch(14).Draw(t, "batch"), anyRules().Draw(t, "rules")
	shuffled := rapid.Permutation(batch).Draw(t, "order")
	a, ra := merge.Merge(base, batch, rules)
	b, rb := merge.Merge(base, shuffled, rules)
	sameBytes(t, "another order", a, b)
	if x, y := fmt.Sprintf("%+v", ra), fmt.Sprintf("%+v", rb); x != y {
		t.Fatalf("another order: got\n%s\nand\n%s", x, y)
	}
	if x, y := fmt.Sprintf("%+v", ra.Deltas), fmt.Sprintf("%+v", merge.Judge(&base, batch, rules)); x != y {
		t.Fatalf("judged: got\n%s\nand\n%s", x, y)
	}
}

func TestLawIdempotent(t *testing.T) { rapid.Check(t, lawIdempotent) }
func FuzzLawIdempotent(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawIdempotent)) }

func lawIdempotent(t *rapid.T) {
	base, batch, rules := anyBase().Draw(t, "base"), anyBatch(14).Draw(t, "batch"), anyRules().Draw(t, "rules")
	once, _ := merge.Merge(base, batch, rules)
	twice, _ := merge.Merge(once, batch, rules)
	sameBytes(t, "the second merge", once, twice)
}

func TestLawVersionsNeverRenumber(t *testing.T) { rapid.Check(t, lawNeverRenumber) }
func FuzzLawNeverRenumber(f *testing.F)         { f.Fuzz(rapid.MakeFuzz(lawNeverRenumber)) }

// An item of a version never changes its id, author or creation in the next version,
// whatever the instants of later deltas.
func lawNeverRenumber(t *rapid.T) {
	base, rules := anyBase().Draw(t, "base"), anyRules().Draw(t, "rules")
	first, _ := merge.Merge(base, anyBatch(10).Draw(t, "first"), rules)
	second, _ := merge.Merge(first, anyBatch(10).Draw(t, "second"), rules)
	for _, s := range artifact.Sections() {
		for _, it := range first.Items(s) {
			later, _, ok := second.Find(it.ID)
			if !ok {
				t.Fatalf("%s is missing", it.ID)
			}
			if later.Created != it.Created {
				t.Fatalf("%s means another item", it.ID)
			}
		}
	}
}

func TestLawRendersAfterReadBack(t *testing.T) { rapid.Check(t, lawRenderedAsReadBack) }
func FuzzLawRenderedAsReadBack(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(lawRenderedAsReadBack)) }

// A merged artifact renders like the same one read back from its bytes: fields, keys and
// killed cells are in canonical order before anything is written.
func lawRenderedAsReadBack(t *rapid.T) {
	base, batch, rules := anyBase().Draw(t, "base"), anyBatch(14).Draw(t, "batch"), anyRules().Draw(t, "rules")
	out, _ := merge.Merge(base, batch, rules)
	back, err := artifact.Parse(out.JSON())
	if err != nil {
		t.Fatal(err)
	}
	rendered := out.Markdown()
	if y := back.Markdown(); !bytes.Equal(rendered, y) {
		t.Fatalf("merged\n%s\nread back\n%s", rendered, y)
	}
	read, err := artifact.Parse(rendered)
	if bare := out.WithoutProvenance(); err != nil || !bytes.Equal(read.JSON(), bare.JSON()) {
		t.Fatalf("%v: rendered\n%s\nread back\n%s\nwant\n%s", err, rendered, read.JSON(), bare.JSON())
	}
}

func TestLawDispositions(t *testing.T) { rapid.Check(t, lawDispositions) }
func FuzzLawDispositions(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawDispositions)) }

// A delta with a value in the new version was applied or is in conflict, and exactly the
// conflicted ones are named by a CONFLICT.
func lawDispositions(t *rapid.T) {
	base, batch, rules := anyBase().Draw(t, "base"), anyBatch(14).Draw(t, "batch"), anyRules().Draw(t, "rules")
	out, report := merge.Merge(base, batch, rules)
	became := make(map[string][]merge.Disposition) // an id may have several rows
	for _, row := range report.Deltas {
		became[row.DeltaID] = append(became[row.DeltaID], row.Disposition)
	}
	ours := make(map[string]bool)
	for _, stamp := range out.Deltas {
		ours[stamp.Delta] = stamp.Version > base.Metadata.Version
	}
	_, before := merge.Merge(base, nil, rules)
	old, divided := candidates(before.Conflicts), candidates(report.Conflicts)
	for _, c := range report.Conflicts {
		for _, candidate := range c.Candidates {
			if all := became[candidate.Delta]; ours[candidate.Delta] && !old[candidate.Delta] && !slices.Contains(all, merge.Conflicted) {
				t.Fatalf("%s is a candidate of %s.%s, got %v", candidate.Delta, c.Item, c.Field, all)
			}
		}
	}
	for id, all := range became {
		if slices.Contains(all, merge.Conflicted) && !divided[id] {
			t.Fatalf("%s is in conflict, but no CONFLICT names it: %+v", id, report.Conflicts)
		}
	}
	for _, s := range artifact.Sections() {
		for _, it := range out.Items(s) {
			for _, stamp := range stampsOf(it) {
				all := became[stamp.Delta]
				if stamp.Version > base.Metadata.Version && !slices.Contains(all, merge.Applied) && !slices.Contains(all, merge.Conflicted) {
					t.Fatalf("%s stamps %s, got %v", stamp.Delta, it.ID, all)
				}
			}
		}
	}
}

// candidates returns the deltas that conflicts name.
func candidates(all []merge.Conflict) map[string]bool {
	ids := make(map[string]bool)
	for _, c := range all {
		for _, candidate := range c.Candidates {
			ids[candidate.Delta] = true
		}
	}
	return ids
}

// stampsOf returns the stamps of all values of an item.
func stampsOf(it *artifact.Item) []*artifact.Stamp {
	all := []*artifact.Stamp{it.Created}
	if it.Kill != nil {
		all = append(all, it.Kill.Stamp)
	}
	for i := range it.Fields {
		marks := it.Marks(i)
		all = append(all, marks.By()...)
		if marks.Parts != nil {
			for _, by := range marks.Parts.Each {
				all = append(all, by...)
			}
		}
	}
	return slices.DeleteFunc(all, func(s *artifact.Stamp) bool { return s == nil })
}

func TestLawReplay(t *testing.T) { rapid.Check(t, lawReplay) }
func FuzzLawReplay(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawReplay)) }

// A replay starts from version 0 and reads each version back from its bytes.
func lawReplay(t *rapid.T) {
	start := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-law"}}
	batches := rapid.SliceOfN(anyBatch(8), 1, 3).Draw(t, "batches")
	rules := anyRules().Draw(t, "rules")
	live, replayed := start, start
	for _, b := range batches {
		live, _ = merge.Merge(live, b, rules)
	}
	for _, b := range batches {
		next, _ := merge.Merge(replayed, b, rules)
		var err error
		if replayed, err = artifact.Parse(next.JSON()); err != nil {
			t.Fatalf("%v:\n%s", err, next.JSON())
		}
	}
	sameBytes(t, "the replay", live, replayed)
}

func TestLawIDsAreNeverReused(t *testing.T) { rapid.Check(t, lawIDsNeverReused) }
func FuzzLawIDsNeverReused(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawIDsNeverReused)) }

func lawIDsNeverReused(t *rapid.T) {
	base, rules := anyBase().Draw(t, "base"), anyRules().Draw(t, "rules")
	out, report := merge.Merge(base, anyBatch(16).Draw(t, "batch"), rules)
	for _, s := range artifact.Sections() {
		seen := map[string]bool{}
		for _, it := range out.Items(s) {
			if seen[it.ID] || !s.ValidID(it.ID) {
				t.Fatalf("%s is a duplicate, or not an id of %s", it.ID, s)
			}
			seen[it.ID] = true
		}
	}
	for _, row := range report.Deltas {
		if _, _, there := base.Find(row.TargetID); there && len(row.Message) > 8 && row.Message[:8] == "added as" {
			t.Fatalf("%s was reused", row.TargetID)
		}
	}
}

func TestLawNothingIsRemoved(t *testing.T) { rapid.Check(t, lawNothingRemoved) }
func FuzzLawNothingRemoved(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(lawNothingRemoved)) }

// Items stay, kills stay, and so does every scalar without a new write.
func lawNothingRemoved(t *rapid.T) {
	base, batch := anyBase().Draw(t, "base"), anyBatch(14).Draw(t, "batch")
	out, _ := merge.Merge(base, batch, anyRules().Draw(t, "rules"))
	for _, s := range artifact.Sections() {
		if len(out.Items(s)) < len(base.Items(s)) {
			t.Fatalf("%s lost items", s)
		}
		for _, it := range base.Items(s) {
			now, _, _ := out.Find(it.ID)
			if now == nil {
				t.Fatalf("%s is missing", it.ID)
			}
			if it.Kill != nil && (now.Kill == nil || now.Kill.By != it.Kill.By || now.Kill.Reason != it.Kill.Reason) {
				t.Fatalf("%s: its kill changed", it.ID)
			}
			for _, f := range it.Fields {
				if now.Get(f.Name) == nil {
					t.Fatalf("%s lost its %s", it.ID, f.Name)
				}
			}
		}
	}
}

func TestLawBaseUntouched(t *testing.T) { rapid.Check(t, lawBaseUntouched) }
func FuzzLawBaseUntouched(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawBaseUntouched)) }

func lawBaseUntouched(t *rapid.T) {
	base, batch := anyBase().Draw(t, "base"), anyBatch(14).Draw(t, "batch")
	before := base.JSON()
	var content [][]byte
	for i := range batch {
		content = append(content, batch[i].Content())
	}
	rules := anyRules().Draw(t, "rules")
	once, _ := merge.Merge(base, batch, rules)
	frozen := once.JSON()
	merge.Merge(once, anyBatch(8).Draw(t, "more"), rules)
	if !bytes.Equal(before, base.JSON()) || !bytes.Equal(frozen, once.JSON()) {
		t.Fatal("a merge changed its base")
	}
	for i := range batch {
		if !bytes.Equal(content[i], batch[i].Content()) {
			t.Fatal("a merge changed a delta")
		}
	}
}

func TestLawEveryDeltaHasOneRow(t *testing.T) { rapid.Check(t, lawAccounted) }
func FuzzLawAccounted(f *testing.F)           { f.Fuzz(rapid.MakeFuzz(lawAccounted)) }

func lawAccounted(t *rapid.T) {
	base, batch := anyBase().Draw(t, "base"), anyBatch(16).Draw(t, "batch")
	out, report := merge.Merge(base, batch, anyRules().Draw(t, "rules"))
	if len(report.Deltas) != len(batch) {
		t.Fatalf("got %d rows for %d deltas", len(report.Deltas), len(batch))
	}
	counts := map[string]int{}
	for _, d := range batch {
		counts[d.ID]++
	}
	changed := false
	for _, row := range report.Deltas {
		switch row.Disposition {
		case merge.Applied, merge.Conflicted:
			changed = true
		case merge.Rejected:
			if row.Code == "" || row.Message == "" {
				t.Fatalf("rejected without a reason: %+v", row)
			}
		case merge.Superseded, merge.Skipped, merge.Duplicate:
		default:
			t.Fatalf("no disposition: %+v", row)
		}
		if counts[row.DeltaID] > 0 {
			counts[row.DeltaID]--
		} else if counts[""] > 0 {
			counts[""]--
		} else {
			t.Fatalf("row without a delta: %+v", row)
		}
	}
	if want := base.Metadata.Version; changed {
		want++
		if out.Metadata.Version != want {
			t.Fatalf("got version %d, want %d", out.Metadata.Version, want)
		}
	} else if !bytes.Equal(out.JSON(), base.JSON()) {
		t.Fatal("nothing was applied, but the artifact changed")
	}
	if slices.ContainsFunc(report.Deltas, func(r merge.Row) bool { return r.Disposition == merge.Conflicted }) && len(report.Conflicts) == 0 {
		t.Fatal("conflicted delta without a conflict")
	}
}

func TestLawStaleNeverBeatsNewer(t *testing.T) { rapid.Check(t, lawStaleNeverWins) }
func FuzzLawStaleNeverWins(f *testing.F)       { f.Fuzz(rapid.MakeFuzz(lawStaleNeverWins)) }

// The instant of a scalar never decreases, in any version.
func lawStaleNeverWins(t *rapid.T) {
	base, rules := anyBase().Draw(t, "base"), anyRules().Draw(t, "rules")
	out, _ := merge.Merge(base, anyBatch(14).Draw(t, "batch"), rules)
	for _, s := range artifact.Sections() {
		for _, it := range base.Items(s) {
			now, _, _ := out.Find(it.ID)
			for i, f := range it.Fields {
				marks := it.Marks(i)
				before := marks.By()
				if len(before) == 0 {
					continue
				}
				for j, g := range now.Fields {
					marks := now.Marks(j)
					if after := marks.By(); g.Name == f.Name && len(after) > 0 && after[0].At.Before(before[0].At) {
						t.Fatalf("%s.%s: instant decreased from %s to %s", it.ID, f.Name, before[0].At, after[0].At)
					}
				}
			}
		}
	}
}

func FuzzDeltaFileNeverPanics(f *testing.F) {
	f.Add([]byte(`[{"delta_id":"d","timestamp":"2025-12-30T12:00:00Z","agent":"A","operation":"ADD","section":"hypothesis_slate","payload":{"claim":"c"}}]`))
	f.Add([]byte(`{"operation":"KILL","target_id":"P1.H1","section":"predictions_table"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		batch, err := delta.ReadFile(data)
		if err != nil {
			return
		}
		base := artifact.Artifact{}
		out, report := merge.Merge(base, batch, merge.Rules{})
		if len(report.Deltas) != len(batch) {
			t.Fatalf("got %d rows for %d deltas", len(report.Deltas), len(batch))
		}
		if read, err := artifact.Parse(out.JSON()); err != nil || !bytes.Equal(read.JSON(), out.JSON()) {
			t.Fatalf("the result does not read back: %v", err)
		}
	})
}

func sameBytes(t *rapid.T, what string, a, b artifact.Artifact) {
	t.Helper()
	if x, y := a.JSON(), b.JSON(); !bytes.Equal(x, y) {
		t.Fatalf("%s: got\n%s\nwant\n%s", what, y, x)
	}
}

func TestLawSplitBatches(t *testing.T) { rapid.Check(t, lawSplitBatches) }
func FuzzLawSplitBatches(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawSplitBatches)) }

// Stamps decide, not the version in which a delta arrives: EDITs merged in two versions, in
// any order, have the same result as all in one. Only the order within a list may differ.
func lawSplitBatches(t *rapid.T) {
	base := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-law"}}
	for _, id := range []string{"H1", "H2"} {
		base.Sections[artifact.HypothesisSlate] = append(base.Sections[artifact.HypothesisSlate],
			&artifact.Item{ID: id, Fields: []artifact.Field{{Name: "claim", Value: artifact.Text("old")}}})
	}
	batch := rapid.SliceOfN(rapid.Custom(plainEdit), 0, 8).Draw(t, "batch")
	for i := range batch {
		batch[i].ID = fmt.Sprintf("e%d", i)
		batch[i].Seal()
	}
	cut := rapid.IntRange(0, len(batch)).Draw(t, "cut")
	rules := merge.Rules{Priority: []string{"Amber"}}
	whole, _ := merge.Merge(base, batch, rules)
	first, _ := merge.Merge(base, batch[:cut], rules)
	split, _ := merge.Merge(first, batch[cut:], rules)
	if a, b := contentOf(whole), contentOf(split); a != b {
		t.Fatalf("in one version\n%s\nin two versions\n%s", a, b)
	}
}

func plainEdit(t *rapid.T) delta.Delta {
	d := anyDelta(t)
	d.Operation, d.Section, d.Place, d.Labels = delta.Edit, artifact.HypothesisSlate.String(), nil, nil
	d.Target = rapid.SampledFrom([]string{"H1", "H2"}).Draw(t, "item")
	d.Timestamp = fmt.Sprintf("2025-12-30T12:0%d:00Z", rapid.IntRange(0, 3).Draw(t, "when"))
	d.Payload = nil
	if rapid.Bool().Draw(t, "claims") {
		d.Payload = append(d.Payload, delta.Field{Name: "claim", Value: artifact.Text(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "claim"))})
	}
	if rapid.Bool().Draw(t, "anchored") {
		d.Payload = append(d.Payload, delta.Field{Name: "anchors", Value: texts().Draw(t, "anchors")})
	}
	if rapid.IntRange(0, 3).Draw(t, "replaces") == 0 {
		d.Payload = append(d.Payload, delta.Field{Name: "replace", Value: artifact.Bool(true)})
	}
	d.Settle()
	return d
}

// contentOf formats the fields of all hypotheses, lists in a fixed order.
func contentOf(a artifact.Artifact) string {
	var b []byte
	for _, it := range a.Items(artifact.HypothesisSlate) {
		b = fmt.Appendf(b, "%s:", it.ID)
		for _, f := range it.Fields {
			texts := slices.Sorted(slices.Values(it.Texts(f.Name)))
			if _, isList := f.Value.(artifact.List); isList {
				b = fmt.Appendf(b, " %s=%q", f.Name, texts)
				continue
			}
			b = fmt.Appendf(b, " %s=%s", f.Name, artifact.Canonical(f.Value))
		}
		b = append(b, '\n')
	}
	return string(b)
}

// Equal deltas without ids that differ in what the merge ignores are ordered by that, not
// by position.
func TestEqualDeltasWithoutIDsInAnyOrder(t *testing.T) {
	const one = `{"operation":"ADD","section":"anomaly_register","target_id":null,"payload":{"observation":"x"},"rationale":"r","agent":"A","timestamp":"2025-12-30T12:00:00Z"`
	merged := func(rows string) string {
		deltas, err := delta.ReadFile([]byte("[" + rows + "]"))
		if err != nil {
			t.Fatal(err)
		}
		a, report := merge.Merge(artifact.Artifact{}, deltas, merge.Rules{})
		return fmt.Sprintf("%+v\n%s", report, a.JSON())
	}
	first, second := one+"}", one+`,"foo":1}`
	if a, b := merged(first+","+second), merged(second+","+first); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}
