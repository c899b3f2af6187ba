package markdown

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sound makes Markdown without damage and without reasoning from bytes.
func sound(choices []byte) string {
	bodies := []string{"{\"a\": 1}\n", "{\"a\": \"x ``` y\",\n \"b\": \"</think> ~~~ }\"}\n", "[\n{},\n{}\n]\n", "text\n", "", "x = `1`\n\n# no heading\n"}
	words := []string{"delta", "delta {#x}", "json", "", "python", "lesson", "Delta json", "markdown"}
	marks := []string{"```", "~~~", "````", "~~~~~"}
	others := []string{
		"words and `code` here\nmore words\n\n", "# heading\n\n", "heading\n---\n\n", "- item\n- item\n\n", "> quoted\n> ```delta\n> {}\n> ```\nlazy\n\n", "<!-- remark -->\n\n",
		"<!--\n```delta\n{}\n```\n-->\n\n", "<div>\ntext\n</div>\n\n", ":::delta\n{}\n:::\n", "    code\n\n", "| a | b |\n|---|---|\n", "***\n", "<pre>\n```delta\n</pre>\n", "use ```delta fences\n\n",
		"````markdown\n```delta\n{}\n```\n````\n", "~~~\n```delta\n{}\n```\n~~~\n", "a `` b\n\n", "`{\"a\":1}`\n\n", "{\"operation\": \"ADD\"}\n\n", "1. item\n\n   ```delta\n   {}\n   ```\n\n",
	}
	var b strings.Builder
	for i := 0; i+3 < len(choices) && i < 80; i += 4 {
		pick := func(n int, list []string) string { return list[int(choices[i+n])%len(list)] }
		if choices[i]%2 == 0 {
			b.WriteString(pick(1, others))
			continue
		}
		mark := pick(3, marks)
		b.WriteString(mark + pick(1, words) + "\n" + pick(2, bodies) + mark + "\n")
	}
	if len(choices)%5 == 0 {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}
	return b.String()
}

// own returns the blocks of a text that both versions yield.
func own(src string, rules Version) []Block {
	var all []Block
	for b := range Blocks([]byte(src), rules) {
		if b.Kind != Prose || !b.Quoted {
			all = append(all, b)
		}
	}
	return all
}

func FuzzSecondAgreesWithFirst(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, choices []byte) { agree(t, sound(choices)) })
}

func agree(t *testing.T, src string) {
	t.Helper()
	if d := cmp.Diff(own(src, First), own(src, Second)); d != "" {
		t.Errorf("first -, second +:\n%s\n%s", d, src)
	}
}

// On sound Markdown the second version finds what the first one does.
func TestSecondAgreesWithFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 23))
	for range 3000 {
		choices := make([]byte, random.IntN(60))
		for i := range choices {
			choices[i] = byte(random.UintN(256))
		}
		agree(t, sound(choices))
		if t.Failed() {
			return
		}
	}
}

var pieces = []string{
	"```delta\n", "```\n", "{\"a\":1}", "{\n", "}\n", "\n", "text ", "</think>", "<think>", "<|channel|>analysis<|message|>", "<|end|>", "```json\n", "~~~delta\n", "~~~\n", "````\n", "``` and more\n",
	"> ", "- ", "    ", "`", "\"", "**", "\u200b", "<!--", "-->", "<div>\n", "```python\n", ":::delta\n", ":::\n", "Here: ```delta\n", "[/THINK]", " <!-- ", "<pre>\n", "</pre>\n", "[INST]", "<|im_start|>user\n", "<|im_start|>assistant\n", "<details>\n", "<details type=\"reasoning\">\n", "</details>\n", "analysisWe", "assistantfinal", "The <think> tag\n", "</reasoning>\n", "````md\n", "{\"claim\":\"</think>\"}\n", "'''delta\n", "}```\n", "```delta {\"a\":1}```\n", "1. ",
	"<plan>", "</plan>\n", "[plan]", "[/plan]", ":::note\n", ":::plan\n", "~~", "{/*", "*/}", "ok </think> so\n", "Human: x\n", "Assistant:\n", "<|eot_id|>", "</s>", "<div x='{1}'>", "`````\n", "~~~~~md\n",
}

func pieced(choices []byte) []byte {
	var b bytes.Buffer
	for _, c := range choices {
		b.WriteString(pieces[int(c)%len(pieces)])
	}
	return b.Bytes()
}

// FuzzSecond checks that blocks are in order and inside the text, and that drafts are those inside
// the reasoning.
func FuzzSecond(f *testing.F) {
	f.Add([]byte("\x08\x00\x02\x01\x07\x00\x02\x01"), false)
	f.Add([]byte("<think>\n```delta\n{}\n</think>\n```delta\n{}\n```"), true)
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		if !raw {
			data = pieced(data)
		}
		ordered(t, data)
	})
}

func ordered(t *testing.T, src []byte) {
	t.Helper()
	spans := Reasoning(src)
	end := 0
	for _, s := range spans {
		if s[0] < end || s[1] < s[0] || s[1] > len(src) {
			t.Fatalf("reasoning %v in %q", spans, src)
		}
		end = s[1]
	}
	at, line := 0, 0
	for b := range Blocks(src, Second) {
		if b.Start < at || b.End < b.Start || b.End > len(src) || b.Line < line || b.Line > 1+bytes.Count(src[:b.Start], []byte("\n")) {
			t.Fatalf("block %+v after offset %d, line %d in %q", b, at, line, src)
		}
		inside := slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= b.Start && b.End <= s[1] })
		outside := !slices.ContainsFunc(spans, func(s [2]int) bool { return b.Start < s[1] && s[0] < b.End })
		if b.Draft && !inside || !b.Draft && !outside {
			t.Fatalf("block %+v, reasoning %v in %q", b, spans, src)
		}
		at, line = b.End, b.Line
	}
}

func TestSecondIsOrdered(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 23))
	for range 20000 {
		choices := make([]byte, random.IntN(30))
		for i := range choices {
			choices[i] = byte(random.UintN(256))
		}
		ordered(t, pieced(choices))
	}
}

// hostile makes texts that could make a scanner read the same text again and again.
func hostile(size int) map[string][]byte {
	fill := func(unit string) []byte { return bytes.Repeat([]byte(unit), size/len(unit)) }
	var rising, nested, ticks bytes.Buffer
	for n := 3; rising.Len() < size; n++ {
		fmt.Fprintf(&rising, "%s\n```delta\n{}\n</think>\n", strings.Repeat("~", n))
		fmt.Fprintf(&ticks, "%s ", strings.Repeat("`", n))
	}
	for n := 1500; nested.Len() < size; n = max(n-1, 3) {
		fmt.Fprintf(&nested, "<think>\n%s\n</think>\n", strings.Repeat("`", n))
	}
	return map[string][]byte{
		"pairs":       append(fill("```python\n```delta\n"), "```\n"...),
		"closers":     fill("```\n"),
		"openers":     fill("```delta\n"),
		"text before": fill("x ```delta\n{}\n~~~\n"),
		"fewer":       append(fill("`````delta\n{}\n```\n"), "`````\n"...),
		"tags":        fill("<think>"),
		"lone":        fill("</think>\n"),
		"drafts":      fill("<think>\n```\n</think>\n"),
		"braces":      append(fill("{\"a\" "), "</think>"...),
		"comments":    append(fill("<!-- "), "</think>"...),
		"rising":      rising.Bytes(),
		"nested":      nested.Bytes(),
		"ticks":       append(ticks.Bytes(), "</think>"...),
		"glued":       append([]byte("```delta\n"), fill("}`` ")...),
		"invisible":   fill("\u200b"),
		"wrapped":     fill("```md\n```delta\n{}\n```\n```\n"),
		"items":       fill("- ```delta\n{\n"),
		"quotes":      fill("> ```delta\n{\n"),
		"tildes":      append([]byte("~~~\n"), fill("```delta\n{}\n```\n")...),
		"patches":     append(fill("<<<<<<< S\n"), ">>>>>>> R\n</think>"...),
		"brackets":    append(fill("[/thin"), "[/think]"...),
		"strays":      append(fill("<!--\n</think>\n"), "-->"...),
		"openings":    append(fill("- <!-- a\n</think>"), "-->"...),
		"longer":      fill("```text\n````\n```delta\n{}\n"),
		"lone tags":   fill("```text\n</think>\n````\n"),
		"mentions":    append(fill("a <think> b\n"), "</think>"...),
		"turns":       fill("<|im_start|>user\n"),
		"wraps":       append(fill("<plan> x "), fill("</plan>\n{")...),
		"names":       append(fill("<plan>\n"), fill("</plans>\n")...),
		"strikes":     fill("~~a\n~~ b ~~ c\n"),
		"asides":      fill("{/* {\n"),
		"verbatim":    fill("<pre>\n"),
		"inner":       append(append([]byte("```\n"), fill("~~~delta\n{}\n~~~\n")...), "```\n"...),
		"spaces":      append(fill(" "), "    </think>"...),
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{1 << 20, 4 << 20} {
		for name, src := range hostile(size) {
			b.Run(fmt.Sprintf("%s/%dM", name, size>>20), func(b *testing.B) {
				for b.Loop() {
					for range Blocks(src, Second) {
					}
				}
			})
		}
	}
}

func BenchmarkSound(b *testing.B) {
	unit := "## A change\n\nThe claim of H1 is `too wide`, see [1] and a < b.\n\n```delta\n{\"operation\": \"EDIT\", \"section\": \"hypothesis_slate\",\n  \"target_id\": \"H1\",\n  \"payload\": {\"claim\": \"A narrower claim with `code` in it.\", \"anchors\": [\"§1\", \"§2\"]}}\n```\n\n"
	src := bytes.Repeat([]byte(unit), (1<<20)/len(unit))
	for _, rules := range []Version{First, Second} {
		b.Run(fmt.Sprint(rules), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				for range Blocks(src, rules) {
				}
			}
		})
	}
}
