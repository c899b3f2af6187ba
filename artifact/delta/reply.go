package delta

import (
	"bytes"
	"fmt"
	"slices"

	"brenner/internal/fault"
)

// The codes of a reply as a whole, and of a delta that stands in the wrong place.
const (
	NoDeltas        fault.Code = "NO_DELTAS"
	ProseOnly       fault.Code = "PROSE_ONLY"
	MessageTooLarge fault.Code = "MESSAGE_TOO_LARGE"
	UnfencedDelta   fault.Code = "UNFENCED_DELTA"
)

// The flags of a block. The last four say that it was not meant: such a block is
// neither taken nor refused.
const (
	FlagTruncated   = "truncated"    // the closing fence, or more, is missing
	FlagRepaired    = "repaired"     // it was not quite JSON
	FlagUnfenced    = "unfenced"     // it stood outside a delta fence
	FlagNormalised  = "normalised"   // words or fields were put as the format has them
	FlagNameDerived = "name_derived" // the name is the first words of the main field
	FlagExample     = "example"      // it repeats an example of the kickoff
	FlagQuoted      = "quoted"       // it stands in a block quote
	FlagNested      = "nested"       // it stands inside another fence
	FlagCommented   = "commented"    // it stands in an HTML comment, or in other verbatim HTML
)

// The limits of a reply, where the options give none.
const (
	DefaultMaxBytes  = 16 << 20
	DefaultMaxBlocks = 100_000
	// ceiling is what MaxBytes cannot raise: offsets are kept in 32 bits, and
	// repaired text can be several times as long as its source.
	ceiling = 256 << 20
)

// Options say how to read a reply. The zero value reads generously.
type Options struct {
	// Strict wants the form exact: what would have to be repaired or normalised,
	// or stands outside a delta fence, is refused.
	Strict bool
	// Examples are the delta blocks of the kickoff that the reply answers, as
	// JSON or as fenced blocks. A block equal to one of them is no delta.
	Examples []string
	// Known are further examples, which were read before.
	Known Known
	// MaxBytes and MaxBlocks are the limits past which a reply is refused whole;
	// zero means the defaults.
	MaxBytes, MaxBlocks int
}

// Known are the deltas of examples, in a form in which a reply's are compared with
// them: whoever reads many replies to one message reads its examples once.
type Known struct{ deltas []string }

// ReadExamples reads examples.
func ReadExamples(examples []string) Known {
	var k Known
	for _, example := range examples {
		k.deltas = append(k.deltas, exampleKeys(example)...)
	}
	return k
}

// Reply is what was found in one message.
type Reply struct {
	Blocks   []Block   // in the order of the text, one for each delta
	Problems []Located // about the reply as a whole
}

// Block is one delta of a reply, or what should have been one.
type Block struct {
	Index int  // place in the reply, from 1
	Line  int  // where it begins: the fence, or its own first line where a fence holds several
	OK    bool // it is a delta, and goes to the merge
	// Delta is what it says; agent, instant and place are not in the text but on
	// the envelope: Reply.Stamped adds them, and seals it. Where OK is false it
	// holds what could be read.
	Delta    Delta
	Flags    []Flag
	Problems []Located
	Written  string   // the id that its author gave it: a label, no more
	Renamed  []Rename // fields that were written under another name
}

// Flag is something about a block that its author should know.
type Flag struct {
	Name string
	Text string
}

// Rename is a field that its author wrote under another name.
type Rename struct{ From, To string }

// Located is a problem with its place in the reply; line and column (in bytes)
// count from 1.
type Located struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Line    int        `json:"line"`
	Column  int        `json:"column"`
	Hint    string     `json:"hint"`
}

// Flagged tells whether the block has a flag.
func (b *Block) Flagged(name string) bool {
	return slices.ContainsFunc(b.Flags, func(f Flag) bool { return f.Name == name })
}

// Skipped tells whether the block was only shown, not meant: an example, a
// quotation, a block inside another one or in a comment.
func (b *Block) Skipped() bool { return !b.OK && len(b.Problems) == 0 }

// Read finds the deltas in an agent's reply. It never fails: what cannot be read
// is a block with located problems, and does not touch the others.
func Read(text []byte, opt Options) Reply {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	opt.MaxBytes = min(opt.MaxBytes, ceiling)
	if opt.MaxBlocks <= 0 {
		opt.MaxBlocks = DefaultMaxBlocks
	}
	if len(text) > opt.MaxBytes {
		return tooLarge(fmt.Sprintf("the message has %d bytes; %d are allowed", len(text), opt.MaxBytes))
	}
	r := newReader(text, opt)
	r.examples = append(slices.Clip(opt.Known.deltas), ReadExamples(opt.Examples).deltas...)
	r.read()
	if r.full {
		return tooLarge(fmt.Sprintf("the message has more than %d delta blocks", opt.MaxBlocks))
	}
	return Reply{Blocks: r.blocks(), Problems: r.silence()}
}

func tooLarge(message string) Reply {
	return Reply{Problems: []Located{{
		Code: MessageTooLarge, Message: message, Line: 1, Column: 1,
		Hint: "send less in one message; the whole message was refused",
	}}}
}

// silence is what must be said about a reply without any delta.
func (r *reader) silence() []Located {
	const form = "write each change as one JSON object in a fence that begins with ```delta"
	switch {
	case r.meant:
		return nil
	case r.announced > 0:
		return []Located{{
			Code: ProseOnly, Line: r.announced, Column: 1, Hint: form,
			Message: "the reply announces deltas here and then gives only prose",
		}}
	case r.count > 0:
		return []Located{{
			Code: NoDeltas, Line: r.chunks[0][0].Line, Column: 1, Hint: form,
			Message: "the reply holds no delta of its own, only quotations or examples",
		}}
	}
	message := "the reply holds no delta"
	if len(bytes.TrimSpace(r.src)) == 0 {
		message = "the reply is empty"
	}
	return []Located{{Code: NoDeltas, Message: message, Line: 1, Column: 1, Hint: form}}
}
