package config

import (
	"encoding/json"
	"fmt"
	"slices"

	"brenner/artifact"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/roster"
)

// Origin is where a value came from.
type Origin struct {
	Level roster.Level
	// Source is "--question", "BRENNER_QUESTION" or "brenner.yaml"; empty for built-in values.
	Source string
	Line   int // in a file; 0 elsewhere
}

// String returns "brenner.yaml, line 7", "BRENNER_VIA", "--via" or "built-in".
func (o Origin) String() string {
	switch {
	case o.Source == "":
		return "built-in"
	case o.Line > 0:
		return fmt.Sprintf("%s, line %d", fault.Shown(o.Source), o.Line)
	default:
		return fault.Shown(o.Source)
	}
}

// Value is the effective value of one key.
type Value struct {
	Key    string
	Value  artifact.Value
	Origin Origin

	raw any // of the Go type of the key's form
}

// Values returns every key with its effective value, sorted by key. Roster entries are those of the
// strongest file; roster.Resolve combines all layers.
func (c *Config) Values() []Value { return slices.Clone(c.values) }

// Origin returns where the value of a key came from.
func (c *Config) Origin(key string) Origin { return c.value(key).Origin }

func (c *Config) value(key string) Value {
	for _, v := range c.values {
		if v.Key == key {
			return v
		}
	}
	return Value{Origin: Origin{Level: roster.Default}}
}

// valueOf returns a setting in the form in which values are shown.
func valueOf(setting any) artifact.Value {
	switch s := setting.(type) {
	case string: // not via JSON, which cannot hold invalid UTF-8
		if _, ok := baseurl.ParseDatabase(s); ok {
			return artifact.Text(s) // without a password
		}
		return artifact.Text(baseurl.Shown(s))
	case []string:
		return listOf(s, func(t string) artifact.Value { return artifact.Text(t) })
	case []roster.Preset:
		return listOf(s, roster.Preset.Value)
	case []roster.Entry:
		return listOf(s, roster.Entry.Value)
	}
	data, err := json.Marshal(setting)
	if err != nil {
		return artifact.Null{} // unreachable: settings are strings, numbers and structs of them
	}
	value, _ := artifact.ParseValue(data, valueDepth)
	return value
}

// valueDepth exceeds the depth of any setting.
const valueDepth = 8

func listOf[T any](list []T, value func(T) artifact.Value) artifact.List {
	values := make(artifact.List, len(list))
	for i, one := range list {
		values[i] = value(one)
	}
	return values
}
