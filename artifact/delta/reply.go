package delta

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/schemaform"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/internal/remark"
)

// The codes for a reply as a whole, and for a delta in the wrong place.
const (
	NoDeltas        fault.Code = "NO_DELTAS"         // The reply contains no deltas.
	ProseOnly       fault.Code = "PROSE_ONLY"        // The reply announces deltas but contains only prose.
	MessageTooLarge fault.Code = "MESSAGE_TOO_LARGE" // The message exceeds the read limit and is refused as a whole.
	UnfencedDelta   fault.Code = "UNFENCED_DELTA"    // A delta outside a delta block: a KILL, one among other text, or any in strict reading.
	AmbiguousDelta  fault.Code = "AMBIGUOUS_DELTA"   // A delta block inside another block of the same form; it may be an example.
	UnreadText      fault.Code = "UNREAD_TEXT"       // A part of the reply has too many braces to be searched for deltas.
)

// The flags of a block. With one of the last six it is only shown, neither accepted nor refused.
const (
	FlagTruncated   = "truncated"    // the closing fence, or more, is missing
	FlagRepaired    = "repaired"     // it was not exact JSON
	FlagUnfenced    = "unfenced"     // it was outside a delta fence
	FlagNormalised  = "normalised"   // words or fields were normalised to the format
	FlagNameDerived = "name_derived" // the name was derived from the main field
	FlagIgnored     = "ignored_keys" // it has keys whose values come from the message
	FlagDraft       = "draft"        // it is in reasoning
	FlagExample     = "example"      // it repeats an example of the kickoff
	FlagQuoted      = "quoted"       // it is in a block quote
	FlagNested      = "nested"       // it is inside another fence
	FlagCommented   = "commented"    // it is in an HTML comment or other verbatim HTML
	FlagMentioned   = "mentioned"    // a sentence speaks of it, in words that are no order in a known form
)

// The default limits of a reply.
const (
	DefaultMaxBytes  = 16 << 20
	DefaultMaxBlocks = 100_000
	// ceiling bounds MaxBytes: offsets are 32 bits, and repaired text can be much longer.
	ceiling = 256 << 20
)

// Reader is a version of the rules by which replies are read. A session keeps the one it began with.
type Reader string

// The versions of the reader. The empty one stands for the newest.
const (
	FirstReader   Reader = "reader/1"
	SecondReader  Reader = "reader/2"
	ThirdReader   Reader = "reader/3"
	FourthReader  Reader = "reader/4"
	FifthReader   Reader = "reader/5"
	SixthReader   Reader = "reader/6"
	SeventhReader Reader = "reader/7"
	NewestReader         = SeventhReader
)

// Readers are the versions of the reader, oldest first.
func Readers() []Reader {
	return []Reader{FirstReader, SecondReader, ThirdReader, FourthReader, FifthReader, SixthReader, SeventhReader}
}

// Since reports whether a version has the rules of another one, which it may be.
func (r Reader) Since(v Reader) bool {
	return r == "" || slices.Index(Readers(), r) >= slices.Index(Readers(), v)
}

// Scanner returns the rules by which a text is divided into blocks.
func (r Reader) Scanner() markdown.Version {
	switch r {
	case FirstReader:
		return markdown.First
	case SecondReader:
		return markdown.Second
	}
	return markdown.Third
}

// Remarks returns the rules by which the text beside a block of an author, who may be unknown (""), is read.
func (r Reader) Remarks(author string) remark.Rules {
	return remark.Rules{Author: author, Oblique: r.Since(ThirdReader), Choosing: r.Since(FourthReader), Firm: r.Since(FifthReader), Close: r.Since(FifthReader), Sixth: r.Since(SixthReader), Seventh: r.Since(SeventhReader)}
}

// WithoutReasoning returns a reply without its reasoning. The first version does not know reasoning.
func (r Reader) WithoutReasoning(reply []byte) []byte {
	if r == FirstReader {
		return reply
	}
	text, _ := r.Plain(reply, false)
	return markdown.BlankReasoning(text)
}

// Stored returns the text of a reply as a session keeps it: as it came, behind reasoning that came apart from it. Versions before
// the fourth leave that out, and have a reply that is held to a schema as Markdown.
func (r Reader) Stored(reply, reasoning string, hasSchema, cut bool) string {
	if r.Since(FourthReader) {
		return markdown.WithReasoning(reasoning, reply)
	}
	if form, ok := schemaform.Read([]byte(reply), cut, false); ok && hasSchema {
		return form.Before()
	}
	return reply
}

// Plain returns what a reply says as Markdown: all of it, or what an object in the form of a schema has beside reasoning. Line
// returns the line in the reply of a line of that text.
func (r Reader) Plain(reply []byte, cut bool) (text []byte, line func(int) int) {
	if form, ok := schemaform.Read(reply, cut, r.Since(FifthReader)); ok && r.Since(FourthReader) {
		return form.Text[:form.Drafts], func(n int) int { n, _ = form.Place(n, 1); return n }
	}
	return r.unglued(reply), func(n int) int { return n }
}

// unglued returns a reply that begins with the name of a channel behind a role whose marks were lost, "assistantanalysisLet me see.",
// with that name first. All lines keep their places.
func (r Reader) unglued(reply []byte) []byte {
	const role, name = "assistant", "analysis"
	text := bytes.TrimLeft(reply, " \t\r\n")
	if !r.Since(FifthReader) || !bytes.HasPrefix(text, []byte(role+name)) {
		return reply
	}
	reply = bytes.Clone(reply)
	copy(reply[len(reply)-len(text):], name+strings.Repeat(" ", len(role)))
	return reply
}

// Options configure reading a reply. The zero value is lenient.
type Options struct {
	Reader Reader
	// Author is the name of the agent that wrote the reply, if known. What a reply says of other names is
	// not its own.
	Author string
	// Strict refuses what would need repair or normalisation, or is outside a delta fence.
	Strict bool
	// Examples are the delta blocks of the kickoff that the reply answers, as JSON or as fenced
	// blocks. A block equal to one of them is not a delta.
	Examples []string
	// Base is the version that the author was shown, if known.
	Base *artifact.Artifact
	// Known are the examples of the kickoff that the reply answers, read before. A delta that is nearly
	// one of them is refused.
	Known Known
	// NoChanges accepts a line NO CHANGES with a reason instead of deltas, and BareNoChanges one
	// without: sessions of protocol 2 do.
	NoChanges, BareNoChanges bool
	// Cut means that the reply ends at the limit of its length. The delta in which it ends is refused;
	// the first reader leaves out the block with it.
	Cut bool
	// Repair means that the reply answers a request to correct another one. Its blocks were asked for:
	// only what clearly speaks against one counts, for the program does not ask again.
	Repair bool
	// Doubted are deltas of the other reply that were refused as ambiguous. The answer has to mean them.
	Doubted []Delta
	// Hide returns a text without what it says of other replies, if set. All else keeps its place.
	Hide func(text []byte) []byte
	// Records says whether the reply may have records of the project.
	Records RecordUse
	// MaxBytes and MaxBlocks limit the reply, which is refused beyond. Zero means the default.
	MaxBytes, MaxBlocks int
}

// Known holds the deltas of examples, so that they are read once for many replies.
type Known struct {
	deltas []string
	texts  []exampleText
}

// ReadExamples reads examples by the rules of a reader.
func ReadExamples(examples []string, version Reader) Known {
	var k Known
	for _, example := range examples {
		keys, texts := exampleKeys(example, version)
		k.deltas, k.texts = append(k.deltas, keys...), append(k.texts, texts...)
	}
	return k
}

// With returns the examples of both.
func (k Known) With(more Known) Known {
	return Known{append(slices.Clip(k.deltas), more.deltas...), slices.Concat(k.texts, more.texts)}
}

// Reply is the result of reading one message.
type Reply struct {
	Blocks   []Block   // in text order, one for each delta
	Problems []Located // about the reply as a whole
	// NoChanges is the line NO CHANGES of a reply without deltas, or nil.
	NoChanges *Statement
	Open      int // the line of the block in which a cut reply ends, or 0
}

// Block is one delta of a reply, or a failed one.
type Block struct {
	Index int  // position in the reply, from 1
	Line  int  // its first line: of the fence, or its own if a fence holds several
	OK    bool // it is a delta and goes to the merge
	Cut   bool // a cut reply ends in it; for the second reader
	// Delta is the content. Agent, instant and place come from the envelope: Reply.Stamped adds
	// them and seals it. If OK is false, Delta holds what could be read.
	Delta    Delta
	Flags    []Flag
	Problems []Located
	Written  string   // the id that its author wrote: only a label
	Renamed  []Rename // fields written under another name
	draft    *Draft   // the record that it is
}

// Flag is something about a block that its author should know.
type Flag struct {
	Name string
	Text string
}

// Rename is a field that its author wrote under another name.
type Rename struct{ From, To string }

// Located is a problem with its position in the reply. Line and column (in bytes) count from 1.
type Located struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Line    int        `json:"line"`
	Column  int        `json:"column"`
	Hint    string     `json:"hint"`
}

// Flagged reports whether the block has the flag.
func (b *Block) Flagged(name string) bool {
	return slices.ContainsFunc(b.Flags, func(f Flag) bool { return f.Name == name })
}

// Skipped reports whether the block was only shown: an example, quoted, nested or in a comment.
func (b *Block) Skipped() bool { return !b.OK && len(b.Problems) == 0 }

// Read finds the deltas in an agent's reply. It never fails: an unreadable part becomes a block
// with located problems and does not affect the others.
func Read(text []byte, opt Options) Reply {
	opt.limit()
	if len(text) > opt.MaxBytes {
		return tooLarge(fmt.Sprintf("the message has %d bytes; %d are allowed", len(text), opt.MaxBytes))
	}
	text, form := plain(text, &opt)
	if opt.Hide != nil {
		text = opt.Hide(text)
	}
	r := newReader(text, opt)
	r.form = form
	r.examples = append(slices.Clip(opt.Known.deltas), ReadExamples(opt.Examples, opt.Reader).deltas...)
	r.hideFences()
	r.read()
	if r.overfull() {
		return tooLarge(fmt.Sprintf("the message announces more than %d changes", opt.MaxBlocks))
	}
	reply := Reply{Open: r.open}
	own := text
	if r.ownEnd > 0 {
		own = text[:r.ownEnd]
	}
	if opt.NoChanges && !r.meant {
		reply.NoChanges, r.bare = findNoChanges(own, opt)
		r.declined = reply.NoChanges != nil
	}
	reply.Blocks = r.blocks()
	if r.second {
		reply.Blocks = r.weighed(reply.Blocks, own)
	}
	if opt.NoChanges && reply.NoChanges == nil {
		reply.NoChanges = cmp.Or(r.emptyList(), r.unlabelled(own))
	}
	if r.second && r.meant {
		reply.NoChanges = nil // a change is announced beside it
	}
	if r.full {
		return tooLarge(fmt.Sprintf("the message has more than %d delta blocks", opt.MaxBlocks))
	}
	if r.spent > 0 {
		reply.Problems = append(reply.Problems, unread(r.spent))
	}
	if reply.NoChanges == nil {
		reply.Problems = append(reply.Problems, r.noProblems()...)
	}
	if form != nil {
		reply.moveTo(form)
	}
	return reply
}

// plain returns the text of a reply in lines, and its form if that is the one of a schema.
func plain(text []byte, opt *Options) ([]byte, *schemaform.Reply) {
	if opt.Reader.Since(ThirdReader) && bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	text = opt.Reader.unglued(text)
	if opt.Reader.Since(FourthReader) && !opt.Strict {
		if form, ok := schemaform.Read(text, opt.Cut, opt.Reader.Since(FifthReader)); ok && !opt.Reader.isHeldForm(form) {
			return form.Text, form
		}
	}
	return text, nil
}

// limit sets the limits that are not set, or too high.
func (o *Options) limit() {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	o.MaxBytes = min(o.MaxBytes, ceiling)
	if o.MaxBlocks <= 0 {
		o.MaxBlocks = DefaultMaxBlocks
	}
}

// emptyList returns the statement that there are no changes of a reply in the form of a schema with an empty list of deltas, unless
// it announces some.
func (r *reader) emptyList() *Statement {
	if r.form == nil || !r.form.Empty || r.announced > 0 {
		return nil
	}
	if r.announced = r.form.Announces(); r.announced > 0 {
		return nil
	}
	return &Statement{Line: 1, Reason: "the list of deltas is empty"}
}

// weighed returns the blocks after what the text of the reply, which is of its author alone, says of them, and with rows for changes
// that it only announces.
func (r *reader) weighed(blocks []Block, own []byte) []Block {
	r.refuseReplaced(blocks)
	r.refuseTakenBack(blocks)
	r.refuseNamed(blocks)
	r.refuseOwn(blocks, own)
	r.refuseUnseen(blocks)
	r.refuseDenied(blocks, own)
	if r.third {
		r.refuseUnconfirmed(blocks)
		refuseContradictions(blocks)
		r.refuseDivergent(blocks)
	}
	showRepeated(blocks)
	return r.withMentions(r.withThread(r.withAttempts(r.withUnfulfilled(blocks))))
}

// moveTo sets all places to those in a reply in the form of a schema.
func (r *Reply) moveTo(form *schemaform.Reply) {
	move := func(all []Located) {
		for i := range all {
			form.Move(&all[i].Message, &all[i].Hint, &all[i].Line, &all[i].Column)
		}
	}
	move(r.Problems)
	for i := range r.Blocks {
		b := &r.Blocks[i]
		move(b.Problems)
		if b.Line, _ = form.Place(b.Line, 1); b.draft != nil {
			b.draft.Line = b.Line
		}
	}
	if r.NoChanges != nil {
		r.NoChanges.Line, _ = form.Place(r.NoChanges.Line, 1)
	}
	if r.Open > 0 {
		r.Open, _ = form.Place(r.Open, 1)
	}
}

func unread(line int) Located {
	return Located{
		Code: UnreadText, Message: "from here on only the delta fences were read: the text has too many braces", Line: line, Column: 1,
		Hint: "write each change in a fence of its own that begins with ```delta",
	}
}

func tooLarge(message string) Reply {
	return Reply{Problems: []Located{{
		Code: MessageTooLarge, Message: message, Line: 1, Column: 1,
		Hint: "send less in one message; the whole message was refused",
	}}}
}

// noProblems returns the problems of a reply without any delta, or without any record if its task asks for records.
func (r *reader) noProblems() []Located {
	form := "write each change as one JSON object in a fence that begins with ```delta"
	if r.opt.Records == OnlyRecords {
		form = "write each record as one JSON object with the section " + RecordSection + " in a fence that begins with ```delta"
	}
	p := Located{Code: NoDeltas, Line: 1, Column: 1, Hint: form}
	switch {
	case r.meant:
		return nil
	case r.bare > 0:
		p.Line, p.Hint = r.bare, "say behind NO CHANGES: why nothing is to change, or "+form
		p.Message = "the reply holds no delta, and its line NO CHANGES gives no reason"
	case r.announced > 0:
		p.Code, p.Line, p.Message = ProseOnly, r.announced, "the reply announces deltas here and then gives only prose"
	case r.draft > 0:
		p.Line, p.Hint = r.draft, "write the change outside your reasoning: "+form
		p.Message = "the reply holds no delta outside its reasoning" + r.onlyShown(FlagDraft)
	case r.count > 0:
		p.Line, p.Message = r.chunks[0][0].Line, "the reply holds no delta of its own, only quotations or examples"+r.onlyShown("")
	case len(bytes.TrimSpace(r.src)) == 0:
		p.Message = "the reply is empty"
	default:
		p.Message = "the reply holds no delta"
	}
	if r.opt.Records == OnlyRecords {
		p.Message = strings.Replace(p.Message, "delta", "record", 1)
	}
	return []Located{p}
}

// onlyShown lists the deltas, with the flag if one is given, of a reply that has none of its own. The
// first version did not.
func (r *reader) onlyShown(flag string) string {
	const most = 5
	if !r.second {
		return ""
	}
	var all []string
	n := 0
	for _, chunk := range r.chunks {
		for i := range chunk {
			b := &chunk[i]
			if flag != "" && !b.Flagged(flag) {
				continue
			}
			if n++; n <= most {
				all = append(all, strings.TrimSpace(b.Delta.Brief()+fmt.Sprintf(" (line %d)", r.trueLine(b.Line))))
			}
		}
	}
	if n > most {
		all = append(all, fmt.Sprintf("and %d more", n-most))
	}
	return ": " + strings.Join(all, ", ")
}
