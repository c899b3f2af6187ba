package delta

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"brenner/artifact"
	"brenner/internal/fault"
)

// namespace is the UUID namespace of ids derived from content.
var namespace = uuid.UUID{0x8f, 0x0e, 0x2b, 0x51, 0x6a, 0x52, 0x5c, 0x0e, 0x9a, 0x57, 0x2f, 0x4f, 0x6f, 0x1d, 0x9c, 0x11}

// DerivedID returns the id of a delta that has none of its own.
func DerivedID(parts ...string) string {
	return "d-" + uuid.NewSHA1(namespace, []byte(strings.Join(parts, "\x00"))).String()
}

// ReadFile reads deltas as a JSON array, one object, JSON Lines, or an array under the key deltas.
// Unreadable JSON is an error. A row that is not a delta becomes a Delta with a Problem, so that it is
// accounted for.
func ReadFile(data []byte) ([]Delta, error) {
	from, to := wrappedRows(data)
	return ReadRows(data[from:to])
}

// wrappedRows returns the part of a file that holds its rows: of {"deltas": […]} the array.
func wrappedRows(data []byte) (from, to int) {
	dec := artifact.NewDecoder(data)
	if dec.PeekKind() != '{' {
		return 0, len(data)
	}
	err := readObject(dec, func(key string) error {
		isRows := key == "deltas" && dec.PeekKind() == '['
		raw, err := dec.ReadValue()
		if isRows {
			to = int(dec.InputOffset())
			from = to - len(raw)
		}
		if key == keyOperation {
			return io.EOF
		}
		return err
	})
	if err != nil || to == 0 || len(bytes.TrimSpace(data[dec.InputOffset():])) > 0 {
		return 0, len(data)
	}
	return from, to
}

// ReadRows reads a file as sessions with the first reader do: without an array under a key.
func ReadRows(data []byte) ([]Delta, error) {
	deltas, err := readRows(data)
	if err != nil {
		return nil, artifact.SyntaxFault(data, err)
	}
	if len(deltas) == 0 && len(bytes.TrimSpace(data)) == 0 {
		return nil, &fault.Error{
			Code: artifact.InvalidJSON, Detail: "the file is empty",
			Hint: "a file without deltas is []",
		}
	}
	return deltas, nil
}

// readRows reads the elements of an array, or values up to the end.
func readRows(data []byte) (deltas []Delta, err error) {
	dec := artifact.NewDecoder(data)
	isList := dec.PeekKind() == '['
	if isList {
		_, err = dec.ReadToken()
	}
	var room []byte
	for err == nil && !(isList && dec.PeekKind() == ']') {
		var d Delta
		if d, err = readDelta(dec); err == nil {
			room = d.seal(room)
			if n := len(deltas); n == cap(deltas) { // rows are large to copy; guess how many follow
				rest := (int64(len(data)) - dec.InputOffset()) * int64(n+1) / dec.InputOffset()
				most := 4 * n
				if n >= 1000 { // enough rows to trust them
					most = 64 * n
				}
				deltas = slices.Grow(deltas, 1+int(min(rest+rest/64, int64(most))))
			}
			deltas = append(deltas, d)
		}
	}
	if isList && err == nil {
		if _, err = dec.ReadToken(); err == nil {
			_, err = dec.ReadToken()
		}
		if err == nil {
			return nil, errors.New("something stands after the array of deltas")
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return deltas, err
}

// readDelta reads a delta, which is not sealed yet.
func readDelta(dec *artifact.Decoder) (Delta, error) {
	if kind := dec.PeekKind(); kind != '{' {
		raw, err := dec.ReadValue()
		if err != nil {
			return Delta{}, err
		}
		d := Delta{Rationale: string(raw), Problem: &Problem{
			Code: artifact.InvalidJSON, Message: "not an object, so not a delta",
		}}
		return d, nil
	}
	var d Delta
	err := readObject(dec, func(key string) error { return d.read(dec, key) })
	if err != nil {
		return Delta{}, err
	}
	d.Settle()
	return d, nil
}

// readObject reads an object, calling value for each key.
func readObject(dec *artifact.Decoder, value func(key string) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		key, err := dec.Key()
		if err != nil {
			return err
		}
		if err := value(key); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (d *Delta) read(dec *artifact.Decoder, key string) error {
	into := d.textKey(key)
	switch {
	case key == keyPayload:
		return d.readPayload(dec)
	case key == keyRef || key == keyID:
		var label string
		into = &label
		defer func() { d.label(label) }()
	case into == nil:
		d.Ignored = append(d.Ignored, key)
		return dec.SkipValue()
	}
	text, ok, err := dec.Text()
	*into = text
	if !ok && err == nil {
		d.Problem = &Problem{Code: InvalidField, Message: key + " is not a text"}
	}
	return err
}

// textKey returns the field for a key that holds a text, or nil.
func (d *Delta) textKey(key string) *string {
	switch key {
	case keyDeltaID:
		return &d.ID
	case keyTimestamp:
		return &d.Timestamp
	case keyAgent:
		return &d.Agent
	case keyOperation:
		return &d.Operation
	case keySection:
		return &d.Section
	case keyRationale:
		return &d.Rationale
	case keyTarget:
		return &d.Target
	}
	return nil
}

func (d *Delta) label(name string) {
	if name != "" && !slices.Contains(d.Labels, name) {
		d.Labels = append(d.Labels, name)
	}
}

func (d *Delta) readPayload(dec *artifact.Decoder) error {
	switch dec.PeekKind() {
	case 'n':
		return dec.SkipValue()
	case '{':
	default:
		d.Problem = &Problem{Code: InvalidField, Message: "payload is not an object"}
		return dec.SkipValue()
	}
	return readObject(dec, func(key string) error {
		f := Field{Name: key}
		var err error
		if f.Value, err = dec.Value(artifact.MaxDepth); err != nil {
			var bad *artifact.BadValue
			if errors.As(err, &bad) {
				f.Value, f.Bad, err = nil, bad.Reason, nil
			}
		}
		d.Payload = append(d.Payload, f)
		return err
	})
}

// Settle sorts the payload, rejects values that no field may hold, and turns an ADD's ref, id and
// target_id into labels for the new item.
func (d *Delta) Settle() {
	slices.SortFunc(d.Payload, func(a, b Field) int { return artifact.CompareKeys(a.Name, b.Name) })
	for i, f := range d.Payload {
		if f.Value == nil {
			continue
		}
		if err := artifact.CheckValue(f.Value); err != nil {
			d.Payload[i] = Field{Name: f.Name, Bad: err.Error()}
		} else if f.Value == (artifact.Null{}) {
			d.Payload[i] = Field{Name: f.Name, Bad: "null is no value; leave the field out"}
		}
	}
	if d.Operation != Add {
		return
	}
	if d.Target != "" {
		d.label(d.Target)
		d.Target = ""
	}
	d.Payload = slices.DeleteFunc(d.Payload, func(f Field) bool {
		text, ok := f.Value.(artifact.Text)
		if !ok || (f.Name != "ref" && f.Name != "id") {
			return false
		}
		d.label(string(text))
		return true
	})
	slices.Sort(d.Labels)
}

// Lines returns the line of each row, from 1, in a file that ReadFile can read.
func Lines(data []byte) []int {
	from, to := wrappedRows(data)
	before := bytes.Count(data[:from], []byte("\n"))
	data = data[from:to]
	dec := artifact.NewDecoder(data)
	if dec.PeekKind() == '[' {
		if _, err := dec.ReadToken(); err != nil {
			return nil
		}
	}
	var lines []int
	line, counted := 1+before, 0
	for {
		if kind := dec.PeekKind(); kind == ']' || kind == 0 {
			return lines
		}
		at := int(dec.InputOffset())
		at += len(data[at:]) - len(bytes.TrimLeft(data[at:], " \t\r\n,"))
		line += bytes.Count(data[counted:at], []byte("\n"))
		lines, counted = append(lines, line), at
		if err := dec.SkipValue(); err != nil {
			return lines
		}
	}
}
