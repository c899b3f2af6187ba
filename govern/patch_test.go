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
	out, err := k.Patch(k.ctx(), who, &govern.Patching{Address: address, Patches: patches})
	if err != nil {
		k.Fatal(err)
	}
	return out
}

func (k *kit) content(address string) string {
	k.Helper()
	_, data, err := k.Read(k.ctx(), sydney, address)
	if err != nil {
		k.Fatal(err)
	}
	return string(data)
}

const one, two, three = "alpha\r\nbeta\r\n", "alpha\r\nBETA\r\n", "alpha\r\nBETA\r\ngamma\r\n"

func TestPatchMakesAVersion(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		out := k.patch(sydney, "note", k.patchBetween(one, two), k.patchBetween(two, three))
		k.equal("versions", len(out.Put), 2)
		k.equal("parent", k.record("note").Parent, 2)
		k.equal("line ends", k.content("note@v3"), three)
		k.equal("status", k.record("note").Status, record.Draft)
		// If one patch does not apply, none is written.
		out = k.patch(sydney, "note", k.patchBetween(three, two), k.patchBetween(three, two))
		k.equal("put", len(out.Put), 0)
		k.equal("latest", k.record("note").Version, 3)
	})
}

func TestPatchOfOldVersionNeedsRebase(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.patch(sydney, "note", k.patchBetween(one, two), k.patchBetween(two, three))
		old := k.patchBetween(one, "ALPHA\r\nbeta\r\n")
		out := k.patch(sydney, "note", old)
		problem := out.Reports[0].Problems[0]
		if problem.Code != patch.BaseMismatch || problem.Behind != 2 || !strings.Contains(problem.Message, record.NeedsRebase) {
			k.Errorf("%+v", problem)
		}
		k.equal("put", len(out.Put), 0)
		// An explicit old version is patched: the result is a marked branch.
		out = k.patch(sydney, "note@v1", old)
		k.equal("behind", out.Behind, 2)
		k.equal("status", k.record("note@v4").Status, record.NeedsRebase)
		k.equal("parent", k.record("note@v4").Parent, 1)
		k.equal("tips", out.Put[0].Fork, []int{3, 4})
		// The other branch continues as before.
		k.patch(sydney, "note@v3", k.patchBetween(three, one))
		k.equal("status", k.record("note@v5").Status, record.Draft)
	})
}

// A version that needs a rebase may be the latest, but is not the default.
func TestPatchDefaultSkipsVersionsThatNeedRebase(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.patch(sydney, "note", k.patchBetween(one, two))
		beside := "ALPHA\r\nbeta\r\n"
		k.patch(sydney, "note@v1", k.patchBetween(one, beside))
		k.equal("latest", k.record("note").Version, 3)
		// Without a hash, the branch that is not set aside.
		r, _, _, err := k.Text(k.ctx(), sydney, "note")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("text", r.Version, 2)
		r, _, _, err = k.Text(k.ctx(), sydney, "note@latest")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("explicit version", r.Version, 3)
		// With a hash, the branch that has it.
		out := k.patch(sydney, "note", k.patchBetween(two, three))
		k.equal("behind", out.Behind, 0)
		k.equal("branch", out.Put[0].Record.Parent, 2)
		k.equal("status", out.Put[0].Record.Status, record.Draft)
		out = k.patch(sydney, "note", k.patchBetween(beside, "ALPHA\r\n"))
		k.equal("other branch", out.Put[0].Record.Parent, 3)
		// A hash of neither tip is behind.
		out = k.patch(sydney, "note", k.patchBetween(one, "beta\r\n"))
		k.equal("put", len(out.Put), 0)
		if p := out.Reports[0].Problems[0]; p.Behind == 0 {
			k.Errorf("%+v", p)
		}
	})
}

func TestPutDefaultSkipsVersionsThatNeedRebase(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.patch(sydney, "note", k.patchBetween(one, two))
		k.patch(sydney, "note@v1", k.patchBetween(one, "ALPHA\r\nbeta\r\n"))
		_, err := k.Put(k.ctx(), sydney, draft("note", "", three))
		k.wantFault(err, govern.BadRecord, "unmerged branches: v2, v3")
		k.promote("note@v2")
		p := k.put(draft("note", "", three))
		k.equal("parent", p.Record.Parent, 2)
	})
}

func TestPatchSummaryAppliesToTheLastVersion(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		_, err := k.Patch(k.ctx(), sydney, &govern.Patching{Address: "note", Patches: []patch.Patch{k.patchBetween(one, two), k.patchBetween(two, three)}, Summary: "All three."})
		if err != nil {
			k.Fatal(err)
		}
		k.equal("last", k.record("note@v3").Summary, "All three.")
		k.equal("first", k.record("note@v2").SummaryBy, record.Extracted)
		_, err = k.Patch(k.ctx(), sydney, &govern.Patching{Address: "note", Patches: []patch.Patch{k.patchBetween(three, one)}, Summary: "two\nlines"})
		if fault.CodeOf(err) == "" {
			k.Error("a summary of two lines was accepted")
		}
		k.equal("nothing", k.record("note").Version, 3)
	})
}

func TestPatchRespectsScopes(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("spec", record.ModelSpec, one))
		_, err := k.Patch(k.ctx(), reader, &govern.Patching{Address: "spec", Patches: []patch.Patch{k.patchBetween(one, two)}})
		k.wantFault(err, policy.OutOfScope)
		_, err = k.Patch(k.ctx(), sydney, &govern.Patching{Address: "spec", Patches: []patch.Patch{k.patchBetween(one, two)}})
		k.wantFault(err, govern.BadRecord, "a new version of a model_spec needs a change note")
		p := k.patchBetween(one, two)
		p.Meta = []byte(`{"notes":"measured"}`)
		k.patch(sydney, "spec", p)
		k.equal("change", k.record("spec").Change, "measured")
	})
}

func TestThirdRefusalOfAPatchRequestsARuling(t *testing.T) {
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
			k.Fatal("no request for a ruling")
		}
		r := k.record(out.Stuck.String())
		k.equal("type", r.Type, record.StalemateRequest)
		k.equal("link", r.Links[0].Ref(), record.Ref{ID: "note", Version: 1})
		request, doubts, err := stalemate.ReadRequest([]byte(k.content(out.Stuck.String())))
		if err != nil || len(doubts) > 0 || request.Sendable() != nil {
			k.Fatal(err, doubts)
		}
		k.equal("parties", request.Names()[:2], []string{writerOfNotes.Name, stalemate.TheRules})
		// Further attempts do not make further requests.
		again := k.patch(writerOfNotes, "note", bad)
		k.equal("request", *again.Stuck, *out.Stuck)
		// A patch that is already applied does not count.
		done := k.patchBetween(two, one)
		for range 4 {
			if out := k.patch(sydney, "note", done); out.Stuck != nil {
				k.Error("stuck on an applied patch")
			}
		}
		// Attempts count per version.
		k.patch(sydney, "note", k.patchBetween(one, two))
		if out := k.patch(writerOfNotes, "note", bad); out.Stuck != nil {
			k.Error("refusals of another version were counted")
		}
	})
}

// writerOfNotes is an agent that may read and write notes.
var writerOfNotes = reader

func TestPatchTryWritesNothing(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		for range 4 {
			out, err := k.Patch(k.ctx(), sydney, &govern.Patching{Address: "note", Patches: []patch.Patch{k.patchBetween(two, three)}, Try: true})
			if err != nil || out.Stuck != nil || len(out.Put) > 0 {
				k.Fatal(err, out)
			}
		}
		k.equal("latest", k.record("note").Version, 1)
		_, err := k.Patch(k.ctx(), sydney, &govern.Patching{Address: "nothing", Try: true})
		if fault.CodeOf(err) == "" {
			k.Error("a missing record was accepted")
		}
	})
}
