package cli

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/internal/text"
	"brenner/project/schemas"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema [NAME]",
		GroupID: other,
		Short:   "Print the JSON Schema of a format, or list them",
		Long: `Every JSON document that brenner reads or writes names its schema. This prints it, as
JSON Schema (draft 2020-12). NAME is a schema's whole name, or its middle: both
"brenner.artifact/v1" and "artifact" will do. Without NAME the names are listed.`,
		Example: `  brenner schema
  brenner schema artifact
  brenner schema brenner.merge/v1

Exit codes: 0 printed; 2 there is no such schema.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schemas.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.show(schemaNames(schemas.Names()))
			}
			schema, ok := schemas.Find(args[0])
			if !ok {
				hint := "`brenner schema` lists them"
				if near, ok := text.Nearest("brenner."+args[0]+"/v1", schemas.Names()); ok {
					hint = "did you mean " + near + "?"
				}
				return usage(c, fmt.Sprintf("there is no schema %q", clean(args[0])), hint)
			}
			return a.show(schemaText(schema))
		},
	}
}

// schemaText is one schema, which is its own document.
type schemaText []byte

func (s schemaText) text(a *app) error { return a.write(s) }
func (s schemaText) document() any     { return jsontext.Value(s) }

// schemaNames is the list of all schemas.
type schemaNames []string

func (s schemaNames) text(a *app) error {
	return a.write([]byte(strings.Join(s, "\n") + "\n"))
}

func (s schemaNames) document() any {
	return struct {
		Schema string   `json:"schema"`
		Names  []string `json:"names"`
	}{"brenner.schemas/v1", s}
}
