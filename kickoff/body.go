package kickoff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"brenner/internal/text"
	"brenner/merge"
	"brenner/patch"
	"brenner/prompts"
	"brenner/roster"
)

// Fixed lines of a message, which Audit looks for.
const (
	titleMark      = "# KICKOFF: "
	recipientLabel = "**Recipient**: "
	roundLabel     = "**Round**: "
	templateLabel  = "**Template**: "
	hashLabel      = " (sha256 "

	headQuestion    = "## Research Question"
	headContext     = "## Context"
	headExcerpt     = "## Excerpt"
	headProject     = "## Project Records"
	headMemory      = "## Memory"
	headArtifact    = "## Current Artifact"
	headHypotheses  = "## Initial Hypotheses"
	headConstraints = "## Constraints"
	headLeftOut     = "## Left Out"
	headOutputs     = "## Requested Outputs"
	headFormat      = "## Response Format"
)

const maxSubject = 120

func subject(round int, question string) string {
	head := "KICKOFF: "
	if round > 1 {
		head += fmt.Sprintf("[round %d] ", round)
	}
	return text.Clip(head+oneLine(question), maxSubject)
}

// body returns the message, in the order of artifact_schema.md §3.
func (in *Input) body(to string, f *Frame, sections []section) string {
	var b strings.Builder
	size := len(f.head) + len(f.tail) + 200
	for _, s := range sections {
		size += len(s.text) + len(s.text)/8 + 200
	}
	b.Grow(size)
	fmt.Fprintf(&b, "%s%s\n\n", titleMark, in.ThreadID)
	fmt.Fprintf(&b, "%s%s\n%s%d\n", recipientLabel, quoteName(to), roundLabel, in.Round)
	b.WriteString(f.head)
	for _, s := range sections {
		if s.text == "" && s.without == "" {
			continue
		}
		b.WriteString(s.heading + "\n\n")
		if s.text == "" {
			b.WriteString(s.without + "\n\n")
			continue
		}
		if s.about != "" {
			b.WriteString(s.about + "\n\n")
		}
		quote(&b, s.text)
		b.WriteByte('\n')
		if s.after != "" {
			b.WriteString(s.after + "\n\n")
		}
	}
	tail := f.tail
	if in.Short[to] && in.Structured[to] == "schema" { // small models copy an example, and the schema has its form
		tail, _, _ = strings.Cut(tail, "\n"+prompts.ExampleHeading+"\n")
	}
	b.WriteString(tail)
	if in.Structured[to] != "" {
		b.WriteString(AsJSON + in.recordsAsJSON(to))
	}
	return b.String()
}

// AsJSON tells an agent how to write a reply that is held to a schema.
const AsJSON = "\nIf your reply is held to a JSON schema, write the sentences into `prose` and the deltas into the list `deltas`, without " +
	"fences. An EDIT changes one field then; an empty list says that there is nothing to change.\n"

// section is a part of the message with a text from outside.
type section struct {
	heading string
	about   string // written by this program, before the text
	raw     string // the text as received
	text    string // the text, cleaned
	after   string // written by this program, after the text
	without string // shown if there is no text; "" omits the section
}

// sections returns the outside texts in the order of the message. Blank texts count as missing.
func (in *Input) sections(to string) []section {
	all := []section{
		{heading: headQuestion, text: in.Question},
		{heading: headContext, text: in.Context, without: "None was given."},
		{heading: headExcerpt, text: in.Excerpt},
		{
			heading: headProject, text: in.Project[to],
			about: "What the project's records say, as far as your role may read them, each with its id and version.",
			after: joinParagraphs(in.patchable(to), in.creatable(to)), without: in.creatable(to),
		},
		{
			heading: headMemory, text: in.memory(to), about: in.aboutMemory(to), without: in.aboutLessons(to),
		},
		{
			heading: headArtifact, text: in.Views[to],
			about: "What stands by now, as far as your role sees it. These ids are the ones that you can name.",
		},
		{heading: headHypotheses, text: in.hypotheses(), about: "They came with the brief. Nothing speaks for them but that."},
		{heading: headConstraints, text: in.constraints()},
		{
			heading: headLeftOut, text: in.leftOut(to),
			about: "This message has a limit of tokens, and these parts did not fit. They exist: do not take them for missing.",
		},
	}
	if in.Task != nil {
		all[0].heading, all[0].about = headTask, in.aboutTask()
		all[1].without = ""
	}
	for i := range all {
		all[i].raw, all[i].text = all[i].text, ""
		if !blank(all[i].raw) {
			all[i].text = clean(all[i].raw)
		}
	}
	return all
}

func joinParagraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n\n")
}

// patchable describes how to change the texts that an agent may change.
func (in *Input) patchable(to string) string {
	texts := in.Patchable[to]
	if len(texts) == 0 {
		return ""
	}
	return "You may change these texts: " + oneLine(strings.Join(texts, ", ")) + ". A change is a block like this one, beside your deltas, " +
		"with the text's name on the line above it; the lines to search for are quoted whole, without the bar:\n\n" +
		"    " + oneLine(texts[0]) + "\n    <<<<<<< SEARCH\n    " + patch.ExampleSearch + "    =======\n    the lines as they should be\n    >>>>>>> REPLACE" +
		in.anchored(to)
}

// anchored describes how to change texts by anchor patches.
func (in *Input) anchored(to string) string {
	var of []string
	for i, hash := range in.Hashes[to] {
		of = append(of, oneLine(in.Patchable[to][i])+" "+hash)
	}
	if len(of) == 0 {
		return ""
	}
	return "\n\nInstead of such blocks you may send an anchor patch: one JSON object in a fence of its own that begins " +
		"with three backticks and the word json. Its protocol_id is " + patch.Protocol + ", its target has the path, which is the text's name, and the " +
		"base_checksum_sha256, which is the text's hash as it stands here, and its op_groups are the changes. It has no result_sha256. " + strings.Join(of, ", ") + "."
}

func (in *Input) memory(to string) string {
	var b strings.Builder
	for _, m := range slices.Concat(in.Memory, in.Lessons[to]) {
		b.WriteString(m.line())
	}
	return b.String()
}

func (in *Input) hypotheses() string {
	var b strings.Builder
	for _, h := range in.Hypotheses {
		mark := "- "
		if h.ID != "" {
			mark += oneLine(h.ID) + ": "
		}
		b.WriteString(entry(mark, h.Text))
	}
	return b.String()
}

func (in *Input) constraints() string {
	var b strings.Builder
	for _, c := range in.Constraints {
		b.WriteString(entry("- ", c))
	}
	return b.String()
}

func (in *Input) leftOut(to string) string {
	var b strings.Builder
	for _, line := range in.LeftOut[to] {
		b.WriteString("- " + oneLine(line) + "\n")
	}
	return b.String()
}

// quoteName returns a name on one line: a plain word, or a Go string. unquoteName is its inverse.
func quoteName(name string) string {
	special := strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@", r)
	})
	if special || name == "" {
		return strconv.Quote(name)
	}
	return name
}

func unquoteName(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	return strconv.Unquote(text)
}

// clean normalizes the lines of an outside text and makes invisible characters visible.
func clean(s string) string { return text.Clean(s, text.PromptText) }

func blank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// oneLine joins the words of a text with single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

func quoted(text string) string {
	var b strings.Builder
	quote(&b, clean(text))
	return b.String()
}

// quote writes a clean text as a block quote. Every line begins with the mark, so that no line can
// begin a block outside the quote. The caller adds a blank line, so that nothing that follows joins
// the quote.
func quote(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(trimmed(text), "\n") {
		line = strings.TrimRight(line, " \t")
		b.WriteByte('>')
		if line != "" {
			b.WriteByte(' ')
			b.WriteString(line)
		}
		b.WriteByte('\n')
	}
}

// trimmed removes blank lines from both ends of a text and keeps the indentation of its first line.
func trimmed(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || !blank(line) {
			break
		}
		text = rest
	}
	return strings.TrimRight(text, " \t\n")
}

// entry returns a list item for a quote, with its further lines indented.
func entry(mark, text string) string {
	return mark + strings.ReplaceAll(trimmed(clean(text)), "\n", "\n  ") + "\n"
}

// Frame is the part of an agent's messages around the session's texts: roster, prompt, task and
// answer format. It depends on the roster, the scopes, the agent, whether its prompt is short, and
// whether the round is the first. Most of a message is frame, and making one takes far longer than copying it.
type Frame struct {
	role           roster.Role // empty in unified mode
	template, hash string
	head, tail     string
	example        string // the worked example
	// plain means that nothing in the roster could be read as a delta.
	plain bool
}

// Frames caches frames for one roster, one set of scopes and one version of the prompts. Agents of one kind share a frame.
type Frames interface {
	// Frame returns the frame of the first or later messages to agents of a kind, or makes it with fresh.
	Frame(kind string, later bool, fresh func() Frame) Frame
}

// localFrames caches the frames of one round.
type localFrames map[string]Frame

// Frame implements Frames.
func (all localFrames) Frame(kind string, _ bool, fresh func() Frame) Frame {
	f, ok := all[kind]
	if !ok {
		f = fresh()
		all[kind] = f
	}
	return f
}

func (in *Input) cachedFrame(to string) Frame {
	if in.Task != nil { // a frame names the types of a task
		return in.frame(to)
	}
	entry, _ := in.Roster.Find(to)
	kind := fmt.Sprintf("%s %t %t", entry.Role, in.Short[to], isPlain(to))
	return in.Frames.Frame(kind, in.Round > 1, func() Frame { return in.frame(to) })
}

// Shown is what an agent was shown.
type Shown = prompts.Shown

// Schema returns the schema of an agent's reply to a message with a template, or nil if the agent may change nothing.
func Schema(r roster.Roster, scopes merge.Scopes, template string, s Shown) []byte {
	rights := rightsOf(r, scopes, s.Agent)
	s.Brief, s.Task = prompts.IsShort(template), prompts.IsTask(template)
	return rights.Answer(s)
}

// rightsOf returns what an agent of a roster may change.
func rightsOf(r roster.Roster, scopes merge.Scopes, agent string) prompts.Rights {
	r = effective(r, []string{agent})
	entry, _ := r.Find(agent)
	rights := prompts.Rights{Role: string(entry.Role), Scopes: scopes, Unified: r.Mode == roster.Unified}
	for _, e := range r.Entries {
		rights.Roles = append(rights.Roles, string(e.Role))
	}
	return rights
}

// frame makes the frame of an agent's message; the input has been checked.
func (in *Input) frame(to string) Frame {
	entry, _ := in.Roster.Find(to)
	rights := rightsOf(in.Roster, in.Scopes, to)
	f := Frame{role: entry.Role, plain: isPlain(to) && isPlain(in.Roster.Name) && isPlain(in.Roster.CreatedAt)}
	t, ok := prompts.For(string(entry.Role), in.Prompts)
	if rights.Unified || !ok {
		t, f.role = prompts.Unified(in.Prompts), ""
	}
	if in.Task != nil {
		t, rights.Creates = prompts.Task(), in.Task.Creates
	}
	if in.Short[to] {
		t = t.Shortened()
	}
	f.template, f.hash, f.example = t.ID(), t.Hash(), t.Example()
	for _, e := range in.Roster.Entries {
		f.plain = f.plain && isPlain(e.Agent) && isPlain(string(e.Role)) && isPlain(e.Program) && isPlain(e.Model) && isPlain(e.Notes)
	}
	f.head = fmt.Sprintf("%s%s%s%s)\n\n", templateLabel, f.template, hashLabel, prompts.Short(f.hash)) +
		in.Roster.Block() + "\n" + t.Prompt() + "\n\n"
	round := in.Round
	if in.Task != nil {
		round = 1 // a task has no others
	}
	f.tail = fmt.Sprintf("%s\n\n%s\n\n", headOutputs, t.Outputs(round, rights)) +
		fmt.Sprintf("%s\n\n%s\n", headFormat, t.Format(rights))
	return f
}

// isPlain reports whether a name has no character special to Markdown or JSON.
func isPlain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-@/:", r)
	})
}
