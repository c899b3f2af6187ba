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

// wordsHere returns the words in the texts of this package.
func wordsHere(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`[a-z']{2,}|[A-Z][a-z]+(?:[A-Z][a-z]+)?(?:'s)?`)
	all := make(map[string]bool)
	for _, file := range files {
		f, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == gotoken.STRING {
				for _, w := range word.FindAllString(text.Value, -1) {
					all[w] = true
				}
			}
			return true
		})
	}
	words := make([]string, 0, len(all))
	for w := range all {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

// What is left out by a quick check says nothing in full, either.
func TestQuickChecks(t *testing.T) {
	t.Parallel()
	const tries = 40_000
	rnd := rand.New(rand.NewPCG(5, 6))
	words, common := wordsHere(t), strings.Fields("cell fate signal lineage memory reads sets keeps the a of and is was to in with so on what that it this as H2 T1 I RedSky , ; - 2")
	m := new(Memory)
	var turned, referred, set, opened int
	for range tries {
		var line strings.Builder
		rare := rnd.IntN(4)
		for n := range 2 + rnd.IntN(24) {
			w := common[rnd.IntN(len(common))]
			if rnd.IntN(8) < rare {
				w = words[rnd.IntN(len(words))]
			}
			if n > 0 {
				line.WriteString([...]string{" ", " ", " ", " ", " ", ". ", "; "}[rnd.IntN(7)])
			}
			line.WriteString(w)
		}
		text := line.String()
		rules := Rules{Author: "BlueLake", Oblique: true}
		a := rules.behind(text, []byte(kill))
		if len(a.words) > 0 && !a.mayTurn() {
			turned++
			for _, s := range behindSignals {
				if s.holds(a) {
					t.Fatalf("%q is a sign as %q", text, s.example)
				}
			}
		}
		l := introduction{caption: true, supposed: rnd.IntN(2) == 0, follows: rnd.IntN(2) == 0, hasItem: rnd.IntN(2) == 0, isBehind: rnd.IntN(2) == 0, payload: []byte(kill)}
		if all := rules.tokens(text); len(all) > 0 && !l.mayRefer(all) {
			referred++
			if l.judge(all) == doubtfully {
				t.Fatalf("%q leaves open a block that it does not name", text)
			}
		}
		if !settings.MayMatch(lowered(text)) && !hasName(text) {
			set++
			for sentence := range sentences(text) {
				if rules.sets(sentence) || rules.attributes(sentence) || rules.forbidden(sentence) {
					t.Fatalf("%q in %q leaves open", sentence, text)
				}
			}
		}
		if isRunning([]byte(text)) {
			opened++
			if got := rules.opened(readLine([]byte(text), []byte(text), nil)); got != noFrame {
				t.Fatalf("%q opens a frame", text)
			}
		}
		kept := Rules{Author: rules.Author, Oblique: true, Memory: m}
		if got, want := kept.tokens(text), rules.tokens(text); !slices.Equal(got, want) {
			t.Fatalf("%q is remembered as %v, want %v", text, got, want)
		}
	}
	if least := tries / 100; min(turned, referred, set, opened) < least {
		t.Errorf("too few texts are left out: %d, %d, %d and %d", turned, referred, set, opened)
	}
}

// A reply of many different words, or of long ones, does not fill the memory.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	rules := Rules{Memory: new(Memory)}
	for i := range 3 * mostWords {
		rules.tokens("word" + strconv.Itoa(i) + " " + strings.Repeat("x", longestKey+i%100))
	}
	if n := len(rules.Memory.known); n == 0 || n > mostWords {
		t.Errorf("%d words are kept, want at most %d", n, mostWords)
	}
}
