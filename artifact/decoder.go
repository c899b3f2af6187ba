package artifact

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Decoder reads JSON, by default strictly: without duplicate keys or bad UTF-8. Equal keys are one string, and
// small texts share memory.
type Decoder struct {
	jsontext.Decoder
	source bytes.Buffer
	keys   map[string]string
	texts  strings.Builder
}

// NewDecoder returns a strict decoder over data.
func NewDecoder(data []byte) *Decoder {
	d := &Decoder{}
	d.Reset(data)
	return d
}

// Reset starts again with other data.
func (d *Decoder) Reset(data []byte, opts ...jsontext.Options) {
	d.source = *bytes.NewBuffer(data) // it is read in place
	d.Decoder.Reset(&d.source, opts...)
}

// Key reads the next key of an object.
func (d *Decoder) Key() (string, error) {
	const most = 256 // bounds the map for texts with ever new keys
	quoted, err := d.ReadValue()
	if err != nil {
		return "", err
	}
	if key, ok := d.keys[string(quoted)]; ok {
		return key, nil
	}
	key := d.text(quoted)
	if d.keys == nil {
		d.keys = make(map[string]string)
	}
	if len(d.keys) < most && len(quoted) < most {
		d.keys[string(quoted)] = key
	}
	return key, nil
}

// text returns the text in a JSON string, which the decoder has checked.
func (d *Decoder) text(quoted []byte) string {
	const least, most, large = 1 << 8, 1 << 16, 1 << 12 // bytes of memory that is shared, and of a text with its own
	b := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(b, '\\') >= 0 || !utf8.Valid(b) {
		b, _ = jsontext.AppendUnquote(nil, quoted)
	}
	if len(b) >= large {
		return string(b)
	}
	if size := d.texts.Cap(); size-d.texts.Len() < len(b) {
		d.texts = strings.Builder{}
		d.texts.Grow(max(min(max(2*size, least), most), len(b)))
	}
	at := d.texts.Len()
	d.texts.Write(b)
	return d.texts.String()[at:]
}

// Text reads the next value: a text, or null for none. Any other value is skipped, and ok is false.
func (d *Decoder) Text() (text string, ok bool, err error) {
	switch d.PeekKind() {
	case '"':
		quoted, err := d.ReadValue()
		if err != nil {
			return "", false, err
		}
		return d.text(quoted), true, nil
	case 'n':
		return "", true, d.SkipValue()
	default:
		return "", false, d.SkipValue()
	}
}

// Value reads the next value, nested at most depth deep. After a *BadValue the whole value has been
// consumed and the decoder is usable; after any other error it is not.
func (d *Decoder) Value(depth int) (Value, error) {
	r := reader{dec: d, limit: depth}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if r.bad != nil {
		return nil, r.bad
	}
	return v, nil
}

// reader builds a value from tokens. It consumes all tokens, even after an illegal part.
type reader struct {
	dec   *Decoder
	limit int
	bad   *BadValue
}

func (r *reader) value(depth int) (Value, error) {
	if depth > r.limit {
		r.bad = &BadValue{Reason: fmt.Sprintf("lists and objects stand more than %d deep in one another", r.limit)}
		return Null{}, r.dec.SkipValue()
	}
	if r.dec.PeekKind() == '"' {
		quoted, err := r.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		return Text(r.dec.text(quoted)), nil
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 't', 'f':
		return Bool(tok.Bool()), nil
	case '0':
		n, reason := number(tok.String())
		if reason != "" {
			r.bad = &BadValue{Reason: reason}
		}
		return n, nil
	case '[':
		return r.list(depth)
	case '{':
		return r.object(depth)
	default:
		return Null{}, nil
	}
}

func (r *reader) list(depth int) (Value, error) {
	const usual = 4 // saves growing
	list := make(List, 0, usual)
	for r.dec.PeekKind() != ']' {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := r.dec.ReadToken()
	return list, err
}

func (r *reader) object(depth int) (Value, error) {
	const usual = 8
	entries := make(Map, 0, usual)
	for r.dec.PeekKind() != '}' {
		key, err := r.dec.Key()
		if err != nil {
			return nil, err
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{Key: key, Value: v})
	}
	_, err := r.dec.ReadToken()
	return sortedMap(entries), err
}
