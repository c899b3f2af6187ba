package remark

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every expression of this package is valid.
func TestPatternsCompile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, file := range files {
		f, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "shape" {
				return true
			}
			var patterns []string
			for _, arg := range call.Args {
				if text, ok := arg.(*ast.BasicLit); ok {
					one, err := strconv.Unquote(text.Value)
					if err != nil {
						t.Fatal(err)
					}
					patterns = append(patterns, one)
				}
			}
			if _, err := regexp.Compile(spelledOut(patterns)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			all++
			return true
		})
	}
	if all < 20 {
		t.Errorf("only %d patterns were found", all)
	}
}

// Sentences are divided at a mark with spaces behind it.
func TestSentences(t *testing.T) {
	ends := regexp.MustCompile(`[.!?;] +`)
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteByte(".!?; ab,"[rnd.IntN(8)])
		}
		line := b.String()
		var want []string
		for _, s := range ends.Split(line, -1) {
			if s = strings.TrimSpace(s); s != "" {
				want = append(want, s)
			}
		}
		if got := slices.Collect(sentences(line)); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", line, got, want)
		}
		end := 0
		if all := ends.FindAllStringIndex(line, -1); all != nil {
			end = all[len(all)-1][0] + 1
		}
		if got := lastEnd(line); got != end {
			t.Fatalf("%q: the last sentence begins at %d, want %d", line, got, end)
		}
	}
}
