package delta

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// largeReply returns ten megabytes with 32 000 ordinary blocks.
func largeReply() string {
	var b strings.Builder
	for i := range 32_000 {
		fmt.Fprintf(&b, "Some words about change %d, why it is needed and what it rests on.\n\n```delta\n"+
			`{"operation": "ADD", "section": "hypothesis_slate", "payload": {"name": "Hypothesis %d", "claim": "Cells keep count of %d", `+
			`"mechanism": "a counter that is inherited", "anchors": ["§%d", "inference"]}, "rationale": "fills a gap"}`+
			"\n```\n\n", i, i, i, i)
	}
	return b.String()
}

// hostileReplies returns texts that make naive readers slow.
func hostileReplies() []struct{ name, text string } {
	deep := strings.Repeat(`{"a":`, 100_000)
	var shrinking strings.Builder
	for n := 1400; n >= 3; n-- {
		shrinking.WriteString(strings.Repeat("`", n) + "\n")
	}
	var inItems strings.Builder
	for range 100_000 {
		inItems.WriteString("- ```delta\n")
	}
	var meaning strings.Builder
	meaning.WriteString("```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{")
	for n := range 40_000 {
		blank := ""
		for ; n > 0; n /= 2 {
			blank += []string{" ", `\t`}[n%2]
		}
		meaning.WriteString(`"` + blank + ` claim":"c",`)
	}
	meaning.WriteString("\"claim\":\"c\"}}\n```\n")
	return []struct{ name, text string }{
		{"names_of_one_field", meaning.String()},
		{"backticks", strings.Repeat("`", 1<<20)},
		{"backtick_lines", strings.Repeat("```\n", 1<<18)},
		{"quotes", strings.Repeat(">", 1<<20)},
		{"quote_lines", strings.Repeat(strings.Repeat(">", 64)+"\n", 1<<14)},
		{"dashes", strings.Repeat("- ", 1<<19)},
		{"dashes_text", strings.Repeat("- ", 1<<19) + "x"},
		{"dash_lines", strings.Repeat(strings.Repeat("- ", 40)+"x\n", 1<<20/82)},
		{"unclosed_fences", strings.Repeat("```delta\n", 100_000)},
		{"unclosed_fences_in_items", inItems.String()},
		{"shrinking_fences", shrinking.String()},
		{"deep_json_fenced", "```delta\n" + deep + "\n```\n"},
		{"deep_json_bare", "operation " + deep},
		{"deep_lists_fenced", "```delta\n" + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "\n```\n"},
		{"comment_openers", strings.Repeat("<!-- ", 40_000)},
		{"comment_openers_in_text", "operation\n" + strings.Repeat("x <!-- {\n", 40_000)},
		{"comments_before_a_brace", "operation " + strings.Repeat("<!-- --> ", 1<<17) + "{"},
		{"comment_openers_in_json", "```delta\n{" + strings.Repeat("/* ", 40_000) + "\n```\n"},
		{"braces", "operation " + strings.Repeat("{", 1<<20)},
		{"open_objects", "operation " + strings.Repeat(`{"a`, 1<<18)},
		{"open_deltas", strings.Repeat(`{"operation":"ADD",`, 1<<15)},
		{"open_strings", "operation " + strings.Repeat("{\"a\":\"\n", 1<<17)},
		{"single_quotes", "```delta\n" + strings.Repeat("'", 1<<20) + "\n```\n"},
		{"raw_newlines", "```delta\n{\"operation\":\"" + strings.Repeat("\n", 1<<20) + "\"}\n```\n"},
		{"newlines", strings.Repeat("\n", 1<<20)},
		{"spaces", strings.Repeat(" ", 1<<20)},
		{"tags", strings.Repeat("<a ", 1<<18)},
		{"list_of_ones", "```delta\n[" + strings.Repeat("1,", 90_000) + "1]\n```\n"},
		{"bad_operations_in_one_line", "```delta\n[" + strings.Repeat(`{"section":"x","operation":'y'},`, 30_000) + "]\n```\n"},
	}
}

func BenchmarkRead10MB32000Blocks(b *testing.B) {
	text := []byte(largeReply())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if got := len(Read(text, Options{}).Blocks); got != 32_000 {
			b.Fatalf("%d blocks", got)
		}
	}
}

func BenchmarkStamped32000Blocks(b *testing.B) {
	reply := Read([]byte(largeReply()), Options{})
	env := Envelope{Agent: "BlueLake", At: time.Unix(1_767_000_000, 0), MessageID: "m-1", Message: 1}
	b.ReportAllocs()
	for b.Loop() {
		reply.Stamped(env)
	}
}

func BenchmarkReadHostile(b *testing.B) {
	for _, h := range hostileReplies() {
		b.Run(h.name, func(b *testing.B) {
			text := []byte(h.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Read(text, Options{})
			}
		})
	}
}
