package playbook_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/playbook"
)

func export(b *playbook.Book) string {
	var out strings.Builder
	for n := range b.Len() {
		out.WriteString(playbook.LineOf(b.At(n)).String() + "\n")
	}
	return out.String()
}

func (s *testBook) imports(text string) (int, error) {
	lines, err := playbook.ParseLines(text, s.rules.Longest)
	if err != nil {
		return 0, err
	}
	return s.importLines(lines, playbook.Into{Domain: "general"})
}

// importLines returns how many lines were added. No two texts have similar vectors.
func (s *testBook) importLines(lines []playbook.Line, into playbook.Into) (added int, err error) {
	_, err = s.try(playbook.Act{}, func(d *playbook.Draft) error {
		out, err := d.Import(lines, into, func(int) ([]playbook.Match, playbook.Embedding, error) { return nil, playbook.Embedding{}, nil })
		for _, l := range out {
			if l.Did == playbook.ImportAdded {
				added++
			}
		}
		return err
	})
	return added, err
}

// anyLines draws a valid file of lines.
func anyLines(t *rapid.T) string {
	var b strings.Builder
	ids, texts := map[string]bool{}, map[string]bool{}
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		l := playbook.Line{
			ID:      rapid.StringMatching(`[a-zA-Z0-9._-]{1,12}`).Draw(t, "id"),
			Helpful: rapid.IntRange(0, 1_000_000_000).Draw(t, "helpful"), Harmful: rapid.IntRange(0, 99).Draw(t, "harmful"),
			Text: strings.TrimSpace(rapid.StringOfN(rapid.RuneFrom([]rune("ab :=[]#é細\"\\'🧬12")), 1, 40, -1).Draw(t, "text")),
		}
		if same := playbook.Normalise(l.Text); l.Text != "" && !ids[l.ID] && !texts[same] {
			ids[l.ID], texts[same] = true, true
			b.WriteString(l.String() + "\n")
		}
	}
	return b.String()
}

func TestImportAndExportAreInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyLines(t)
		s := newTestBook(t)
		added, err := s.imports(text)
		if err != nil || added != strings.Count(text, "\n") {
			t.Fatalf("added %d, error %v", added, err)
		}
		if got := export(s.book); got != text {
			t.Fatalf("got %q, want %q", got, text)
		}
		if added, err := s.imports(text); added != 0 || err != nil {
			t.Fatalf("second import: added %d, error %v", added, err)
		}
	})
}

func TestExportOfAnyBookImports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := export(anyHistory(t).book)
		lines, err := playbook.ParseLines(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range lines {
			if want := strings.Split(text, "\n")[i]; l.String() != want {
				t.Fatalf("got %q, want %q", l, want)
			}
		}
	})
}

func TestInvalidLinesAreReportedAndNothingIsImported(t *testing.T) {
	const good = "[a-1] helpful=1 harmful=0 :: Name the mechanism"
	for bad, want := range map[string]string{
		"Name the mechanism":                                       "does not begin with an id",
		"[a 2] helpful=1 harmful=0 :: x":                           "invalid id",
		"[] helpful=1 harmful=0 :: x":                              "invalid id",
		"[a-2] helpful=1 :: x":                                     "invalid counters",
		"[a-2] helpful=-1 harmful=0 :: x":                          "invalid counters",
		"[a-2] helpful=01 harmful=0 :: x":                          "invalid counters",
		"[a-2] helpful=1 harmful=99999999999999999999 :: x":        "invalid counters",
		"[a-2] harmful=1 helpful=0 :: x":                           "invalid counters",
		"[a-2] helpful=1 harmful=0 ::":                             "before the text",
		"[a-2] helpful=1 harmful=0 ::  ":                           "blank",
		"[a-2] helpful=1 harmful=0 :: x ":                          "ends with a space",
		"[a-2] helpful=1 harmful=0 :: a\tb":                        "U+0009",
		"[a-2] helpful=1 harmful=0 :: a\u202eb":                    "U+202E",
		"[a-2] helpful=1 harmful=0 :: a\xff":                       "UTF-8",
		"[a-1] helpful=1 harmful=0 :: again":                       "duplicate id a-1 (first on line 2)",
		"[a-2] helpful=1 harmful=0 :: " + strings.Repeat("x", 301): "301 characters",
	} {
		s := newTestBook(t)
		added, err := s.imports("# a heading\n" + good + "\n\n" + bad + "\n")
		if added != 0 || s.book.Len() != 0 || fault.CodeOf(err) != playbook.BadLine || !strings.Contains(err.Error(), "line 4: ") ||
			!strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%q: added %d, error %v", bad, added, err)
		}
	}
}

func TestAllInvalidLinesAreReported(t *testing.T) {
	_, err := playbook.ParseLines("x\n[a] helpful=1 harmful=0 :: fine\ny\n", 0)
	if all := fault.All(err); len(all) != 2 || all[0].Where() != "line 1" || all[1].Where() != "line 3" {
		t.Errorf("%v", err)
	}
}

func TestImportRefusesTakenIDs(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "Name the mechanism", "")
	_, err := s.imports("[x-1] helpful=1 harmful=0 :: Something new\n[pb-00001] helpful=1 harmful=0 :: Something else\n")
	if fault.CodeOf(err) != playbook.BadLine || !strings.Contains(err.Error(), "line 2: id pb-00001 already belongs to the bullet") || s.book.Len() != 1 {
		t.Errorf("%v", err)
	}
	// The counters of the same bullet have gone on here.
	if added, err := s.imports("[pb-00001] helpful=7 harmful=0 :: Name the mechanism\n"); added != 0 || err != nil {
		t.Errorf("added %d, error %v", added, err)
	}
	s.want(t, "pb-00001", "SHADOW 1/0/0 ")
}

// A line with the text of a bullet, or of an earlier line, is counted for it as a proposal would be:
// once, by its section. Texts with different meanings stay apart.
func TestImportCountsMatchingTexts(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "Name the mechanism", "")
	const file = "[o-1] helpful=7 harmful=2 :: name  the MECHANISM.\n[o-2] helpful=1 harmful=4 :: Name the mechanism\n" +
		"[z-3] helpful=3 harmful=0 :: same text here\n\n[z-4] helpful=1 harmful=0 :: Same text  here.\n"
	for range 2 {
		if added, err := s.imports(file); err != nil || s.book.Len() != 2 {
			t.Fatalf("added %d, error %v", added, err)
		}
		s.want(t, "pb-00001", "SHADOW 2/1/0 ")
		s.want(t, "z-3", "STAGING 4/0/0 ")
	}
	if added, err := s.imports("[z-5] helpful=1 harmful=0 :: Add 5 mM\n[z-6] helpful=1 harmful=0 :: Add 5 MM\n"); added != 2 || err != nil {
		t.Errorf("%d, %v", added, err)
	}
}

// An existing line in another domain is an error if the user named a domain; otherwise it is
// skipped.
func TestImportIntoAnotherDomain(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "Name the mechanism", "")
	lines, err := playbook.ParseLines(export(s.book)+"[x-1] helpful=1 harmful=0 :: Something new\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.importLines(lines, playbook.Into{Domain: "chem", Named: true})
	if fault.CodeOf(err) != playbook.BadLine || !strings.Contains(err.Error(), "line 1: bullet pb-00001 is in domain general, not in chem") || s.book.Len() != 1 {
		t.Errorf("%v", err)
	}
	if added, err := s.importLines(lines, playbook.Into{Domain: "chem"}); added != 1 || err != nil || s.find("x-1").Domain != "chem" {
		t.Errorf("%d, %v", added, err)
	}
}

func TestImportedBulletsBeginInShadow(t *testing.T) {
	s := newTestBook(t)
	if _, err := s.imports("[a-1] helpful=9 harmful=0 :: Good\r\n[a-2] helpful=0 harmful=4 :: Bad\n[pb-00041] helpful=0 harmful=0 :: New\n"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "a-1", "SHADOW 9/0/0 ")
	s.want(t, "a-2", "SHADOW 0/4/0 ")
	if s.find("a-2").Section != playbook.Harmful || s.find("a-1").Section != playbook.Helpful {
		t.Error("wrong sections")
	}
	if id, _ := s.learn("", playbook.Helpful, "Ours", ""); id != "pb-00042" {
		t.Errorf("next id is %s, want pb-00042", id)
	}
}

func FuzzParseLines(f *testing.F) {
	f.Add("[a-1] helpful=1 harmful=0 :: text\n# heading\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := playbook.ParseLines(text, 0)
		if err != nil {
			for _, e := range fault.All(err) {
				if e.Code != playbook.BadLine || e.Line < 1 {
					t.Errorf("%+v", e)
				}
			}
			return
		}
		var again strings.Builder
		for _, l := range lines {
			again.WriteString(l.String() + "\n")
		}
		second, err := playbook.ParseLines(again.String(), 0)
		if err != nil || len(second) != len(lines) {
			t.Errorf("%q: %v", again.String(), err)
		}
	})
}
