package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"brenner/internal/fault"
)

// Stamp records which delta wrote something: who, when, with what right, and in which version it
// was merged. All parts written by one delta share one immutable Stamp.
type Stamp struct {
	Delta   string
	Agent   string
	At      time.Time // UTC; zero if the delta's timestamp was unreadable
	Rank    int       // higher wins at the same instant; 0 for agents without a priority
	Version int       // the version this delta was merged into
	Message int       // position of its message in the thread, from 1; 0 for delta files
	Block   int       // position of its block in that message, from 1
	Hash    [sha256.Size]byte
}

// Marks are the stamps of one field, kept beside the value.
type Marks struct {
	// One is the only writer, if there is just one.
	One *Stamp
	// Parts are the writers of a field with several; nil for nearly all fields.
	Parts *Parts
}

// Parts are the stamps of a field with several writers.
type Parts struct {
	// By are the writers of a scalar: those that wrote the same value at one instant, or one for
	// each candidate of a Conflict. Lists and maps use Floor and Each.
	By []*Stamp
	// Floor is the newest replacement of the whole, or several of equal right. It beats older
	// additions.
	Floor []*Stamp
	// Each holds the writers of each list element or map key.
	Each [][]*Stamp
}

// MarksOf returns the marks of a value that was written as a whole.
func MarksOf(by []*Stamp) Marks {
	switch len(by) {
	case 0:
		return Marks{}
	case 1:
		return Marks{One: by[0]}
	}
	return Marks{Parts: &Parts{By: by}}
}

// By returns the writers of a value that was written as a whole.
func (m *Marks) By() []*Stamp {
	switch {
	case m.One != nil:
		return []*Stamp{m.One}
	case m.Parts != nil:
		return m.Parts.By
	}
	return nil
}

// Part returns the writers of the element or key at index i. whole is the result of By.
func (m *Marks) Part(i int, whole []*Stamp) []*Stamp {
	switch {
	case m.Parts == nil:
		return whole
	case i < len(m.Parts.Each):
		return m.Parts.Each[i]
	}
	return nil
}

// Floor returns the newest replacements of the whole.
func (m *Marks) Floor() []*Stamp {
	if m.Parts == nil {
		return nil
	}
	return m.Parts.Floor
}

var errNotRFC3339 = errors.New("not an RFC 3339 timestamp with at most nanoseconds, such as 2025-12-30T12:00:00Z")

// ParseInstant reads an RFC 3339 timestamp with at most nine fractional digits, as UTC.
func ParseInstant(text string) (time.Time, error) {
	if len(text) > len("2006-01-02T15:04:05.999999999+00:00") {
		return time.Time{}, errNotRFC3339
	}
	if _, fraction, ok := strings.Cut(text, "."); ok && strings.IndexAny(fraction, "Zz+-") > 9 {
		return time.Time{}, errNotRFC3339 // finer than nanoseconds
	}
	var t time.Time
	if err := t.UnmarshalText(upperTZ(text)); err != nil || !clockForm(text) {
		return time.Time{}, errNotRFC3339
	}
	u := t.UTC()
	if y := u.Year(); y < 1 || y > 9999 {
		return time.Time{}, errNotRFC3339 // cannot be formatted again
	}
	return u, nil
}

// clockForm rejects forms that the standard library currently accepts: one-digit hours, a comma
// before the fraction, impossible offsets. A later Go release must not read an instant differently.
func clockForm(text string) bool {
	if text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	if last := text[len(text)-1]; last == 'Z' || last == 'z' {
		return true
	}
	hours, minutes, _ := strings.Cut(text[len(text)-len("07:00"):], ":")
	return hours < "24" && minutes < "60"
}

// upperTZ upper-cases t and z, which RFC 3339 allows in lower case.
func upperTZ(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if c == 't' || c == 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return b
}

// FormatInstant returns t in the form that artifacts use.
func FormatInstant(t time.Time) string { return string(AppendInstant(nil, t)) }

// AppendInstant appends t as FormatInstant returns it.
func AppendInstant(dst []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(dst, time.RFC3339Nano)
}

// provenance reads the stamps and attaches them to what they wrote.
func (d *decoder) provenance(v Value) error {
	m, _ := v.(Map)
	deltas, okDeltas := get[List](m, "deltas")
	items, okItems := get[Map](m, "items")
	if !okDeltas || !okItems || len(m) != 2 {
		return errors.New("provenance is not {deltas, items}")
	}
	d.stamps = make(map[string]*Stamp, len(deltas))
	for i, v := range deltas {
		s, err := stampOf(v)
		if err != nil {
			return fmt.Errorf("provenance: delta %d: %w", i+1, err)
		}
		if d.stamps[s.Delta] != nil {
			return fmt.Errorf("provenance: duplicate delta %s", fault.Shown(s.Delta))
		}
		d.stamps[s.Delta] = s
		d.doc.Artifact.Deltas = append(d.doc.Artifact.Deltas, s)
	}
	byID := make(map[string]*Item)
	for _, section := range d.doc.Artifact.Sections {
		for _, it := range section {
			byID[it.ID] = it
		}
	}
	for _, e := range items {
		marks, ok := e.Value.(Map)
		it := byID[e.Key]
		if !ok || it == nil {
			return fmt.Errorf("provenance: unknown item %s", fault.Shown(e.Key))
		}
		if err := d.itemMarks(it, marks); err != nil {
			return fmt.Errorf("provenance of %s: %w", it.ID, err)
		}
	}
	return nil
}

func stampOf(v Value) (*Stamp, error) {
	m, ok := v.(Map)
	if !ok {
		return nil, errors.New("not an object")
	}
	s := &Stamp{}
	for _, e := range m {
		if err := s.take(e); err != nil {
			return nil, fmt.Errorf("%s: %w", fault.Shown(e.Key), err)
		}
	}
	if s.Delta == "" {
		return nil, errors.New("no id")
	}
	return s, nil
}

func (s *Stamp) take(e Entry) error {
	switch v := e.Value.(type) {
	case Text:
		return s.takeText(e.Key, string(v))
	case Number:
		into := map[string]*int{"rank": &s.Rank, "version": &s.Version, "message": &s.Message, "block": &s.Block}[e.Key]
		if into == nil || v < 0 || v != Number(int(v)) {
			return errors.New("not a valid whole number")
		}
		*into = int(v)
		return nil
	}
	return errors.New("neither a string nor a number")
}

func (s *Stamp) takeText(key, text string) error {
	switch key {
	case "id":
		s.Delta = text
	case "agent":
		s.Agent = text
	case "at":
		at, err := ParseInstant(text)
		if err != nil {
			return err
		}
		s.At = at
	case "hash":
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != len(s.Hash) {
			return errors.New("not a SHA-256 in hexadecimal")
		}
		copy(s.Hash[:], b)
	default:
		return errors.New("unknown key")
	}
	return nil
}

func (d *decoder) stamp(v Value) (*Stamp, error) {
	id, ok := v.(Text)
	s := d.stamps[string(id)]
	if !ok || s == nil {
		return nil, fmt.Errorf("%s is not a delta of this provenance", fault.Shown(string(Canonical(v))))
	}
	return s, nil
}

func (d *decoder) itemMarks(it *Item, m Map) error {
	marks := make([]Marks, len(it.Fields))
	for _, e := range m {
		var err error
		switch e.Key {
		case "created":
			it.Created, err = d.stamp(e.Value)
		case "killed":
			if it.Kill == nil {
				return errors.New("it has a stamp of a kill but is not killed")
			}
			it.Kill.Stamp, err = d.stamp(e.Value)
		case "fields":
			err = d.fieldMarks(it, e.Value, marks)
		case "cells":
			err = d.cellMarks(it, e.Value)
		case "labels":
			list, isList := e.Value.(List)
			labels, ok := TextsOf(list)
			if !ok || !isList {
				return errors.New("labels is not a list of strings")
			}
			it.SetLabels(labels)
		default:
			err = fmt.Errorf("unknown key %s", fault.Shown(e.Key))
		}
		if err != nil {
			return err
		}
	}
	it.SetMarks(marks)
	return nil
}

func (d *decoder) cellMarks(it *Item, v Value) error {
	m, _ := v.(Map)
	cells := it.Cells()
	for i := range cells {
		id, ok := m.Get(cells[i].Key)
		if !ok {
			continue
		}
		s, err := d.stamp(id)
		if err != nil {
			return err
		}
		cells[i].Kill.Stamp = s
	}
	return nil
}

func (d *decoder) fieldMarks(it *Item, v Value, into []Marks) error {
	m, ok := v.(Map)
	if !ok {
		return errors.New("fields is not an object")
	}
	for i := range it.Fields {
		f := &it.Fields[i]
		v, ok := m.Get(f.Name)
		if !ok {
			continue
		}
		marks, err := d.marks(v)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := marks.fit(f.Value); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		into[i] = marks
	}
	return nil
}

func (d *decoder) marks(v Value) (Marks, error) {
	m, ok := v.(Map)
	if !ok {
		by, err := d.writers(v)
		return MarksOf(by), err
	}
	parts := &Parts{}
	if floor, ok := m.Get("floor"); ok {
		by, err := d.writers(floor)
		if err != nil {
			return Marks{}, err
		}
		parts.Floor = by
	}
	each, _ := get[List](m, "parts")
	for _, p := range each {
		by, err := d.writers(p)
		if err != nil {
			return Marks{}, err
		}
		parts.Each = append(parts.Each, by)
	}
	return Marks{Parts: parts}, nil
}

func (d *decoder) writers(v Value) ([]*Stamp, error) {
	list, ok := v.(List)
	if !ok {
		if v == (Null{}) {
			return nil, nil
		}
		list = List{v}
	}
	by := make([]*Stamp, len(list))
	for i, v := range list {
		s, err := d.stamp(v)
		if err != nil {
			return nil, err
		}
		by[i] = s
	}
	return by, nil
}

// fit checks that there are as many marks as the value has parts.
func (m *Marks) fit(v Value) error {
	parts, ok := 0, true
	byPart := m.One != nil || (m.Parts != nil && m.Parts.By == nil)
	switch v := v.(type) {
	case List:
		parts, ok = len(v), byPart
	case Map:
		parts, ok = len(v), byPart
	case Conflict:
		ok = len(m.By()) == len(v)
	}
	if !ok || (m.Parts != nil && parts != len(m.Parts.Each)) {
		return errors.New("the stamps do not fit the value")
	}
	return nil
}
