package artifact

import (
	"errors"
	"fmt"
	"slices"

	"brenner/internal/fault"
)

// documentDepth is MaxDepth for a field, and room for what stands around one.
const documentDepth = MaxDepth + 16

// readJSON reads the JSON form.
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

// decoder turns a JSON value into a document.
type decoder struct {
	doc    Document
	stamps map[string]*Stamp // by delta id
}

func (d *decoder) problem(kind ProblemKind, item, format string, args ...any) {
	d.doc.Problems = append(d.doc.Problems, Problem{Kind: kind, Item: item, Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) document(v Value) error {
	top, ok := v.(Map)
	if !ok {
		return errors.New("the file holds JSON, but not an object with metadata and sections")
	}
	for _, e := range top {
		if !slices.Contains([]string{"schema", "metadata", "sections", "provenance"}, e.Key) {
			return fmt.Errorf("an artifact has no key %s", fault.Shown(e.Key))
		}
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
	for _, e := range sections {
		if _, ok := ParseSection(e.Key); !ok {
			return fmt.Errorf("there is no section %s", fault.Shown(e.Key))
		}
	}
	for _, s := range Sections() {
		if err := d.section(sections, s); err != nil {
			return err
		}
	}
	if p, ok := top.Get("provenance"); ok {
		return d.provenance(p)
	}
	return nil
}

// get finds a key that holds a value of the wanted kind.
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
		return errors.New("there is more than one research thread")
	}
	seen := make(map[string]bool, len(list))
	items := make([]*Item, 0, len(list))
	for i, v := range list {
		m, ok := v.(Map)
		if !ok {
			return fmt.Errorf("%s: entry %d is not an object", s, i+1)
		}
		it, err := d.item(s, m)
		if err != nil {
			return fmt.Errorf("%s: entry %d: %w", s, i+1, err)
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
		d.problem(BadID, id, "%s: the id %s of entry %d is not of the form %s", s, fault.Shown(id), i+1, s.idForm())
	case seen[id]:
		d.problem(DuplicateID, id, "%s: the id %s stands twice", s, id)
	}
	seen[id] = true
}

func (s Section) idForm() string {
	if s == ResearchThread {
		return ThreadID
	}
	return s.ItemID(1) + ", " + s.ItemID(2) + ", …"
}
