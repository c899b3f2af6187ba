// Package patch holds anchor patches: changes of a text that say where they belong
// by text that stands there, in the form anchor_diff_v2.1.
//
// It promises that a patch applies to the very text it was made for or to none,
// whole or not at all, in time that grows with the text and the patch and not with
// their product; and that a patch which fails says everything that is wrong with it,
// so that its author can mend it in one go.
//
// The package is pure. It must not know where texts and patches come from; whoever
// reads and writes files looks after links and atomic writes.
package patch

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
)

// Protocol is the one id of the patches that this package reads.
const Protocol = "anchor_diff_v2.1"

// The operations.
const (
	ReplaceBlock = "replace_block"
	DeleteBlock  = "delete_block"
	ReplaceFile  = "replace_entire_file"
)

// The ways in which an anchor is looked for.
const (
	Exact            = "exact"
	IgnoreWhitespace = "ignore_whitespace"
)

// Patch is a change of one text. A zero Path is allowed: then whoever applies the
// patch says to what.
type Patch struct {
	Path   string
	Base   string // SHA-256 of the canonical base, 64 lower-case hexadecimal digits
	Groups []Group
	Result string // SHA-256 of the canonical result; "" where it is not given
	Meta   []byte // a JSON object as it was given; nil for none
}

// Group is what is done at one anchor.
type Group struct {
	Anchor Anchor `json:"anchor,omitzero"`
	Ops    []Op   `json:"targets"`
}

// Anchor is a text of the base. Every operation of a group changes what follows it.
type Anchor struct {
	Text string `json:"text"`
	Mode string `json:"match_mode"` // Exact or IgnoreWhitespace
}

// Op is one operation.
type Op struct {
	Kind  string
	Index int    // which instance of the anchor is meant, from 1; 0: the first, none was named
	Old   string // what follows the anchor now
	New   string // what follows it then; all of the file for ReplaceFile
}

// Operations counts the operations of all groups.
func (p *Patch) Operations() int {
	n := 0
	for i := range p.Groups {
		n += len(p.Groups[i].Ops)
	}
	return n
}

// wholeFile gives the operation that replaces everything, where there is one.
func (p *Patch) wholeFile() (op Op, number int, ok bool) {
	n := 0
	for i := range p.Groups {
		for _, op := range p.Groups[i].Ops {
			n++
			if op.Kind == ReplaceFile {
				return op, n, true
			}
		}
	}
	return Op{}, 0, false
}

// Notes gives the word of its author that a patch carries in its meta, if any.
func (p *Patch) Notes() string {
	meta, err := artifact.ParseValue(p.Meta, artifact.MaxDepth)
	if err != nil {
		return ""
	}
	m, _ := meta.(artifact.Map)
	notes, _ := m.Get("notes")
	text, _ := notes.(artifact.Text)
	return string(text)
}

// JSON returns the patch in its form, the keys in the order of the specification, one
// level of indentation a level: it is read by people, too.
func (p *Patch) JSON() []byte {
	var form struct {
		Protocol string `json:"protocol_id"`
		Target   struct {
			Path string `json:"path,omitzero"`
			Base string `json:"base_checksum_sha256"`
		} `json:"target"`
		Groups []Group `json:"op_groups"`
		Result string  `json:"result_sha256,omitzero"`
	}
	form.Protocol, form.Groups, form.Result = Protocol, p.Groups, p.Result
	form.Target.Path, form.Target.Base = p.Path, p.Base
	// Texts of any bytes can be written, so this cannot fail.
	data, _ := json.Marshal(&form, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if p.Meta != nil { // it stays in one line
		data = slices.Concat(bytes.TrimSuffix(data, []byte("\n}")), []byte(",\n  \"meta\": "), p.Meta, []byte("\n}"))
	}
	return append(data, '\n')
}

// IsZero reports whether an operation needs no anchor.
func (a Anchor) IsZero() bool { return a.Text == "" }

// MarshalJSONTo writes the fields that the kind of operation has.
func (op Op) MarshalJSONTo(to *jsontext.Encoder) error {
	form := struct {
		Kind    string  `json:"op"`
		Index   int     `json:"match_index,omitzero"`
		Old     *string `json:"old_block,omitzero"`
		New     *string `json:"new_block,omitzero"`
		Content *string `json:"new_content,omitzero"`
	}{Kind: op.Kind, Index: op.Index}
	switch op.Kind {
	case ReplaceFile:
		form.Content = &op.New
	case DeleteBlock:
		form.Old = &op.Old
	default:
		form.Old, form.New = &op.Old, &op.New
	}
	return json.MarshalEncode(to, &form)
}
