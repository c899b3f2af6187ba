package artifact

import (
	"encoding/hex"
	"slices"
	"strconv"
)

// JSON returns the artifact as canonical JSON. Equal artifacts have equal bytes.
func (a *Artifact) JSON() []byte {
	const roughly = 512 // estimated bytes of an item or a stamp
	size := roughly * (1 + len(a.Deltas))
	for _, items := range a.Sections {
		size += roughly * len(items)
	}
	dst := append(make([]byte, 0, size), `{"metadata":`...)
	dst = AppendValue(dst, a.Metadata.value())
	if a.HasProvenance() {
		dst = a.appendProvenance(append(dst, `,"provenance":`...))
	}
	dst = AppendString(append(dst, `,"schema":`...), Schema)
	dst = append(dst, `,"sections":{`...)
	for i, s := range sectionsByID() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, s.String()), ':')
		dst = a.appendSection(dst, s)
	}
	return append(dst, "}}"...)
}

// sectionsByID returns the sections in the key order of canonical JSON.
func sectionsByID() []Section {
	all := Sections()
	slices.SortFunc(all, func(x, y Section) int { return CompareKeys(x.String(), y.String()) })
	return all
}

func (a *Artifact) appendSection(dst []byte, s Section) []byte {
	if s == ResearchThread {
		if t := a.Thread(); t != nil {
			return t.append(dst, nil)
		}
		return append(dst, "null"...)
	}
	var hypotheses *slate
	if s == PredictionsTable {
		hypotheses = a.slate()
	}
	dst = append(dst, '[')
	for i, it := range a.Sections[s] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = it.append(dst, hypotheses)
	}
	return append(dst, ']')
}

// append writes an item. A prediction needs the slate, because the cells of killed hypotheses are
// written as N/A and their text separately.
func (it *Item) append(dst []byte, hypotheses *slate) []byte {
	entries := make([]Entry, 0, len(it.Fields)+5)
	entries = append(entries, Entry{"id", Text(it.ID)})
	for i := range it.Fields {
		entries = append(entries, Entry{it.Fields[i].Name, it.Fields[i].Value})
	}
	if it.Kill != nil {
		entries = append(entries, Entry{"killed", Bool(true)})
		entries = it.Kill.entries(entries)
	}
	if len(it.Unresolved()) > 0 {
		entries = append(entries, Entry{"unresolved", Texts(it.Unresolved())})
	}
	if hypotheses != nil {
		entries = hypotheses.withhold(it, entries)
	}
	slices.SortFunc(entries, func(x, y Entry) int { return CompareKeys(x.Key, y.Key) })
	return AppendValue(dst, Map(entries))
}

func (k *Kill) entries(to []Entry) []Entry {
	if !k.At.IsZero() {
		to = append(to, Entry{"killed_at", Text(FormatInstant(k.At))})
	}
	if k.By != "" {
		to = append(to, Entry{"killed_by", Text(k.By)})
	}
	if k.Reason != "" {
		to = append(to, Entry{"kill_reason", Text(k.Reason)})
	}
	return to
}

// withhold puts N/A into a row's predictions where it applies, and adds the hidden values beside
// them. A key missing from the row is shown only for hypotheses that have a column, so that a
// hostile slate of thousands cannot inflate every row.
func (s *slate) withhold(it *Item, entries []Entry) []Entry {
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.Key == "predictions" })
	if at < 0 {
		return entries
	}
	predictions, ok := entries[at].Value.(Map)
	if !ok {
		return entries
	}
	r := s.row(it)
	behind := make(map[string][]Entry)
	var keys []string
	add := func(key string, what ...Entry) {
		if _, ok := behind[key]; !ok {
			keys = append(keys, key)
		}
		behind[key] = append(behind[key], what...)
	}
	for _, e := range predictions {
		if r.NotApplicable(e.Key) {
			add(e.Key, Entry{"value", e.Value})
		}
	}
	for _, h := range s.columns {
		if r.NotApplicable(h.ID) {
			add(h.ID)
		}
	}
	for _, c := range it.Cells() {
		add(c.Key, c.Kill.entries([]Entry{{"killed", Bool(true)}})...)
	}
	if len(keys) == 0 {
		return entries
	}
	shown := slices.Clone(predictions)
	withheld := make([]Entry, len(keys))
	for i, key := range keys {
		shown = append(shown, Entry{key, Text(NotApplicable)})
		withheld[i] = Entry{key, MapOf(behind[key]...)}
	}
	entries[at].Value = MapOf(shown...)
	return append(entries, Entry{"withheld", MapOf(withheld...)})
}

// Texts returns list as a List of Text values.
func Texts(list []string) List {
	out := make(List, len(list))
	for i, s := range list {
		out[i] = Text(s)
	}
	return out
}

// appendProvenance writes each stamp once, and the ids of the deltas that wrote each part.
func (a *Artifact) appendProvenance(dst []byte) []byte {
	dst = appendStamps(append(dst, `{"deltas":`...), a.Deltas)
	dst = append(dst, `,"items":`...)
	var items []Entry
	for _, section := range a.Sections {
		for _, it := range section {
			items = append(items, Entry{it.ID, it.marks()})
		}
	}
	return append(AppendValue(dst, MapOf(items...)), '}')
}

func appendStamps(dst []byte, stamps []*Stamp) []byte {
	dst = append(dst, '[')
	for i, s := range stamps {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.append(dst)
	}
	return append(dst, ']')
}

// append writes a stamp as canonical JSON.
func (s *Stamp) append(dst []byte) []byte {
	count := func(key string, n int) {
		if n != 0 {
			dst = strconv.AppendInt(append(dst, key...), int64(n), 10)
		}
	}
	dst = AppendString(append(dst, `{"agent":`...), s.Agent)
	if !s.At.IsZero() {
		dst = append(AppendInstant(append(dst, `,"at":"`...), s.At), '"')
	}
	count(`,"block":`, s.Block)
	dst = hex.AppendEncode(append(dst, `,"hash":"`...), s.Hash[:])
	dst = AppendString(append(dst, `","id":`...), s.Delta)
	count(`,"message":`, s.Message)
	count(`,"rank":`, s.Rank)
	dst = strconv.AppendInt(append(dst, `,"version":`...), int64(s.Version), 10)
	return append(dst, '}')
}

func (it *Item) marks() Map {
	var fields, cells []Entry
	for i := range it.Fields {
		marks := it.Marks(i)
		if v := marks.value(); v != nil {
			fields = append(fields, Entry{it.Fields[i].Name, v})
		}
	}
	for _, c := range it.Cells() {
		if c.Kill.Stamp != nil {
			cells = append(cells, Entry{c.Key, Text(c.Kill.Stamp.Delta)})
		}
	}
	var entries []Entry
	if it.Created != nil {
		entries = append(entries, Entry{"created", Text(it.Created.Delta)})
	}
	if it.Kill != nil && it.Kill.Stamp != nil {
		entries = append(entries, Entry{"killed", Text(it.Kill.Stamp.Delta)})
	}
	if len(fields) > 0 {
		entries = append(entries, Entry{"fields", MapOf(fields...)})
	}
	if len(cells) > 0 {
		entries = append(entries, Entry{"cells", MapOf(cells...)})
	}
	if len(it.Labels()) > 0 {
		entries = append(entries, Entry{"labels", Texts(it.Labels())})
	}
	return MapOf(entries...)
}

// value returns marks as JSON: delta ids for a scalar, else an object with floor and parts.
func (m *Marks) value() Value {
	if by := m.By(); len(by) > 0 {
		return writers(by)
	}
	if m.Parts == nil {
		return nil
	}
	var entries []Entry
	if len(m.Parts.Floor) > 0 {
		entries = append(entries, Entry{"floor", writers(m.Parts.Floor)})
	}
	parts := make(List, len(m.Parts.Each))
	for i, by := range m.Parts.Each {
		parts[i] = writers(by)
	}
	return MapOf(append(entries, Entry{"parts", parts})...)
}

func writers(by []*Stamp) Value {
	switch len(by) {
	case 0:
		return Null{}
	case 1:
		return Text(by[0].Delta)
	}
	list := make(List, len(by))
	for i, s := range by {
		list[i] = Text(s.Delta)
	}
	return list
}
