package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// maxDepth bounds the nesting of a patch; only meta can be deep.
const maxDepth = 64

// Read parses a patch in JSON. A patch with problems must not be applied.
func Read(data []byte) (Patch, []Problem) {
	if !utf8.Valid(data) {
		return Patch{}, []Problem{notUTF8("the patch", string(data))}
	}
	data = []byte(strings.TrimPrefix(string(data), bom))
	v, err := artifact.ParseValue(data, maxDepth)
	if err != nil {
		return Patch{}, []Problem{notJSON(err)}
	}
	top, ok := v.(artifact.Map)
	if !ok {
		return Patch{}, []Problem{{
			Code: artifact.InvalidJSON, Message: "the JSON is not an object", Hint: "a patch is an object: see `brenner schema patch`",
		}}
	}
	r := &reader{}
	if !r.protocol(top) {
		return Patch{}, r.problems
	}
	r.patch(top)
	return r.out, r.problems
}

func notJSON(err error) Problem {
	p := Problem{Code: artifact.InvalidJSON, Message: err.Error(), Hint: fault.HintOf(err)}
	if all := fault.All(err); len(all) > 0 {
		p.Field, p.Message = all[0].Place, all[0].Detail
	}
	return p
}

type reader struct {
	out      Patch
	problems []Problem
	op       int // number of the current operation
	count    int // operations read so far
}

func (r *reader) problem(code fault.Code, field, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Code: code, Operation: r.op, Field: field, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// describeProtocol describes the other ids of the format's family.
func describeProtocol(id string) string {
	switch id {
	case "diff_json_v1", "json_diff":
		return "an older format that uses line numbers, which change with the text"
	case "anchor_diff_v3.0", "anchor_diff_v3":
		return "the version of the document that describes patches, not of their format"
	case "anchor_diff_v1", "anchor_diff_v2", "anchor_diff_v2.0":
		return "an earlier draft of this format"
	case "Stalemate_Protocol_v1.1":
		return "a request for a ruling, not a patch"
	}
	return ""
}

func (r *reader) protocol(top artifact.Map) bool {
	const hint = `write "protocol_id": "` + Protocol + `", and the patch in that format`
	v, ok := field(top, "protocol_id")
	if !ok {
		r.problem(delta.MissingRequiredField, "protocol_id", hint, "protocol_id is missing")
		return false
	}
	id, ok := v.(artifact.Text)
	switch {
	case ok && id == Protocol:
		return true
	case ok && describeProtocol(string(id)) != "":
		r.problem(BadProtocol, "protocol_id", hint, "the protocol is %s: %s", id, describeProtocol(string(id)))
	default:
		r.problem(BadProtocol, "protocol_id", hint, "the protocol is %s, want %s", shownValue(v), Protocol)
	}
	return false
}

// field returns the value of a key; null counts as absent.
func field(m artifact.Map, key string) (artifact.Value, bool) {
	v, ok := m.Get(key)
	if !ok || v == (artifact.Null{}) {
		return nil, false
	}
	return v, true
}

func shownValue(v artifact.Value) string {
	if t, ok := v.(artifact.Text); ok {
		return fault.Shown(string(t))
	}
	return fault.Shown(string(artifact.Canonical(v)))
}

func (r *reader) patch(top artifact.Map) {
	r.rejectUnknown(top, "", "protocol_id", "target", "op_groups", "result_sha256", "meta")
	if target, ok := required[artifact.Map](r, top, "", "target", "", ""); ok {
		r.rejectUnknown(target, "target.", "path", "base_checksum_sha256")
		if path, ok := optional[artifact.Text](r, target, "target.", "path", ""); ok {
			r.out.Path = string(path)
			if p, safe := CheckPath(r.out.Path); !safe {
				r.problems = append(r.problems, p)
			}
		}
		if base, ok := r.text(target, "target.", "base_checksum_sha256",
			"write the SHA-256 of the canonical base, or let `brenner patch make` write the patch"); ok {
			r.out.Base = r.hash(base, "target.base_checksum_sha256")
		}
	}
	if result, ok := optional[artifact.Text](r, top, "", "result_sha256", ""); ok {
		r.out.Result = r.hash(string(result), "result_sha256")
	}
	if meta, ok := field(top, "meta"); ok {
		_, _ = optional[artifact.Map](r, top, "", "meta", "write an object, or remove it")
		r.out.Meta = artifact.Canonical(meta)
	}
	r.groups(top)
}

// rejectUnknown rejects unknown keys: a misspelt match_index would otherwise move an operation.
func (r *reader) rejectUnknown(m artifact.Map, prefix string, names ...string) {
	for _, e := range m {
		if !slices.Contains(names, e.Key) {
			r.problem(delta.InvalidField, prefix+fault.Shown(e.Key), "remove it; put notes into meta",
				"unknown field %s; known: %s", fault.Shown(e.Key), strings.Join(names, ", "))
		}
	}
}

func optional[T artifact.Value](r *reader, m artifact.Map, prefix, key, hint string) (value T, ok bool) {
	v, ok := field(m, key)
	if !ok {
		return value, false
	}
	if value, ok = v.(T); !ok {
		kind := "a string"
		switch any(value).(type) {
		case artifact.Map:
			kind = "an object"
		case artifact.List:
			kind = "a list"
		}
		r.problem(delta.InvalidField, prefix+key, cmp.Or(hint, "write "+kind), "%s is not %s", key, kind)
	}
	return value, ok
}

// required reads a required field. The hints are for a missing one and for one of another type.
func required[T artifact.Value](r *reader, m artifact.Map, prefix, key, missing, wrong string) (value T, ok bool) {
	if _, ok := field(m, key); !ok {
		r.problem(delta.MissingRequiredField, prefix+key, missing, "%s is missing", key)
		return value, false
	}
	return optional[T](r, m, prefix, key, wrong)
}

func (r *reader) text(m artifact.Map, prefix, key, hint string) (string, bool) {
	t, ok := required[artifact.Text](r, m, prefix, key, hint, "")
	return string(t), ok
}

func (r *reader) list(m artifact.Map, prefix, key, hint, noOps, none string) (artifact.List, bool) {
	list, ok := required[artifact.List](r, m, prefix, key, "", hint)
	if ok && len(list) == 0 {
		r.problem(NoOps, prefix+key, noOps, "%s", none)
	}
	return list, ok
}

func (r *reader) hash(s, name string) string {
	lower := strings.ToLower(s)
	if len(s) != 64 || strings.Trim(lower, "0123456789abcdef") != "" {
		r.problem(BadHashFormat, name, "a SHA-256 is 64 hexadecimal digits; `brenner patch make` computes it",
			"not a SHA-256: %s has %d characters", fault.Shown(s), utf8.RuneCountInString(s))
	}
	return lower
}

func (r *reader) groups(top artifact.Map) {
	list, _ := r.list(top, "", "op_groups", "write a list of groups",
		"add an operation, or drop the patch", "no operations")
	for i, v := range list {
		name := fmt.Sprintf("op_groups[%d]", i)
		r.op = 0
		group, ok := v.(artifact.Map)
		if !ok {
			r.problem(delta.InvalidField, name, "write an object with anchor and targets", "the group is not an object")
			continue
		}
		r.group(group, name+".")
	}
	r.op = 0
}

func (r *reader) group(m artifact.Map, prefix string) {
	r.rejectUnknown(m, prefix, "anchor", "targets")
	list, ok := r.list(m, prefix, "targets", "write a list of operations", "remove the group, or add an operation", "the group has no operations")
	if !ok {
		return
	}
	g := Group{}
	first, anchored := r.count, false
	r.count += len(list)
	for i, v := range list {
		at := fmt.Sprintf("%stargets[%d]", prefix, i)
		r.op = first + i + 1
		op := Op{}
		if target, ok := v.(artifact.Map); ok {
			op = r.operation(target, at+".")
		} else {
			r.problem(delta.InvalidField, at, "write an object with op, old_block, …", "the operation is not an object")
		}
		anchored = anchored || op.Kind != ReplaceFile
		g.Ops = append(g.Ops, op)
	}
	r.op = 0
	if anchored { // a whole-file replacement needs no place
		r.op = first + 1
		g.Anchor = r.anchor(m, prefix)
	}
	r.out.Groups = append(r.out.Groups, g)
}

func (r *reader) anchor(m artifact.Map, prefix string) Anchor {
	a := Anchor{Mode: Exact}
	o, ok := required[artifact.Map](r, m, prefix, "anchor", "", `write {"text": "…"}`)
	if !ok {
		return a
	}
	prefix += "anchor."
	r.rejectUnknown(o, prefix, "text", "match_mode")
	if text, ok := r.text(o, prefix, "text", "quote the text right before the block"); ok {
		a.Text = Canonical(text)
		if blank(a.Text) {
			r.problem(EmptyAnchor, prefix+"text", "quote visible text right before the block",
				"the anchor is %s and would match everywhere", blankness(a.Text))
		}
	}
	if mode, ok := optional[artifact.Text](r, o, prefix, "match_mode", ""); ok {
		a.Mode = string(mode)
		if mode != Exact && mode != IgnoreWhitespace {
			r.problem(delta.InvalidField, prefix+"match_mode", "", "unknown match_mode %s; use %s or %s", fault.Shown(a.Mode), Exact, IgnoreWhitespace)
		}
	}
	return a
}

func blankness(s string) string {
	if s == "" {
		return "empty"
	}
	return "blank"
}

// blank reports whether a text has no visible character.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !zeroWidth(r) })
}

func (r *reader) operation(m artifact.Map, prefix string) Op {
	r.rejectUnknown(m, prefix, "op", "match_index", "old_block", "new_block", "new_content")
	kind, ok := r.text(m, prefix, "op", "")
	if !ok {
		return Op{}
	}
	op := Op{Kind: kind, Index: r.index(m, prefix+"match_index")}
	switch kind {
	case ReplaceBlock:
		op.Old = r.oldBlock(m, prefix)
		op.New = r.content(m, prefix, "new_block", "to delete the block, use "+DeleteBlock)
		r.rejectUnused(m, prefix, kind, "new_content")
	case DeleteBlock:
		op.Old = r.oldBlock(m, prefix)
		r.rejectUnused(m, prefix, kind, "new_block", "new_content")
	case ReplaceFile:
		op.New = r.content(m, prefix, "new_content", "new_content is required, even if empty")
		r.rejectUnused(m, prefix, kind, "new_block")
	default:
		r.problem(delta.InvalidField, prefix+"op", "", "unknown operation %s; use %s, %s or %s", fault.Shown(kind), ReplaceBlock, DeleteBlock, ReplaceFile)
	}
	return op
}

func (r *reader) content(m artifact.Map, prefix, key, hint string) string {
	text, _ := r.text(m, prefix, key, hint)
	return Canonical(text)
}

func (r *reader) index(m artifact.Map, name string) int {
	v, ok := field(m, "match_index")
	if !ok {
		return 0
	}
	n, ok := v.(artifact.Number)
	if !ok || n < 1 || n != artifact.Number(int32(n)) {
		r.problem(delta.InvalidField, name, "instances are counted from 1", "match_index %s is not a whole number from 1", shownValue(v))
		return 0
	}
	return int(n)
}

func (r *reader) oldBlock(m artifact.Map, prefix string) string {
	const hint = "quote exactly what follows the anchor now"
	text, ok := r.text(m, prefix, "old_block", hint)
	text = Canonical(text)
	if ok && text == "" {
		r.problem(delta.MissingRequiredField, prefix+"old_block", hint+"; to insert, quote some of it and repeat it in new_block", "old_block is empty")
	}
	return text
}

// rejectUnused rejects content that the operation does not write: its author probably meant
// another operation.
func (r *reader) rejectUnused(m artifact.Map, prefix, kind string, keys ...string) {
	for _, key := range keys {
		if v, ok := field(m, key); ok && v != artifact.Text("") {
			r.problem(delta.InvalidField, prefix+key, "remove it, or use the operation that writes it", "%s does not use %s", kind, key)
		}
	}
}
