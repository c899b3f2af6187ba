package delta_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/internal/remark"
)

// textsOf returns the texts that are constants in a package, and those among them from which it makes patterns.
func textsOf(t *testing.T, folder string) (all, patterns []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{Error: func(error) {}} // what it imports is not known
	_, _ = conf.Check(folder, set, files, &info)
	classes := make(map[string]string) // by the names that stand for them in patterns
	text := func(e ast.Expr) (string, bool) {
		v := info.Types[e].Value
		if v == nil || v.Kind() != constant.String {
			return "", false
		}
		return constant.StringVal(v), true
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := text(e); ok {
					all = append(all, s)
				}
			}
			if pair, ok := n.(*ast.KeyValueExpr); ok {
				name, _ := text(pair.Key)
				classes["<"+name+">"], _ = text(pair.Value)
			}
			return true
		})
	}
	className := regexp.MustCompile(`<\w+>`)
	for _, one := range all {
		for range 3 {
			one = className.ReplaceAllStringFunc(one, func(name string) string { return cmp.Or(classes[name], name) })
		}
		if strings.ContainsAny(one, "|?") {
			patterns = append(patterns, one)
		}
	}
	return all, patterns
}

// matching returns a text that an expression matches.
func matching(rnd *rand.Rand, tree *syntax.Regexp) string {
	several := func(least, most int) (text string) {
		for range least + rnd.IntN(most-least+1) {
			text += matching(rnd, tree.Sub[0])
		}
		return text
	}
	switch tree.Op {
	case syntax.OpLiteral:
		return string(tree.Rune)
	case syntax.OpCharClass:
		i := 2 * rnd.IntN(len(tree.Rune)/2)
		return string(tree.Rune[i] + rnd.Int32N(min(tree.Rune[i+1]-tree.Rune[i], 25)+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return " cells"
	case syntax.OpStar, syntax.OpQuest:
		return several(0, 1)
	case syntax.OpPlus:
		return several(1, 3)
	case syntax.OpRepeat:
		return several(tree.Min, max(tree.Min, min(tree.Max, tree.Min+2)))
	case syntax.OpCapture:
		return matching(rnd, tree.Sub[0])
	case syntax.OpAlternate:
		return matching(rnd, tree.Sub[rnd.IntN(len(tree.Sub))])
	case syntax.OpConcat:
		var text strings.Builder
		for _, sub := range tree.Sub {
			text.WriteString(matching(rnd, sub))
		}
		return text.String()
	}
	return ""
}

// The text beside a block that is not read closely says nothing of it, whatever the patterns of the rules are.
func TestQuietTextSaysNothing(t *testing.T) {
	t.Parallel()
	const (
		tries = 30
		block = "```delta\n" + `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"no signal"}}` + "\n```\n\n"
	)
	texts, patterns := textsOf(t, "../../internal/remark")
	known := make(map[string]bool)
	for _, text := range texts {
		for word := range strings.FieldsSeq(text) {
			known[strings.ReplaceAll(strings.Trim(word, ",.:;!?()[]"), "_", " ")] = true
		}
	}
	words := slices.Sorted(maps.Keys(known))
	plain := strings.Fields("cell fate signal gradient lineage tension relay switch local stable memory reads keeps the a of and is was in with two cells in every division")
	rnd := rand.New(rand.NewPCG(7, 8))
	filler := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(plain[rnd.IntN(len(plain))] + [...]string{" ", " ", " ", " ", ", "}[rnd.IntN(5)])
		}
		return b.String()
	}
	quiet, all := 0, 0
	try := func(said string) {
		said = strings.TrimSpace(said)
		var line string
		switch at := 9 + rnd.IntN(3); rnd.IntN(4) {
		case 0:
			line = said + " " + filler(18)
		case 1:
			line = filler(18) + said
		case 2:
			line = filler(9) + said + " " + filler(9)
		default:
			line = filler(at) + "cells. " + said + " " + filler(at)
		}
		line = strings.TrimRight(strings.ToUpper(line[:1])+line[1:], " ,.") + "."
		other := "The gradient keeps the memory of the cells in every division, with a signal in the relay of two lineages."
		fast := line + "\n\n" + block + other + "\n\n" + block
		if rnd.IntN(2) == 0 {
			fast = other + "\n\n" + block + line + "\n\n" + block
		}
		rules := delta.NewestReader.Remarks("")
		rules.Memory = new(remark.Memory)
		first := strings.Index(fast, "```delta\n")
		all++
		if !rules.AreQuiet([]byte(fast), 0, first, first+strings.Index(fast[first:], "\n```\n")+1) {
			return
		}
		quiet++
		slow := strings.ReplaceAll(fast, "```delta\n", "```delta\n\n") // which is read closely
		if got, want := takenIn(fast), takenIn(slow); got != want {
			t.Fatalf("%q is quiet, but:\n%s", line, want)
		}
	}
	for _, pattern := range patterns {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		for range tries {
			if err == nil {
				try(matching(rnd, tree))
			}
		}
	}
	for _, word := range words {
		try(word)
		try(word + " " + words[rnd.IntN(len(words))])
	}
	if quiet < all/50 {
		t.Errorf("only %d of %d texts are quiet", quiet, all)
	}
}

// takenIn returns what becomes of the blocks of a reply, without the places.
func takenIn(reply string) string {
	r := delta.Read([]byte(reply), delta.Options{})
	var b strings.Builder
	for i := range r.Blocks {
		fmt.Fprintln(&b, r.Blocks[i].OK, r.Blocks[i].Flags)
		for _, p := range r.Blocks[i].Problems {
			fmt.Fprintln(&b, p.Code, p.Message)
		}
	}
	return b.String()
}
