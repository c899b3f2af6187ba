package config

import (
	"maps"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/roster"
)

// envPrefix is the prefix of the program's variables.
const envPrefix = "BRENNER_"

// mailVariables is the prefix of Agent Mail's variables.
const mailVariables = "AGENT_MAIL_"

func variables(environ []string) map[string]string {
	return roster.Variables(environ, envPrefix, mailVariables)
}

func (l *loading) readEnviron(environ []string) layer {
	vars := variables(environ)
	read := layer{}
	known := []string{EnvProject, mailVariables + "BEARER_TOKEN", roster.EnvRoster}
	for _, k := range l.table {
		name := k.variable()
		if name == "" {
			continue
		}
		known = append(known, name)
		if value, ok := vars[name]; ok {
			l.take(read, k, Origin{Level: roster.Environment, Source: name}, []string{value})
		}
	}
	l.warnOfUnknown(slices.Sorted(maps.Keys(vars)), known)
	return read
}

// warnOfUnknown warns about variables that look misspelt. Others are ignored, because scripts
// around the program may have their own. Package roster reports those of the roster.
func (l *loading) warnOfUnknown(set, known []string) {
	for _, name := range set {
		if slices.Contains(known, name) || strings.HasPrefix(name, envPrefix+"ROSTER_") {
			continue
		}
		if hint := text.Suggest(name, known); hint != "" {
			l.warnings = append(l.warnings, roster.Warning{
				Code: UnknownVariable, Place: roster.Environment.String(),
				Message: "unknown environment variable " + fault.Shown(name) + " ignored",
				Hint:    hint,
			})
		}
	}
}

func (l *loading) readFlags(flags []Flag) layer {
	read := layer{}
	for _, f := range flags {
		origin := Origin{Level: roster.Flags, Source: f.Name}
		k, ok := l.table.find(f.Key)
		if !ok || len(f.Values) == 0 {
			l.found.Add(UnknownKey, origin.String(), "this is a bug: please report it", "unknown key %s", fault.Shown(f.Key))
			continue
		}
		l.take(read, k, origin, f.Values)
	}
	return read
}

// take reads a key from strings, which lack YAML's types.
func (l *loading) take(into layer, k key, origin Origin, values []string) {
	v, detail, hint := k.form.parse(values)
	if detail != "" {
		l.found.Add(InvalidValue, origin.String(), hint, "%s", detail)
		return
	}
	into[k.path] = setting{v, origin}
}

// RosterFromEnvironment returns the environment's roster layers, with the file that it names read.
func RosterFromEnvironment(environ []string) ([]roster.Layer, []roster.Warning, error) {
	env, warnings, err := roster.FromEnviron(environ)
	if err != nil || env.File == "" {
		return env.Layers, warnings, err
	}
	data, err := readBounded(env.File)
	if err != nil {
		var found fault.Bounded
		found.Add(Unreadable, env.FileFrom.Source+" ("+fault.Shown(env.File)+")", "name a file with a roster in JSON, or unset the variable; "+roster.EnvPreset+" names a preset", "cannot read the roster: %s", files.Reason(err))
		return nil, warnings, found.Err()
	}
	layer, more, err := roster.ReadLayer(env.FileFrom, data)
	if err != nil {
		return nil, append(warnings, more...), err
	}
	return append(env.Layers, layer), append(warnings, more...), nil
}
