package govern_test

import (
	"strings"
	"testing"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/patch"
	"brenner/session/stalemate"
	"brenner/store/record"
)

// patchBetween makes the patch between two texts.
func (k *kit) patchBetween(before, after string) patch.Patch {
	k.Helper()
	a, _ := patch.NewText([]byte(before))
	b, _ := patch.NewText([]byte(after))
	p, problems := patch.Make("note", a, b)
	if len(problems) > 0 {
		k.Fatal(patch.Err(problems))
	}
	return p
}

func (k *kit) patch(who govern.Actor, address string, patches ...patch.Patch) *govern.Patched {
	k.Helper()
	out, err := k.Patch(k.Context1(), who, &govern.Patching{Address: address, Patches: patches})
	if err != nil {
		k.Fatal(err)
	}
	return out
}

func (k *kit) content(address string) string {
	k.Helper()
	_, data, err := k.Read(k.Context1(), sydney, address)
	if err != nil {
		k.Fatal(err)
	}
	return string(data)
}

const one, two, three = "alpha\r\nbeta\r\n", "alpha\r\nBETA\r\n", "alpha\r\nBETA\r\ngamma\r\n"

func TestAPatchMakesAVersion(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		out := k.patch(sydney, "note", k.patchBetween(one, two), k.patchBetween(two, three))
		k.is("versions", len(out.Put), 2)
		k.is("parent", k.record("note").Parent, 2)
		k.is("line ends", k.content("note@v3"), three)
		k.is("status", k.record("note").Status, record.Draft)
		// Nothing of a row is written when one of them does not apply.
		out = k.patch(sydney, "note", k.patchBetween(three, two), k.patchBetween(three, two))
		k.is("put", len(out.Put), 0)
		k.is("latest", k.record("note").Version, 3)
	})
}

func TestAnOldBaseNeedsARebase(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.patch(sydney, "note", k.patchBetween(one, two), k.patchBetween(two, three))
		old := k.patchBetween(one, "ALPHA\r\nbeta\r\n")
		out := k.patch(sydney, "note", old)
		problem := out.Reports[0].Problems[0]
		if problem.Code != patch.BaseMismatch || problem.Behind != 2 || !strings.Contains(problem.Message, record.NeedsRebase) {
			k.Errorf("%+v", problem)
		}
		k.is("put", len(out.Put), 0)
		// Whoever names the old version means it: the result is marked, beside the others.
		out = k.patch(sydney, "note@v1", old)
		k.is("behind", out.Behind, 2)
		k.is("status", k.record("note@v4").Status, record.NeedsRebase)
		k.is("parent", k.record("note@v4").Parent, 1)
		k.is("ways", out.Put[0].Fork, []int{3, 4})
		// The other way goes on as it was.
		k.patch(sydney, "note@v3", k.patchBetween(three, one))
		k.is("status", k.record("note@v5").Status, record.Draft)
	})
}

// TestWhatNeedsARebaseIsNotWhatOthersPatch: it has the highest number, and that is all.
func TestWhatNeedsARebaseIsNotWhatOthersPatch(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.patch(sydney, "note", k.patchBetween(one, two))
		beside := "ALPHA\r\nbeta\r\n"
		k.patch(sydney, "note@v1", k.patchBetween(one, beside))
		k.is("latest", k.record("note").Version, 3)
		// Without a hash, the way that nobody has left.
		r, _, _, err := k.Text(k.Context1(), sydney, "note")
		if err != nil {
			k.Fatal(err)
		}
		k.is("text", r.Version, 2)
		r, _, _, err = k.Text(k.Context1(), sydney, "note@latest")
		if err != nil {
			k.Fatal(err)
		}
		k.is("text that is named", r.Version, 3)
		// With one, the way that it is of.
		out := k.patch(sydney, "note", k.patchBetween(two, three))
		k.is("behind", out.Behind, 0)
		k.is("way", out.Put[0].Record.Parent, 2)
		k.is("status", out.Put[0].Record.Status, record.Draft)
		out = k.patch(sydney, "note", k.patchBetween(beside, "ALPHA\r\n"))
		k.is("other way", out.Put[0].Record.Parent, 3)
		// One that is the end of neither is behind.
		out = k.patch(sydney, "note", k.patchBetween(one, "beta\r\n"))
		k.is("put", len(out.Put), 0)
		if p := out.Reports[0].Problems[0]; p.Behind == 0 {
			k.Errorf("%+v", p)
		}
	})
}

// TestAPutDoesNotGoOnFromWhatNeedsARebase unless that is named.
func TestAPutDoesNotGoOnFromWhatNeedsARebase(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.patch(sydney, "note", k.patchBetween(one, two))
		k.patch(sydney, "note@v1", k.patchBetween(one, "ALPHA\r\nbeta\r\n"))
		_, err := k.Put(k.Context1(), sydney, draft("note", "", three))
		k.wantFault(err, govern.BadRecord, "unmerged branches: v2, v3")
		k.promote("note@v2")
		p := k.put(draft("note", "", three))
		k.is("parent", p.Record.Parent, 2)
	})
}

func TestASummaryIsOfTheLastOfARow(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		_, err := k.Patch(k.Context1(), sydney, &govern.Patching{Address: "note", Patches: []patch.Patch{k.patchBetween(one, two), k.patchBetween(two, three)}, Summary: "All three."})
		if err != nil {
			k.Fatal(err)
		}
		k.is("last", k.record("note@v3").Summary, "All three.")
		k.is("first", k.record("note@v2").SummaryBy, record.Extracted)
		_, err = k.Patch(k.Context1(), sydney, &govern.Patching{Address: "note", Patches: []patch.Patch{k.patchBetween(three, one)}, Summary: "two\nlines"})
		if fault.CodeOf(err) == "" {
			k.Error("a summary of two lines")
		}
		k.is("nothing", k.record("note").Version, 3)
	})
}

func TestPatchesKeepToScopes(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("spec", record.ModelSpec, one))
		_, err := k.Patch(k.Context1(), reader, &govern.Patching{Address: "spec", Patches: []patch.Patch{k.patchBetween(one, two)}})
		k.wantFault(err, policy.OutOfScope)
		_, err = k.Patch(k.Context1(), sydney, &govern.Patching{Address: "spec", Patches: []patch.Patch{k.patchBetween(one, two)}})
		k.wantFault(err, govern.BadRecord, "needs a change note")
		p := k.patchBetween(one, two)
		p.Meta = []byte(`{"notes":"measured"}`)
		k.patch(sydney, "spec", p)
		k.is("change", k.record("spec").Change, "measured")
	})
}

func TestTheSameRefusalThreeTimesAsksForARuling(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		bad := k.patchBetween(one, two)
		bad.Groups[0].Anchor.Text = "omega\n"
		tries := []*govern.Patched{k.patch(writerOfNotes, "note", bad), k.patch(sydney, "note", bad), k.patch(writerOfNotes, "note", bad)}
		for i, out := range tries {
			if out.Stuck != nil {
				k.Fatalf("stuck at try %d", i+1)
			}
		}
		out := k.patch(writerOfNotes, "note", bad)
		if out.Stuck == nil {
			k.Fatal("it is not seen")
		}
		r := k.record(out.Stuck.String())
		k.is("type", r.Type, record.StalemateRequest)
		k.is("link", r.Links[0].Ref(), record.Ref{ID: "note", Version: 1})
		request, doubts, err := stalemate.ReadRequest([]byte(k.content(out.Stuck.String())))
		if err != nil || len(doubts) > 0 || request.Sendable() != nil {
			k.Fatal(err, doubts)
		}
		k.is("parties", request.Names()[:2], []string{writerOfNotes.Name, stalemate.TheRules})
		// There is one request, however often it is tried.
		again := k.patch(writerOfNotes, "note", bad)
		k.is("request", *again.Stuck, *out.Stuck)
		// What has been applied already is no quarrel.
		done := k.patchBetween(two, one)
		for range 4 {
			if out := k.patch(sydney, "note", done); out.Stuck != nil {
				k.Error("stuck on what is done")
			}
		}
		// On another text it is another matter.
		k.patch(sydney, "note", k.patchBetween(one, two))
		if out := k.patch(writerOfNotes, "note", bad); out.Stuck != nil {
			k.Error("what another version refused counts")
		}
	})
}

// writerOfNotes is an agent that may read and write notes.
var writerOfNotes = reader

func TestATryChangesNothing(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		for range 4 {
			out, err := k.Patch(k.Context1(), sydney, &govern.Patching{Address: "note", Patches: []patch.Patch{k.patchBetween(two, three)}, Try: true})
			if err != nil || out.Stuck != nil || len(out.Put) > 0 {
				k.Fatal(err, out)
			}
		}
		k.is("latest", k.record("note").Version, 1)
		_, err := k.Patch(k.Context1(), sydney, &govern.Patching{Address: "nothing", Try: true})
		if fault.CodeOf(err) == "" {
			k.Error("a record that is not there")
		}
	})
}
