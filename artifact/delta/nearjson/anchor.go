package nearjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/pattern"
)

// PatchMark returns where a text has what only an anchor patch has, or -1.
func PatchMark(text []byte) int {
	if bytes.Contains(text, []byte("protocol_id")) || bytes.Contains(text, []byte("op_groups")) { // that is quick
		if at := patchMark.FindIndex(text); at != nil {
			return at[0]
		}
	}
	return -1
}

var patchMark = pattern.New(`["']?protocol_id["']?\s*[:=]\s*["']?(?:anchor_diff|diff_json|json_diff)|["']?op_groups["']?\s*[:=]\s*\[`)

// deltaKey matches a key of a delta or a record.
var deltaKey = pattern.New(`["']?(?:operation|section|payload|content)["']?\s*[:=]`)

// HoldsPatch reports whether a text is a patch of the protocol anchor_diff, or one that is not quite JSON. The
// keys of an object decide, not what its texts say.
func HoldsPatch(text []byte) bool {
	mark := PatchMark(text)
	if mark < 0 {
		return false
	}
	if start := bytes.IndexAny(text[:mark+1], "{["); start >= 0 && len(bytes.TrimSpace(text[:start])) == 0 {
		dec := jsontext.NewDecoder(bytes.NewBuffer(text[start:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if value, err := dec.ReadValue(); err == nil {
			return hasPatchKeys(value)
		}
	}
	return !deltaKey.Match(text[:mark])
}

// hasPatchKeys reports whether a value is an object with the keys of a patch, or a list that begins with one.
func hasPatchKeys(value jsontext.Value) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	token, err := dec.ReadToken()
	for err == nil && token.Kind() == '[' {
		token, err = dec.ReadToken()
	}
	if err != nil || token.Kind() != '{' {
		return false
	}
	for dec.PeekKind() == '"' {
		name, _ := dec.ReadToken() // the value was read before
		key := name.String()
		v, err := dec.ReadValue()
		if err != nil {
			return false
		}
		if key == "op_groups" || key == "protocol_id" && bytes.Contains(v, []byte("diff")) {
			return true
		}
	}
	return false
}
