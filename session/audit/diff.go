package audit

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/session"
	"brenner/store"
)

// Diff is the difference between two artifacts: versions of a session, or of two sessions.
type Diff struct {
	Schema string     `json:"schema"`
	From   DiffSide   `json:"from"`
	To     DiffSide   `json:"to"`
	New    int        `json:"new"`
	Gone   int        `json:"gone"`
	Edited int        `json:"changed"`
	Same   int        `json:"same"`
	Items  []ItemDiff `json:"items"` // those that differ, by section
}

// DiffSide is one of the artifacts of a difference.
type DiffSide struct {
	Thread  string `json:"thread_id"`
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
}

// String returns the address of the artifact.
func (s DiffSide) String() string {
	return session.Address{Thread: s.Thread, Version: s.Version}.String()
}

// States of an item in a difference.
const (
	ItemNew     = "new"
	ItemGone    = "gone"
	ItemChanged = "changed"
)

// ItemDiff is an item that differs.
type ItemDiff struct {
	State   string      `json:"state"`
	Section string      `json:"section"`
	From    string      `json:"from"`  // its id; empty if it is new
	To      string      `json:"to"`    // empty if it is gone
	Match   string      `json:"match"` // what makes it the same item: "id" or "text"; else empty
	Title   string      `json:"title"`
	Fields  []FieldDiff `json:"fields"`
}

// Names returns its id, or both if it has two.
func (i *ItemDiff) Names() string {
	switch {
	case i.To == "":
		return i.From
	case i.From == "" || i.From == i.To:
		return i.To
	}
	return i.From + " → " + i.To
}

// FieldDiff is a field that differs. From and To are null where it is absent.
type FieldDiff struct {
	Field string         `json:"field"`
	From  jsontext.Value `json:"from"`
	To    jsontext.Value `json:"to"`
	// Was and Now are the values themselves; nil if absent.
	Was artifact.Value `json:"-"`
	Now artifact.Value `json:"-"`
}

// Side is a session and a version of it; 0 is the newest.
type Side struct {
	*session.History
	Version int
}

// Compare returns the difference between two artifacts. Versions of one session have the same item
// under the same id. Items of two sessions are the same if they have the same text, or else the same
// id. Without versions, the newest of one History is compared with the one before it.
func Compare(ctx context.Context, from, to Side) (*Diff, error) {
	if to.Version == 0 {
		to.Version = to.State.Version()
	}
	switch {
	case from.Version > 0:
	case from.History == to.History:
		from.Version = max(to.Version-1, min(to.Version, 1))
	default:
		from.Version = from.State.Version()
	}
	d := &Diff{Schema: "brenner.session.diff/v1", Items: []ItemDiff{}}
	var sides [2]artifact.Artifact
	for i, s := range []struct {
		Side
		out *DiffSide
	}{{to, &d.To}, {from, &d.From}} { // in this order: a missing version of from may follow from to
		if s.Version == 0 {
			return nil, noVersion(s.History)
		}
		art, err := s.Artifact(ctx, s.Version)
		if err != nil {
			return nil, err
		}
		sides[i], *s.out = art, DiffSide{s.Thread, s.Version, store.Hash(art.JSON())}
	}
	d.compare(&sides[1], &sides[0], matchItems(&sides[1], &sides[0], from.Thread == to.Thread))
	return d, nil
}

// matchItems returns the later item of each earlier one that has one.
func matchItems(from, to *artifact.Artifact, one bool) map[*artifact.Item]*artifact.Item {
	match, used := make(map[*artifact.Item]*artifact.Item), make(map[*artifact.Item]bool)
	join := func(key func(*artifact.Item, artifact.Section) string) {
		for _, section := range artifact.Sections() {
			found := make(map[string][]*artifact.Item)
			for _, now := range to.Items(section) {
				if k := key(now, section); k != "" && !used[now] {
					found[k] = append(found[k], now)
				}
			}
			for _, was := range from.Items(section) {
				k := key(was, section)
				if rest := found[k]; match[was] == nil && len(rest) > 0 {
					match[was], used[rest[0]], found[k] = rest[0], true, rest[1:]
				}
			}
		}
	}
	byID := func(it *artifact.Item, _ artifact.Section) string { return it.ID }
	if !one {
		join(func(it *artifact.Item, s artifact.Section) string { return it.ID + " " + plainTitle(it, s) })
		join(plainTitle)
	}
	join(byID)
	if one {
		join(plainTitle)
	}
	return match
}

// plainTitle returns an item's title without differences of case and spaces.
func plainTitle(it *artifact.Item, s artifact.Section) string {
	return strings.ToLower(strings.Join(strings.Fields(titleOf(it, s)), " "))
}

func (d *Diff) compare(from, to *artifact.Artifact, match map[*artifact.Item]*artifact.Item) {
	ids, matched := make(map[string]string), make(map[*artifact.Item]*artifact.Item)
	for was, now := range match {
		ids[was.ID], matched[now] = now.ID, was
	}
	for _, section := range artifact.Sections() {
		name := section.String()
		for _, now := range to.Items(section) {
			was := matched[now]
			item := ItemDiff{State: ItemNew, Section: name, To: now.ID, Title: titleOf(now, section)}
			if was != nil {
				item.State, item.From, item.Match = ItemChanged, was.ID, "text"
				if was.ID == now.ID {
					item.Match = "id"
				}
			}
			item.Fields = compareFields(was, now, ids)
			d.add(item)
		}
		for _, was := range from.Items(section) {
			if match[was] == nil {
				d.add(ItemDiff{State: ItemGone, Section: name, From: was.ID, Title: titleOf(was, section), Fields: compareFields(was, nil, ids)})
			}
		}
	}
}

func (d *Diff) add(item ItemDiff) {
	switch {
	case item.State == ItemNew:
		d.New++
	case item.State == ItemGone:
		d.Gone++
	case len(item.Fields) == 0:
		d.Same++
		return
	default:
		d.Edited++
	}
	d.Items = append(d.Items, item)
}

// compareFields returns the fields of an item that differ; a nil item has none. ids renames the ids
// of earlier items.
func compareFields(was, now *artifact.Item, ids map[string]string) []FieldDiff {
	var names []string
	for _, it := range []*artifact.Item{was, now} {
		if it == nil {
			continue
		}
		for _, f := range it.Fields {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	all := []FieldDiff{}
	add := func(name string, from, to artifact.Value) {
		d := FieldDiff{name, canonicalOrNull(renamed(from, ids)), canonicalOrNull(to), from, to}
		if !bytes.Equal(d.From, d.To) {
			all = append(all, d)
		}
	}
	for _, name := range names {
		add(name, fieldOf(was, name), fieldOf(now, name))
	}
	add("killed", killOf(was), killOf(now))
	return all
}

func fieldOf(it *artifact.Item, name string) artifact.Value {
	if it == nil {
		return nil
	}
	return it.Get(name)
}

// ValueWords returns a value of a field as text for people: lists and maps have one line per element,
// and a conflict one per candidate.
func ValueWords(v artifact.Value) string {
	var lines []string
	switch v := v.(type) {
	case artifact.Bool:
		if v {
			return "yes"
		}
		return "no"
	case artifact.List:
		for _, e := range v {
			lines = append(lines, "- "+ValueWords(e))
		}
	case artifact.Map:
		for _, e := range v {
			lines = append(lines, e.Key+": "+ValueWords(e.Value))
		}
	case artifact.Conflict:
		lines = append(lines, "in conflict:")
		for _, c := range v {
			lines = append(lines, c.Agent+": "+ValueWords(c.Value))
		}
	default:
		return session.PlainText(v)
	}
	if len(lines) == 0 {
		return "(empty)"
	}
	return strings.Join(lines, "\n")
}
