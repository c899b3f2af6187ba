package roster

import (
	"fmt"
	"slices"
	"strconv"

	"brenner/artifact"
	"brenner/internal/fault"
)

// Preset is a roster saved without its agents: entries that are assigned to agents in order.
type Preset struct {
	ID          string
	Name        string
	Description string
	Entries     []Entry // Agent is empty in each
	// PlaceholderNames are used if no recipient is named.
	PlaceholderNames []string
}

// BuiltIn returns the built-in presets.
func BuiltIn() []Preset {
	generator := Entry{Role: HypothesisGenerator, Program: "codex-cli", Model: "GPT-5.2"}
	designer := Entry{Role: TestDesigner, Program: "claude-code", Model: "Opus 4.5"}
	critic := Entry{Role: AdversarialCritic, Program: "gemini-cli", Model: "Gemini 3"}
	return []Preset{
		{
			ID: "default-3-agent", Name: "Default 3-Agent Setup",
			Description:      "Standard Brenner Protocol with Codex/Opus/Gemini",
			Entries:          []Entry{generator, designer, critic},
			PlaceholderNames: []string{"BlueLake", "PurpleMountain", "GreenValley"},
		},
		{
			ID: "hypothesis-critique", Name: "Hypothesis and Critique",
			Description:      "One agent proposes, one attacks; no test designer. For a first look at a question",
			Entries:          []Entry{generator, critic},
			PlaceholderNames: []string{"BlueLake", "GreenValley"},
		},
	}
}

// names returns the placeholder names. A preset without any has one for each entry: those of the
// built-in preset, then further ones.
func (p Preset) names() []string {
	if len(p.PlaceholderNames) > 0 {
		return p.PlaceholderNames
	}
	usual := []string{"BlueLake", "PurpleMountain", "GreenValley", "RedSky", "WhiteRiver", "SilverForest"}
	names := make([]string, len(p.Entries))
	for i := range names {
		names[i] = usual[i%len(usual)]
		if turn := i / len(usual); turn > 0 {
			names[i] += strconv.Itoa(turn + 1)
		}
	}
	return names
}

// AllPresets returns the project's presets, then the built-in ones that it does not redefine.
func AllPresets(project []Preset) []Preset {
	all := slices.Clone(project)
	for _, p := range BuiltIn() {
		if !slices.ContainsFunc(project, func(own Preset) bool { return own.ID == p.ID }) {
			all = append(all, p)
		}
	}
	return all
}

// FindPreset returns the preset with the given id.
func FindPreset(all []Preset, id string) (Preset, error) {
	ids := make([]string, len(all))
	for i, p := range all {
		if ids[i] = p.ID; p.ID == id {
			return p, nil
		}
	}
	hint := "there are no presets"
	if len(ids) > 0 {
		hint = didYouMean(id, ids) + "known presets: " + joinWords(ids)
	}
	return Preset{}, &fault.Error{Code: UnknownPreset, Detail: "Unknown roster preset: " + fault.Shown(id), Hint: hint}
}

// ValidatePresets checks user-defined presets: unique ids that are not blank, entries with
// canonical roles and no agents, and unique placeholder names, not blank and no more than entries.
func ValidatePresets(presets []Preset) error {
	var found faults
	seen := map[string]bool{}
	for i, p := range presets {
		place := "preset " + fault.Shown(p.ID)
		if blank(p.ID) {
			place = fmt.Sprintf("preset %d", i+1)
			found.add(BadPreset, place, "add an id, for --preset", "the preset has no id")
		} else if seen[p.ID] {
			found.add(BadPreset, place, "give each preset a unique id", "duplicate id")
		}
		seen[p.ID] = true
		found.checkPreset(place, p)
	}
	return found.err()
}

func (f *faults) checkPreset(place string, p Preset) {
	if blank(p.Name) {
		f.add(BadPreset, place, "add a name: every kickoff shows it", "the preset has no name")
	}
	if len(p.Entries) == 0 {
		f.add(BadPreset, place, "add at least one entry with a role", "the preset has no entries")
	}
	for i, e := range p.Entries {
		if e.Agent != "" {
			f.add(BadPreset, place, "put names into placeholderNames", "entry %d names the agent %s", i+1, fault.Shown(e.Agent))
		}
		if !e.Role.Valid() {
			f.invalidRole(place, fmt.Sprintf("entry %d", i+1), e.Role)
		}
	}
	if extra := len(p.PlaceholderNames) - len(p.Entries); extra > 0 {
		f.add(BadPreset, place, "add an entry for each placeholder name", "%d placeholder names have no entry", extra)
	}
	f.checkAgents(place, p.PlaceholderNames)
}

// Value returns the preset in the specification's JSON.
func (p Preset) Value() artifact.Value {
	entries := make(artifact.List, len(p.Entries))
	for i, e := range p.Entries {
		entries[i] = e.Value()
	}
	m := []artifact.Entry{
		{Key: "id", Value: artifact.Text(p.ID)},
		{Key: "name", Value: artifact.Text(p.Name)},
		{Key: "entries", Value: entries},
	}
	m = addText(m, "description", p.Description)
	if len(p.PlaceholderNames) > 0 {
		names := make(artifact.List, len(p.PlaceholderNames))
		for i, n := range p.PlaceholderNames {
			names[i] = artifact.Text(n)
		}
		m = append(m, artifact.Entry{Key: "placeholderNames", Value: names})
	}
	return artifact.MapOf(m...)
}
