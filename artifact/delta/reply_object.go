package delta

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/text"
)

// object is a delta as written.
type object struct {
	at, end    int // its offsets in the passage's text
	fields     []written
	payload    []written // of the payload field, if it is an object
	payloadKey string    // the key of that field, or ""
	payloadAt  int       // its offset, or that of the object
	inner      span      // the content of a wrapper: {"deltas": […]}
}

// written is one key of an object with its value and offsets.
type written struct {
	name  string
	value artifact.Value
	bad   string // why the value cannot be an artifact value
	at    int
	raw   span // of an object or a list
}

// maxWrapping is how many wrapper objects may enclose the deltas.
const maxWrapping = 2

func (r *reader) element(p *passage, s span, wrapped int) {
	raw := p.text[s.from:s.to]
	if raw[0] == '"' && wrapped > 0 {
		if text, _ := jsontext.AppendUnquote(nil, raw); r.readText(p, int(s.from), string(text)) { // checked by the decoder
			return
		}
	}
	if raw[0] != '{' {
		if !p.loose {
			r.row(p, int(s.from), Located{
				Code: artifact.InvalidJSON, Message: "not an object, so not a delta",
				Hint: "a delta is one JSON object with operation, section and payload",
			})
		}
		return
	}
	o, err := r.readObject(raw, int(s.from))
	if err != nil {
		if p.loose && !r.mentions(raw) {
			return
		}
		r.recordInvalid(p, o, raw, err)
		return
	}
	r.take(p, o, wrapped)
}

// take makes a block of an object, or of the objects it wraps.
func (r *reader) take(p *passage, o *object, wrapped int) {
	switch {
	case r.third && (o.has("op_groups") || strings.HasPrefix(o.text("protocol_id"), "anchor_diff")):
		if !p.loose {
			r.row(p, o.at, Located{Code: InvalidOperation, Message: "a patch of a text, not a delta", Hint: "send it again in a fence that begins with three backticks and the word json"})
		}
		return
	case r.second:
		if r.takeOut(p, o, wrapped) || r.refusePatch(p, o) || p.loose && !r.isMeant(o) && !(p.record && o.hasRecord()) {
			return
		}
	case o.inner.to > 0 && wrapped < maxWrapping && !o.has(keyOperation):
		r.unwrap(p, o, wrapped)
		return
	case p.loose && !o.looksLikeDelta():
		return
	case r.isExample(o):
		r.add(Block{Line: r.lineOf(p, o.at), Flags: []Flag{{Name: FlagExample, Text: skippedTexts[FlagExample]}}})
		return
	}
	r.judge(p, o)
}

// recordInvalid records an object with a duplicate key or invalid UTF-8.
func (r *reader) recordInvalid(p *passage, o *object, raw []byte, err error) {
	m, code := syntax(err)
	at := p.source(o.at + m.At)
	if code == artifact.DuplicateKey {
		at = p.source(o.at + m.At + nearjson.LeadingSpace(raw[min(m.At, len(raw)):]))
	}
	if p.loose && r.opt.Strict {
		code, m.What, m.Hint = UnfencedDelta, "a delta outside a delta fence", hintFence
	}
	problem := r.located(code, at, m.What, m.Hint)
	problem.Message += " (" + r.where(at) + ")"
	r.put(p, Block{Line: r.lineOf(p, o.at), Flags: p.flags, Problems: []Located{problem}})
}

func (r *reader) lineOf(p *passage, offset int) int {
	if p.line > 0 {
		return p.line
	}
	line, _ := r.place.find(p.source(offset))
	return line
}

// row adds a block with one problem at an offset of the text.
func (r *reader) row(p *passage, offset int, problem Located) {
	b := Block{Line: r.lineOf(p, offset), Flags: p.flags}
	problem.Line, problem.Column = r.place.find(p.source(offset))
	b.Problems = []Located{problem}
	r.put(p, b)
}

func (r *reader) unwrap(p *passage, o *object, wrapped int) {
	if r.opt.Strict {
		r.row(p, o.at, Located{
			Code: InvalidOperation, Message: "a wrapping around deltas, not a delta",
			Hint: "write the deltas themselves, or a list of them",
		})
		return
	}
	inner := *p
	inner.line = 0
	inner.flags = append(slices.Clone(p.flags), Flag{Name: FlagNormalised, Text: "taken out of the object around it"})
	from := o.inner.from // the object is reused
	spans, _, _ := r.split(p.text[from:o.inner.to])
	for _, s := range spans {
		r.element(&inner, span{from + s.from, from + s.to}, wrapped+1)
	}
}

// readObject reads the keys of a JSON object. The result is valid until the next call.
func (r *reader) readObject(raw []byte, at int) (*object, error) {
	dec := r.decode(raw)
	o := &r.object
	*o = object{at: at, end: at + len(raw), payloadAt: at, fields: r.fields[:0], payload: r.payload[:0]}
	var err error
	o.fields, err = o.readFields(dec, raw, o.fields, true)
	r.fields, r.payload = o.fields, o.payload
	return o, err
}

func (o *object) readFields(dec *artifact.Decoder, raw []byte, fields []written, top bool) ([]written, error) {
	if _, err := dec.ReadToken(); err != nil {
		return fields, err
	}
	for dec.PeekKind() != '}' {
		from := int(dec.InputOffset())
		f := written{at: o.at + from + nearjson.LeadingSpace(raw[from:])}
		var err error
		if f.name, err = dec.Key(); err != nil {
			return fields, err
		}
		if err := o.readValue(dec, raw, &f, top); err != nil {
			return fields, err
		}
		fields = append(fields, f)
	}
	_, err := dec.ReadToken()
	return fields, err
}

func (o *object) readValue(dec *artifact.Decoder, raw []byte, f *written, top bool) error {
	kind := dec.PeekKind()
	start := int(dec.InputOffset())
	var err error
	switch {
	case top && kind == '{' && (f.name == keyPayload || (o.payloadKey == "" && synonyms.Key(f.name) == keyPayload)):
		o.payloadKey, o.payloadAt = f.name, f.at
		o.payload, err = o.readFields(dec, raw, o.payload[:0], false)
		f.bad = "a second payload" // if another key turns out to be the payload
		f.raw = o.since(dec, start)
		return err
	case top && (kind == '[' || kind == '{') && (f.name == "deltas" || f.name == "delta"):
		v, err := dec.ReadValue()
		end := o.at + int(dec.InputOffset())
		o.inner = span{int32(end - len(v)), int32(end)}
		f.value, f.raw = artifact.Null{}, o.inner
		return err
	}
	f.value, err = dec.Value(artifact.MaxDepth)
	if top && (kind == '[' || kind == '{') {
		f.raw = o.since(dec, start)
	}
	if err == nil {
		return nil
	}
	var bad *artifact.BadValue
	if errors.As(err, &bad) {
		f.value, f.bad = nil, bad.Reason
		return nil
	}
	return err
}

// since returns what the decoder has read from an offset on, which may begin with a colon.
func (o *object) since(dec *artifact.Decoder, start int) span {
	return span{int32(o.at + start), int32(o.at + int(dec.InputOffset()))}
}

// has reports whether the object has a key that means name.
func (o *object) has(name string) bool {
	return slices.ContainsFunc(o.fields, func(f written) bool { return synonyms.Key(f.name) == name })
}

// looksLikeDelta reports whether an object outside a delta fence is meant as a delta.
func (o *object) looksLikeDelta() bool {
	says := slices.ContainsFunc(o.fields, func(f written) bool { return strings.EqualFold(f.name, keyOperation) })
	if !says { // "op" and "action" are common words: the other keys must match
		return o.has(keyOperation) && o.has(keySection) && (o.has(keyPayload) || o.has(keyTarget))
	}
	return o.has(keySection) || o.has(keyPayload) || o.has(keyTarget)
}

// canonical returns the object as canonical JSON, without envelope keys.
func (o *object) canonical() string {
	entries := make([]artifact.Entry, 0, len(o.fields))
	for _, f := range o.fields {
		switch {
		case f.name == keyAgent || f.name == keyTimestamp || f.name == keyDeltaID:
		case f.name == o.payloadKey:
			entries = append(entries, artifact.Entry{Key: f.name, Value: valueOf(o.payload)})
		case f.value == nil:
			entries = append(entries, artifact.Entry{Key: f.name, Value: artifact.Text(f.bad)})
		default:
			entries = append(entries, plainEntry(f))
		}
	}
	return string(artifact.Canonical(artifact.MapOf(entries...)))
}

// plainEntry normalises a key, so that an example with a lower-case operation is recognised.
func plainEntry(f written) artifact.Entry {
	e := artifact.Entry{Key: f.name, Value: f.value}
	text, ok := f.value.(artifact.Text)
	switch key := synonyms.Key(f.name); {
	case !ok:
	case key == keyOperation:
		e.Key, e.Value = key, artifact.Text(strings.ToUpper(string(text)))
	case key == keySection:
		if s, ok := synonyms.Section(string(text)); ok {
			e.Key, e.Value = key, artifact.Text(s.String())
		}
	}
	return e
}

func valueOf(fields []written) artifact.Value {
	entries := make([]artifact.Entry, len(fields))
	for i, f := range fields {
		entries[i] = artifact.Entry{Key: f.name, Value: f.value}
		if f.value == nil {
			entries[i].Value = artifact.Text(f.bad)
		}
	}
	return artifact.MapOf(entries...)
}

// clipped shortens a message to one line.
func clipped(s string) string { return text.ClipLine(s, 60) }
