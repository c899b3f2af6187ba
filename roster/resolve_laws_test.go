package roster

import (
	"slices"
	"testing"

	"brenner/internal/fault"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// anyLayers draws at most one valid layer per level, about a few agents.
func anyLayers(t *rapid.T) []Layer {
	word := rapid.SampledFrom([]string{"", "", "x", "y", "z"})
	role := rapid.SampledFrom(append(AllRoles(), ""))
	var layers []Layer
	for _, level := range levels()[:4] {
		agents := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "B", "GreenValley", "a"}), 0, 3, rapid.ID).Draw(t, level.String())
		l := Layer{
			Origin: Origin{Level: level, Source: level.String()},
			Mode:   rapid.SampledFrom([]Mode{"", RoleSeparated, Unified}).Draw(t, "mode"),
			Name:   word.Draw(t, "name"),
			Preset: rapid.SampledFrom([]string{"", "", "default-3-agent", "hypothesis-critique"}).Draw(t, "preset"),
		}
		for _, a := range agents {
			l.Entries = append(l.Entries, Entry{
				Agent: a, Role: role.Draw(t, "role"), Program: word.Draw(t, "program"),
				Model: word.Draw(t, "model"), Notes: word.Draw(t, "notes"),
			})
		}
		if level == Flags {
			l.Recipients = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "B", "GreenValley", "D"}), 0, 4, rapid.ID).Draw(t, "to")
		}
		layers = append(layers, l)
	}
	return layers
}

// expected is an independent, slow implementation of Resolve: the recipients, and for each
// field the first layer that sets it.
func expected(layers []Layer) (out Roster, origins []EntryOrigin) {
	var names []string
	var preset Preset
	for _, l := range layers {
		if len(names) == 0 {
			names = l.Recipients
		}
		if len(names) == 0 {
			names = Roster{Entries: l.Entries}.Agents()
		}
		if preset.ID == "" && l.Preset != "" {
			preset, _ = FindPreset(BuiltIn(), l.Preset)
		}
	}
	if len(names) == 0 {
		names = preset.PlaceholderNames
	}
	var free []Entry // of the preset, that no name has
	for i, e := range preset.Entries {
		if !slices.Contains(names, preset.PlaceholderNames[i]) {
			free = append(free, e)
		}
	}
	for _, name := range names {
		e, o := Entry{Agent: name}, EntryOrigin{}
		for _, l := range layers {
			said, _ := Roster{Entries: l.Entries}.Find(name)
			o.take(&e, said, l.Origin)
		}
		if i := slices.Index(preset.PlaceholderNames, name); i >= 0 {
			o.take(&e, preset.Entries[i], presetOrigin(preset))
		} else if len(free) > 0 {
			o.take(&e, free[0], presetOrigin(preset))
			free = free[1:]
		}
		out.Entries, origins = append(out.Entries, e), append(origins, o)
	}
	return out, origins
}

func TestResolveMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layers := anyLayers(t)
		want, origins := expected(layers)
		got, err := Resolve(Input{Layers: layers})
		if err != nil {
			whole := len(want.Entries) > 0 && !slices.ContainsFunc(want.Entries, func(e Entry) bool { return e.Role == "" })
			if whole && fault.All(err)[0].Code != TooManyAgents {
				t.Fatalf("%v: got error %v", want, err)
			}
			return
		}
		if diff := cmp.Diff(want.Entries, got.Roster.Entries); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(origins, got.Origins, cmpopts.IgnoreFields(EntryOrigin{}, "Agent")); diff != "" {
			t.Error(diff)
		}
		if err := got.Roster.Validate(); err != nil {
			t.Error(err)
		}
	})
}

func TestResolveIgnoresOrderAndKeepsInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layers := anyLayers(t)
		layers = append(layers, variable("a", TestDesigner))
		before := cloneLayers(layers)
		in := Input{Layers: layers, DefaultPreset: "default-3-agent"}
		got, err := Resolve(in)
		if diff := cmp.Diff(before, layers); diff != "" {
			t.Error("the layers changed", diff)
		}
		in.Layers = []Layer{layers[3], layers[1], layers[4], layers[0], layers[2]}
		again, err2 := Resolve(in)
		if (err == nil) != (err2 == nil) {
			t.Fatal(err, err2)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Error(diff)
		}
	})
}

func cloneLayers(layers []Layer) []Layer {
	clone := slices.Clone(layers)
	for i := range clone {
		clone[i].Entries = slices.Clone(clone[i].Entries)
		clone[i].Recipients = slices.Clone(clone[i].Recipients)
	}
	return clone
}

func TestLowerLayersAddNoRecipient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layers := anyLayers(t)
		layers[0].Recipients = []string{"A"}
		layers[0].Entries = []Entry{{Agent: "A", Role: TestDesigner}}
		got, err := Resolve(Input{Layers: layers, DefaultPreset: "default-3-agent"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"A"}, got.Roster.Agents()); diff != "" {
			t.Error(diff)
		}
	})
}
