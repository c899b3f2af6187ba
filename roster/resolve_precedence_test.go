package roster

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// levels returns the levels of callers, highest first, and the preset below them.
func levels() []Level { return []Level{Flags, Environment, SessionConfig, ProjectConfig, FromPreset} }

// fields returns the fields that layers fill in: how to set one, and how to read it and its
// origin from the result.
func fields() map[string]struct {
	set func(*Layer, *Entry, string)
	get func(Resolution) (string, Origin)
} {
	type field = struct {
		set func(*Layer, *Entry, string)
		get func(Resolution) (string, Origin)
	}
	return map[string]field{
		"role": {
			func(_ *Layer, e *Entry, v string) { e.Role = Role(v) },
			func(r Resolution) (string, Origin) { return string(r.Roster.Entries[0].Role), r.Origins[0].Role },
		},
		"program": {
			func(_ *Layer, e *Entry, v string) { e.Program = v },
			func(r Resolution) (string, Origin) { return r.Roster.Entries[0].Program, r.Origins[0].Program },
		},
		"model": {
			func(_ *Layer, e *Entry, v string) { e.Model = v },
			func(r Resolution) (string, Origin) { return r.Roster.Entries[0].Model, r.Origins[0].Model },
		},
		"notes": {
			func(_ *Layer, e *Entry, v string) { e.Notes = v },
			func(r Resolution) (string, Origin) { return r.Roster.Entries[0].Notes, r.Origins[0].Notes },
		},
		"mode": {
			func(l *Layer, _ *Entry, v string) { l.Mode = Mode(v) },
			func(r Resolution) (string, Origin) { return string(r.Roster.Mode), r.Mode },
		},
		"name": {
			func(l *Layer, _ *Entry, v string) { l.Name = v },
			func(r Resolution) (string, Origin) { return r.Roster.Name, r.Name },
		},
		"createdAt": {
			func(l *Layer, _ *Entry, v string) { l.CreatedAt = v },
			func(r Resolution) (string, Origin) { return r.Roster.CreatedAt, r.CreatedAt },
		},
	}
}

// values returns two different valid values of a field.
func values(field string) (high, low string) {
	switch field {
	case "role":
		return string(AdversarialCritic), string(TestDesigner)
	case "mode":
		return string(Unified), string(RoleSeparated)
	}
	return "high", "low"
}

// inputWith returns layers of all levels about agent A, each with its own role, after set
// has changed them.
func inputWith(set func(Level, *Layer, *Entry)) Input {
	in := Input{}
	for _, level := range levels() {
		layer := Layer{Origin: Origin{Level: level, Source: level.String()}}
		entry := Entry{Agent: "A"}
		set(level, &layer, &entry)
		if level == FromPreset {
			entry.Agent = ""
			in.Presets = []Preset{{ID: "p", Name: layer.Name, Entries: []Entry{entry}}}
			continue
		}
		layer.Entries = []Entry{entry}
		in.Layers = append(in.Layers, layer)
	}
	in.Layers[3].Preset = "p"
	slices.Reverse(in.Layers) // Resolve sorts the levels
	return in
}

func TestPrecedenceByField(t *testing.T) {
	for name, f := range fields() {
		for i, high := range levels() {
			for _, low := range levels()[i+1:] {
				if low == FromPreset && (name == "mode" || name == "createdAt") {
					continue // a preset has neither
				}
				t.Run(name+": "+high.String()+" over "+low.String(), func(t *testing.T) {
					highValue, lowValue := values(name)
					in := inputWith(func(l Level, layer *Layer, e *Entry) {
						if name != "role" && l == Flags {
							e.Role = HypothesisGenerator
						}
						switch l {
						case high:
							f.set(layer, e, highValue)
						case low:
							f.set(layer, e, lowValue)
						}
					})
					got, err := Resolve(in)
					if err != nil {
						t.Fatal(err)
					}
					if value, origin := f.get(got); value != highValue || origin.Level != high {
						t.Errorf("got %s from %s", value, origin)
					}
				})
			}
		}
	}
}

func TestLowerLayersFillMissingFields(t *testing.T) {
	for name, f := range fields() {
		for _, level := range levels() {
			if level == FromPreset && (name == "mode" || name == "createdAt") {
				continue
			}
			t.Run(name+" from "+level.String(), func(t *testing.T) {
				value, _ := values(name)
				in := inputWith(func(l Level, layer *Layer, e *Entry) {
					if name != "role" && l == Flags {
						e.Role = HypothesisGenerator
					}
					if l == level {
						f.set(layer, e, value)
					}
				})
				got, err := Resolve(in)
				if err != nil {
					t.Fatal(err)
				}
				if filled, origin := f.get(got); filled != value || origin.Level != level {
					t.Errorf("got %s from %s", filled, origin)
				}
				if agent := got.Origins[0].Agent; agent.Level != Flags {
					t.Errorf("got the agent from %s", agent)
				}
			})
		}
	}
}

func TestRecipientsFromHighestLayer(t *testing.T) {
	for i, high := range levels()[:4] {
		for _, low := range levels()[i+1 : 4] {
			t.Run(high.String()+" over "+low.String(), func(t *testing.T) {
				got, err := Resolve(Input{Layers: []Layer{
					{Origin: Origin{Level: low}, Entries: []Entry{{Agent: "Low", Role: TestDesigner}, {Agent: "High", Program: "p"}}},
					{Origin: Origin{Level: high}, Entries: []Entry{{Agent: "High", Role: TestDesigner}}},
				}})
				if err != nil {
					t.Fatal(err)
				}
				want := []Entry{{Agent: "High", Role: TestDesigner, Program: "p"}}
				if diff := cmp.Diff(want, got.Roster.Entries); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff([]Unused{{Agent: "Low", Origin: Origin{Level: low}}}, got.Unused); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestPresetFromHighestLayer(t *testing.T) {
	presets := []Preset{
		{ID: "high", Entries: []Entry{{Role: TestDesigner}}, PlaceholderNames: []string{"H"}},
		{ID: "low", Entries: []Entry{{Role: TestDesigner}}, PlaceholderNames: []string{"L"}},
	}
	for i, high := range levels()[:4] {
		for _, low := range levels()[i+1 : 4] {
			got, err := Resolve(Input{Presets: presets, DefaultPreset: "low", Layers: []Layer{
				{Origin: Origin{Level: low}, Preset: "low"}, {Origin: Origin{Level: high}, Preset: "high"},
			}})
			if err != nil || got.Preset != "high" || got.Roster.Entries[0].Agent != "H" || len(got.Warnings) > 0 {
				t.Errorf("%s over %s: got %+v, %v", high, low, got, err)
			}
		}
	}
}
