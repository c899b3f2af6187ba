package lint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"brenner/artifact"
)

// The syntax of testdata/rules.txt is described in that file.

// scenario is one line of the file.
type scenario struct {
	rule    string // the block it is in
	line    int
	text    string
	changes []string
	want    []string // "EH-004:H2", sorted
}

func readScenarios(t testing.TB) []scenario {
	t.Helper()
	data, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []scenario
	rule := ""
	for i, line := range strings.Split(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			rule = name
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		changes, want, ok := strings.Cut(line, " => ")
		if !ok || rule == "" {
			t.Fatalf("rules.txt:%d: not a scenario: %s", i+1, line)
		}
		sc := scenario{rule: rule, line: i + 1, text: line, changes: strings.Split(changes, " & ")}
		if want != "none" {
			sc.want = strings.Fields(want)
			slices.Sort(sc.want)
		}
		all = append(all, sc)
	}
	return all
}

// draft is an artifact's JSON that can be changed.
type draft struct {
	t        testing.TB
	root     map[string]any
	problems []artifact.Problem
}

func newDraft(t testing.TB) *draft {
	t.Helper()
	data, err := os.ReadFile("testdata/base.json")
	if err != nil {
		t.Fatal(err)
	}
	d := &draft{t: t}
	if err := json.Unmarshal(data, &d.root); err != nil {
		t.Fatal(err)
	}
	return d
}

// document makes the change and reads the result as a file would be read.
func (sc *scenario) document(t testing.TB) artifact.Document {
	t.Helper()
	d := newDraft(t)
	for _, change := range sc.changes {
		if err := d.change(change); err != nil {
			t.Fatalf("rules.txt:%d: %s: %v", sc.line, change, err)
		}
	}
	data, err := json.Marshal(d.root)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := artifact.Read(data)
	if err != nil {
		t.Fatalf("rules.txt:%d: %v", sc.line, err)
	}
	doc.Problems = append(doc.Problems, d.problems...)
	return doc
}

func (d *draft) change(text string) error {
	first, rest, _ := strings.Cut(text, " ")
	switch first {
	case "add":
		prefix, item, _ := strings.Cut(rest, " ")
		return d.add(prefix, item)
	case "empty":
		d.sections()[rest] = []any{}
		return nil
	case "drop":
		delete(d.sections(), rest)
		return nil
	case "problem":
		kind, item, _ := strings.Cut(strings.TrimPrefix(rest, `"`), `" `)
		d.problems = append(d.problems, artifact.Problem{Kind: artifact.ProblemKind(kind), Item: item, Message: kind})
		return nil
	}
	verb, value, _ := strings.Cut(rest, " ")
	switch verb {
	case "kill", "remove":
		return d.kill(first, verb, value)
	}
	path := strings.Split(first, ".")
	in, err := d.at(path[:len(path)-1])
	if err != nil {
		return err
	}
	return set(in, path[len(path)-1], verb, value)
}

func set(in map[string]any, key, verb, value string) error {
	switch verb {
	case "-":
		if _, ok := in[key]; !ok {
			return fmt.Errorf("no %s to remove", key)
		}
		delete(in, key)
	case "conflict":
		in[key] = map[string]any{"$conflict": []any{
			map[string]any{"agent": "BlueLake", "delta_id": "d-1", "value": "one"},
			map[string]any{"agent": "RedCreek", "delta_id": "d-2", "value": "another"},
		}}
	case "=":
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			return err
		}
		in[key] = v
	default:
		return fmt.Errorf("unknown verb %q", verb)
	}
	return nil
}

func (d *draft) sections() map[string]any { return object(d.root["sections"]) }

// object returns v as a JSON object, or nil.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// find returns an item, its section and its index there.
func (d *draft) find(id string) (item map[string]any, section string, at int) {
	if id == artifact.ThreadID {
		return object(d.sections()["research_thread"]), "research_thread", 0
	}
	for _, s := range artifact.Sections()[1:] {
		items, _ := d.sections()[s.String()].([]any)
		for i, v := range items {
			if item := object(v); item["id"] == id {
				return item, s.String(), i
			}
		}
	}
	return nil, "", 0
}

func (d *draft) at(path []string) (map[string]any, error) {
	var in map[string]any
	if path[0] == "metadata" {
		in = object(d.root["metadata"])
	} else if in, _, _ = d.find(path[0]); in == nil {
		return nil, fmt.Errorf("no %s", path[0])
	}
	for _, key := range path[1:] {
		if in = object(in[key]); in == nil {
			return nil, fmt.Errorf("no %s", key)
		}
	}
	return in, nil
}

func (d *draft) add(prefix, text string) error {
	var item map[string]any
	if err := json.Unmarshal([]byte(text), &item); err != nil {
		return err
	}
	for _, s := range artifact.Sections() {
		if s.Spec().Prefix == prefix {
			items, _ := d.sections()[s.String()].([]any)
			d.sections()[s.String()] = append(items, item)
			return nil
		}
	}
	return fmt.Errorf("no section has the prefix %s", prefix)
}

func (d *draft) kill(id, verb, reason string) error {
	item, section, at := d.find(id)
	if item == nil {
		return fmt.Errorf("no %s", id)
	}
	if verb == "remove" {
		items, _ := d.sections()[section].([]any)
		d.sections()[section] = slices.Delete(items, at, at+1)
		return nil
	}
	item["killed"], item["killed_by"], item["killed_at"] = true, "RedCreek", "2025-12-30T12:10:00Z"
	if reason != "" {
		item["kill_reason"] = strings.Trim(reason, `"`)
	}
	return nil
}
