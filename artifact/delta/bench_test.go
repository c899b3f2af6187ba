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
		{"old_names_of_one_field", strings.NewReplacer("ADD", "EDIT", " claim", " old claim").Replace(meaning.String())},
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

// hostileUnits returns texts of which naive readers take the square of their length, or worse. They are
// repeated.
func hostileUnits() []struct{ name, text string } {
	return []struct{ name, text string }{
		{"rows", "| H2 | KILL | x |\n"},
		{"bullets", "- KILL H2: because of the data\n"},
		{"titles", "### Delta 1: ADD hypothesis\n"},
		{"unclosed_fences", "```delta\n"},
		{"unclosed_blocks", "```delta\n{\"operation\":\"ADD\",\n"},
		{"fences_of_other_marks", "~~~delta\n```\n"},
		{"open_deltas", `{"operation":"ADD",`},
		{"open_objects", `operation {"a`},
		{"open_tags", "<think>\n"},
		{"closing_tags", "</think> x\n"},
		{"tags_within_lines", "so <think> and <example> "},
		{"open_comments", "x <!-- y\n"},
		{"code_spans", "` `` ``` "},
		{"quotations", "> > ```delta\n"},
		{"items", "- 1. ```delta\n"},
		{"written_keys", "operation: KILL\ntarget_id: H2\n"},
		{"turns", "User: x\nAssistant: y\n"},
		{"turns_of_one_side", "User:\n"},
		{"turns_with_blocks", "User: x\n```delta\n{\"operation\":\"KILL\"}\n```\nAssistant: y\n"},
		{"remarks", "If we were to, a colleague would now then also surely never send something like this:\n\n```delta\n{\"operation\":\"KILL\",\"target_id\":\"H2\"}\n```\n\nIt would be, that, it, and, but, I would not, not kill H2 so.\n\n"},
		{"words_of_remarks", "if we had not never now then also would have sent this that it, "},
		{"sentences_of_remarks", "If he would never kill H2, it would not have gone. "},
		{"tags_of_reasons", "<rationale>\n"},
		{"marks_of_kills", "- H2 [KILLED]\n"},
		{"fences_in_texts", "{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"see\n\n```delta\n{\"operation\":\"KILL\"}\n```\nend\"}}\n"},
		{"open_texts", "{\"operation\":\"ADD\",\"x\":\"\n```delta\n"},
		{"open_texts_and_braces", "{\"operation\":\"ADD\",\"x\":\"\n```delta\n}\n"},
		{"records_in_YAML", "id: n\ntype: memo\ncontent: |\n"},
		{"tags_of_records", "<record id=\"n\" "},
		{"tables_of_records", "| id | type | content |\n"},
		{"front_matter", "---\nid: n\ntype: memo\n"},
		{"keys_of_records", "{\"id\":\"n\",\"type\":{"},
		{"kills_in_one_line", "I kill H2 "},
		{"ids_in_one_line", "H2 has no readout. "},
		{"conditions_in_one_line", "If T2 fails, kill H2. "},
		{"struck_ids_in_one_line", "~~H2~~ "},
		{"remarks_in_one_line", "I withdraw delta 1. RedSky proposed H2. If T2 fails, kill H2. "},
		{"signs_in_one_line", "❌ H2 "},
		{"orders_in_one_line", "H2 streichen. "},
		{"keys_in_one_line", "operation: KILL target_id: H2 "},
		{"objects_in_one_line", "{\"operation\":\"KILL\",\"target_id\":\"H2\"} "},
		{"blocks_taken_back", "```delta\n{\"operation\":\"KILL\",\"section\":\"hypothesis_slate\",\"target_id\":\"H2\",\"payload\":{\"reason\":\"r\"}}\n```\n\nThe KILL of H2 is withdrawn.\n\n"},
		{"titles_in_fences", "```delta\nADD hypothesis_slate\n{\"operation\":\"ADD\"\n"},
	}
}

// BenchmarkReadGrowing reads each text in two sizes, and reports how often the time for the smaller one
// is in that for the one four times as large. It is about 4 for a linear reader, and 16 for a quadratic
// one; more than 6 is a fault.
func BenchmarkReadGrowing(b *testing.B) {
	const small = 1 << 17
	least := func(text []byte) time.Duration {
		best := time.Hour
		for range 5 {
			start := time.Now()
			Read(text, Options{MaxBlocks: 1 << 24, Records: WithRecords})
			best = min(best, time.Since(start))
		}
		return best
	}
	for _, h := range hostileUnits() {
		b.Run(h.name, func(b *testing.B) {
			text := []byte(strings.Repeat(h.text, 4*small/len(h.text)))
			b.SetBytes(int64(len(text)))
			var ratio float64
			for b.Loop() {
				ratio = float64(least(text)) / float64(least(text[:len(text)/4]))
			}
			b.ReportMetric(ratio, "x/4x")
		})
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
