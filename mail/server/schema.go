package server

import (
	"context"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/mail"
)

// tool is a tool of the server.
type tool struct {
	name, description string
	arguments         []argument
	result            any // a value of the result's type
	readOnly          bool
	idempotent        bool
	do                func(context.Context, *call) (any, error)
}

// argument is an argument of a tool.
type argument struct {
	name, kind, description string
	required                bool
	enum                    []string
	usual                   any // default
	items                   map[string]any
}

func str(name, description string) argument {
	return argument{name: name, kind: "string", description: description}
}

func number(name, description string) argument {
	return argument{name: name, kind: "integer", description: description}
}

func flag(name, description string) argument {
	return argument{name: name, kind: "boolean", description: description}
}

func list(name, description string) argument {
	return argument{name: name, kind: "array", description: description, items: map[string]any{"type": "string"}}
}

// must returns the argument as a required one.
func (a argument) must() argument {
	a.required = true
	return a
}

// or returns the argument with a default.
func (a argument) or(usual any) argument {
	a.usual = usual
	return a
}

// oneOf returns the argument with its only values.
func (a argument) oneOf(values ...string) argument {
	a.enum = values
	return a
}

// schema returns the argument's JSON schema.
func (a *argument) schema() map[string]any {
	s := map[string]any{"type": a.kind, "description": a.description}
	if a.kind == "array" {
		s["items"] = a.items
	}
	if a.enum != nil {
		s["enum"] = a.enum
	}
	if a.usual != nil {
		s["default"] = a.usual
	}
	return s
}

// definition returns the tool as clients see it. With both hints a client may call the tool without
// asking its user.
func (t *tool) definition() *mcp.Tool {
	properties := make(map[string]any)
	required := []string{}
	for i := range t.arguments {
		a := &t.arguments[i]
		properties[a.name] = a.schema()
		if a.required {
			required = append(required, a.name)
		}
	}
	no := false
	return &mcp.Tool{
		Name: t.name, Description: t.description,
		InputSchema:  map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
		OutputSchema: outputSchema(t.result),
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, DestructiveHint: &no, OpenWorldHint: &no, IdempotentHint: t.readOnly || t.idempotent},
	}
}

// outputSchema returns the JSON schema of structured content of a result's type; a list is wrapped in
// an object, see success.
func outputSchema(result any) *jsonschema.Schema {
	kind := reflect.TypeOf(result)
	attachment, _ := jsonschema.For[mail.Attachment](nil) // it has only texts and numbers
	schema, err := jsonschema.ForType(kind, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[mail.ID]():      orNull("integer", ""),
		reflect.TypeFor[mail.Instant](): orNull("string", "RFC 3339, in UTC"),
		reflect.TypeFor[[]byte]():       {Type: "string", Description: "base64"},
		reflect.TypeFor[[]any]():        {Type: "array", Items: attachment},
		reflect.TypeFor[mail.Names]():   {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
	}})
	if err != nil {
		panic("server: " + err.Error()) // unreachable: all results marshal
	}
	plain(schema)
	if kind.Kind() == reflect.Slice {
		schema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"result": schema}, Required: []string{"result"}}
	}
	return schema
}

// orNull returns a schema of two branches: some clients take no list of types.
func orNull(kind, description string) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: kind}, {Type: "null"}}, Description: description}
}

// plain allows properties of later versions, and says that lists are never null.
func plain(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	if i := slices.Index(s.Types, "array"); i >= 0 {
		s.Type, s.Types = "array", nil
	}
	for _, p := range s.Properties {
		plain(p)
	}
	if s.Items != nil {
		plain(s.Items)
	}
}
