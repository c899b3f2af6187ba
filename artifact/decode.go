package artifact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"brenner/internal/fault"
)

// documentDepth is MaxDepth for a field plus room for the structure around it.
const documentDepth = MaxDepth + 16

func readJSON(data []byte) (Document, error) {
	v, err := ParseValue(data, documentDepth)
	if err != nil {
		return Document{}, err
	}
	d := decoder{}
	if err := d.document(v); err != nil {
		return Document{}, &fault.Error{
			Code: NotAnArtifact, Detail: err.Error(),
			Hint: `an artifact is {"metadata":{"session_id":"RS-…"},"sections":{"hypothesis_slate":[…],…}}`,
		}
	}
	return d.doc, nil
}

type decoder struct {
	doc    Document
	stamps map[string]*Stamp // by delta id
}

func (d *decoder) problem(kind ProblemKind, item, format string, args ...any) {
	p := Problem{Kind: kind, Item: item, Message: fmt.Sprintf(format, args...)}
	if p.IsNote() {
		p.Line = 1 // JSON is one line
	}
	d.doc.Problems = append(d.doc.Problems, p)
}

func (d *decoder) document(v Value) error {
	top, ok := v.(Map)
	if !ok {
		return errors.New("the JSON is not an object with metadata and sections")
	}
	if schema, ok := top.Get("schema"); ok && schema != Text(Schema) {
		return fmt.Errorf("the schema is %s; this program reads %s", fault.Shown(string(Canonical(schema))), Schema)
	}
	metadata, ok := get[Map](top, "metadata")
	if !ok {
		return errors.New(`it has no "metadata" object`)
	}
	sections, ok := get[Map](top, "sections")
	if !ok {
		return errors.New(`it has no "sections" object`)
	}
	d.metadata(metadata)
	for _, e := range top {
		if !slices.Contains([]string{"schema", "metadata", "sections", "provenance"}, e.Key) {
			if d.doc.Artifact.Metadata.SessionID == "" { // something else
				return fmt.Errorf("unknown key %s in an artifact", fault.Shown(e.Key))
			}
			d.keep("key", e)
		}
	}
	for _, e := range sections {
		if _, ok := ParseSection(e.Key); !ok {
			d.keep("section", e)
		}
	}
	for _, s := range Sections() {
		if err := d.section(sections, s); err != nil {
			d.problem(UnreadableLines, s.String(), "%s", err)
		}
	}
	if p, ok := top.Get("provenance"); ok {
		return d.provenance(p)
	}
	return nil
}

// keep keeps what an artifact has no place for, as JSON.
func (d *decoder) keep(what string, e Entry) {
	d.problem(Kept, "", "unknown %s %s, kept in the metadata under %s", what, fault.Shown(e.Key), otherText)
	d.doc.Artifact.Metadata.keep(otherText, otherEntry(e.Key, string(Canonical(e.Value))))
}

// get returns the value of a key if it has the type V.
func get[V Value](m Map, key string) (V, bool) {
	v, _ := m.Get(key)
	typed, ok := v.(V)
	return typed, ok
}

func (d *decoder) metadata(m Map) {
	for _, e := range m {
		d.doc.Artifact.Metadata.take(e, func(kind ProblemKind, format string, args ...any) {
			d.problem(kind, "metadata", format, args...)
		})
	}
	extra := d.doc.Artifact.Metadata.Extra
	slices.SortFunc(extra, func(x, y Entry) int { return CompareKeys(x.Key, y.Key) })
}

func (d *decoder) section(sections Map, s Section) error {
	v, ok := sections.Get(s.String())
	if !ok {
		d.problem(MissingSection, s.String(), "the section %s is missing", s)
		return nil
	}
	var list List
	switch v := v.(type) {
	case Null:
	case List:
		list = v
	case Map:
		if s != ResearchThread {
			return fmt.Errorf("section %s is an object, not a list of items", s)
		}
		if len(v) > 0 {
			list = List{v}
		}
	default:
		return fmt.Errorf("section %s is not a list of items", s)
	}
	if s == ResearchThread && len(list) > 1 {
		return errors.New("more than one research thread")
	}
	seen := make(map[string]bool, len(list))
	items := make([]*Item, 0, len(list))
	for i, v := range list {
		m, ok := v.(Map)
		if !ok {
			d.problem(UnreadableLines, s.String(), "%s: entry %d is not an object", s, i+1)
			continue
		}
		it, err := d.item(s, m)
		if err != nil {
			d.problem(UnreadableLines, s.String(), "%s: entry %d: %v", s, i+1, err)
			continue
		}
		d.checkID(s, it.ID, i, seen)
		items = append(items, it)
	}
	d.doc.Artifact.Sections[s] = items
	return nil
}

func (d *decoder) checkID(s Section, id string, i int, seen map[string]bool) {
	switch {
	case !s.ValidID(id):
		d.problem(BadID, cmp.Or(id, s.String()), "%s: %s", s, s.wrongID(id, fmt.Sprintf("entry %d", i+1)))
	case seen[id]:
		d.problem(DuplicateID, id, "%s: duplicate id %s", s, id)
	}
	seen[id] = true
}

// wrongID says what is wrong with the id of an item at a place.
func (s Section) wrongID(id, place string) string {
	form := s.Spec().Prefix + " and a number without leading zeros, such as " + s.ItemID(1)
	if s == ResearchThread {
		form = ThreadID
	}
	if id == "" {
		return place + " has no id; its id is " + form
	}
	return "the id " + fault.Shown(id) + " of " + place + " is not " + form
}

func (d *decoder) item(s Section, m Map) (*Item, error) {
	it := &Item{}
	if s == ResearchThread {
		it.ID = ThreadID
	}
	var kill killMarks
	var withheld Map
	for _, e := range m {
		if e.Value == (Null{}) {
			continue
		}
		taken, err := kill.take(e)
		if !taken && err == nil {
			err = it.take(s, e, &withheld)
		}
		if err != nil {
			return nil, err
		}
	}
	var err error
	if it.Kill, err = kill.result(); err != nil {
		return nil, err
	}
	if err := it.restore(withheld); err != nil {
		return nil, err
	}
	s.Spec().SortFields(it.Fields)
	return it, nil
}

// take reads one entry of an item other than the kill fields.
func (it *Item) take(s Section, e Entry, withheld *Map) error {
	var ok bool
	switch e.Key {
	case "id":
		id, ok := e.Value.(Text)
		if !ok {
			return errors.New("its id is not a string")
		}
		it.ID = string(id)
	case "unresolved":
		list, isList := e.Value.(List)
		if it.rare().Unresolved, ok = TextsOf(list); !ok || !isList {
			return errors.New("unresolved is not a list of strings")
		}
	case "withheld":
		if *withheld, ok = e.Value.(Map); !ok || s != PredictionsTable {
			return errors.New("only a prediction has withheld cells, as an object")
		}
	default:
		v, err := fieldValue(e.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Key, err)
		}
		it.Fields = append(it.Fields, Field{Name: e.Key, Value: v})
	}
	return nil
}

// killMarks collects the kill fields of an item or a cell.
type killMarks struct {
	killed bool
	any    bool
	kill   Kill
}

// take reads e if it is one of the kill fields, and reports whether it is.
func (k *killMarks) take(e Entry) (bool, error) {
	var into *string
	at := ""
	switch e.Key {
	case "killed":
		b, ok := e.Value.(Bool)
		if !ok {
			return true, errors.New("killed is neither true nor false")
		}
		k.killed = bool(b)
		return true, nil
	case "killed_by":
		into = &k.kill.By
	case "kill_reason":
		into = &k.kill.Reason
	case "killed_at":
		into = &at
	default:
		return false, nil
	}
	t, ok := e.Value.(Text)
	if !ok {
		return true, fmt.Errorf("%s is not a string", e.Key)
	}
	*into = string(t)
	k.any = true
	if e.Key == "killed_at" {
		instant, err := ParseInstant(at)
		if err != nil {
			return true, fmt.Errorf("killed_at: %w", err)
		}
		k.kill.At = instant
	}
	return true, nil
}

func (k *killMarks) result() (*Kill, error) {
	if !k.killed {
		if k.any {
			return nil, errors.New(`it has a kill's fields, but not "killed": true`)
		}
		return nil, nil
	}
	return &k.kill, nil
}

// restore puts back the values that the N/A cells of a prediction hide.
func (it *Item) restore(withheld Map) error {
	if len(withheld) == 0 {
		return nil
	}
	at := slices.IndexFunc(it.Fields, func(f Field) bool { return f.Name == "predictions" })
	if at < 0 {
		return errors.New("it has withheld cells but no predictions")
	}
	predictions, ok := it.Fields[at].Value.(Map)
	if !ok {
		return errors.New("it has withheld cells, but its predictions are not an object")
	}
	entries := slices.DeleteFunc(slices.Clone(predictions), func(p Entry) bool {
		_, ok := withheld.Get(p.Key)
		return ok && Equal(p.Value, Text(NotApplicable))
	})
	for _, e := range withheld {
		cell, ok := e.Value.(Map)
		if !ok {
			return errors.New("a withheld cell is not an object")
		}
		if shown, ok := predictions.Get(e.Key); ok && !Equal(shown, Text(NotApplicable)) {
			return fmt.Errorf("the cell %s is withheld, but has a visible value", fault.Shown(e.Key))
		}
		value, k, err := withheldCell(cell)
		if err != nil {
			return err
		}
		if value != nil {
			entries = append(entries, Entry{e.Key, value})
		}
		if k != nil {
			it.rare().Cells = append(it.rare().Cells, CellKill{Key: e.Key, Kill: *k})
		}
	}
	it.Fields[at].Value = MapOf(entries...)
	return nil
}

// withheldCell reads the hidden value of one N/A cell and the cell's own kill.
func withheldCell(cell Map) (value Value, kill *Kill, err error) {
	var marks killMarks
	for _, c := range cell {
		if c.Key == "value" {
			if value, err = cellValue(c.Value); err != nil {
				return nil, nil, err
			}
			continue
		}
		if ok, err := marks.take(c); !ok || err != nil {
			return nil, nil, fmt.Errorf("a withheld cell has an invalid %s", fault.Shown(c.Key))
		}
	}
	kill, err = marks.result()
	return value, kill, err
}

// TextsOf returns the texts of list, and reports whether it holds only texts.
func TextsOf(list List) ([]string, bool) {
	out := make([]string, len(list))
	for i, v := range list {
		t, ok := v.(Text)
		if !ok {
			return nil, false
		}
		out[i] = string(t)
	}
	return out, true
}

// fieldValue reads a field. A conflict may be the whole field or the value of one map key.
func fieldValue(v Value) (Value, error) {
	m, ok := v.(Map)
	if !ok {
		return v, CheckValue(v)
	}
	if _, ok := m.Get(ConflictKey); ok {
		return cellValue(m)
	}
	out := make(Map, len(m))
	for i, e := range m {
		cell, err := cellValue(e.Value)
		if err != nil {
			return nil, err
		}
		out[i] = Entry{e.Key, cell}
	}
	return out, nil
}

func cellValue(v Value) (Value, error) {
	m, ok := v.(Map)
	if !ok {
		return v, CheckValue(v)
	}
	candidates, ok := m.Get(ConflictKey)
	if !ok {
		return v, CheckValue(v)
	}
	list, ok := candidates.(List)
	if !ok || len(m) != 1 || len(list) < 2 {
		return nil, errors.New("a conflict has no list of two or more candidates")
	}
	c := make(Conflict, len(list))
	for i, v := range list {
		m, _ := v.(Map)
		agent, okAgent := get[Text](m, "agent")
		delta, okDelta := get[Text](m, "delta_id")
		value, okValue := m.Get("value")
		if !okAgent || !okDelta || !okValue || len(m) != 3 {
			return nil, errors.New("a candidate of a conflict is not {agent, delta_id, value}")
		}
		if err := CheckValue(value); err != nil {
			return nil, err
		}
		c[i] = Candidate{Agent: string(agent), Delta: string(delta), Value: value}
	}
	return c, nil
}

// CheckValue returns an error if plain JSON contains an object that poses as a conflict.
func CheckValue(v Value) error {
	switch v := v.(type) {
	case List:
		for _, e := range v {
			if err := CheckValue(e); err != nil {
				return err
			}
		}
	case Map:
		for _, e := range v {
			if e.Key == ConflictKey {
				return &BadValue{Reason: "the key " + ConflictKey + " is reserved"}
			}
			if err := CheckValue(e.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
