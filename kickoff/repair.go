package kickoff

import (
	"fmt"
	"strings"

	"brenner/artifact/delta"
	"brenner/merge/settle"
	"brenner/prompts"
)

// maxRepairs bounds the problems in a repair request; a longer list would not help.
const maxRepairs = 20

// Request is a repair request in parts; as many are sent as fit.
type Request struct {
	Head, Tail string
	Problems   []string // the first ones, one text each
	Lines      []int    // of the reply, one per problem
	More       int      // number of further problems
}

// Repair returns a request to replace unreadable blocks, as sessions of protocol 1 send it. It
// contains nothing that looks like a delta.
func Repair(threadID string, problems []delta.Located) Request {
	r := Request{
		Head: fmt.Sprintf("# REPAIR: %s\n\nSome of your reply could not be read:\n\n", threadID),
		Tail: "\nSend the corrected blocks, and only those: what could be read has been taken and must not be sent again. " +
			"Write each as one JSON object in a fence of its own that begins with three backticks and the word delta.\n",
		More: max(0, len(problems)-maxRepairs),
	}
	for _, p := range problems[:min(len(problems), maxRepairs)] {
		text := fmt.Sprintf("- line %d, column %d: %s (%s)\n", p.Line, p.Column, inert(p.Message), p.Code)
		if p.Hint != "" {
			text += fmt.Sprintf("  What to do: %s\n", inert(p.Hint))
		}
		r.Problems, r.Lines = append(r.Problems, text), append(r.Lines, p.Line)
	}
	return r
}

// RepairDefects returns a request to correct a reply: what is wrong with it, block by block, and what
// would be right. Tokens is the length of a reply that was cut. It contains nothing that looks like a
// delta.
func RepairDefects(threadID string, tokens int, defects []settle.Defect) Request {
	r := Request{
		Head: fmt.Sprintf("# REPAIR: %s\n\nYour reply needs a correction:\n\n", threadID),
		Tail: "\nSend only what is corrected or missing. Blocks that are not named here stand: do not send them again. " +
			"Send a corrected block whole, with all its fields, as one JSON object in a fence of its own that begins with three backticks " +
			"and the word delta; it replaces the one it corrects, takes its place in the order, and keeps its ref. If nothing is to change, write one line outside of any fence instead: NO CHANGES: reason\n",
		More: max(0, len(defects)-maxRepairs),
	}
	for i := range defects[:min(len(defects), maxRepairs)] {
		d := &defects[i]
		problem, hint := describeDefect(d, tokens)
		text := "- " + inert(problem) + "\n"
		if hint != "" {
			hint = strings.ReplaceAll(hint, "```delta", "three backticks and the word delta")
			text += fmt.Sprintf("  What to do: %s\n", inert(hint))
		}
		r.Problems, r.Lines = append(r.Problems, text), append(r.Lines, d.Line)
	}
	return r
}

func describeDefect(d *settle.Defect, tokens int) (problem, hint string) {
	if d.Cut {
		return fmt.Sprintf("your reply was cut off after %d tokens; %s", tokens, d.Message), "send the rest, and be brief: another long reply would be cut, too"
	}
	hint = d.Hint
	place := fmt.Sprintf("line %d", d.Line)
	if d.Block > 0 {
		place = fmt.Sprintf("block %d, line %d", d.Block, d.Line)
	}
	if d.Column > 0 {
		place += fmt.Sprintf(", column %d", d.Column)
	}
	if d.Operation != "" {
		place += fmt.Sprintf(" (%s)", strings.TrimSpace(strings.Join([]string{d.Operation, d.Section, d.Target}, " ")))
	}
	if d.Field != "" {
		name, _, _ := strings.Cut(d.Field, ".") // a key of an object is refused alone
		if kind := prompts.FieldKind(d.Section, name); kind != "" {
			hint = name + " takes: " + kind
		}
		return fmt.Sprintf("%s: the field %s was refused: %s (%s)", place, d.Field, d.Message, d.Code), hint
	}
	return fmt.Sprintf("%s: %s (%s)", place, d.Message, d.Code), hint
}

// inert returns a text on one line, without characters that could begin Markdown code or HTML.
func inert(text string) string {
	return strings.NewReplacer("`", "'", "<", "‹", ">", "›").Replace(oneLine(text))
}
