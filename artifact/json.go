package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
)

// The codes for rejected JSON.
const (
	InvalidJSON  fault.Code = "INVALID_JSON"  // Invalid JSON, or a value that JSON does not allow.
	DuplicateKey fault.Code = "DUPLICATE_KEY" // Duplicate key in a JSON object.
)

// BadValue is well-formed JSON that is too large, too deep or a forged conflict.
type BadValue struct{ Reason string }

func (b *BadValue) Error() string { return b.Reason }

// ParseValue reads a JSON value nested at most depth deep, without duplicate keys or bad UTF-8.
func ParseValue(data []byte, depth int) (Value, error) {
	dec := NewDecoder(data)
	v, err := dec.Value(depth)
	if err != nil {
		return nil, SyntaxFault(data, err)
	}
	switch _, err := dec.ReadToken(); {
	case err == nil:
		return nil, SyntaxFault(data, errors.New("more than one JSON value"))
	case !errors.Is(err, io.EOF):
		return nil, SyntaxFault(data, err)
	}
	return v, nil
}

// NotANumber is a number that no reader accepts. In a repaired text it stands for NaN and other words
// that are not values of JSON, so that only their field is refused.
const NotANumber = "1e+09999"

func number(text string) (Number, string) {
	if text == NotANumber {
		return 0, "NaN, Infinity and undefined are not values"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, "the number " + fault.Shown(text) + " is too large"
	}
	if abs := math.Abs(f); f == math.Trunc(f) && (abs > MaxInteger || abs == MaxInteger && !isMaxInteger(text)) {
		return 0, "the whole number " + fault.Shown(text) + " is beyond 2^53 and would lose digits; write it as a text"
	}
	if f == 0 {
		f = 0 // −0 is written as 0
	}
	return Number(f), ""
}

// isMaxInteger distinguishes 2^53 itself from numbers that only round to it.
func isMaxInteger(text string) bool {
	const longest = 64 // limit on the number of characters
	if len(text) > longest {
		return false
	}
	exact, ok := new(big.Rat).SetString(text)
	return ok && exact.Abs(exact).Cmp(new(big.Rat).SetInt64(MaxInteger)) == 0
}

// SyntaxFault turns a decoder error into a fault with line and column.
func SyntaxFault(data []byte, err error) error {
	f := &fault.Error{Code: InvalidJSON, Detail: err.Error(), Hint: "check the JSON at that place"}
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		f.Place = Position(data, int(syn.ByteOffset))
		f.Detail = syn.Err.Error()
		switch {
		case errors.Is(syn.Err, jsontext.ErrDuplicateName):
			f.Code = DuplicateKey
			f.Detail = fmt.Sprintf("the key at %s stands twice in one object", syn.JSONPointer)
			f.Hint = "keep one of the two"
		case afterComma(data, int(syn.ByteOffset)):
			f.Hint = "a comma stands there with nothing behind it; take it out"
		case errors.Is(syn.Err, io.ErrUnexpectedEOF):
			f.Detail = "the JSON ends too early"
		}
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.Detail = "the JSON ends too early"
		f.Place = Position(data, len(data))
	}
	return f
}

// afterComma reports whether offset is at a trailing comma or at the bracket after one.
func afterComma(data []byte, offset int) bool {
	if offset < 0 || offset >= len(data) {
		return false
	}
	if data[offset] == ',' {
		return true
	}
	before := bytes.TrimRight(data[:offset], " \t\r\n")
	return (data[offset] == '}' || data[offset] == ']') && bytes.HasSuffix(before, []byte(","))
}

// Position returns a byte offset as "line L, column C", counted from 1 in bytes.
func Position(data []byte, offset int) string {
	offset = max(0, min(offset, len(data)))
	head := data[:offset]
	line := 1 + bytes.Count(head, []byte{'\n'})
	column := offset - bytes.LastIndexByte(head, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}

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
	// The error only reports invalid UTF-8. AppendQuote has then replaced the bad bytes.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// appendNumber implements ECMAScript's Number-to-String, as RFC 8785 requires.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, '0') // covers −0; no reader produces NaN or infinities
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

// Canonical returns v as canonical JSON.
func Canonical(v Value) []byte { return AppendValue(nil, v) }
