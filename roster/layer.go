package roster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
)

// Level is the rank of a layer. Smaller levels win.
type Level int

// The levels, highest first. Callers pass the first four; the others are Resolve's own.
const (
	Flags Level = iota + 1
	Environment
	SessionConfig
	ProjectConfig
	FromPreset
	FromName // guessed from the agent's name, in heuristic mode
	Default
)

// String returns the level's name for display.
func (l Level) String() string {
	switch l {
	case Flags:
		return "flags"
	case Environment:
		return "environment"
	case SessionConfig:
		return "session config"
	case ProjectConfig:
		return "project config"
	case FromPreset:
		return "preset"
	case FromName:
		return "heuristic"
	case Default:
		return "default"
	default:
		return ""
	}
}

// Origin is where a value came from. The zero Origin belongs to a missing value.
type Origin struct {
	Level  Level
	Source string // within the level: "--roster", "BRENNER_ROSTER_JSON", "brenner.yaml"
}

// String returns "flags: --roster", or only the level if there is no source.
func (o Origin) String() string {
	if o.Source == "" {
		return o.Level.String()
	}
	return o.Level.String() + ": " + fault.Shown(o.Source)
}

// Layer is one source of the roster. All parts are optional, including the fields of its entries.
// Several layers may have the same level, such as --roster and --agent-role: the earlier one takes
// precedence, but two roles for one agent are an error.
type Layer struct {
	Origin     Origin
	Recipients []string // --to: the participants, regardless of the entries
	Entries    []Entry
	// Loose entries match names case-insensitively, and add no recipient if another source names
	// one: the variables BRENNER_ROSTER_AGENT_<NAME>.
	Loose bool
	// Override entries change agents that another source names: --agent-role. They name the
	// recipients only if no other source does; else an unknown name is an error.
	Override bool
	// Empty means that a roster without entries was given, which is an error except in heuristic
	// mode. It is false in a layer without a roster.
	Empty     bool
	Mode      Mode
	Name      string
	CreatedAt string
	Preset    string // the id of a preset
}

// LayerOf returns a layer of a complete roster.
func LayerOf(origin Origin, r Roster) Layer {
	return Layer{
		Origin: origin, Entries: r.Entries, Empty: len(r.Entries) == 0,
		Mode: r.Mode, Name: r.Name, CreatedAt: r.CreatedAt,
	}
}

// ReadLayer reads a roster in JSON as a layer. Its errors and warnings name the origin.
func ReadLayer(origin Origin, data []byte) (Layer, []Warning, error) {
	r, warnings, err := ReadJSON(data)
	for i := range warnings {
		warnings[i].Place = joinPlace(origin.String(), warnings[i].Place)
	}
	if err != nil {
		var located faults
		located.addAll(origin.String(), err)
		return Layer{}, warnings, located.err()
	}
	return LayerOf(origin, r), warnings, nil
}

func joinPlace(origin, place string) string {
	if place == "" {
		return origin
	}
	return origin + ": " + place
}

// addAll adds the errors of err, each prefixed with the origin.
func (f *faults) addAll(origin string, err error) {
	for _, one := range fault.All(err) {
		located := *one
		located.Place = joinPlace(origin, one.Place)
		*f = append(*f, &located)
	}
}

// The environment variables of the roster.
const (
	EnvRoster      = "BRENNER_ROSTER" // as --roster: JSON, or a file
	EnvJSON        = "BRENNER_ROSTER_JSON"
	EnvFile        = "BRENNER_ROSTER_FILE"
	EnvPreset      = "BRENNER_ROSTER_PRESET"
	EnvMode        = "BRENNER_ROSTER_MODE"
	EnvName        = "BRENNER_ROSTER_NAME"
	EnvAgentPrefix = "BRENNER_ROSTER_AGENT_"
	envPrefix      = "BRENNER_ROSTER_"
)

// Environ is the roster part of the environment.
type Environ struct {
	Layers []Layer
	// File is the path in BRENNER_ROSTER_FILE or BRENNER_ROSTER, or empty. This package opens no file:
	// the caller reads it and appends ReadLayer(FileFrom, data) to Layers.
	File     string
	FileFrom Origin
}

// FromEnviron reads the roster's variables from os.Environ's form. The last of equal names counts,
// and an empty one counts as unset. Single variables (mode, name, agent) precede the JSON.
func FromEnviron(environ []string) (Environ, []Warning, error) {
	vars := Variables(environ, envPrefix, EnvRoster)
	var out Environ
	var warnings []Warning
	var found faults
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if slices.Contains(wholeRosters(), name) || !strings.HasPrefix(name, envPrefix) {
			continue
		}
		layer, ok := variableLayer(name, vars[name])
		switch {
		case !ok:
			warnings = append(warnings, unknownVariable(name))
		case name == EnvAgentPrefix:
			found.add(BadVariable, layer.Origin.String(), "write BRENNER_ROSTER_AGENT_BlueLake=test_designer", "the variable names no agent")
		default:
			out.Layers = append(out.Layers, layer)
		}
	}
	set := slices.DeleteFunc(wholeRosters(), func(name string) bool { return vars[name] == "" })
	if len(set) > 1 {
		found.add(BadVariable, Environment.String(), "unset all but one", "%s are set, and each is a complete roster", joinWords(set))
	}
	for _, name := range set {
		origin := Origin{Level: Environment, Source: name}
		if name == EnvFile || name == EnvRoster && !artifact.IsJSON([]byte(vars[name])) {
			out.File, out.FileFrom = vars[name], origin
			if name == EnvRoster {
				out.File = strings.TrimPrefix(out.File, "@")
			}
			continue
		}
		layer, more, err := ReadLayer(origin, []byte(vars[name]))
		warnings, found = append(warnings, more...), append(found, fault.All(err)...)
		out.Layers = append(out.Layers, layer)
	}
	if err := found.err(); err != nil {
		return Environ{}, warnings, err
	}
	return out, warnings, nil
}

// wholeRosters returns the variables that hold or name a complete roster.
func wholeRosters() []string { return []string{EnvJSON, EnvFile, EnvRoster} }

// variableLayer returns the layer of one variable, so that a field's origin names the variable.
func variableLayer(name, value string) (Layer, bool) {
	layer := Layer{Origin: Origin{Level: Environment, Source: name}}
	switch name {
	case EnvMode:
		layer.Mode = Mode(value)
	case EnvName:
		layer.Name = value
	case EnvPreset:
		layer.Preset = value
	default:
		agent, ok := strings.CutPrefix(name, EnvAgentPrefix)
		if !ok {
			return Layer{}, false
		}
		layer.Loose, layer.Entries = true, []Entry{{Agent: agent, Role: Role(value)}}
	}
	return layer, true
}

// Variables returns the variables that are set and begin with one of the prefixes. The last of
// equal names counts, and an empty one counts as unset.
func Variables(environ []string, prefixes ...string) map[string]string {
	vars := map[string]string{}
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if ok && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			vars[name] = value
		}
	}
	maps.DeleteFunc(vars, func(_, value string) bool { return value == "" })
	return vars
}

func unknownVariable(name string) Warning {
	known := append(wholeRosters(), EnvPreset, EnvMode, EnvName, EnvAgentPrefix+"<NAME>")
	return Warning{
		Code: UnknownVariable, Place: Environment.String(),
		Message: fmt.Sprintf("unknown environment variable %s ignored", fault.Shown(name)),
		Hint:    didYouMean(name, known) + "known variables: " + joinWords(known),
	}
}
