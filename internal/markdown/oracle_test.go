package markdown

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// goldmarkFences returns the lines of the delta fences that goldmark finds, and of their
// content, separately for block quotes.
func goldmarkFences(src []byte) (top, quoted []string) {
	root := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		f, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || f.Info == nil || !strings.EqualFold(string(f.Language(src)), "delta") {
			return ast.WalkContinue, nil
		}
		line := 1 + bytes.Count(src[:f.Info.Segment.Start], []byte("\n"))
		for p := n.Parent(); p != nil; p = p.Parent() {
			if p.Kind() == ast.KindBlockquote {
				quoted = append(quoted, fmt.Sprint(line))
				return ast.WalkContinue, nil
			}
		}
		var body []string
		for i := range f.Lines().Len() {
			seg := f.Lines().At(i)
			if l := strings.TrimSpace(string(seg.Value(src))); l != "" {
				body = append(body, l)
			}
		}
		top = append(top, fmt.Sprintf("%d: %s", line, strings.Join(body, "⏎")))
		return ast.WalkContinue, nil
	})
	return top, quoted
}

// scannedFences returns the same from our own scanner.
func scannedFences(src []byte) (top, quoted []string) {
	for b := range Blocks(src, First) {
		switch {
		case b.Kind != Fenced || b.Fence.Mark == ':' || !b.Fence.Is("delta"):
		case b.Quoted:
			quoted = append(quoted, fmt.Sprint(b.Line))
		default:
			var body []string
			for l := range strings.Lines(string(src[b.Start:b.End])) {
				if l = strings.TrimSpace(l); l != "" {
					body = append(body, l)
				}
			}
			top = append(top, fmt.Sprintf("%d: %s", b.Line, strings.Join(body, "⏎")))
		}
	}
	return top, quoted
}

// oracleText makes a text of lines such as agents write, selected by bytes. It has no tabs:
// goldmark counts them differently after a nested marker.
func oracleText(choices []byte) []byte {
	prefixes := []string{"", "", "", "", "> ", ">", "- ", "* ", "1. ", "2) ", " ", "  ", "   ", "    ", "     ", "-  ", "10. "}
	bodies := []string{
		"```delta", "```", "~~~delta", "~~~", "````delta", "````", "```json", "```markdown", "~~~~", "``` delta {#x}", "```Delta json",
		`{"operation":"ADD"}`, "text", "", "", "# heading", "---", "***", "===", "<!-- remark -->", "<!--", "-->", "<div>", "</div>",
		"<pre>", "</pre>", "| a | b |", "`code` here", "text <!-- and", "<b>", "```delta`", "{", "}", "a > b", "<br/>", "</b>",
		"<details><summary>x</summary>", "<?php", "?>", "<!DOCTYPE html>",
	}
	var b bytes.Buffer
	for i := 0; i+2 < len(choices) && i < 60; i += 3 {
		body := bodies[int(choices[i+2])%len(bodies)]
		first, second := prefixes[int(choices[i])%len(prefixes)], prefixes[int(choices[i+1])%len(prefixes)]
		switch {
		case body != "":
			b.WriteString(first + second)
		case first[:min(len(first), 1)] == ">": // goldmark and CommonMark differ on empty list items
			b.WriteString(first)
		}
		b.WriteString(body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// FuzzFencesAgreeWithGoldmark checks that our scanner and goldmark find the same delta
// fences, quoted or not, with the same content.
func FuzzFencesAgreeWithGoldmark(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x0b\x00\x00\x01"))
	f.Add([]byte("\x04\x00\x00\x04\x00\x0b\x04\x00\x01\x00\x00\x00\x00\x00\x0b"))
	f.Fuzz(func(t *testing.T, choices []byte) {
		agreeWithGoldmark(t, oracleText(choices))
	})
}

func agreeWithGoldmark(t *testing.T, src []byte) {
	t.Helper()
	wantTop, wantQuoted := goldmarkFences(src)
	gotTop, gotQuoted := scannedFences(src)
	if d := cmp.Diff(wantTop, gotTop); d != "" {
		t.Errorf("delta fences (goldmark -, ours +):\n%s\n%s", d, src)
	}
	if d := cmp.Diff(wantQuoted, gotQuoted); d != "" {
		t.Errorf("quoted delta fences (goldmark -, ours +):\n%s\n%s", d, src)
	}
}

// The same on a few thousand fixed texts.
func TestFencesAgreeWithGoldmark(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 3))
	for range 5000 {
		choices := make([]byte, 3*(2+random.IntN(9)))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		agreeWithGoldmark(t, oracleText(choices))
	}
}

// FuzzBlocks checks that blocks are in order, do not overlap, and begin at line starts.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte("a\n> b\n```x\n<!--\n```\n- <pre>\n  c\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		checkBlocks(t, src)
		checkBlocks(t, oracleText(src))
	})
}

func checkBlocks(t *testing.T, src []byte) {
	t.Helper()
	end, line := 0, 0
	for b := range Blocks(src, First) {
		if b.Start < end || b.End < b.Start || b.End > len(src) || b.Line <= line {
			t.Fatalf("%+v after byte %d and line %d of %q", b, end, line, src)
		}
		first := b.Line
		if b.Kind == Fenced {
			first++
		}
		if got := 1 + bytes.Count(src[:b.Start], []byte("\n")); got != first && b.Start < len(src) {
			t.Fatalf("%+v begins on line %d of %q", b, got, src)
		}
		end, line = b.End, b.Line
	}
}
