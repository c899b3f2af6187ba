package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// An adversarial agent reuses the ids of existing items in every place: as labels, targets, keys,
// elements and words, the labels and targets in every spelling. Every value says which delta wrote it and which id it meant.

func TestLawKnownIDs(t *testing.T) { rapid.Check(t, lawKnownIDs) }
func FuzzLawKnownIDs(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawKnownIDs)) }

// An EDIT or KILL of an id that its author was shown touches that item or nothing, and no
// reference to such an id is bound to another item.
func lawKnownIDs(t *rapid.T) {
	base := adversaryBase(t)
	batch := adversaryBatch(t)
	rules := merge.Rules{Version: rapid.SampledFrom([]string{merge.Second, merge.Third}).Draw(t, "version"), RejectTaken: rapid.IntRange(0, 5).Draw(t, "reject") == 0}
	if rapid.Bool().Draw(t, "roomy") {
		rules.Limits = map[artifact.Section]merge.Limit{artifact.HypothesisSlate: {Max: 20}}
	}
	out, report := merge.Merge(base, batch, rules)
	byID := deltasByID(batch)
	for _, row := range report.Deltas {
		d := byID[row.DeltaID]
		if checkTarget(t, &base, d, &row); d.Operation == delta.Add {
			checkTaken(t, &base, d, &row, rules)
		}
	}
	checkCorrections(t, &base, &out, byID, &report, rules, nil)
	checkShared(t, &base, batch, &report)
	checkOwn(t, &base, &out, byID, &report)
	for _, s := range artifact.Sections() {
		for _, it := range out.Items(s) {
			checkWriters(t, &base, it, byID, &report)
			for _, f := range it.Fields {
				checkBound(t, &base, it, f.Value, "", byID)
				if spec, ok := s.Spec().Field(f.Name); ok && spec.Refs {
					checkHeard(t, &base, it, f.Value, "", byID, &report)
				}
			}
		}
	}
	shuffled := rapid.Permutation(batch).Draw(t, "order")
	again, _ := merge.Merge(base, shuffled, rules)
	sameBytes(t, "another order", out, again)
	twice, _ := merge.Merge(out, batch, rules)
	sameBytes(t, "the second merge", out, twice)
	half := len(shuffled) / 2
	part, early := merge.Merge(base, shuffled[:half], rules)
	called := callsIn(&base, byID, &early)
	for i := half; i < len(shuffled); i++ {
		if d := &shuffled[i]; d.Place != nil && rapid.IntRange(0, 3).Draw(t, "informed") == 0 {
			place := *d.Place
			d.Place, place.Shown = &place, part.Metadata.Version
		}
	}
	byID = deltasByID(shuffled)
	whole, grown := merge.Merge(part, shuffled, rules)
	checkCorrections(t, &part, &whole, byID, &grown, rules, called)
	for _, row := range grown.Deltas {
		d := byID[row.DeltaID]
		if row.Disposition == merge.Duplicate || rules.Version == merge.Second && strings.Contains(d.Target, ".") && strings.HasPrefix(plain(d.Target), row.TargetID+".") {
			continue // merge/2 takes a label in the form of a cell for the row that was added under it
		}
		checkTarget(t, &part, d, &row)
	}
}

func deltasByID(batch []delta.Delta) map[string]*delta.Delta {
	byID := make(map[string]*delta.Delta)
	for i := range batch {
		byID[batch[i].ID] = &batch[i]
	}
	return byID
}

// checkTarget checks that an EDIT or KILL of an item that its author was shown touches that item or nothing.
func checkTarget(t *rapid.T, base *artifact.Artifact, d *delta.Delta, row *merge.Row) {
	if d.Operation != delta.Add && row.Disposition != merge.Rejected && knows(base, d, d.Target) && plain(row.TargetID) != plain(d.Target) {
		t.Fatalf("%s of %s touched %s: %+v", d.Operation, d.Target, row.TargetID, row)
	}
}

// knows reports whether the author of a delta was shown an item, or a row of a cell.
func knows(base *artifact.Artifact, d *delta.Delta, id string) bool {
	id, _, _ = strings.Cut(plain(id), ".")
	it, _, ok := base.Find(id)
	return ok && (d.Place == nil || it.Created == nil || it.Created.Version <= d.Place.Shown)
}

func checkTaken(t *rapid.T, base *artifact.Artifact, d *delta.Delta, row *merge.Row, rules merge.Rules) {
	carries := slices.ContainsFunc(namesOf(d), func(l string) bool { return l != sharedName && knows(base, d, l) })
	switch {
	case row.Disposition == merge.Applied && carries != (row.Code == merge.LabelTaken):
		t.Fatalf("%v carries a known id: %v, got %+v", d.Labels, carries, row)
	case row.Disposition == merge.Applied && carries && rules.RejectTaken:
		t.Fatalf("%v was not rejected: %+v", d.Labels, row)
	}
}

// checkWriters fails if a delta that named a known item wrote to another one.
func checkWriters(t *rapid.T, base *artifact.Artifact, it *artifact.Item, byID map[string]*delta.Delta, report *merge.Report) {
	stamps := stampsOf(it)
	for _, c := range it.Cells() {
		stamps = append(stamps, c.Kill.Stamp)
	}
	all := addsTo(it.ID, byID, report)
	for _, d := range all {
		for _, v := range d.Payload {
			list, ok := v.Value.(artifact.List)
			if !ok || it.Killed() || !knows(base, d, string(list[0].(artifact.Text))) || len(all) > 1 && !wrote(it, v.Name, d.ID) {
				continue // an ADD that corrects the item replaces lists
			}
			if !slices.Contains(it.Texts(v.Name), string(list[0].(artifact.Text))) {
				t.Fatalf("%s: %s of %s is bound to %v", it.ID, list, d.ID, it.Texts(v.Name))
			}
		}
	}
	for _, s := range stamps {
		if s == nil {
			continue
		}
		d := byID[s.Delta]
		if d == nil || d.Operation == delta.Add || !knows(base, d, d.Target) {
			continue
		}
		if row, _, _ := strings.Cut(plain(d.Target), "."); row != it.ID {
			t.Fatalf("%s of %s wrote to %s", d.Operation, d.Target, it.ID)
		}
	}
}

func first(s *artifact.Stamp) string {
	if s == nil {
		return ""
	}
	return s.Delta
}

// checkBound fails if a marked value, "d3 means h2", is bound to another item: as the value of a key, or
// as a text whose last word is the id. The mark is in small letters, which no merge rewrites.
func checkBound(t *rapid.T, base *artifact.Artifact, it *artifact.Item, v artifact.Value, key string, byID map[string]*delta.Delta) {
	switch v := v.(type) {
	case artifact.Map:
		for _, e := range v {
			checkBound(t, base, it, e.Value, e.Key, byID)
		}
	case artifact.Conflict:
		for _, c := range v {
			checkBound(t, base, it, c.Value, key, byID)
		}
	case artifact.Text:
		id, meant, ok := strings.Cut(string(v), " means ")
		if !ok || byID[id] == nil {
			return
		}
		meant, named, isText := strings.Cut(meant, ": ")
		if isText {
			key = named
		}
		if meant = strings.ToUpper(meant); knows(base, byID[id], meant) && key != "" && key != meant {
			t.Fatalf("%s: %s meant %s, bound to %s", it.ID, id, meant, key)
		}
	}
}

// adversaryBase has items of two versions, some of them killed, with or without provenance.
func adversaryBase(t *rapid.T) artifact.Artifact {
	a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-law"}}
	for v := range 2 {
		var batch []delta.Delta
		add := func(op, section, target string, p ...delta.Field) {
			d := delta.Delta{
				ID: fmt.Sprintf("b%d.%d", v, len(batch)), Agent: "Amber", Operation: op, Section: section, Target: target,
				Timestamp: fmt.Sprintf("2025-12-30T1%d:%02d:00Z", v, len(batch)), Payload: p,
			}
			d.Settle()
			d.Seal()
			batch = append(batch, d)
		}
		for range 2 {
			add("ADD", "hypothesis_slate", "", delta.Field{Name: "claim", Value: artifact.Text("c")}, delta.Field{Name: "name", Value: artifact.Text("Third alternative")})
		}
		add("ADD", "predictions_table", "", delta.Field{Name: "condition", Value: artifact.Text("c")}, delta.Field{Name: "predictions", Value: artifact.Map{{Key: "H1", Value: artifact.Text("x")}}})
		add("ADD", "discriminative_tests", "", delta.Field{Name: "procedure", Value: artifact.Text("p")}, delta.Field{Name: "expected_outcomes", Value: artifact.Map{{Key: "H1", Value: artifact.Text("x")}}})
		if rapid.Bool().Draw(t, "killed") {
			add("KILL", "hypothesis_slate", fmt.Sprintf("H%d", 2*v+1))
		}
		a, _ = merge.Merge(a, batch, merge.Rules{Version: merge.Second})
	}
	if rapid.IntRange(0, 4).Draw(t, "bare") == 0 {
		a = a.WithoutProvenance()
	}
	return a
}

func adversaryBatch(t *rapid.T) []delta.Delta {
	hypotheses := rapid.SampledFrom([]string{"H1", "H2", "H3", "H4", "H5", "H6"})
	labels := []string{"H1", "H2", "H3", "H4", "H5", "H6", "P1", "P2", "P3", "T1", "T2", "T3", "P1.H1", "P3.H5", "new"}
	labels = rapid.SliceOfNDistinct(rapid.SampledFrom(labels), 1, 4, rapid.ID).Draw(t, "pool") // few, so that they meet
	spelt := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom(spellings(rapid.SampledFrom(labels).Draw(t, "label"))).Draw(t, "spelling")
	})
	thread := rapid.Bool().Draw(t, "thread") // of letters to all
	messages := rapid.IntRange(1, 3).Draw(t, "messages")
	batch := make([]delta.Delta, rapid.IntRange(1, 12).Draw(t, "size"))
	letters := make(drawnLetters)
	for i := range batch {
		d := &batch[i]
		*d = delta.Delta{
			ID: fmt.Sprintf("d%d", i), Agent: rapid.SampledFrom([]string{"Blue", "Crimson"}).Draw(t, "agent"),
			Operation: rapid.SampledFrom([]string{"ADD", "ADD", "EDIT", "KILL"}).Draw(t, "op"),
			Timestamp: fmt.Sprintf("2025-12-30T12:0%d:00Z", rapid.IntRange(0, 2).Draw(t, "minute")),
		}
		if thread || rapid.Bool().Draw(t, "reply") {
			message := rapid.IntRange(1, messages).Draw(t, "message")
			d.Place = &delta.Place{Message: message, Block: i + 1, Shown: rapid.IntRange(0, 2).Draw(t, "shown"), Letter: letters.of(t, d.Agent, message, thread)}
		}
		section := rapid.SampledFrom([]artifact.Section{artifact.HypothesisSlate, artifact.PredictionsTable, artifact.DiscriminativeTests, artifact.AnomalyRegister}).Draw(t, "section")
		marked := func(what string) artifact.Value { return artifact.Text(d.ID + " means " + strings.ToLower(what)) }
		outcomes := func() artifact.Value {
			var m []artifact.Entry
			for _, h := range rapid.SliceOfNDistinct(hypotheses, 1, 3, rapid.ID).Draw(t, "keys") {
				m = append(m, artifact.Entry{Key: h, Value: marked(h)})
			}
			return artifact.MapOf(m...)
		}
		h := hypotheses.Draw(t, "word")
		switch section {
		case artifact.HypothesisSlate:
			d.Payload = delta.Payload{{Name: "claim", Value: artifact.Text("c" + d.ID)}}
			if d.Operation == delta.Add && rapid.IntRange(0, 3).Draw(t, "named") == 0 {
				d.Payload = append(d.Payload, delta.Field{Name: "name", Value: artifact.Text(h + ": n")})
			}
		case artifact.PredictionsTable:
			d.Payload = delta.Payload{{Name: "condition", Value: artifact.Text("c" + d.ID)}, {Name: "predictions", Value: outcomes()}}
		case artifact.DiscriminativeTests:
			d.Payload = delta.Payload{
				{Name: "procedure", Value: artifact.Text("p" + d.ID)},
				{Name: "expected_outcomes", Value: outcomes()},
				{Name: "discriminates", Value: marked(h).(artifact.Text) + artifact.Text(": "+h)},
			}
		default:
			d.Payload = delta.Payload{{Name: "observation", Value: artifact.Text("o" + d.ID)}, {Name: "conflicts_with", Value: artifact.List{artifact.Text(h)}}}
		}
		d.Section = section.String()
		switch d.Operation {
		case delta.Add:
			d.Labels = rapid.SliceOfNDistinct(spelt, 0, 2, rapid.ID).Draw(t, "labels")
		case delta.Kill:
			d.Payload = nil
			fallthrough
		default:
			d.Target = spelt.Draw(t, "target")
			id, _, isCell := strings.Cut(plain(d.Target), ".")
			if s, ok := artifact.SectionOfID(id); ok {
				d.Section = s.String()
			}
			if isCell && d.Operation == delta.Edit {
				d.Payload = delta.Payload{{Name: "prediction", Value: marked(strings.TrimPrefix(plain(d.Target), id+"."))}}
			}
		}
		d.Settle()
		d.Seal()
	}
	return batch
}

// sharedName is the name of all hypotheses of the base: a label, but no target.
const sharedName = "third alternative"

// spellings returns the forms in which a person would still read an id, the plain one as often as all
// others together.
func spellings(id string) []string {
	if id == "new" {
		return []string{id, "H2b", "H2'", "hyp 2", "H²", "#2", "second hypothesis", sharedName}
	}
	all := []string{
		strings.ToLower(id), "`" + id + "`", "**" + id + "**", "[" + id + "]", "#" + id, " " + id + "\u200b", id[:1] + "0" + id[1:],
		id[:1] + " " + id[1:], "RS-20251230-law#" + id, "(" + id + ")",
	}
	if !strings.Contains(id, ".") {
		all = append(all, id+": Two", id+" (Two)")
	}
	for range len(all) {
		all = append(all, id)
	}
	return all
}

// plain returns the id of a spelling that spellings returned. The items of the base share a name; it
// means the first of them.
func plain(spelling string) string {
	switch spelling {
	case sharedName:
		return "H1"
	case "new", "H2b", "H2'", "hyp 2", "H²", "#2", "second hypothesis":
		return spelling
	}
	_, item, ok := strings.Cut(spelling, "#")
	if !ok {
		item = spelling
	}
	item, _, _ = strings.Cut(item, ": ")
	item, _, _ = strings.Cut(item, " (Two")
	item = strings.ToUpper(strings.Trim(item, "`*[] ()\u200b"))
	return item[:1] + strings.TrimLeft(item[1:], " 0")
}

// label returns a name in plain spelling. The name that the items of the base share stays as it is.
func label(spelling string) string {
	if spelling == sharedName {
		return spelling
	}
	return plain(spelling)
}

// namesOf returns what the author of an ADD calls its item, in plain spelling.
func namesOf(d *delta.Delta) []string {
	var names []string
	for _, l := range d.Labels {
		names = append(names, label(l))
	}
	if name, _, ok := strings.Cut(d.Payload.Text("name"), ":"); ok {
		names = append(names, name)
	}
	return names
}

// checkShared fails if an EDIT or KILL was bound by a name that two items of its author share.
func checkShared(t *rapid.T, base *artifact.Artifact, batch []delta.Delta, report *merge.Report) {
	made := make(map[string]map[string]bool) // by author, message and name
	byID := deltasByID(batch)
	key := func(d *delta.Delta, name string) string {
		message := 0
		if d.Place != nil {
			message = d.Place.Message
		}
		return fmt.Sprint(d.Agent, message, label(name))
	}
	for _, row := range report.Deltas {
		d := byID[row.DeltaID]
		for _, name := range namesOf(d) {
			if row.Disposition != merge.Rejected && !knows(base, d, name) {
				if made[key(d, name)] == nil {
					made[key(d, name)] = make(map[string]bool)
				}
				made[key(d, name)][row.TargetID] = true
			}
		}
	}
	for _, row := range report.Deltas {
		d := byID[row.DeltaID]
		if d.Operation == delta.Add || row.Disposition == merge.Rejected || row.Disposition == merge.Duplicate || strings.ContainsAny(d.Target, ".-") {
			continue // labels of cells are told apart by their spelling, and an address leaves no doubt
		}
		if !knows(base, d, d.Target) && len(made[key(d, d.Target)]) > 1 {
			t.Fatalf("%s of %s touched %s, one of %v", d.Operation, d.Target, row.TargetID, made[key(d, d.Target)])
		}
	}
}

// An id in a text that was kept from another tool's file is known: no new item gets it, and no delta that
// names it means another item.
func TestIDsInKeptTexts(t *testing.T) {
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	var base artifact.Artifact
	base.Metadata.Extra = artifact.MapOf(artifact.Entry{Key: "other_text", Value: artifact.List{artifact.MapOf(
		artifact.Entry{Key: "section", Value: artifact.Text("hypothesis_slate")}, artifact.Entry{Key: "text", Value: artifact.Text("H2 was an idea")})}})
	const said = "added as H3; H2 appears in a text of the artifact and cannot name a new item"
	for label, want := range map[string]string{"": "added as H3", "H2": said} {
		batch, err := delta.ReadFile(fmt.Appendf(nil, `[{"delta_id":"d1","agent":"RedSky","timestamp":"%s","operation":"ADD","section":"hypothesis_slate","target_id":%q,"payload":{"name":"n","claim":"c"}},
{"delta_id":"d2","agent":"RedSky","timestamp":"%s","operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"r"}}]`,
			at.Format(time.RFC3339), label, at.Add(time.Second).Format(time.RFC3339)))
		if err != nil {
			t.Fatal(err)
		}
		out, report := merge.Merge(base, batch, merge.Rules{Version: merge.Second})
		items := out.Items(artifact.HypothesisSlate)
		if len(items) != 1 || items[0].ID != "H3" || items[0].Killed() || report.Deltas[1].Code != merge.InvalidTarget {
			t.Errorf("%q: %+v %+v", label, items, report.Deltas)
		}
		if got := report.Deltas[0].Message; got != want {
			t.Errorf("%q: the ADD is %q, want %q", label, got, want)
		}
	}
}
