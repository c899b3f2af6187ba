// Package schemas publishes the JSON Schemas of the program's formats. Those of the
// artifact and the delta are generated from the section table; the others are files of this
// package.
package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"brenner/artifact"
)

//go:embed files/*.json
var files embed.FS

// Names returns the names of all schemas, sorted.
func Names() []string {
	names := []string{artifactName, deltaName}
	entries, err := files.ReadDir("files")
	if err != nil {
		panic("schemas: the embedded directory is missing: " + err.Error()) // unreachable: it is compiled in
	}
	for _, e := range entries {
		names = append(names, nameOf(e.Name()))
	}
	slices.Sort(names)
	return names
}

// nameOf returns the schema's name for a file: delta.check.v1.json is
// brenner.delta.check/v1.
func nameOf(file string) string {
	base := strings.TrimSuffix(file, ".json")
	dot := strings.LastIndexByte(base, '.')
	return "brenner." + base[:dot] + "/" + base[dot+1:]
}

// Find returns a schema by its complete name or by its middle part.
func Find(name string) ([]byte, bool) {
	for _, full := range Names() {
		middle, _, _ := strings.Cut(strings.TrimPrefix(full, "brenner."), "/")
		if name != full && name != middle {
			continue
		}
		switch full {
		case artifactName:
			return pretty(artifactSchema()), true
		case deltaName:
			return pretty(deltaSchema()), true
		}
		file := strings.ReplaceAll(strings.TrimPrefix(full, "brenner."), "/", ".") + ".json"
		data, err := files.ReadFile("files/" + file)
		return data, err == nil
	}
	return nil, false
}

func pretty(compact []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		panic("schemas: " + err.Error()) // unreachable: it comes from an encoder
	}
	b.WriteByte('\n')
	return b.Bytes()
}

const (
	artifactName = artifact.Schema
	deltaName    = "brenner.delta/v1"
	draft        = "https://json-schema.org/draft/2020-12/schema"
)

// object is a JSON object under construction.
type object map[string]any

// encoded returns an object in JSON, its keys sorted.
func encoded(o object) []byte {
	data, err := json.Marshal(o)
	if err != nil {
		panic("schemas: " + err.Error()) // unreachable: only strings, numbers and lists
	}
	return data
}

func artifactSchema() []byte {
	sections := object{}
	for _, s := range artifact.Sections() {
		item := itemSchema(s)
		if s == artifact.ResearchThread {
			sections[s.String()] = object{"oneOf": []any{item, object{"type": "null"}}}
		} else {
			sections[s.String()] = object{"type": "array", "items": item}
		}
	}
	return encoded(object{
		"$schema": draft, "$id": artifactName, "title": "A research artifact", "type": "object",
		"required": []string{"metadata", "sections"}, "additionalProperties": false,
		"properties": object{
			"schema":     object{"const": artifactName},
			"metadata":   metadataSchema(),
			"sections":   object{"type": "object", "properties": sections, "additionalProperties": false},
			"provenance": provenanceSchema(),
		},
		"$defs": object{"conflict": conflictSchema()},
	})
}

func metadataSchema() object {
	text := object{"type": "string"}
	return object{
		"type": "object", "required": []string{"session_id"},
		"properties": object{
			"session_id": text, "created_at": text, "updated_at": text, "rules": text, "research_program": text,
			"status":  object{"enum": artifact.Statuses()},
			"version": object{"type": "integer", "minimum": 0},
			"roster":  object{"type": []string{"object", "array"}},
			"contributors": object{"type": "array", "items": object{
				"type": "object", "required": []string{"agent"}, "additionalProperties": false,
				"properties": object{"agent": text, "program": text, "model": text, "contributed_at": text, "asked": text},
			}},
		},
	}
}

func conflictSchema() object {
	return object{
		"type": "object", "required": []string{artifact.ConflictKey}, "additionalProperties": false,
		"properties": object{artifact.ConflictKey: object{
			"type": "array", "minItems": 2, "items": object{
				"type": "object", "required": []string{"agent", "delta_id", "value"}, "additionalProperties": false,
				"properties": object{"agent": object{"type": "string"}, "delta_id": object{"type": "string"}, "value": true},
			},
		}},
	}
}

func itemSchema(s artifact.Section) object {
	text := object{"type": "string"}
	properties := object{
		"id": object{"type": "string"}, "killed": object{"type": "boolean"},
		"killed_by": text, "killed_at": text, "kill_reason": text,
		"unresolved": object{"type": "array", "items": text},
	}
	if s == artifact.PredictionsTable {
		properties["withheld"] = object{"type": "object", "additionalProperties": object{"type": "object"}}
	}
	for _, f := range s.Spec().Fields {
		properties[f.Name] = object{"anyOf": []any{fieldSchema(&f, true), object{"$ref": "#/$defs/conflict"}}}
	}
	return object{"type": "object", "required": []string{"id"}, "properties": properties}
}

// fieldSchema describes a field's value; inside a map a key may be in conflict.
func fieldSchema(f *artifact.FieldSpec, conflicts bool) object {
	or := func(schema object) object {
		if !conflicts {
			return schema
		}
		return object{"anyOf": []any{schema, object{"$ref": "#/$defs/conflict"}}}
	}
	switch f.Kind {
	case artifact.KindText:
		return object{"type": "string"}
	case artifact.KindFlag:
		return object{"type": "boolean"}
	case artifact.KindStatus:
		return object{"enum": f.Allowed}
	case artifact.KindList:
		return object{"type": "array", "items": object{"type": "string"}}
	case artifact.KindReferences:
		text := object{"type": "string"}
		return object{"type": "array", "items": object{
			"type": "object", "required": []string{"session", "item", "relation"}, "additionalProperties": false,
			"properties": object{"session": text, "item": text, "relation": object{"enum": artifact.Relations()}},
		}}
	case artifact.KindMap:
		return object{"type": "object", "additionalProperties": or(object{"type": "string"})}
	case artifact.KindScore:
		return object{
			"type": "object", "propertyNames": object{"enum": f.Allowed},
			"additionalProperties": or(object{"type": "integer", "minimum": 0, "maximum": artifact.ScoreMax}),
		}
	}
	return object{}
}

func provenanceSchema() object {
	text, count := object{"type": "string"}, object{"type": "integer", "minimum": 0}
	return object{
		"type": "object", "required": []string{"deltas", "items"}, "additionalProperties": false,
		"properties": object{
			"deltas": object{"type": "array", "items": object{
				"type": "object", "required": []string{"id", "agent", "hash", "version"}, "additionalProperties": false,
				"properties": object{
					"id": text, "agent": text, "at": text, "hash": object{"type": "string", "pattern": "^[0-9a-f]{64}$"},
					"rank": count, "version": count, "message": count, "block": count,
				},
			}},
			"items": object{"type": "object", "additionalProperties": object{"type": "object"}},
		},
	}
}

func deltaSchema() []byte {
	text := object{"type": "string"}
	nullable := object{"type": []string{"string", "null"}}
	var ids []string
	var payloads []any
	for _, s := range artifact.Sections() {
		ids = append(ids, s.String())
		properties := object{}
		var required []string
		for _, f := range s.Spec().Fields {
			properties[f.Name] = fieldSchema(&f, false)
			if f.Required {
				required = append(required, f.Name)
			}
		}
		payloads = append(payloads, object{
			"if": object{"properties": object{"operation": object{"const": "ADD"}, "section": object{"const": s.String()}}},
			"then": object{"required": []string{"payload"}, "properties": object{
				"payload": object{"required": append([]string{}, required...), "properties": properties},
			}},
		})
	}
	return encoded(object{
		"$schema": draft, "$id": deltaName, "title": "A delta: one proposed change", "type": "object",
		"required": []string{"agent", "operation", "section", "timestamp"},
		"properties": object{
			"delta_id": text, "agent": text, "rationale": text, "ref": nullable,
			"timestamp": object{"type": "string", "format": "date-time"},
			"operation": object{"enum": []string{"ADD", "EDIT", "KILL"}},
			"section":   object{"enum": ids}, "target_id": nullable,
			"payload": object{"type": []string{"object", "null"}},
		},
		"allOf": payloads,
	})
}
