package artifact

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendValue appends v as canonical JSON (RFC 8785).
func AppendValue(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case Text:
		return AppendString(dst, string(v))
	case Number:
		return appendNumber(dst, float64(v))
	case Bool:
		return strconv.AppendBool(dst, bool(v))
	case List:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, e)
		}
		return append(dst, ']')
	case Map:
		dst = append(dst, '{')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, e.Key), ':')
			dst = AppendValue(dst, e.Value)
		}
		return append(dst, '}')
	case Conflict:
		dst = append(AppendString(append(dst, '{'), ConflictKey), ':', '[')
		for i, c := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.append(dst)
		}
		return append(dst, ']', '}')
	default:
		return append(dst, "null"...)
	}
}

func (c *Candidate) append(dst []byte) []byte {
	dst = AppendString(append(dst, `{"agent":`...), c.Agent)
	dst = AppendString(append(dst, `,"delta_id":`...), c.Delta)
	dst = AppendValue(append(dst, `,"value":`...), c.Value)
	return append(dst, '}')
}

// AppendString appends s as a canonical JSON string.
func AppendString(dst []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		dst = append(append(dst, '"'), s...)
		return append(dst, '"')
	}
	// The error only says that s is not UTF-8; what is appended then is, with
	// the bad bytes replaced, which is all that JSON can hold.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// appendNumber follows ECMAScript's Number-to-String, which RFC 8785 asks for.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, '0') // also for −0; the others are never made by a reader
	}
	if i := int64(f); float64(i) == f && i > -1e15 && i < 1e15 {
		return strconv.AppendInt(dst, i, 10)
	}
	abs := math.Abs(f)
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-07 → e-7
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// Canonical gives v as canonical JSON.
func Canonical(v Value) []byte { return AppendValue(nil, v) }
