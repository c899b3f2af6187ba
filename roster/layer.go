package roster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// Level is the rank of a layer; a smaller one beats a larger one.
type Level int

// The levels from highest to lowest. Callers give layers of the first four; the
// others are where Resolve itself takes a value from.
const (
	Flags Level = iota + 1
	Environment
	SessionConfig
	ProjectConfig
	FromPreset
	FromName // guessed from the agent's name, in heuristic mode
	Default
)

// String gives the level's name for people.
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

// Origin says where a value came from. The zero Origin is that of a value that
// nobody gave.
type Origin struct {
	Level  Level
	Source string // within the level: "--roster", "BRENNER_ROSTER_JSON", "brenner.yaml"
}

// String gives "flags: --roster", or only the level where there is no source.
func (o Origin) String() string {
	if o.Source == "" {
		return o.Level.String()
	}
	return o.Level.String() + ": " + fault.Shown(o.Source)
}

// Layer is what one source says about the roster. Everything in it is optional,
// also the fields of its entries. Several layers may have one level (--roster
// and --agent-role, say): they are peers, of which the earlier one is asked
// first, but two roles for one agent are an error.
type Layer struct {
	Origin     Origin
	Recipients []string // --to: who takes part, whatever the entries are
	Entries    []Entry
	// Loose entries are found by name without case, and name no recipient while
	// anything else does: the variables BRENNER_ROSTER_AGENT_<NAME>.
	Loose bool
	// Empty says that a roster was given and has no entries, which is an error
	// except in heuristic mode. A layer that gives no roster leaves it false.
	Empty     bool
	Mode      Mode
	Name      string
	CreatedAt string
	Preset    string // the id of a preset
}

// LayerOf makes a layer of a roster that was given whole.
func LayerOf(origin Origin, r Roster) Layer {
	return Layer{
		Origin: origin, Entries: r.Entries, Empty: len(r.Entries) == 0,
		Mode: r.Mode, Name: r.Name, CreatedAt: r.CreatedAt,
	}
}

// ReadLayer reads a roster in JSON as a layer; its faults and warnings say from
// which origin they are.
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

// addAll adds the faults of err, each with the origin before its place.
func (f *faults) addAll(origin string, err error) {
	for _, one := range fault.All(err) {
		located := *one
		located.Place = joinPlace(origin, one.Place)
		*f = append(*f, &located)
	}
}

// The names of the environment that a roster listens to.
const (
	EnvJSON        = "BRENNER_ROSTER_JSON"
	EnvFile        = "BRENNER_ROSTER_FILE"
	EnvPreset      = "BRENNER_ROSTER_PRESET"
	EnvMode        = "BRENNER_ROSTER_MODE"
	EnvName        = "BRENNER_ROSTER_NAME"
	EnvAgentPrefix = "BRENNER_ROSTER_AGENT_"
	envPrefix      = "BRENNER_ROSTER_"
)

// Environ is what the environment says about the roster.
type Environ struct {
	Layers []Layer
	// File is the path that BRENNER_ROSTER_FILE names, or empty. This package
	// opens no file: the caller reads it and adds ReadLayer(FileOrigin(), data)
	// behind Layers.
	File string
}

// FileOrigin is the origin of the roster in the file that the environment names.
func FileOrigin() Origin { return Origin{Level: Environment, Source: EnvFile} }

// FromEnviron reads the roster's variables out of an environment in the form of
// os.Environ; the last of equal names counts, and an empty one counts as unset.
// A variable of its own (mode, name, agent) is asked before the JSON.
func FromEnviron(environ []string) (Environ, []Warning, error) {
	vars := Variables(environ, envPrefix)
	out := Environ{File: vars[EnvFile]}
	var warnings []Warning
	var found faults
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if name == EnvJSON || name == EnvFile {
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
	if text := vars[EnvJSON]; text != "" {
		layer, more, err := ReadLayer(Origin{Level: Environment, Source: EnvJSON}, []byte(text))
		warnings, found = append(warnings, more...), append(found, fault.All(err)...)
		out.Layers = append(out.Layers, layer)
		if out.File != "" {
			found.add(BadVariable, Environment.String(), "unset one of them", "%s and %s are both set, and each gives a whole roster", EnvJSON, EnvFile)
		}
	}
	if err := found.err(); err != nil {
		return Environ{}, warnings, err
	}
	return out, warnings, nil
}

// variableLayer gives what one variable says; each is a layer of its own, so
// that a field's origin names the variable.
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

// Variables returns the variables that are set and begin with one of the prefixes. The
// last of equal names counts, and an empty one counts as unset.
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
	known := []string{EnvJSON, EnvFile, EnvPreset, EnvMode, EnvName, EnvAgentPrefix + "<NAME>"}
	return Warning{
		Code: UnknownVariable, Place: Environment.String(),
		Message: fmt.Sprintf("nothing listens to the variable %s; it is ignored", fault.Shown(name)),
		Hint:    didYouMean(name, known) + "known variables: " + listed(known),
	}
}
