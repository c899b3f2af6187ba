package config

import (
	"fmt"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/roster"
)

// Origin says where a value came from.
type Origin struct {
	Level roster.Level
	// Source is the flag, the variable or the file: "--question",
	// "BRENNER_QUESTION", "brenner.yaml"; empty for what is built in.
	Source string
	Line   int // in a file; 0 elsewhere
}

// String gives "brenner.yaml, line 7", "BRENNER_VIA", "--via" or "built-in".
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
}

// Values gives every key with its effective value, sorted by key. The entries of
// a roster are those of the strongest file; what all layers make of them
// together is for roster.Resolve to say.
func (c *Config) Values() []Value { return slices.Clone(c.values) }

// Origin says where the value of a key came from.
func (c *Config) Origin(key string) Origin {
	for _, v := range c.values {
		if v.Key == key {
			return v.Origin
		}
	}
	return Origin{Level: roster.Default}
}

// valueOf gives a setting in the form in which values are shown.
func valueOf(setting any) artifact.Value {
	switch s := setting.(type) {
	case string:
		return artifact.Text(s)
	case int:
		return artifact.Number(s)
	case float64:
		return artifact.Number(s)
	case bool:
		return artifact.Bool(s)
	case []string:
		return listOf(s, func(t string) artifact.Value { return artifact.Text(t) })
	case []Model:
		return listOf(s, Model.value)
	case []Program:
		return listOf(s, Program.value)
	case []Role:
		return listOf(s, Role.value)
	case []roster.Preset:
		return listOf(s, roster.Preset.Value)
	case []roster.Entry:
		return listOf(s, func(e roster.Entry) artifact.Value {
			return textMap("agentName", e.Agent, "role", string(e.Role), "program", e.Program, "model", e.Model, "notes", e.Notes)
		})
	default:
		return artifact.Null{}
	}
}

func listOf[T any](list []T, value func(T) artifact.Value) artifact.List {
	values := make(artifact.List, len(list))
	for i, one := range list {
		values[i] = value(one)
	}
	return values
}

func (m Model) value() artifact.Value {
	entries, _ := textMap("model", m.Model, "via", m.Via, "id", m.ID, "base_url", m.BaseURL, "key_env", m.KeyEnv,
		"api", m.API, "organization", m.Organization, "reasoning_effort", m.Effort, "structured", m.Structured).(artifact.Map)
	number := func(key string, n *float64) {
		if n != nil {
			entries = append(entries, artifact.Entry{Key: key, Value: artifact.Number(*n)})
		}
	}
	number("temperature", m.Temperature)
	number("price_input", m.PriceInput)
	number("price_output", m.PriceOutput)
	if m.Seed != nil {
		entries = append(entries, artifact.Entry{Key: "seed", Value: artifact.Number(*m.Seed)})
	}
	if m.Concurrent > 0 {
		entries = append(entries, artifact.Entry{Key: "concurrent", Value: artifact.Number(m.Concurrent)})
	}
	if len(m.Headers) > 0 {
		entries = append(entries, artifact.Entry{Key: "headers", Value: valueOf(m.Headers)})
	}
	return artifact.MapOf(entries...)
}

func (p Program) value() artifact.Value {
	entries, _ := textMap("program", p.Program, "key_env", p.KeyEnv).(artifact.Map)
	for _, list := range []struct {
		key    string
		values []string
	}{{"command", p.Command}, {"pass", p.Pass}} {
		if len(list.values) > 0 {
			entries = append(entries, artifact.Entry{Key: list.key, Value: valueOf(list.values)})
		}
	}
	if p.Turns > 0 {
		entries = append(entries, artifact.Entry{Key: "turns", Value: artifact.Number(p.Turns)})
	}
	return artifact.MapOf(entries...)
}

// textMap makes an object of keys and texts in turn; empty texts are left out.
func textMap(pairs ...string) artifact.Value {
	var entries []artifact.Entry
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			entries = append(entries, artifact.Entry{Key: pairs[i], Value: artifact.Text(pairs[i+1])})
		}
	}
	return artifact.MapOf(entries...)
}
