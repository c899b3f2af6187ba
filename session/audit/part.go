package audit

import (
	"bytes"
	"context"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
)

// Part is an artifact, an item of it or a field of an item.
type Part struct {
	Schema   string         `json:"schema"`
	Thread   string         `json:"thread_id"`
	Version  int            `json:"version"`
	SHA256   string         `json:"sha256"` // of the whole artifact
	Address  string         `json:"address"`
	Artifact jsontext.Value `json:"artifact,omitzero"`
	Item     jsontext.Value `json:"item,omitzero"`
	Value    jsontext.Value `json:"value,omitzero"`
	// Records are what the run of a task made. Its artifact stays empty.
	Records []TaskRecord `json:"records,omitempty"`
	// Markdown renders the artifact, the item or the records; it is empty for a field.
	Markdown []byte `json:"-"`
	// Conflict has the candidates of an undecided field.
	Conflict artifact.Conflict `json:"-"`
}

// Canonical returns the part as canonical JSON.
func (p *Part) Canonical() []byte {
	for _, data := range [][]byte{p.Value, p.Item, p.Artifact} {
		if data != nil {
			return data
		}
	}
	return nil
}

// PartAt returns what an address names, by default in the newest version, with the records of a task.
func PartAt(ctx context.Context, h *session.History, at session.Address) (*Part, error) {
	task := h.State.Opened.Task != "" && at.Version == 0 && at.Item == ""
	if at.Version == 0 {
		at.Version = h.State.Version()
	}
	if at.Version == 0 {
		return nil, noVersion(h)
	}
	art, err := h.Artifact(ctx, at.Version)
	if err != nil {
		return nil, err
	}
	p, err := partOf(&art, at)
	if err == nil && task {
		err = p.addRecords(ctx, h)
	}
	return p, err
}

func noVersion(h *session.History) error {
	return &fault.Error{
		Code: session.NoVersion, Detail: h.Thread + " has no version yet",
		Hint: "`brenner session resume " + h.Thread + "` continues it",
	}
}

func partOf(art *artifact.Artifact, at session.Address) (*Part, error) {
	whole := art.JSON()
	p := &Part{Schema: "brenner.session.show/v1", Thread: at.Thread, Version: at.Version, SHA256: store.Hash(whole), Address: at.String()}
	if at.Item == "" {
		p.Artifact, p.Markdown = whole, art.Markdown()
		return p, nil
	}
	it, section, ok := art.Find(at.Item)
	if !ok {
		return nil, notFound(at, "no item "+at.Item, "items", itemsOf(art))
	}
	item, err := itemJSON(whole, section, it.ID)
	if err != nil {
		return nil, err
	}
	if at.Field == "" {
		p.Item, p.Markdown = item, itemMarkdown(art, it, section)
		return p, nil
	}
	if p.Value = valueAt(item, at.Field); p.Value == nil {
		var names []string
		for _, f := range it.Fields {
			names = append(names, f.Name)
		}
		return nil, notFound(at, it.ID+" has no field "+fault.Shown(at.Field), "fields", names)
	}
	p.Conflict = conflictIn(it, at.Field)
	return p, nil
}

func conflictIn(it *artifact.Item, field string) artifact.Conflict {
	v := it.Get(field)
	if name, key, ok := strings.Cut(field, "."); ok && v == nil {
		v, _ = it.Map(name).Get(key)
	}
	conflict, _ := v.(artifact.Conflict)
	return conflict
}

func notFound(address session.Address, detail, kind string, names []string) error {
	f := &fault.Error{Code: NotFound, Place: address.String(), Detail: detail, Hint: "there are no " + kind}
	if len(names) > 0 {
		f.Hint = kind + ": " + strings.Join(names, ", ")
	}
	return f
}

func itemsOf(art *artifact.Artifact) []string {
	var ids []string
	for _, items := range art.Sections {
		for _, it := range items {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

func itemJSON(whole []byte, section artifact.Section, id string) ([]byte, error) {
	var doc struct {
		Sections map[string]jsontext.Value `json:"sections"`
	}
	err := json.Unmarshal(whole, &doc)
	items := []jsontext.Value{doc.Sections[section.String()]}
	if err == nil && section != artifact.ResearchThread {
		err = json.Unmarshal(doc.Sections[section.String()], &items)
	}
	for _, item := range items {
		if err == nil && bytes.Equal(valueAt(item, "id"), artifact.Canonical(artifact.Text(id))) {
			return item, nil
		}
	}
	return nil, &fault.Error{Code: store.Damaged, Detail: "the artifact's JSON has no item " + id, Cause: err}
}

// valueAt returns a field of an object, or a key within one: "predictions.H2".
func valueAt(object []byte, path string) []byte {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	if v, ok := members[path]; ok {
		return v
	}
	name, rest, ok := strings.Cut(path, ".")
	if v, has := members[name]; ok && has {
		return valueAt(v, rest)
	}
	return nil
}

// itemMarkdown returns the Markdown of one item; for a prediction, its row with the table's head.
func itemMarkdown(art *artifact.Artifact, it *artifact.Item, section artifact.Section) []byte {
	small := artifact.Artifact{Metadata: art.Metadata}
	if section == artifact.PredictionsTable {
		small.Sections[artifact.HypothesisSlate] = art.Items(artifact.HypothesisSlate)
	}
	small.Sections[section] = []*artifact.Item{it}
	text, places := small.MarkdownLines()
	lines := bytes.SplitAfter(text, []byte("\n"))
	from := places[it.ID] - 1
	if section == artifact.PredictionsTable {
		from = places[section.String()] // after the section's heading
	}
	to := from
	for to < len(lines) && !bytes.HasPrefix(lines[to], []byte("## ")) {
		to++
	}
	return append(bytes.TrimSpace(bytes.Join(lines[from:to], nil)), '\n')
}
