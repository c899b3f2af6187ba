package govern_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store/record"
)

func block(name, search, replace string) string {
	return patch.WriteBlocks(name, []patch.Block{{Search: search, Replace: replace}})
}

func (k *kit) patchReply(who govern.Actor, text string, shown ...string) []govern.PatchOutcome {
	k.Helper()
	a := &govern.Reply{Text: []byte(text), Change: "from a reply", Tags: []string{"t"}}
	for _, s := range shown {
		address, err := record.ParseAddress(s)
		if err != nil {
			k.Fatal(err)
		}
		a.Shown = append(a.Shown, record.Ref{ID: address.ID, Version: address.Version})
	}
	checked, err := k.CheckPatches(k.ctx(), who, a)
	if err != nil {
		k.Fatal(err)
	}
	outcomes, err := k.PatchBy(k.ctx(), who, a)
	if err != nil {
		k.Fatal(err)
	}
	for i := range outcomes { // the agent is asked to correct what would be refused
		if len(checked) != len(outcomes) || len(checked[i].Problem) != len(outcomes[i].Problem) || len(checked[i].Problem) > 0 && checked[i].Problem[0].Code != outcomes[i].Problem[0].Code {
			k.Errorf("the check found %+v, but the outcomes are %+v", checked, outcomes)
			break
		}
	}
	return outcomes
}

func TestReplyPatchesShownVersions(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		reply := "Better:\n\n" + block("note@v1", "beta\n", "BETA\n")
		// Read again after a kill, the same reply makes one version.
		for range 2 {
			outcomes := k.patchReply(reader, reply, "note@v1")
			if len(outcomes) != 1 || outcomes[0].Made == nil {
				k.Fatalf("%+v", outcomes)
			}
			k.equal("made", outcomes[0].Made.Ref(), "note@v2")
			k.equal("patch", len(outcomes[0].Patch) > 0, true)
		}
		k.equal("latest", k.record("note").Version, 2)
		// The same text in another reply makes another version.
		other, err := k.PatchBy(k.ctx(), reader, &govern.Reply{Text: []byte(reply), Change: "another reply", Shown: []record.Ref{{ID: "note", Version: 1}}})
		if err != nil || len(other) != 1 || other[0].Made == nil || other[0].Made.Version != 3 || other[0].Made.Status != record.NeedsRebase {
			k.Fatalf("%+v, %v", other, err)
		}
		k.equal("line ends", k.content("note@v2"), two)
		k.equal("by", k.record("note@v2").Creator, reader.Name)
		k.equal("why", k.record("note@v2").Change, "from a reply")
		k.equal("tags", k.record("note@v2").Tags, []string{"t"})
		// A later reply of another agent to the same version becomes a marked branch.
		outcomes := k.patchReply(govern.Actor{Name: "Other", Role: reader.Role}, block("note", "alpha\n", "ALPHA\n"), "note@v1")
		k.equal("beside", outcomes[0].Made.Status, record.NeedsRebase)
		// Blocks without a name refer to the only text that was shown.
		outcomes = k.patchReply(reader, block("", "alpha\n", "Alpha\n"), "note@v2")
		k.equal("only one", outcomes[0].Made.Parent, 2)
		k.wantVerified()
	})
}

func TestUnusablePatchReplies(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.put(draft("secret", record.PaperNote, "the word is xyzzy\n"))
		k.put(draft("spec", record.ModelSpec, one))
		for name, c := range map[string]struct {
			text, code, not string
		}{
			"not found":            {block("note", "omega\n", "x\n"), string(patch.AnchorNotFound), ""},
			"not shown":            {block("secret.md", "the word is\n", "x\n"), string(patch.BaseMissing), "xyzzy"},
			"not shown, by its id": {block("secret@v1", "the word is\n", "x\n"), string(patch.BaseMissing), "xyzzy"},
			"blank":                {block("note", "\n", "x\n"), string(patch.EmptyAnchor), ""},
			"the same":             {block("note", "beta\n", "beta\n"), string(patch.NoOps), ""},
			"overlapping":          {block("note", "alpha\nbeta\n", "x\n") + block("note", "beta\n", "y\n"), string(patch.Overlap), ""},
			"not closed":           {"note\n<<<<<<< SEARCH\nbeta\n", string(patch.NoOps), ""},
			"empty result":         {block("note", quotedLines(one), ""), string(govern.BadRecord), ""},
			"a path outside":       {block("../../etc/passwd", "root\n", "x\n"), string(patch.BaseMissing), ""},
			"out of scope":         {block("spec", "beta\n", "x\n"), string(policy.OutOfScope), ""},
			"a long name":          {block("a/"+strings.Repeat("b", 1<<20), "beta\n", "x\n"), string(patch.BaseMissing), strings.Repeat("b", 1000)},
			"bytes":                {"note\n<<<<<<< SEARCH\n\xff\x00\n=======\nx\n>>>>>>> REPLACE\n", string(patch.AnchorNotFound), ""},
		} {
			outcomes := k.patchReply(reader, c.text, "note@v1", "spec@v1")
			if len(outcomes) == 0 || outcomes[0].Made != nil || len(outcomes[0].Problem) == 0 {
				k.Errorf("%s: %+v", name, outcomes)
				continue
			}
			p := outcomes[0].Problem[0]
			if string(p.Code) != c.code || c.not != "" && strings.Contains(outcomes[0].Name+p.Message+p.Hint, c.not) {
				k.Errorf("%s: %+v", name, p)
			}
		}
		// The example block and replies without blocks are ignored.
		k.equal("example", len(k.patchReply(reader, block("note", patch.ExampleSearch, "x\n"), "note@v1")), 0)
		k.equal("prose", len(k.patchReply(reader, "Nothing.", "note@v1")), 0)
		k.equal("nothing written", k.record("note").Version, 1)
		// An agent without rights changes nothing.
		outcomes := k.patchReply(govern.Actor{Name: "X", Role: "unknown"}, block("note", "beta\n", "x\n"), "note@v1")
		k.equal("scope", outcomes[0].Problem[0].Code, policy.OutOfScope)
	})
}

// A reply that names thousands of texts, or opens thousands of blocks without closing them, has
// one problem.
func TestReplyWithThousandsOfBlocks(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		var names, open, good strings.Builder
		for i := range 2_000 {
			names.WriteString(block(fmt.Sprintf("dir/%d", i), "beta\n", "x\n"))
			open.WriteString("<<<<<<< SEARCH\n" + strings.Repeat("x", 50) + "\n")
			good.WriteString(block("note", fmt.Sprintf("line %d\n", i), "x\n"))
		}
		for code, text := range map[fault.Code]string{patch.BaseMissing: names.String(), patch.NoOps: open.String(), patch.AnchorNotFound: good.String()} {
			outcomes := k.patchReply(reader, text, "note@v1")
			if len(outcomes) != 1 || outcomes[0].Problem[0].Code != code {
				k.Errorf("%s: %d", code, len(outcomes))
			}
		}
	})
}

// quotedLines returns a text as blocks quote it.
func quotedLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// The message names all texts that were not shown, up to a limit; the hint names only those
// that the author may write.
func TestBlocksAboutTextsNotShown(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.put(draft("spec", record.ModelSpec, one))
		outcomes := k.patchReply(reader, block("brief@v1", "a\n", "x\n")+block("secret.md", "a\n", "x\n")+block("../passwd", "a\n", "x\n"), "note@v1", "spec@v1")
		if len(outcomes) != 1 || len(outcomes[0].Problem) != 1 {
			k.Fatalf("%+v", outcomes)
		}
		k.equal("names", outcomes[0].Problem[0].Message, "brief@v1, secret.md, ../passwd are no texts that were shown in full")
		k.equal("hint", outcomes[0].Problem[0].Hint, "write one of these on the line above a block: note, note@v1")
		var many strings.Builder
		for i := range 20 {
			many.WriteString(block(fmt.Sprint("made/up", i), "a\n", "x\n"))
		}
		outcomes = k.patchReply(reader, many.String(), "note@v1")
		k.equal("cut", strings.HasSuffix(outcomes[0].Problem[0].Message, "made/up7 and 12 more are no texts that were shown in full"), true)
	})
}

// The hint about a text that was not shown lists what the author may change. Checking that does
// not record refusals.
func TestHintIsNotARefusedAttempt(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "alpha\nbeta\n"))
		k.put(draft("brief", record.ProjectBrief, "alpha\nbeta\n"))
		k.put(draft("intro", record.ManuscriptSection, "alpha\nbeta\n"))
		outcomes := k.patchReply(reader, block("nosuch.md", "beta\n", "BETA\n"), "note@v1", "brief@v1", "intro@v1")
		if len(outcomes) != 1 || len(outcomes[0].Problem) != 1 {
			k.Fatalf("%+v", outcomes)
		}
		hint := outcomes[0].Problem[0].Hint
		if !strings.Contains(hint, "note@v1") || strings.Contains(hint, "brief") || strings.Contains(hint, "intro") {
			k.Errorf("the hint is %q", hint)
		}
		list, err := k.Refusals(k.ctx(), 10)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("refusals", []int{len(list.Attempts), list.All}, []int{0, 0})
		// A real attempt is recorded.
		k.patchReply(reader, block("brief@v1", "beta\n", "BETA\n"), "note@v1", "brief@v1")
		if list, err = k.Refusals(k.ctx(), 10); err != nil || len(list.Attempts) != 1 {
			k.Errorf("%+v, %v", list, err)
		}
	})
}
