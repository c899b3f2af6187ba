// Package patch holds anchor patches in the format anchor_diff_v2.1: each edit of a text is
// located by quoting nearby text.
//
// It promises that a patch applies only to the text it was made for, and completely or not at
// all; that the time is linear in the text and the patch, not in their product; and that a
// failing patch reports all its problems.
//
// The package is pure. It must not know where texts and patches come from; its callers handle
// links and atomic writes.
package patch

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
)

// Protocol is the id of the supported patch format.
const Protocol = "anchor_diff_v2.1"

// Kinds of operations.
const (
	ReplaceBlock = "replace_block"
	DeleteBlock  = "delete_block"
	ReplaceFile  = "replace_entire_file"
)

// Match modes of an anchor.
const (
	Exact            = "exact"
	IgnoreWhitespace = "ignore_whitespace"
)

// Patch is a change of one text. If Path is empty, the caller chooses the text.
type Patch struct {
	Path   string
	Base   string // SHA-256 of the canonical base, 64 lower-case hexadecimal digits
	Groups []Group
	Result string // SHA-256 of the canonical result; "" if not given
	Meta   []byte // a JSON object, verbatim; nil for none
}

// Group is the operations at one anchor.
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
	Index int    // instance of the anchor, from 1; 0: not given, the first
	Old   string // what follows the anchor now
	New   string // the replacement; the entire file for ReplaceFile
}

// Operations counts the operations of all groups.
func (p *Patch) Operations() int {
	n := 0
	for i := range p.Groups {
		n += len(p.Groups[i].Ops)
	}
	return n
}

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

// Notes returns the author's notes in the meta of a patch, if any.
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

// JSON returns the patch as indented JSON, with the keys in the order of the specification.
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
	// Invalid UTF-8 is allowed, so this cannot fail.
	data, _ := json.Marshal(&form, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if p.Meta != nil { // it stays on one line
		data = slices.Concat(bytes.TrimSuffix(data, []byte("\n}")), []byte(",\n  \"meta\": "), p.Meta, []byte("\n}"))
	}
	return append(data, '\n')
}

// IsZero reports whether there is no anchor.
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
