package artifact

import (
	"errors"
	"fmt"
	"slices"

	"brenner/fault"
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
	md := &d.doc.Artifact.Metadata
	known := map[string]*string{
		"session_id": &md.SessionID, "created_at": &md.CreatedAt, "updated_at": &md.UpdatedAt,
		"status": &md.Status, "rules": &md.Rules, "research_program": &md.ResearchProgram,
	}
	for _, e := range m {
		if e.Value == (Null{}) {
			continue
		}
		if to := known[e.Key]; to != nil {
			t, ok := e.Value.(Text)
			if !ok {
				d.problem(BadMetadata, "metadata", "metadata: %s is not a text", e.Key)
			}
			*to = string(t)
			continue
		}
		switch e.Key {
		case "version":
			d.version(e.Value)
		case "contributors":
			if err := d.contributors(e.Value); err != nil {
				d.problem(BadMetadata, "metadata", "%v", err)
			}
		case "roster":
			md.Roster = e.Value
		default:
			md.Extra = append(md.Extra, e)
		}
	}
}

func (d *decoder) version(v Value) {
	n, flaw := versionOf(v)
	if flaw != "" {
		d.problem(BadVersion, "metadata", "%s", flaw)
		return
	}
	d.doc.Artifact.Metadata.Version = n
}

// versionOf gives the number of a version, or says why it is none.
func versionOf(v Value) (version int, flaw string) {
	n, ok := v.(Number)
	if !ok || n < 0 || n >= MaxInteger || n != Number(int(n)) {
		return 0, "metadata: version " + fault.Shown(string(Canonical(v))) + " is not a whole number from 0"
	}
	return int(n), ""
}

func (d *decoder) contributors(v Value) error {
	list, ok := v.(List)
	if !ok {
		return errors.New("metadata: contributors is not a list")
	}
	for _, v := range list {
		m, ok := v.(Map)
		if !ok {
			return errors.New("metadata: a contributor is not an object")
		}
		var c Contributor
		known := map[string]*string{
			"agent": &c.Agent, "program": &c.Program, "model": &c.Model, "contributed_at": &c.ContributedAt,
		}
		for _, e := range m {
			t, ok := e.Value.(Text)
			to := known[e.Key]
			if !ok || to == nil {
				return fmt.Errorf("metadata: a contributor's %s cannot be read", fault.Shown(e.Key))
			}
			*to = string(t)
		}
		d.doc.Artifact.Metadata.Contributors = append(d.doc.Artifact.Metadata.Contributors, c)
	}
	return nil
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
