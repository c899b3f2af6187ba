package patch

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// deepest is how deep a patch may be nested; only meta has a depth of its own.
const deepest = 64

// Read reads a patch from its JSON form and says everything that is wrong with it.
// A patch with problems is only good for naming it.
func Read(data []byte) (Patch, []Problem) {
	if !utf8.Valid(data) {
		return Patch{}, []Problem{notUTF8("the patch", string(data))}
	}
	data = []byte(strings.TrimPrefix(string(data), bom))
	v, err := artifact.ParseValue(data, deepest)
	if err != nil {
		return Patch{}, []Problem{notJSON(err)}
	}
	top, ok := v.(artifact.Map)
	if !ok {
		return Patch{}, []Problem{{
			Code: artifact.InvalidJSON, Message: "the file holds JSON, but not an object", Hint: "a patch is an object: see `brenner schema patch`",
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

// reader turns a JSON object into a patch.
type reader struct {
	out      Patch
	problems []Problem
	op       int // number of the operation that is being read
	count    int // operations read so far
}

func (r *reader) problem(code fault.Code, field, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Code: code, Operation: r.op, Field: field, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// relatives says what the other ids of the family are.
func relatives(id string) string {
	switch id {
	case "diff_json_v1", "json_diff":
		return "the older form that names places by line numbers, which move when the text does"
	case "anchor_diff_v3.0", "anchor_diff_v3":
		return "the number of the document that describes patches, not of their form"
	case "anchor_diff_v1", "anchor_diff_v2", "anchor_diff_v2.0":
		return "an earlier draft of this form"
	case "Stalemate_Protocol_v1.1":
		return "a request for a ruling, not a patch"
	}
	return ""
}

func (r *reader) protocol(top artifact.Map) bool {
	const hint = `write "protocol_id": "` + Protocol + `", and the patch as that form asks`
	v, ok := field(top, "protocol_id")
	if !ok {
		r.problem(delta.MissingRequiredField, "protocol_id", hint, "protocol_id is missing")
		return false
	}
	id, ok := v.(artifact.Text)
	switch {
	case ok && id == Protocol:
		return true
	case ok && relatives(string(id)) != "":
		r.problem(BadProtocol, "protocol_id", hint, "the protocol is %s: %s", id, relatives(string(id)))
	default:
		r.problem(BadProtocol, "protocol_id", hint, "the protocol is %s, not %s", shownValue(v), Protocol)
	}
	return false
}

// field finds a key; null is as good as absent.
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
	r.known(top, "", "protocol_id", "target", "op_groups", "result_sha256", "meta")
	if target, ok := r.object(top, "target", "target"); ok {
		r.known(target, "target.", "path", "base_checksum_sha256")
		if path, ok := r.text(target, "path", "target.path"); ok {
			r.out.Path = path
			if p, safe := CheckPath(path); !safe {
				r.problems = append(r.problems, p)
			}
		}
		if base, ok := r.required(target, "base_checksum_sha256", "target.base_checksum_sha256",
			"write the SHA-256 of the canonical base, or let `brenner patch make` write the patch"); ok {
			r.out.Base = r.hash(base, "target.base_checksum_sha256")
		}
	}
	if result, ok := r.text(top, "result_sha256", "result_sha256"); ok {
		r.out.Result = r.hash(result, "result_sha256")
	}
	if meta, ok := field(top, "meta"); ok {
		if _, isObject := meta.(artifact.Map); !isObject {
			r.problem(delta.InvalidField, "meta", "write an object, or leave it out", "meta is not an object")
		}
		r.out.Meta = artifact.Canonical(meta)
	}
	r.groups(top)
}

// known refuses keys that mean nothing: a misspelt match_index would otherwise be an
// operation in another place.
func (r *reader) known(m artifact.Map, prefix string, names ...string) {
	for _, e := range m {
		if !slices.Contains(names, e.Key) {
			r.problem(delta.InvalidField, prefix+fault.Shown(e.Key), "take it out; words about a patch go into meta",
				"there is no field %s here; there are %s", fault.Shown(e.Key), strings.Join(names, ", "))
		}
	}
}

func (r *reader) object(m artifact.Map, key, name string) (artifact.Map, bool) {
	v, ok := field(m, key)
	if !ok {
		r.problem(delta.MissingRequiredField, name, "", "%s is missing", key)
		return nil, false
	}
	o, ok := v.(artifact.Map)
	if !ok {
		r.problem(delta.InvalidField, name, "write an object", "%s is not an object", key)
	}
	return o, ok
}

// text reads a text that may be absent.
func (r *reader) text(m artifact.Map, key, name string) (string, bool) {
	v, ok := field(m, key)
	if !ok {
		return "", false
	}
	t, ok := v.(artifact.Text)
	if !ok {
		r.problem(delta.InvalidField, name, "write a text", "%s is not a text", key)
	}
	return string(t), ok
}

func (r *reader) required(m artifact.Map, key, name, hint string) (string, bool) {
	if _, ok := field(m, key); !ok {
		r.problem(delta.MissingRequiredField, name, hint, "%s is missing", key)
		return "", false
	}
	return r.text(m, key, name)
}

func (r *reader) hash(s, name string) string {
	lower := strings.ToLower(s)
	if len(s) != 64 || strings.Trim(lower, "0123456789abcdef") != "" {
		r.problem(BadHashFormat, name, "a SHA-256 is 64 hexadecimal digits; `brenner patch make` computes it",
			"%s is no SHA-256: %d characters", fault.Shown(s), utf8.RuneCountInString(s))
	}
	return lower
}

func (r *reader) groups(top artifact.Map) {
	v, ok := field(top, "op_groups")
	if !ok {
		r.problem(delta.MissingRequiredField, "op_groups", "", "op_groups is missing")
		return
	}
	list, ok := v.(artifact.List)
	if !ok {
		r.problem(delta.InvalidField, "op_groups", "write a list of groups", "op_groups is not a list")
		return
	}
	if len(list) == 0 {
		r.problem(NoOps, "op_groups", "a patch without operations changes nothing: there is no need for it", "there are no operations")
	}
	for i, v := range list {
		name := fmt.Sprintf("op_groups[%d]", i)
		r.op = 0
		group, ok := v.(artifact.Map)
		if !ok {
			r.problem(delta.InvalidField, name, "write an object with anchor and targets", "the group is not an object")
			continue
		}
		r.group(group, name)
	}
	r.op = 0
}

func (r *reader) group(m artifact.Map, name string) {
	r.known(m, name+".", "anchor", "targets")
	v, ok := field(m, "targets")
	if !ok {
		r.problem(delta.MissingRequiredField, name+".targets", "", "targets is missing")
		return
	}
	list, ok := v.(artifact.List)
	if !ok {
		r.problem(delta.InvalidField, name+".targets", "write a list of operations", "targets is not a list")
		return
	}
	if len(list) == 0 {
		r.problem(NoOps, name+".targets", "take the group out, or say what to do", "the group has no operations")
	}
	g := Group{}
	first, anchored := r.count, false
	r.count += len(list)
	for i, v := range list {
		at := fmt.Sprintf("%s.targets[%d]", name, i)
		r.op = first + i + 1
		target, ok := v.(artifact.Map)
		if !ok {
			r.problem(delta.InvalidField, at, "write an object with op, old_block, …", "the operation is not an object")
			g.Ops, anchored = append(g.Ops, Op{}), true
			continue
		}
		op := r.operation(target, at)
		anchored = anchored || op.Kind != ReplaceFile
		g.Ops = append(g.Ops, op)
	}
	r.op = 0
	if anchored { // what replaces everything needs no place
		r.op = first + 1
		g.Anchor = r.anchor(m, name)
	}
	r.out.Groups = append(r.out.Groups, g)
}

func (r *reader) anchor(m artifact.Map, name string) Anchor {
	a := Anchor{Mode: Exact}
	v, ok := field(m, "anchor")
	if !ok {
		r.problem(delta.MissingRequiredField, name+".anchor", "", "anchor is missing")
		return a
	}
	o, ok := v.(artifact.Map)
	if !ok {
		r.problem(delta.InvalidField, name+".anchor", `write {"text": "…"}`, "anchor is not an object")
		return a
	}
	r.known(o, name+".anchor.", "text", "match_mode")
	if text, ok := r.required(o, "text", name+".anchor.text", "quote the text that stands right before the block"); ok {
		a.Text = Canonical(text)
		if blank(a.Text) {
			r.problem(EmptyAnchor, name+".anchor.text", "quote some text with letters in it that stands right before the block",
				"the anchor is %s: it would stand everywhere", blankness(a.Text))
		}
	}
	if mode, ok := r.text(o, "match_mode", name+".anchor.match_mode"); ok {
		a.Mode = mode
		if mode != Exact && mode != IgnoreWhitespace {
			r.problem(delta.InvalidField, name+".anchor.match_mode", "", "the mode %s is neither %s nor %s", fault.Shown(mode), Exact, IgnoreWhitespace)
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

// blank tells whether nothing of a text can be seen.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !zeroWidth(r) })
}

func (r *reader) operation(m artifact.Map, name string) Op {
	r.known(m, name+".", "op", "match_index", "old_block", "new_block", "new_content")
	op := Op{}
	kind, ok := r.required(m, "op", name+".op", "")
	if !ok {
		return op
	}
	op.Kind = kind
	op.Index = r.index(m, name+".match_index")
	switch kind {
	case ReplaceBlock:
		op.Old = r.oldBlock(m, name)
		if text, ok := r.required(m, "new_block", name+".new_block", "to delete the block, use "+DeleteBlock); ok {
			op.New = Canonical(text)
		}
		r.unused(m, name, kind, "new_content")
	case DeleteBlock:
		op.Old = r.oldBlock(m, name)
		r.unused(m, name, kind, "new_block", "new_content")
	case ReplaceFile:
		if text, ok := r.required(m, "new_content", name+".new_content", "it may be empty, but it must be there"); ok {
			op.New = Canonical(text)
		}
		r.unused(m, name, kind, "new_block")
	default:
		r.problem(delta.InvalidField, name+".op", "", "the operation %s is none of %s, %s and %s", fault.Shown(kind), ReplaceBlock, DeleteBlock, ReplaceFile)
	}
	return op
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

func (r *reader) oldBlock(m artifact.Map, name string) string {
	const hint = "quote exactly what follows the anchor now"
	text, ok := r.required(m, "old_block", name+".old_block", hint)
	text = Canonical(text)
	if ok && text == "" {
		r.problem(delta.MissingRequiredField, name+".old_block", hint+"; to insert, quote some of it and repeat it in new_block", "old_block is empty")
	}
	return text
}

// unused refuses content that the operation would not write: its author meant another.
func (r *reader) unused(m artifact.Map, name, kind string, keys ...string) {
	for _, key := range keys {
		if v, ok := field(m, key); ok && v != artifact.Text("") {
			r.problem(delta.InvalidField, name+"."+key, "take it out, or use the operation that writes it", "%s does nothing with %s", kind, key)
		}
	}
}
