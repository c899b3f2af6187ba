// Package memo writes the memo of a module, or the summary of the project, from the summaries of its
// records, without a model. It must not know the store: what matters about the records is given.
package memo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/internal/text"
	"brenner/store/record"
)

// Summary returns the summary of a memo: the summaries of the most important records, as many whole
// ones as fit, and how many others there are. Canonical records come first, then those with the
// most links to them, then the newest. In the project's summary, memos come before all, each with
// its first sentence so that every module has room, and the brief last, since every prompt shows it.
func Summary(newestFirst []record.Record, canonical map[string]bool, linked map[string]int) string {
	rank := func(r *record.Record) []int {
		one := []int{0, 0, linked[r.ID]}
		switch r.Type {
		case record.IntegratedMemo:
			one[0] = 1
		case record.ProjectBrief:
			one[0] = -1
		}
		if canonical[r.ID] {
			one[1] = 1
		}
		return one
	}
	ordered := slices.Clone(newestFirst)
	slices.SortStableFunc(ordered, func(a, b record.Record) int { return slices.Compare(rank(&b), rank(&a)) })
	summaries := make([]string, len(ordered))
	for i := range ordered {
		summaries[i] = asSentence(ordered[i].Summary)
		if ordered[i].Type == record.IntegratedMemo {
			summaries[i] = firstSentence(summaries[i])
		}
	}
	return joinWhole(summaries, record.MaxSummary)
}

// asSentence ends a summary with a period, unless it has an end.
func asSentence(summary string) string {
	if last, _ := utf8.DecodeLastRuneInString(summary); strings.ContainsRune(".!?…)", last) {
		return summary
	}
	return summary + "."
}

// firstSentence returns a text up to the first end of a sentence.
func firstSentence(summary string) string {
	end := len(summary)
	for _, mark := range []string{". ", "! ", "? ", "… "} {
		if i := strings.Index(summary, mark); i >= 0 {
			end = min(end, i+len(mark)-1)
		}
	}
	return summary[:end]
}

// joinWhole joins as many whole sentences as fit into most characters, in order, and says how
// many others there are. The first one is cut if it does not fit.
func joinWhole(sentences []string, most int) string {
	tail := func(others int) string {
		if others == 0 {
			return ""
		}
		return fmt.Sprintf(" (and %s)", text.Count(others, "other record"))
	}
	if all := strings.Join(sentences, " "); utf8.RuneCountInString(all) <= most {
		return all
	}
	room := most - utf8.RuneCountInString(tail(len(sentences)))
	var out []string
	for i, s := range sentences {
		n := utf8.RuneCountInString(s) + min(i, 1)
		if n > room && i == 0 {
			s = string([]rune(s)[:room-1]) + "…"
			n = room
		}
		if n <= room {
			out = append(out, s)
			room -= n
		}
	}
	return strings.Join(out, " ") + tail(len(sentences)-len(out))
}

// Split returns the records that a memo of a limited size has room for, and the others.
func Split(inputs []record.Record, bound int) (taken, left []record.Record) {
	room := bound - len(Text("", nil, nil)) - maxName - len(LeftOut(make([]record.Ref, len(inputs)))) - maxNamed*maxName
	for i := range inputs {
		if room -= len(line(&inputs[i])) + len(heading(inputs[i].Type)); room < 0 {
			return inputs[:i], inputs[i:]
		}
	}
	return inputs, nil
}

func heading(kind string) string { return "\n## " + kind + "\n\n" }

func line(r *record.Record) string {
	return fmt.Sprintf("- %s (%s): %s\n", r.Ref(), r.Status, r.Summary)
}

// Text returns the memo of a module, and what did not fit.
func Text(module string, inputs []record.Record, left []record.Ref) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Records of %s\n\nThe program listed the summaries of %s here, without a model: nothing was weighed,\nand contradictions were not looked for. Records marked draft were not promoted.\n", module, text.Count(len(inputs), "record"))
	kind := ""
	byType := slices.Clone(inputs)
	slices.SortFunc(byType, func(a, b record.Record) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), record.CompareRefs(a.Ref(), b.Ref()))
	})
	for i := range byType {
		if r := &byType[i]; r.Type != kind {
			kind = r.Type
			b.WriteString(heading(kind))
		}
		b.WriteString(line(&byType[i]))
	}
	return append([]byte(b.String()), LeftOut(left)...)
}

const maxNamed = 50

// LeftOut returns the last lines of a memo, about records that did not fit.
func LeftOut(left []record.Ref) string {
	if len(left) == 0 {
		return ""
	}
	named := left[:min(len(left), maxNamed)]
	out := "\nNot taken up, for want of room: " + refNames(named)
	if more := len(left) - len(named); more > 0 {
		out += fmt.Sprintf(", and %d others", more)
	}
	return out + ".\n"
}

// maxName is room for the name of a record or a module.
const maxName = 100

func refNames(refs []record.Ref) string {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.String()
	}
	return strings.Join(names, ", ")
}
