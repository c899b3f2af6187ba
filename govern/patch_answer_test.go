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

func (k *kit) answered(who govern.Actor, text string, shown ...string) []govern.PatchOutcome {
	k.Helper()
	a := &govern.Reply{Text: []byte(text), Change: "it was said", Tags: []string{"t"}}
	for _, s := range shown {
		address, err := record.ParseAddress(s)
		if err != nil {
			k.Fatal(err)
		}
		a.Shown = append(a.Shown, record.Ref{ID: address.ID, Version: address.Version})
	}
	said, err := k.PatchBy(k.Context1(), who, a)
	if err != nil {
		k.Fatal(err)
	}
	return said
}

func TestAnAnswerPatchesWhatItsAuthorWasShown(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		answer := "Better:\n\n" + block("note@v1", "beta\n", "BETA\n")
		// Read again after a kill, the same answer makes one version.
		for range 2 {
			said := k.answered(reader, answer, "note@v1")
			if len(said) != 1 || said[0].Made == nil {
				k.Fatalf("%+v", said)
			}
			k.is("made", said[0].Made.Ref(), "note@v2")
			k.is("patch", len(said[0].Patch) > 0, true)
		}
		k.is("latest", k.record("note").Version, 2)
		// The same words of another answer are another version.
		other, err := k.PatchBy(k.Context1(), reader, &govern.Reply{Text: []byte(answer), Change: "said elsewhere", Shown: []record.Ref{{ID: "note", Version: 1}}})
		if err != nil || len(other) != 1 || other[0].Made == nil || other[0].Made.Version != 3 || other[0].Made.Status != record.NeedsRebase {
			k.Fatalf("%+v, %v", other, err)
		}
		k.is("line ends", k.content("note@v2"), two)
		k.is("by", k.record("note@v2").Creator, reader.Name)
		k.is("why", k.record("note@v2").Change, "it was said")
		k.is("tags", k.record("note@v2").Tags, []string{"t"})
		// Another who was shown the same version comes too late: kept beside, and marked.
		said := k.answered(govern.Actor{Name: "Other", Role: reader.Role}, block("note", "alpha\n", "ALPHA\n"), "note@v1")
		k.is("beside", said[0].Made.Status, record.NeedsRebase)
		// Without a name it is the only text that was shown.
		said = k.answered(reader, block("", "alpha\n", "Alpha\n"), "note@v2")
		k.is("only one", said[0].Made.Parent, 2)
		k.proven()
	})
}

func TestAnswersOfWhichNothingCanBeMade(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.put(draft("secret", record.PaperNote, "the word is xyzzy\n"))
		k.put(draft("spec", record.ModelSpec, one))
		for name, c := range map[string]struct {
			text, code, not string
		}{
			"not there":            {block("note", "omega\n", "x\n"), string(patch.AnchorNotFound), ""},
			"not shown":            {block("secret.md", "the word is\n", "x\n"), string(patch.BaseMissing), "xyzzy"},
			"not shown, by its id": {block("secret@v1", "the word is\n", "x\n"), string(patch.BaseMissing), "xyzzy"},
			"blank":                {block("note", "\n", "x\n"), string(patch.EmptyAnchor), ""},
			"the same":             {block("note", "beta\n", "beta\n"), string(patch.NoOps), ""},
			"across each other":    {block("note", "alpha\nbeta\n", "x\n") + block("note", "beta\n", "y\n"), string(patch.Overlap), ""},
			"not closed":           {"note\n<<<<<<< SEARCH\nbeta\n", string(patch.NoOps), ""},
			"nothing is left":      {block("note", quotedLines(one), ""), string(govern.BadRecord), ""},
			"a path out":           {block("../../etc/passwd", "root\n", "x\n"), string(patch.BaseMissing), ""},
			"a role's":             {block("spec", "beta\n", "x\n"), string(policy.OutOfScope), ""},
			"a long name":          {block("a/"+strings.Repeat("b", 1<<20), "beta\n", "x\n"), string(patch.BaseMissing), strings.Repeat("b", 1000)},
			"bytes":                {"note\n<<<<<<< SEARCH\n\xff\x00\n=======\nx\n>>>>>>> REPLACE\n", string(patch.AnchorNotFound), ""},
		} {
			said := k.answered(reader, c.text, "note@v1", "spec@v1")
			if len(said) == 0 || said[0].Made != nil || len(said[0].Problem) == 0 {
				k.Errorf("%s: %+v", name, said)
				continue
			}
			p := said[0].Problem[0]
			if string(p.Code) != c.code || c.not != "" && strings.Contains(said[0].Name+p.Message+p.Hint, c.not) {
				k.Errorf("%s: %+v", name, p)
			}
		}
		// What only shows what blocks look like, and an answer without any, is nothing.
		k.is("example", len(k.answered(reader, block("note", patch.ExampleSearch, "x\n"), "note@v1")), 0)
		k.is("prose", len(k.answered(reader, "Nothing.", "note@v1")), 0)
		k.is("nothing written", k.record("note").Version, 1)
		// Who may not read or write what it was shown changes nothing.
		said := k.answered(govern.Actor{Name: "X", Role: "nobody"}, block("note", "beta\n", "x\n"), "note@v1")
		k.is("scope", said[0].Problem[0].Code, policy.OutOfScope)
	})
}

// TestAnAnswerOfManyBlocks names thousands of texts,
// or opens as many blocks and closes none: it is refused, once.
func TestAnAnswerOfManyBlocks(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		var names, open, good strings.Builder
		for i := range 2_000 {
			names.WriteString(block(fmt.Sprintf("dir/%d", i), "beta\n", "x\n"))
			open.WriteString("<<<<<<< SEARCH\n" + strings.Repeat("x", 50) + "\n")
			good.WriteString(block("note", fmt.Sprintf("line %d\n", i), "x\n"))
		}
		for code, text := range map[fault.Code]string{patch.BaseMissing: names.String(), patch.NoOps: open.String(), patch.AnchorNotFound: good.String()} {
			said := k.answered(reader, text, "note@v1")
			if len(said) != 1 || said[0].Problem[0].Code != code {
				k.Errorf("%s: %d", code, len(said))
			}
		}
	})
}

// quotedLines gives a text as blocks quote it.
func quotedLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// All texts that were not shown are named, a long row of them cut; the hint names those
// that the author may write, and no others.
func TestBlocksAboutSeveralTextsThatWereNotShown(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.put(draft("spec", record.ModelSpec, one))
		said := k.answered(reader, block("brief@v1", "a\n", "x\n")+block("secret.md", "a\n", "x\n")+block("../passwd", "a\n", "x\n"), "note@v1", "spec@v1")
		if len(said) != 1 || len(said[0].Problem) != 1 {
			k.Fatalf("%+v", said)
		}
		k.is("names", said[0].Problem[0].Message, "brief@v1, secret.md, ../passwd are no texts that were shown in full")
		k.is("hint", said[0].Problem[0].Hint, "write one of these on the line above a block: note, note@v1")
		var many strings.Builder
		for i := range 20 {
			many.WriteString(block(fmt.Sprint("made/up", i), "a\n", "x\n"))
		}
		said = k.answered(reader, many.String(), "note@v1")
		k.is("cut", strings.HasSuffix(said[0].Problem[0].Message, "made/up7 and 12 more are no texts that were shown in full"), true)
	})
}

// Whoever names a text that was not shown is told which ones it may change. That is no
// attempt to change the others.
func TestAHintRefusesNothing(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "alpha\nbeta\n"))
		k.put(draft("brief", record.ProjectBrief, "alpha\nbeta\n"))
		k.put(draft("intro", record.ManuscriptSection, "alpha\nbeta\n"))
		said := k.answered(reader, block("nosuch.md", "beta\n", "BETA\n"), "note@v1", "brief@v1", "intro@v1")
		if len(said) != 1 || len(said[0].Problem) != 1 {
			k.Fatalf("%+v", said)
		}
		hint := said[0].Problem[0].Hint
		if !strings.Contains(hint, "note@v1") || strings.Contains(hint, "brief") || strings.Contains(hint, "intro") {
			k.Errorf("the hint is %q", hint)
		}
		list, err := k.Refusals(k.Context1(), 10)
		if err != nil {
			k.Fatal(err)
		}
		k.is("refusals", []int{len(list.Attempts), list.All}, []int{0, 0})
		// Who does try is recorded.
		k.answered(reader, block("brief@v1", "beta\n", "BETA\n"), "note@v1", "brief@v1")
		if list, err = k.Refusals(k.Context1(), 10); err != nil || len(list.Attempts) != 1 {
			k.Errorf("%+v, %v", list, err)
		}
	})
}
