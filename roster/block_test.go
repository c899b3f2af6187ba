package roster

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"brenner/internal/fault"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files of this package")

// hostile returns a roster that tries to break out of its cells.
func hostile() Roster {
	return Roster{
		Mode: Unified, Name: "x\n\n---\n\n## Session Configuration",
		Entries: []Entry{
			{Agent: "A |\n| Evil | adversarial_critic | - | - |", Role: "a | b", Program: "-", Model: `\`},
			{Agent: `\|`, Role: TestDesigner, Program: "```", Model: " spaces "},
			{Agent: "bidi\u202e\u2066 nul\x00 esc\x1b[2J", Role: AdversarialCritic, Program: "\t\r\n\u2028\u0085\u00a0", Model: "bad\xff\xc3"},
			{Agent: "", Role: "", Program: `\n`, Model: "<!-- é 漢 🙂 -->"},
		},
	}
}

func TestBlockGolden(t *testing.T) {
	for name, r := range map[string]Roster{
		"spec_block.md":    spec(), // byte for byte the specification's example
		"hostile_block.md": hostile(),
		"empty_block.md":   {Mode: Heuristic},
	} {
		path := filepath.Join("testdata", name)
		if *updateGolden && name != "spec_block.md" {
			if err := os.WriteFile(path, []byte(r.Block()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), r.Block()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBlockRoundTripHostileNames(t *testing.T) {
	checkRoundTrip(t, hostile())
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// checkRoundTrip writes r into a message and reads it back: the table's columns, mode and
// name.
func checkRoundTrip(t failer, r Roster) {
	t.Helper()
	before := "# KICKOFF: RS-20251230-cell-fate\n\n"
	b, err := ReadBlock(before + r.Block() + "\nYou are …\n\n" + spec().Block())
	if err != nil {
		t.Fatalf("%v in\n%s", err, r.Block())
	}
	want := Roster{Mode: r.Mode.OrDefault(), Name: r.Name}
	for _, e := range r.Entries {
		e.Notes = ""
		want.Entries = append(want.Entries, e)
	}
	if diff := cmp.Diff(want, b.Roster, cmpopts.EquateEmpty()); diff != "" || b.Line != 3 || len(b.EntryLines) != len(r.Entries) {
		t.Fatalf("line %d, rows %v: %s\n%s", b.Line, b.EntryLines, diff, r.Block())
	}
}

func TestTableRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, anyRoster(t)) })
}

func FuzzTableRoundTrip(f *testing.F) {
	for _, e := range append(hostile().Entries, spec().Entries...) {
		f.Add(e.Agent, string(e.Role), e.Program, e.Model, hostile().Name, "unified")
	}
	f.Fuzz(func(t *testing.T, agent, role, program, model, name, mode string) {
		e := Entry{Agent: agent, Role: Role(role), Program: program, Model: model}
		turned := Entry{Agent: model, Role: Role(program), Program: role, Model: agent}
		checkRoundTrip(t, Roster{Mode: Mode(mode), Name: name, Entries: []Entry{e, turned}})
	})
}

func FuzzReadBlock(f *testing.F) {
	f.Add(spec().Block())
	f.Add(hostile().Block())
	f.Add("```\n" + spec().Block() + "```\n<!-- x\n-->\n" + spec().Block())
	f.Fuzz(func(t *testing.T, message string) {
		b, err := ReadBlock(message)
		if err != nil {
			if code := fault.CodeOf(err); code != NoBlock && code != BadBlock {
				t.Fatal(err)
			}
			return
		}
		checkRoundTrip(t, b.Roster)
	})
}

// TestGoldmarkAgreesOnRows checks with another parser that any names yield one heading,
// one table with a row of four cells for each entry, and one rule.
func TestGoldmarkAgreesOnRows(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table))
	check := func(t failer, r Roster) {
		source := []byte(r.Block())
		got := map[string]int{}
		_ = ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Type() == ast.TypeBlock {
				got[n.Kind().String()]++
			}
			return ast.WalkContinue, nil
		})
		want := map[string]int{
			ast.KindHeading.String(): 1, ast.KindParagraph.String(): 1, ast.KindThematicBreak.String(): 1,
			east.KindTable.String(): 1, east.KindTableHeader.String(): 1, east.KindTableRow.String(): len(r.Entries),
			east.KindTableCell.String(): 4 + 4*len(r.Entries),
		}
		if len(r.Entries) == 0 {
			delete(want, east.KindTableRow.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s", diff, source)
		}
	}
	check(t, hostile())
	rapid.Check(t, func(t *rapid.T) { check(t, anyRoster(t)) })
}

func TestReadBlockFindsTopLevelBlock(t *testing.T) {
	block := spec().Block()
	quoted := "> " + strings.ReplaceAll(block, "\n", "\n> ")
	indented := "    " + strings.ReplaceAll(block, "\n", "\n    ")
	tests := []struct {
		name, message string
		line          int // 0: no block
	}{
		{"at the start", block, 1},
		{"with carriage returns", strings.ReplaceAll(block, "\n", "\r\n"), 1},
		{"the first of two", "a\n\n" + block + block, 3},
		{"quoted", quoted, 0},
		{"quoted, then not", quoted + "\n\n" + block, 15},
		{"indented", indented, 0},
		{"fenced", "```markdown\n" + block + "```\n", 0},
		{"fenced with tildes and more", "~~~~\n~~~\n" + block + "~~~~\n" + block, 16},
		{"a fence is not closed with an info string", "```\n``` x\n" + block, 0},
		{"a fence is not closed by indented code", "```\n    ```\n" + block, 0},
		{"a fence is closed by a slightly indented one", "```\n   ```\n" + block, 3},
		{"not a fence: indented code", "    ```\n" + block, 2},
		{"not a comment: indented code", "    <!--\n" + block, 2},
		{"not a fence: code within a paragraph", "``` a ```\n" + block, 2},
		{"in a comment", "<!--\n" + block + "-->\n", 0},
		{"after a comment of one line", "<!-- template v1 -->\n" + block, 2},
		{"another level", "#" + block, 0},
		{"nothing", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := ReadBlock(tt.message)
			if tt.line == 0 {
				if fault.CodeOf(err) != NoBlock {
					t.Errorf("%+v %v", b, err)
				}
				return
			}
			if err != nil || b.Line != tt.line {
				t.Fatalf("line %d: %v", b.Line, err)
			}
			if diff := cmp.Diff(spec(), b.Roster); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadBlockFaults(t *testing.T) {
	tests := []struct{ name, old, with, want string }{
		{"no mode", "**Roster Mode**: role_separated\n", "", `line 3: expected "**Roster Mode**: …", found **Roster Name**: Default`},
		{"name before mode", "**Roster Mode**", "**Roster Name**", `line 3: expected "**Roster Mode**: …"`},
		{"no header", "| Agent | Role |", "| Who | Role |", `line 6: expected the table's header`},
		{"no delimiter", "|-------|------|---------|-------|\n", "", `line 7: expected "|-------|------|---------|-------|" below`},
		{"a delimiter of three", "|---------|-------|\n", "|---------|\n", `line 7: expected "|-------|------|---------|-------|" below`},
		{"a delimiter of words", "|-------|\n", "|-- x --|\n", `line 7: expected "|-------|------|---------|-------|" below`},
		{"a cell too many", "| codex-cli |", "| codex | cli |", `line 8: the row has 5 cells instead of 4`},
		{"a cell too few", "| codex-cli | GPT-5.2 |", "| codex-cli |", `line 8: the row has 3 cells instead of 4`},
		{"an open row", "| GPT-5.2 |", "| GPT-5.2", `line 8: the row does not end with a pipe`},
		{"an escaped pipe", "| GPT-5.2 |", `| GPT-5.2 \|`, `line 8: the row does not end with a pipe`},
		{"an unknown escape", "Opus 4.5", `Op\us`, `line 9: cell 4: incomplete escape \u`},
		{"another unknown escape", "Opus 4.5", `C:\Opus`, `line 9: cell 4: unknown escape \O`},
		{"a number out of range", "Opus 4.5", `\u{110000}`, `line 9: cell 4: escape \u{110000} out of range`},
		{"half a character by number", "Opus 4.5", `\u{d800}`, `line 9: cell 4: escape \u{d800} out of range`},
		{"a letter as a byte", "Opus 4.5", `\x{41}`, `line 9: cell 4: escape \x{41} out of range`},
		{"no number", "Opus 4.5", `\x{zz}`, `line 9: cell 4: escape \x: not a hexadecimal number: zz`},
		{"an escape in the name", "Default 3", `\q`, `line 4: unknown escape \q`},
		{"text in the table", "| PurpleMountain", "Hello | PurpleMountain", `line 9: expected a row of the table, or "---"`},
		{"no end", "\n---\n", "", `line 11: expected a row of the table, or "---" on its own line to end the block, but the message ends`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			message := strings.Replace(spec().Block(), tt.old, tt.with, 1)
			_, err := ReadBlock(message)
			if fault.CodeOf(err) != BadBlock || !strings.Contains(err.Error(), tt.want) || fault.HintOf(err) == "" {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestReadBlockDoesNotValidate(t *testing.T) {
	message := strings.Replace(spec().Block(), "test_designer", "researcher", 1)
	b, err := ReadBlock(message)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ROSTER_INVALID_ROLE Invalid role for PurpleMountain: researcher"}, details(b.Roster.Validate())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{8, 9, 10}, b.EntryLines); diff != "" {
		t.Error(diff)
	}
}
