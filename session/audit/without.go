package audit

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/merge"
	"brenner/session"
)

// Counterfactual is an artifact without one contributor, and its differences.
type Counterfactual struct {
	Schema     string         `json:"schema"`
	Thread     string         `json:"thread_id"`
	Without    string         `json:"without"`
	Version    int            `json:"version"`
	WasVersion int            `json:"was_version"`
	Gone       []GoneItem     `json:"gone"`
	Renamed    []RenamedItem  `json:"renamed"`
	Changed    []ChangedField `json:"changed"`
	Rejected   []Rejection    `json:"rejected"` // deltas of others that are no longer applied
	Artifact   jsontext.Value `json:"artifact"`
	// After is the artifact itself.
	After artifact.Artifact `json:"-"`
}

// GoneItem is an item that would not exist.
type GoneItem struct {
	ID    string `json:"id"` // originally
	Title string `json:"title"`
}

// RenamedItem is an item that would have another id.
type RenamedItem struct {
	Was string `json:"was"`
	Now string `json:"now"`
}

// ChangedField is a field that would have another value.
type ChangedField struct {
	Item string `json:"item"` // in After
	Was  string `json:"was"`  // its original id
	FieldDiff
	// Section is the section of the item.
	Section artifact.Section `json:"-"`
}

// Without returns the result of a session without an agent or a person.
func Without(ctx context.Context, h *session.History, name string) (*Counterfactual, error) {
	was, now, err := h.Without(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(now) == 0 {
		return nil, noVersion(h)
	}
	before, after := &was[len(was)-1].Settlement.Artifact, now[len(now)-1].Settlement.Artifact
	w := &Counterfactual{
		Schema: "brenner.session.without/v1", Thread: h.Thread, Without: name, Version: after.Metadata.Version, WasVersion: before.Metadata.Version,
		Artifact: jsontext.Value(after.JSON()), After: after,
	}
	w.compare(before)
	w.addRejected(was, now)
	return w, nil
}

// compare finds the items that are missing, renamed or changed. Items are the same if the same
// delta created them.
func (w *Counterfactual) compare(before *artifact.Artifact) {
	w.Gone, w.Renamed, w.Changed, w.Rejected = []GoneItem{}, []RenamedItem{}, []ChangedField{}, []Rejection{}
	made := make(map[string]*artifact.Item)
	for _, items := range w.After.Sections {
		for _, it := range items {
			made[creator(it)] = it
		}
	}
	ids := make(map[string]string)
	for _, items := range before.Sections {
		for _, it := range items {
			if now := made[creator(it)]; now != nil {
				ids[it.ID] = now.ID
			}
		}
	}
	for s, items := range before.Sections {
		for _, it := range items {
			now := made[creator(it)]
			if now == nil {
				w.Gone = append(w.Gone, GoneItem{it.ID, titleOf(it, artifact.Section(s))})
				continue
			}
			if now.ID != it.ID {
				w.Renamed = append(w.Renamed, RenamedItem{it.ID, now.ID})
			}
			for _, d := range compareFields(it, now, ids) {
				w.Changed = append(w.Changed, ChangedField{now.ID, it.ID, d, artifact.Section(s)})
			}
		}
	}
}

// creator returns the delta that created an item, or an id for those that exist from the start,
// such as the research thread.
func creator(it *artifact.Item) string {
	if it.Created == nil || it.ID == artifact.ThreadID {
		return "#" + it.ID
	}
	return it.Created.Delta
}

func titleOf(it *artifact.Item, s artifact.Section) string {
	for _, name := range []string{"name", "claim", "statement", "condition"} {
		if t := it.Text(name); t != "" {
			return t
		}
	}
	for _, f := range s.Spec().Fields {
		if t := it.Text(f.Name); t != "" {
			return t
		}
	}
	return ""
}

// killOf returns who killed an item and why, or false.
func killOf(it *artifact.Item) artifact.Value {
	if it == nil || it.Kill == nil {
		return artifact.Bool(false)
	}
	return artifact.Text(it.Kill.By + ": " + it.Kill.Reason)
}

func canonicalOrNull(v artifact.Value) jsontext.Value {
	if v == nil {
		v = artifact.Null{}
	}
	return jsontext.Value(artifact.Canonical(v))
}

func renamed(v artifact.Value, ids map[string]string) artifact.Value {
	name := func(id string) string {
		if now, ok := ids[id]; ok {
			return now
		}
		return id
	}
	switch v := v.(type) {
	case artifact.Text:
		return artifact.Text(name(string(v)))
	case artifact.List:
		out := make(artifact.List, len(v))
		for i := range v {
			out[i] = renamed(v[i], ids)
		}
		return out
	case artifact.Map:
		entries := make([]artifact.Entry, len(v))
		for i, e := range v {
			entries[i] = artifact.Entry{Key: name(e.Key), Value: renamed(e.Value, ids)}
		}
		return artifact.MapOf(entries...)
	}
	return v
}

func (w *Counterfactual) addRejected(was, now []session.ReplayedCommit) {
	rejected := make(map[string]bool)
	for i := range was {
		for _, row := range was[i].Settlement.Report.Deltas {
			rejected[row.DeltaID] = row.Disposition == merge.Rejected
		}
	}
	for i := range now {
		for _, row := range now[i].Settlement.Report.Deltas {
			if row.Disposition == merge.Rejected && !rejected[row.DeltaID] && row.Agent != w.Without {
				w.Rejected = append(w.Rejected, Rejection{
					now[i].Settlement.Artifact.Metadata.Version, row.Agent, row.DeltaID, row.TargetID, row.Code, row.Message, "", Written{},
				})
			}
		}
	}
}
