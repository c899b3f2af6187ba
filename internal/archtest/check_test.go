package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The rules by name; the comments in testdata/bad use these words.
const (
	ruleTable     = "table"
	ruleDirection = "direction"
	ruleImport    = "import"
	ruleCall      = "call"
	ruleGoroutine = "goroutine"
	ruleOrder     = "order"
	ruleVariable  = "variable"
	ruleInit      = "init"
	ruleName      = "name"
	ruleDoc       = "doc"
	ruleHidden    = "hidden"
	ruleCode      = "code"
	ruleSize      = "size"
	ruleFace      = "face"
	ruleStore     = "store"
)

// maxLines is the maximum number of lines of a package, without its tests.
const maxLines = 8000

// maxTop is the maximum number of top-level directories of the repository.
const maxTop = 22

// terminalModules are the modules for command lines and terminals: only packages below cmd/
// import them.
const terminalModules = "github.com/mattn/go-isatty github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term"

// storeImplementations are chosen by one package: storeChooser. Besides, only storeUser uses parts of one.
const (
	storeImplementations = "store/postgres store/sqlite"
	storeChooser         = "project/storage"
	storeUser            = "mail/box"
)

// Finding is one violation.
type Finding struct {
	Pos  token.Position
	Rule string
	Text string
}

// String returns the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: [%s] %s", f.Pos.Filename, f.Pos.Line, f.Rule, f.Text)
}

// Check checks the tree against the table and the rules for packages.
func Check(t *Tree, table Table) []Finding {
	found := checkTable(t, table)
	for _, p := range t.Packages {
		c := &checker{tree: t, pkg: p}
		c.everywhere()
		if row, ok := table.row(p.Path); ok {
			c.direction(row)
			if row.Kind == Pure {
				c.pure(row)
			}
		}
		found = append(found, c.found...)
	}
	found = append(found, checkCodes(t)...)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return found
}

// checkTable compares the rows with the packages, and the rows with each other.
func checkTable(t *Tree, table Table) []Finding {
	var found []Finding
	add := func(place, format string, args ...any) {
		found = append(found, Finding{
			Pos: token.Position{Filename: place}, Rule: ruleTable, Text: fmt.Sprintf(format, args...),
		})
	}
	exists := make(map[string]bool)
	for _, p := range t.Packages {
		exists[p.Path] = true
		if _, ok := table.row(p.Path); !ok {
			add(p.Path, "package %q has no row in the table of internal/archtest", p.Path)
		}
	}
	seen := make(map[string]bool)
	rooms := table.rooms()
	for i, name := range rooms {
		if slices.Index(rooms, name) < i {
			add(name, "the rows of room %q are not adjacent", name)
		}
	}
	for _, r := range table {
		if seen[r.Path] {
			add(r.Path, "package %q has two rows", r.Path)
		}
		seen[r.Path] = true
		if !exists[r.Path] {
			add(r.Path, "the row of %q has no package", r.Path)
		}
		for need := range strings.FieldsSeq(r.Needs) {
			of, ok := table.row(need)
			switch {
			case !ok:
				add(r.Path, "the row of %q allows %q, which has no row", r.Path, need)
			case of.Kind == Support && r.Kind != Support:
				add(r.Path, "the row of %q allows %q, which is for tests only", r.Path, need)
			case of.Kind != Pure && r.Kind == Pure:
				add(r.Path, "the row of the pure %q allows %q, which is not pure", r.Path, need)
			case slices.Index(rooms, room(need)) > slices.Index(rooms, room(r.Path)):
				add(r.Path, "the row of %q allows %q, which is upward: its room is above", r.Path, need)
			}
		}
	}
	return found
}

// checkTop returns an error if the repository has too many top-level directories. Hidden
// ones, build output and planned user interfaces and add-ons do not count.
func checkTop(repository fs.FS) error {
	entries, err := fs.ReadDir(repository, ".")
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' && !contains("bin dist web mcptools telemetry engine", e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) > maxTop {
		return fmt.Errorf("%d top-level directories, want at most %d: %s", len(names), maxTop, strings.Join(names, " "))
	}
	return nil
}

// checker collects the findings of one package.
type checker struct {
	tree  *Tree
	pkg   *Package
	found []Finding
}

func (c *checker) add(pos token.Pos, rule, format string, args ...any) {
	c.found = append(c.found, Finding{Pos: c.tree.at(pos), Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// everywhere checks the rules for all packages.
func (c *checker) everywhere() {
	if len(c.pkg.Files) == 0 {
		return // a package of tests
	}
	first := c.pkg.Files[0].Name.Pos()
	if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc"}, c.pkg.Name) {
		c.add(first, ruleName, "package name %s does not say what the package contains", c.pkg.Name)
	}
	if !slices.ContainsFunc(c.pkg.Files, documented) {
		c.add(first, ruleDoc, "package %s has no doc comment", c.pkg.Name)
	}
	if c.pkg.Lines > maxLines {
		c.add(first, ruleSize, "package %s has %d lines without tests; at most %d", c.pkg.Name, c.pkg.Lines, maxLines)
	}
	for _, f := range c.pkg.Files {
		for _, spec := range f.Imports {
			if p := importPath(spec); room(c.pkg.Path) != "cmd" && isBelow(p, terminalModules) {
				c.add(spec.Pos(), ruleFace, "only packages below cmd/ may import %s", p)
			}
			c.stores(spec)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				c.add(fn.Pos(), ruleInit, "init functions are not allowed: do the work where it is needed")
			}
		}
	}
	c.variables()
}

// stores checks which package names an implementation of the store.
func (c *checker) stores(spec *ast.ImportSpec) {
	need, ok := c.below(spec)
	named := ok && slices.Contains(strings.Fields(storeImplementations), need)
	if named && room(c.pkg.Path) != "store" && c.pkg.Path != storeUser && c.pkg.Path != storeChooser {
		c.add(spec.Pos(), ruleStore, "only %s may import %s: use the interfaces of store", storeChooser, need)
	}
}

// documented reports whether the file has a package comment that is more than a directive.
func documented(f *ast.File) bool { return strings.TrimSpace(f.Doc.Text()) != "" }

// direction compares the imports with the package's row, both ways: a row must not allow an
// import that is not used.
func (c *checker) direction(row Row) {
	used := make(map[string]bool)
	for _, f := range c.pkg.Files {
		for _, spec := range f.Imports {
			need, ok := c.below(spec)
			used[need] = true
			if ok && !row.may(need) {
				c.add(spec.Pos(), ruleDirection, "%s may not import %s (its row allows: %s)",
					row.Path, need, cmp.Or(row.Needs, "nothing"))
			}
		}
	}
	if len(c.pkg.Files) == 0 || len(c.pkg.Hidden) > 0 { // a hidden file may import it
		return
	}
	for need := range strings.FieldsSeq(row.Needs) {
		if !used[need] {
			c.add(c.pkg.Files[0].Name.Pos(), ruleDirection, "the row of %s allows %s, which it does not import", row.Path, need)
		}
	}
}

// below returns an import's path below the module, if it is one of the module.
func (c *checker) below(spec *ast.ImportSpec) (string, bool) {
	p := importPath(spec)
	if p == c.tree.Module {
		return "", true
	}
	return strings.CutPrefix(p, c.tree.Module+"/")
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return path.Clean(p)
}
