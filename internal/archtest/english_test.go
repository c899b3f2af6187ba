package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// avoid is a wording that readers stumble over, and what to write instead.
type avoid struct {
	wording *regexp.Regexp
	instead string
	where   place
}

// place is a kind of text. Text outside Go files is prose.
type place int

const (
	comment  place = 1 << iota
	literal        // a string in Go
	function       // the name of a function, its words separated by spaces
	prose
	anywhere = comment | literal | prose
)

func avoided() []avoid {
	rule := func(wording, instead string, where place) avoid {
		return avoid{regexp.MustCompile(`(?i)\b(?:` + wording + `)\b`), instead, where}
	}
	return []avoid{
		rule(`tells? whether`, "reports whether", anywhere),
		rule(`gives?`, "returns, passes, has", comment),
		rule(`somebody|nobody|whoever|everybody|anybody`, "the thing or the role that is meant", anywhere),
		rule(`(?:it|this|that|which|who|%s|%q) is no \w+`, "is not a", anywhere),
		rule(`\w+ (?:is|are|was|were) none`, "is not a, no such, unknown", anywhere),
		rule(`any more`, "no longer", anywhere),
		rule(`mend(?:s|ed|ing)?`, "fix, repair", anywhere),
		rule(`folders?`, "directory", anywhere),
		rule(`under way`, "in progress, in flight", anywhere),
		rule(`(?:is|are|was) there already`, "already exists", anywhere),
		rule(`stands? twice`, "duplicate", anywhere),
		rule(`nothing (?:listens|says)`, "unknown, no … given", anywhere),
		rule(`go(?:es)? on`, "continues, resumes", anywhere),
		rule(`stands? (?:in|at|there|behind|once|alone|where)`, "is, appears, occurs", anywhere),
		rule(`anew`, "again", anywhere),
		rule(`for ever`, "forever, permanently", anywhere),
		rule(`all the same`, "anyway", anywhere),
		rule(`word for word`, "verbatim, literally", anywhere),
		rule(`what came of|(?:it|they|what \w+) c[oa]mes? to`, "the result, the outcome", anywhere),
		rule(`end of a way|ways of a (?:fork|record)`, "tip, branches", anywhere),
		rule(`takes no argument`, "unexpected argument", anywhere),
		rule(`does not reach further`, "budget exhausted", anywhere),
		rule(`(?:test )?(?:who|nobody|whoever|somebody) .*`, "a name that says what is tested", function),
		rule(`test .* (?:is|are) (?:none|no [a-z]+)`, "a name that says what is tested", function),
		rule(`^(?:said|told|given|taken|came|meant|tells|says)$`, "a verb with its object", function),
	}
}

// good matches what an avoided wording would also match.
var good = regexp.MustCompile(`(?i)is no (?:longer|more|less)$|^there (?:is|are|was|were) none$`)

// allowed lists the files with texts that are stored, sent or quoted, and so cannot be
// reworded, with the wordings that are allowed there.
func allowed() map[string]string {
	return map[string]string{
		"agent/mail/ask.go":                              "mend",                                              // the subject of a repair, sent by mail
		"agent/program/plan.go":                          "folder",                                            // a field in JSON
		"agent/tape/failure.go":                          "nobody",                                            // stored on tapes
		"artifact/delta/nearjson/nearjson.go":            "stands? (?:in|where)",                              // sent in repair turns
		"artifact/delta/nearjson/text.go":                "stands? in",                                        // sent in repair turns
		"artifact/delta/reply_reader.go":                 "stands in|stands twice",                            // sent in repair turns
		"artifact/delta/repair_answer_test.go":           "any more|stand behind|stands alone|nobody|anybody", // answers
		"artifact/delta/reply_test.go":                   "that is no delta|go on|somebody",                   // replies
		"artifact/json.go":                               "stands (?:twice|there)",                            // sent to arbiters
		"artifact/lint/metadata.go":                      "goes on|which is none",                             // lint findings are stored and sent
		"artifact/lint/references.go":                    "stand there",
		"artifact/lint/structure.go":                     "stands? (?:in|once)",
		"artifact/lint/tests.go":                         "stands where",
		"artifact/lint/checks.go":                        "which is none",
		"cmd/brenner/cli/storecmd/tasks.go":              "mend", // a flag
		"cmd/brenner/testdata/script/merge_errors.txtar": "stands twice",
		"cmd/brenner/testdata/script/merge_out.txtar":    "stands there",
		"cmd/brenner/testdata/script/store.txtar":        "mend",
		"cmd/brenner/testdata/script/store_agents.txtar": "mend",
		"cmd/brenner/testdata/script/store_errors.txtar": "mend",
		"cmd/brenner/testdata/script/store_mend.txtar":   "mend",
		"docs/commands.md":                               "mend", // a flag
		"docs/lint.md":                                   "stand once",
		"docs/tour.md":                                   "stands in",
		"examples/cell-fate/reply.md":                    "nobody",               // a reply
		"govern/briefs.go":                               "mend",                 // a flag
		"govern/briefs_test.go":                          "mend",                 // a flag
		"govern/check.go":                                "mend",                 // a flag
		"govern/policy/promotion.go":                     "mend",                 // a flag
		"govern/finding/finding.go":                      "nobody|word for word", // stored in reviews
		"govern/review_test.go":                          "nobody|word for word",
		"internal/archtest/english_test.go":              ".*",
		"internal/remark/harmless.go":                    "stand behind",                          // what replies say
		"internal/remark/behind.go":                      "somebody|anybody|nobody|whoever",       // words of remarks
		"internal/remark/clause.go":                      "somebody|anybody|nobody|whoever",       // words of remarks
		"internal/remark/doubt.go":                       "somebody|anybody|nobody|whoever",       // words of remarks
		"internal/remark/introduction.go":                "somebody|anybody|nobody|whoever",       // words of remarks
		"internal/remark/lone.go":                        "go on",                                 // what replies say
		"internal/remark/meant.go":                       "any more|stand behind|somebody|nobody", // words of remarks
		"internal/remark/setting.go":                     "somebody|anybody|nobody|whoever",       // words of remarks
		"internal/remark/token.go":                       "somebody|anybody|nobody|whoever",       // words of remarks
		"internal/remark/words.go":                       "somebody|anybody|nobody|whoever",       // words of remarks
		"kickoff/compiled_test.go":                       "whoever",
		"kickoff/lessons.go":                             "whoever",         // sent to agents
		"merge/pass.go":                                  "nobody",          // stored in reports
		"merge/scenario_test.go":                         "somebody",        // a name
		"merge/settle/settle_test.go":                    "somebody|nobody", // names
		"patch/codes_test.go":                            "stands twice",
		"playbook/differ_words.go":                       "nobody", // a word of lessons
		"playbook/draft.go":                              "nobody", // stored reasons
		"playbook/rules_test.go":                         "nobody",
		"project/project.go":                             "folder", // a field in JSON
		"roster/environ_test.go":                         "stands twice",
		"roster/json_test.go":                            "stands twice",
		"session/flow/events.go":                         "any more|mend",      // stored in records; a field in JSON
		"session/patches.go":                             "nobody",             // sent to agents
		"session/stalemate/request.go":                   "stands in|somebody", // stored, and sent to arbiters
		"session/words_internal_test.go":                 "any more",
		"store/sqlite/filesystem_linux.go":               "folder", // names of file systems
	}
}

// TestPlainEnglish is part of make lint, too.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	for _, finding := range plainEnglish(t, os.DirFS(root)) {
		t.Error(finding)
	}
}

func TestPlainEnglishFindsWhatItAvoids(t *testing.T) {
	t.Parallel()
	planted := map[string]string{
		"a/comment.go":  "package a\n\n// Is is there already.\nfunc Is() {}\n",
		"a/literal.go":  "package a\n\nconst why = \"nobody asked\"\n",
		"a/raw.go":      "package a\n\nconst why = `one\ntwo, and it is no list`\n",
		"a/name.go":     "package a\n\nfunc came() {}\n",
		"a/a_test.go":   "package a\n\nfunc TestWhoIsAsked() {}\n",
		"docs/page.md":  "# Page\n\nIt is mended.\n",
		"scripts/do.sh": "# makes a folder\n",
	}
	wanted := []string{
		"a/a_test.go:3: ", "a/comment.go:3: ", "a/literal.go:3: ", "a/name.go:3: ", "a/raw.go:4: ", "docs/page.md:3: ", "scripts/do.sh:1: ",
	}
	clean := map[string]string{
		"b/b.go":             "package b\n\n// Is reports whether there is no list, and that it is no longer one.\nfunc Is() string { return \"gives\" }\n",
		"b/testdata/kept.md": "Nobody mends it.\n",
		".tools/tool.go":     "package tool // gives\n",
	}
	dir := t.TempDir()
	for _, files := range []map[string]string{planted, clean} {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	found := plainEnglish(t, os.DirFS(dir))
	if len(found) != len(wanted) {
		t.Fatalf("found %d, want %d:\n%s", len(found), len(wanted), strings.Join(found, "\n"))
	}
	for i, start := range wanted {
		if !strings.HasPrefix(found[i], start) {
			t.Errorf("found %q, want it to start with %q", found[i], start)
		}
	}
}

// plainEnglish returns a line for each wording in the tree that is avoided and not allowed, and
// for each file whose allowance is not needed.
func plainEnglish(t *testing.T, tree fs.FS) []string {
	t.Helper()
	rules, exceptions := avoided(), allowed()
	var found []string
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipDir(path)
		}
		if !isProse(path) && filepath.Ext(path) != ".go" {
			return nil
		}
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		texts, err := textsOf(path, string(data))
		if err != nil {
			return err
		}
		exception := regexp.MustCompile(`(?i)^(?:` + exceptions[path] + `)$`)
		needed := exceptions[path] == ""
		for _, text := range texts {
			for _, m := range text.find(rules) {
				if exceptions[path] != "" && exception.MatchString(m.wording) {
					needed = true
					continue
				}
				found = append(found, path+":"+strconv.Itoa(m.line)+": "+strconv.Quote(m.wording)+": write "+m.instead)
			}
		}
		if !needed {
			found = append(found, path+": allowed, but not found: "+exceptions[path])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// match is a place of an avoided wording.
type match struct {
	line             int
	wording, instead string
}

func (s span) find(rules []avoid) []match {
	var found []match
	for _, r := range rules {
		if s.where&r.where == 0 {
			continue
		}
		for _, at := range r.wording.FindAllStringIndex(s.words, -1) {
			if wording := s.words[at[0]:at[1]]; !good.MatchString(wording) {
				found = append(found, match{s.line + strings.Count(s.words[:at[0]], "\n"), wording, r.instead})
			}
		}
	}
	return found
}

func skipDir(path string) error {
	name := filepath.Base(path)
	generated := path == "bin" || path == "dist"
	data := name == "testdata" && path != "cmd/brenner/testdata" || name == "older" || path == "prompts/templates"
	if generated || data || name != "." && strings.HasPrefix(name, ".") {
		return fs.SkipDir
	}
	return nil
}

func isProse(path string) bool {
	switch filepath.Ext(path) {
	case ".md", ".sh", ".txtar", ".service", ".timer":
		return true
	}
	return path == "Makefile" || path == "brenner.yaml"
}

// span is a part of a file.
type span struct {
	where place
	line  int
	words string
}

// textsOf returns the texts of a file: the whole file, or the comments, strings and function
// names of Go code.
func textsOf(path, data string) ([]span, error) {
	if filepath.Ext(path) != ".go" {
		return []span{{prose, 1, data}}, nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	line := func(n ast.Node) int { return files.Position(n.Pos()).Line }
	var texts []span
	for _, group := range file.Comments {
		for _, c := range group.List {
			texts = append(texts, span{comment, line(c), c.Text})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				texts = append(texts, span{literal, line(n), n.Value})
			}
		case *ast.FuncDecl:
			texts = append(texts, span{function, line(n.Name), separated(n.Name.Name)})
		}
		return true
	})
	return texts, nil
}

var capital = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// separated puts spaces between the words of a name.
func separated(name string) string {
	return strings.ReplaceAll(capital.ReplaceAllString(name, "$1$3 $2$4"), "_", " ")
}
