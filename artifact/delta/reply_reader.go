package delta

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/schemaform"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/internal/remark"
)

// reader collects the blocks of one reply.
type reader struct {
	src       []byte
	opt       Options
	examples  []string // canonical JSON
	keys      *[]string
	texts     []exampleText // of the examples that are read
	chunks    [][]Block     // all but the last are full
	count     int
	meant     bool // some block was not merely shown
	declined  bool // the reply says NO CHANGES
	open      int  // the line of the block in which a cut reply ends, or 0
	full      bool // the limit of blocks is exceeded
	announced int  // the first line that announces deltas, or 0
	bare      int  // the first line NO CHANGES without a reason, or 0
	second    bool // the rules of the second reader
	third     bool // and of the third
	promises  []announcement
	mentioned []announcement // in words that are no order in a known form
	counts    []itemform.Count
	slate     itemform.Slate
	draft     int // the first line of a delta in reasoning, or 0
	depth     int // the number of texts of objects around this one
	beside    beside
	memory    remark.Memory
	foreign   span // the last message of another author
	ownEnd    int  // where the first one begins, or 0
	spent     int  // the line where effort ran out, or 0
	effort    int  // remaining bytes that failed attempts at bare deltas may read
	place     locator
	dec       artifact.Decoder
	mender    nearjson.Repairer
	scanned   []byte // what the scanner reads: the source, or one in which the fences in texts are hidden
	hideFrom  int    // up to here they have been looked for
	overhung  []span // the objects in the texts of deltas that cannot be read
	attempts  []attempt
	framed    span // the text of a record that is not written as JSON
	held      *[]Extent
	form      *schemaform.Reply // that the text comes from, or nil
	passage   passage           // buffers
	object    object
	fields    []written // buffer for the keys of one object
	payload   []written
}

func newReader(src []byte, opt Options) *reader {
	return &reader{
		src: src, scanned: src, opt: opt, effort: 4 * len(src), second: opt.Reader != FirstReader, third: opt.Reader.Since(ThirdReader), mender: nearjson.Repairer{Lax: opt.Reader != FirstReader, Latex: opt.Reader.Since(ThirdReader), Commands: opt.Reader.Since(SixthReader)},
		place: locator{src: src, line: 1}, slate: itemform.Slate{Base: opt.Base},
	}
}

// decode resets the shared decoder to text.
func (r *reader) decode(text []byte, opts ...jsontext.Options) *artifact.Decoder {
	r.dec.Reset(text, opts...)
	return &r.dec
}

// exampleKeys returns the deltas in an example, which may be one for replies that have records: as canonical JSON, or by their effects.
func exampleKeys(example string, version Reader) (keys []string, texts []exampleText) {
	for use := NoRecords; use == NoRecords || use == WithRecords && strings.Contains(example, "record"); use++ {
		r := newReader([]byte(example), Options{Reader: version, MaxBlocks: DefaultMaxBlocks, Records: use})
		r.keys, r.texts = &keys, texts
		r.read()
		texts = r.texts
	}
	return keys, texts
}

// looseWords are the info words of fences that may hold a delta by mistake.
var looseWords = []string{"", "json", "jsonc", "json5", "jsonl", "ndjson", "js", "javascript", "deltas"}

func (r *reader) read() {
	end := 0 // of the last block
	var last markdown.Block
	for b := range markdown.Blocks(r.scanned, r.opt.Reader.Scanner()) {
		if r.second {
			b.Draft = b.Draft || r.form != nil && b.Start >= r.form.Drafts
			r.readGap(end, max(end, b.Start), b.Line)
			r.readBlock(b)
			end, last = max(end, b.End), b
		} else {
			r.block(b)
		}
		if r.full || r.overfull() {
			return
		}
	}
	if r.second {
		r.readGap(end, len(r.src), 0)
	}
	if r.third && r.keys == nil {
		r.announceEnd(last)
	}
}

// block reads one block of the reply by the rules of the first reader. A quoted, nested or commented delta is only shown.
func (r *reader) block(b markdown.Block) {
	switch {
	case b.Kind == markdown.Prose:
		r.announce(b, clues{operation: true})
		r.findBare(b)
	case b.Quoted:
		if b.Kind == markdown.Fenced && b.Fence.Is("delta") {
			r.skip(b.Line, FlagQuoted)
		}
	case b.Kind == markdown.Verbatim:
		r.skip(r.shownFence(b.Line, b, false), FlagCommented)
	case b.Fence.Is("delta") && r.opt.Cut && !b.Closed:
		r.leaveOpen(b.Line)
	case b.Fence.Is("delta"):
		r.readDeltas(b, &passage{})
	default:
		loose := b.Fence.Mark != ':' && b.Fence.Is(looseWords...)
		line := r.shownFence(b.Line+1, b, loose)
		r.skip(line, FlagNested)
		if loose && line == 0 && (b.Closed || !r.opt.Cut) {
			r.findBare(b)
		}
	}
}

// leaveOpen records the block in which a cut reply ends.
func (r *reader) leaveOpen(line int) { r.open, r.meant = line, true }

// skip adds a block that is only shown, unless line is 0.
func (r *reader) skip(line int, why string) {
	if line > 0 {
		r.add(Block{Line: line, Flags: []Flag{{Name: why, Text: skippedTexts[why]}}})
	}
}

// shownFence returns the first line of a delta fence inside another block, quoted or not, or 0. A
// fence of JSON, or without a word, that contains any fence or quotation is text rather than JSON.
func (r *reader) shownFence(line int, b markdown.Block, loose bool) int {
	for text := range bytes.Lines(r.src[b.Start:b.End]) {
		inner := unindented(text)
		quoted := len(inner) > 0 && inner[0] == '>'
		if quoted {
			inner = bytes.TrimLeft(inner, "> \t")
		}
		if loose && quoted || len(inner) > 0 && shows(inner, loose) {
			return line
		}
		line++
	}
	return 0
}

// shows reports whether a line begins a delta fence, or with anyWord any fence.
func shows(line []byte, anyWord bool) bool {
	switch line[0] {
	case '`', '~', ':':
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		f, ok := markdown.OpenFence(line)
		return ok && (anyWord || f.Is("delta")) || anyWord && f.Length >= 3 && f.Mark != ':'
	}
	return false
}

// skippedTexts say of each flag of what is only shown why that is so.
var skippedTexts = map[string]string{
	FlagQuoted:    "not read: it stands in a block quote",
	FlagNested:    "not read: it stands inside another fence",
	FlagCommented: "not read: it stands in an HTML comment or in verbatim HTML",
	FlagDraft:     "not read: it is in reasoning",
	FlagExample:   "not read: it repeats an example of the kickoff",
}

func (r *reader) add(b Block) {
	if r.full || r.keys != nil {
		return
	}
	if r.count >= r.opt.MaxBlocks {
		r.full = true
		return
	}
	r.count++
	b.Index = r.count
	r.meant = r.meant || !b.Skipped()
	if r.draft == 0 && b.Flagged(FlagDraft) {
		r.draft = b.Line
	}
	last := len(r.chunks) - 1
	if last < 0 || len(r.chunks[last]) == cap(r.chunks[last]) {
		r.chunks = append(r.chunks, make([]Block, 0, min(max(r.count, 4), 1024)))
		last++
	}
	r.chunks[last] = append(r.chunks[last], b)
}

// blocks joins the blocks, which are collected in chunks to avoid copies of a growing slice.
func (r *reader) blocks() []Block {
	if len(r.chunks) == 1 {
		return r.chunks[0]
	}
	return slices.Concat(r.chunks...)
}

// isExample reports whether o repeats an example. While reading examples it only collects them.
func (r *reader) isExample(o *object) bool {
	if r.keys != nil {
		*r.keys = append(*r.keys, o.canonical())
		return true
	}
	return len(r.examples) > 0 && slices.Contains(r.examples, o.canonical())
}

func (r *reader) located(code fault.Code, offset int, message, hint string) Located {
	line, column := r.place.find(offset)
	return Located{Code: code, Message: message, Line: line, Column: column, Hint: hint}
}

func (r *reader) where(offset int) string {
	line, column := r.place.find(offset)
	if r.form != nil {
		line, column = r.form.Place(line, column)
	}
	return "line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column)
}

// trueLine returns the line in the reply of a line of the text.
func (r *reader) trueLine(line int) int {
	if r.form != nil {
		line, _ = r.form.Place(line, 1)
	}
	return line
}

// locator converts offsets to lines and columns, going forward from the last lookup.
type locator struct {
	src   []byte
	at    int
	line  int
	start int // of the line
}

func (l *locator) find(offset int) (line, column int) {
	offset = max(0, min(offset, len(l.src)))
	if offset >= l.at {
		between := l.src[l.at:offset]
		if last := bytes.LastIndexByte(between, '\n'); last >= 0 {
			l.line += bytes.Count(between, []byte{'\n'})
			l.start = l.at + last + 1
		}
	} else if offset < l.start {
		l.line -= bytes.Count(l.src[offset:l.start], []byte{'\n'})
		l.start = bytes.LastIndexByte(l.src[:offset], '\n') + 1
	}
	l.at = offset
	return l.line, offset - l.start + 1
}

func syntax(err error) (*nearjson.Misfit, fault.Code) {
	m, code := &nearjson.Misfit{What: err.Error(), Hint: "check the JSON at that place"}, artifact.InvalidJSON
	var serr *jsontext.SyntacticError
	if errors.As(err, &serr) {
		m.At = int(serr.ByteOffset)
		m.What = serr.Err.Error()
		if errors.Is(serr.Err, jsontext.ErrDuplicateName) {
			code = artifact.DuplicateKey
			m.What = fmt.Sprintf("the key %q stands twice in one object", clipped(serr.JSONPointer.LastToken()))
			m.Hint = "keep one of the two"
		}
	}
	return m, code
}
