package artifact

import (
	"slices"

	"brenner/internal/fault"
)

// Pieces are an artifact split for storage. Most pieces are equal between two versions, so a store
// that keeps each piece once grows only with the changes.
type Pieces struct {
	Metadata []byte      // canonical JSON, as all pieces are
	Items    []ItemPiece // by section, then by id
	Deltas   []byte      // the list of stamps
}

// ItemPiece is one item, its content and its provenance.
type ItemPiece struct {
	ID   string
	Data []byte
}

// Pieces splits the artifact. Of the deltas it returns those from index fromDelta on.
func (a *Artifact) Pieces(fromDelta int) Pieces {
	p := Pieces{Metadata: AppendValue(nil, a.Metadata.value())}
	hypotheses := a.slate()
	for s, items := range a.Sections {
		var of *slate
		if Section(s) == PredictionsTable {
			of = hypotheses
		}
		for _, it := range items {
			data := it.append(append(make([]byte, 0, 512), `{"content":`...), of)
			data = append(AppendValue(append(data, `,"marks":`...), it.marks()), '}')
			p.Items = append(p.Items, ItemPiece{ID: it.ID, Data: data})
		}
	}
	p.Deltas = appendStamps(nil, a.Deltas[fromDelta:])
	return p
}

// Join is the inverse of Pieces: it takes the metadata of a version, its items in any order, and
// the stamps of all versions up to it in order.
func Join(metadata []byte, items, deltas [][]byte) (Artifact, error) {
	j := joining{sections: make(map[string]List)}
	top := Map{}
	md, err := ParseValue(metadata, documentDepth)
	if err != nil {
		return Artifact{}, err
	}
	for _, data := range items {
		if err := j.item(data); err != nil {
			return Artifact{}, err
		}
	}
	for _, data := range deltas {
		v, err := ParseValue(data, documentDepth)
		if err != nil {
			return Artifact{}, err
		}
		list, _ := v.(List)
		j.deltas = append(j.deltas, list...)
	}
	var sections []Entry
	for _, s := range Sections() {
		sections = append(sections, Entry{s.String(), j.sections[s.String()]})
	}
	top = append(top, Entry{"metadata", md}, Entry{"sections", MapOf(sections...)})
	if len(j.deltas) > 0 {
		top = append(top, Entry{"provenance", MapOf(Entry{"deltas", j.deltas}, Entry{"items", MapOf(j.marks...)})})
	}
	return j.decode(MapOf(top...))
}

type joining struct {
	sections map[string]List // of items, by the section's id
	marks    []Entry
	deltas   List
}

func (j *joining) item(data []byte) error {
	v, err := ParseValue(data, documentDepth)
	if err != nil {
		return err
	}
	piece, _ := v.(Map)
	content, ok := get[Map](piece, "content")
	id, _ := get[Text](content, "id")
	section, isID := SectionOfID(string(id))
	if !ok || !isID {
		return notPieces("an item has no id")
	}
	j.sections[section.String()] = append(j.sections[section.String()], content)
	if marks, ok := get[Map](piece, "marks"); ok && len(marks) > 0 {
		j.marks = append(j.marks, Entry{string(id), marks})
	}
	return nil
}

func (j *joining) decode(top Value) (Artifact, error) {
	d := decoder{}
	if err := d.document(top); err != nil {
		return Artifact{}, notPieces(err.Error())
	}
	a, err := d.doc.exact()
	if err != nil {
		return Artifact{}, err
	}
	for s, items := range a.Sections {
		slices.SortFunc(items, func(x, y *Item) int {
			nx, _ := Section(s).IDNumber(x.ID)
			ny, _ := Section(s).IDNumber(y.ID)
			return nx - ny
		})
	}
	RankTests(a.Sections[DiscriminativeTests])
	return a, nil
}

func notPieces(detail string) error {
	return &fault.Error{Code: NotAnArtifact, Op: "join the pieces of an artifact", Detail: detail}
}
