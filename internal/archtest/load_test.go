package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tree is a module: its packages with their syntax and types, without tests.
type Tree struct {
	Module   string
	Packages []*Package
	fset     *token.FileSet
	root     string
}

// Package is one package of the tree.
type Package struct {
	Path   string // below the module
	Name   string
	Dir    string
	Files  []*ast.File
	Info   *types.Info
	Hidden []string // files that this platform's build leaves out, and cgo files
	Lines  int      // of all files but tests, hidden ones included
}

// listed is the output of `go list` for a package.
type listed struct {
	ImportPath     string
	Name           string
	Dir            string
	Export         string
	DepOnly        bool
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string
	Module         *struct{ Path string }
}

// Load reads the module in dir. A tree that does not compile is an error.
func Load(dir string) (*Tree, error) {
	all, err := list(dir)
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{fset: token.NewFileSet(), root: root}
	exports := make(map[string]string)
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	imports := importer.ForCompiler(t.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	for _, l := range all {
		if l.DepOnly || l.Module == nil {
			continue
		}
		t.Module = l.Module.Path
		p, err := t.load(l, imports)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.ImportPath, err)
		}
		t.Packages = append(t.Packages, p)
	}
	if len(t.Packages) == 0 {
		return nil, fmt.Errorf("no packages in %s", root)
	}
	return t, nil
}

func list(dir string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-export", "-deps",
		"-json=ImportPath,Name,Dir,Export,DepOnly,GoFiles,CgoFiles,IgnoredGoFiles,Module", "./...")
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	var all []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var l listed
		switch err := dec.Decode(&l); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, l)
	}
}

func (t *Tree) load(l listed, imports types.Importer) (*Package, error) {
	p := &Package{
		Path: strings.TrimPrefix(strings.TrimPrefix(l.ImportPath, t.Module), "/"),
		Name: l.Name, Dir: l.Dir,
		Hidden: append(l.IgnoredGoFiles, l.CgoFiles...),
		Info: &types.Info{
			Types:      make(map[ast.Expr]types.TypeAndValue),
			Defs:       make(map[*ast.Ident]types.Object),
			Uses:       make(map[*ast.Ident]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection),
		},
	}
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(t.fset, filepath.Join(l.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, f)
		p.Lines += t.fset.File(f.FileStart).LineCount()
	}
	for _, name := range p.Hidden {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, err
		}
		p.Lines += bytes.Count(text, []byte("\n"))
	}
	conf := types.Config{Importer: imports}
	_, err := conf.Check(l.ImportPath, t.fset, p.Files, p.Info)
	return p, err
}

// at returns a position with its file's name below the root.
func (t *Tree) at(pos token.Pos) token.Position {
	p := t.fset.Position(pos)
	if rel, err := filepath.Rel(t.root, p.Filename); err == nil {
		p.Filename = filepath.ToSlash(rel)
	}
	return p
}
