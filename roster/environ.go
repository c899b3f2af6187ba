package roster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner/internal/fault"
)

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
	vars := rosterVariables(environ)
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

func rosterVariables(environ []string) map[string]string {
	vars := map[string]string{}
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || !strings.HasPrefix(name, envPrefix) {
			continue
		}
		if value == "" {
			delete(vars, name)
			continue
		}
		vars[name] = value
	}
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
