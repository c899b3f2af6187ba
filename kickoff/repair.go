package kickoff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge/settle"
	"brenner/patch"
	"brenner/prompts"
)

// maxRepairs bounds the problems in a repair request; a longer list would not help.
const maxRepairs = 20

// Request is a repair request in parts; as many are sent as fit.
type Request struct {
	Head, Tail string   // with an empty line before the tail
	Blocks     string   // before the tail: the numbers of all blocks with a defect, or ""
	Problems   []string // the first ones, one text each
	Lines      []int    // of the reply, one per problem
	More       int      // number of further problems
}

// Repair returns a request to replace unreadable blocks, as sessions of protocol 1 send it. It
// contains nothing that looks like a delta.
func Repair(threadID string, problems []delta.Located) Request {
	r := Request{
		Head: fmt.Sprintf("# REPAIR: %s\n\nSome of your reply could not be read:\n\n", threadID),
		Tail: "Send the corrected blocks, and only those: what could be read has been taken and must not be sent again. " +
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
// delta. Sessions of protocol 2 send it.
func RepairDefects(threadID string, tokens int, defects []settle.Defect) Request {
	return request(threadID, tokens, defects, hintOf, "", "Send only what is corrected or missing. Blocks that are not named here stand: do not send them again. "+
		"Send a corrected block whole, with all its fields, as one JSON object in a fence of its own that begins with three backticks "+
		"and the word delta; it replaces the one it corrects, takes its place in the order, and keeps its ref. "+orNoChanges)
}

const orNoChanges = "If nothing is to change, write one line outside of any fence instead: NO CHANGES: reason\n"

// Correct returns a request like RepairDefects, with an exact hint for every defect, and the numbers of
// all blocks that have one. Sessions since protocol 3 send it.
func Correct(threadID string, tokens int, defects []settle.Defect) Request {
	names := "the ref, the name or the target_id of the block that it corrects"
	if slices.ContainsFunc(defects, func(d settle.Defect) bool { return d.Section == delta.RecordSection }) {
		names += ", a record with the id of the record that it corrects"
	}
	return request(threadID, tokens, defects, remedy, defectiveBlocks(defects),
		"Send only what is corrected or missing. Blocks that are not named here stand: do not send them again. "+
			aboutOthers(defects, "Send a corrected block whole, with all its fields, as one JSON object in a fence of its own that begins with three backticks "+
				"and the word delta, and with "+names+": it replaces that one. "+
				"An ADD takes its place and keeps its ref; an EDIT or a KILL counts after the rest of your reply. ")+aboutTexts(defects)+orNoChanges)
}

// CorrectTask returns a request like Correct for the reply to a task, which has only records.
func CorrectTask(threadID string, tokens int, defects []settle.Defect) Request {
	return request(threadID, tokens, defects, remedy, defectiveBlocks(defects),
		"Send only the records that are corrected or missing. Records that are not named here stand: do not send them again. "+
			aboutOthers(defects, "Send a corrected record whole, with all its fields, as one JSON object in a fence of its own that begins with three backticks "+
				"and the word delta, and with the id of the record that it corrects, unless the id was wrong: it replaces that one. ")+aboutTexts(defects)+orNoChanges)
}

// isOfText reports whether a defect is about the change of a text that its author can send again: any that is refused,
// and a patch that is only shown. Sessions of earlier readers have neither.
func isOfText(d settle.Defect) bool {
	return d.Section == settle.TextPatch && (!d.Final || strings.Contains(d.Message, patch.Protocol))
}

// aboutOthers returns how to correct what is no change of a text, unless there are only such.
func aboutOthers(defects []settle.Defect, how string) string {
	if len(defects) == 0 || slices.ContainsFunc(defects, func(d settle.Defect) bool { return !isOfText(d) }) {
		return how
	}
	return ""
}

// aboutTexts says how to correct changes of texts, if there are some to correct.
func aboutTexts(defects []settle.Defect) string {
	if !slices.ContainsFunc(defects, isOfText) {
		return ""
	}
	text := "A change of a text is neither a delta nor a record: write it as search/replace blocks, with the name of the text on the line above, or as a patch of the protocol " +
		patch.Protocol + ", one JSON object in a fence of its own that begins with three backticks and the word json. "
	if slices.ContainsFunc(defects, func(d settle.Defect) bool { return isOfText(d) && !d.Final }) {
		text += "If a change of a text is refused, no change of that text is made: send all changes of it again. "
	}
	return text
}

// defectiveBlocks names the blocks with a defect, of which a request describes only the first ones.
func defectiveBlocks(defects []settle.Defect) string {
	const most = 100 // of the ranges
	var blocks []int
	for i := range defects {
		if defects[i].Block > 0 {
			blocks = append(blocks, defects[i].Block)
		}
	}
	slices.Sort(blocks)
	if blocks = slices.Compact(blocks); len(blocks) < 2 {
		return ""
	}
	var ranges []string
	for len(blocks) > 0 {
		if len(ranges) == most {
			ranges = append(ranges, fmt.Sprintf("and %d more from block %d on", len(blocks), blocks[0]))
			break
		}
		n := 1
		for n < len(blocks) && blocks[n] == blocks[0]+n {
			n++
		}
		text := strconv.Itoa(blocks[0])
		if n > 1 {
			text += "-" + strconv.Itoa(blocks[n-1])
		}
		ranges, blocks = append(ranges, text), blocks[n:]
	}
	return "All blocks with a defect: " + strings.Join(ranges, ", ") + ". Correct each of them, or leave it out. "
}

func request(threadID string, tokens int, defects []settle.Defect, hint func(*settle.Defect) string, blocks, tail string) Request {
	r := Request{
		Head:   fmt.Sprintf("# REPAIR: %s\n\nYour reply needs a correction:\n\n", threadID),
		Blocks: blocks,
		Tail:   tail,
		More:   max(0, len(defects)-maxRepairs),
	}
	for i := range defects[:min(len(defects), maxRepairs)] {
		d := &defects[i]
		text := "- " + inert(describeDefect(d, tokens)) + "\n"
		if what := hint(d); what != "" {
			what = strings.ReplaceAll(what, "```delta", "three backticks and the word delta")
			text += fmt.Sprintf("  What to do: %s\n", inert(what))
		}
		r.Problems, r.Lines = append(r.Problems, text), append(r.Lines, d.Line)
	}
	return r
}

func describeDefect(d *settle.Defect, tokens int) string {
	if d.Cut {
		return fmt.Sprintf("your reply was cut off after %d tokens; %s", tokens, d.Message)
	}
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
		return fmt.Sprintf("%s: the field %s was refused: %s (%s)", place, d.Field, d.Message, d.Code)
	}
	return fmt.Sprintf("%s: %s (%s)", place, d.Message, d.Code)
}

// hintOf returns the hint of sessions of protocol 2.
func hintOf(d *settle.Defect) string {
	if d.Cut {
		return "send the rest, and be brief: another long reply would be cut, too"
	}
	if d.Field != "" {
		name, _, _ := strings.Cut(d.Field, ".") // a key of an object is refused alone
		if kind := prompts.FieldKind(d.Section, name); kind != "" {
			return name + " takes: " + kind
		}
	}
	return d.Hint
}

// remedy returns what to do about a defect. There is always something.
func remedy(d *settle.Defect) string {
	name, _, _ := strings.Cut(d.Field, ".") // a key of an object is refused alone
	kind := prompts.FieldForm(d.Section, name)
	isCell := d.Operation == delta.Edit && d.Section == artifact.PredictionsTable.String() && strings.Contains(d.Target, ".")
	switch {
	case d.Hint != "":
		return d.Hint
	case d.Section == delta.RecordSection:
		return "correct it and send the record again, whole, or leave it out"
	case d.Operation == delta.Kill && name != "" && name != "reason":
		return "leave " + name + " out: the payload of a KILL has only the field reason, a text"
	case d.Operation == delta.Kill && name != "":
		return "write the reason as a text, or leave it out"
	case isCell && name != "" && name != "prediction":
		return "leave " + name + " out: the payload of this EDIT has only the field prediction, a text"
	case isCell:
		return "write the prediction as a text in the field prediction"
	case name == "replace" || strings.HasSuffix(name, "_replace") && kind == "":
		return name + " takes: true or false"
	case kind != "":
		return name + " takes: " + kind
	case name != "":
		return "write " + name + " as a text, or leave it out"
	case d.Operation == delta.Edit:
		return "put a field of " + d.Section + " into the payload: " + strings.Join(prompts.FieldNames(d.Section, false), ", ")
	}
	return "write all fields that an ADD needs: " + strings.Join(prompts.FieldNames(d.Section, true), ", ")
}

// inert returns a text on one line, without characters that could begin Markdown code or HTML.
func inert(text string) string {
	return strings.NewReplacer("`", "'", "<", "‹", ">", "›").Replace(oneLine(text))
}

// AsJSON returns the request for an agent whose reply is held to a JSON schema: it asks for that form, not for fences.
func (r Request) AsJSON() Request {
	const fence, word, list = "in a fence of its own", "that begins with three backticks and the word ", "in the list deltas"
	words := strings.NewReplacer(
		"as one JSON object "+fence+" "+word+"delta", "as one object "+list,
		"as one JSON object in a fence "+word+"delta", "as one object "+list,
		fence+" "+word+"json", "in prose, "+fence+" "+word+"json", // a patch of a text
		fence+" "+word+"delta", list, "in a fence "+word+"delta", list, "in a fence with the word delta only", list,
		"into a fence "+word+"delta", "into the list deltas",
		fence, list,
		orNoChanges, "If nothing is to change, send an empty list.\n",
	)
	problems := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		problems[i] = words.Replace(p)
	}
	r.Problems, r.Tail = problems, words.Replace(r.Tail)+"Your reply is held to a JSON schema: it has sentences in prose, deltas in the list deltas, and records in the list records if there is one.\n"
	return r
}
