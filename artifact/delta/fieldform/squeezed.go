package fieldform

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
)

// SqueezedText returns a text with single spaces between its words.
func SqueezedText(text string) string { return strings.Join(strings.Fields(text), " ") }

// Squeezed returns a value with single spaces between the words of its texts.
func Squeezed(v artifact.Value) artifact.Value {
	switch v := v.(type) {
	case artifact.Text:
		return artifact.Text(SqueezedText(string(v)))
	case artifact.List:
		out := make(artifact.List, len(v))
		for i := range v {
			out[i] = Squeezed(v[i])
		}
		return out
	case artifact.Map:
		out := slices.Clone(v)
		for i := range out {
			out[i].Value = Squeezed(out[i].Value)
		}
		return out
	}
	return v
}

// IsValueIn reports whether a text is the value of a key somewhere in a reply, as the name or the ref of a new item is.
func IsValueIn(reply []byte, text string) bool {
	quoted := []byte(strconv.Quote(text))
	for {
		before, after, ok := bytes.Cut(reply, quoted)
		if !ok {
			return false
		}
		if bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(":")) {
			return true
		}
		reply = after
	}
}
