package setupcmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project/schemas"
)

// SchemaCommand returns the schema command.
func SchemaCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:     "schema [NAME]",
		GroupID: ui.Other,
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
				return a.Show(schemaNames(schemas.Names()))
			}
			schema, ok := schemas.Find(args[0])
			if !ok {
				hint := "`brenner schema` lists them"
				if near, ok := text.Nearest("brenner."+args[0]+"/v1", schemas.Names()); ok {
					hint = "did you mean " + near + "?"
				}
				return ui.Usage(c, fmt.Sprintf("there is no schema %q", ui.Clean(args[0])), hint)
			}
			return a.Show(schemaText(schema))
		},
	}
}

// schemaText is one schema, which is its own document.
type schemaText []byte

func (s schemaText) Print(a *ui.App) error { return a.Write(s) }

func (s schemaText) Document() any { return jsontext.Value(s) }

// schemaNames is the list of all schemas.
type schemaNames []string

func (s schemaNames) Print(a *ui.App) error {
	return a.Write([]byte(strings.Join(s, "\n") + "\n"))
}

func (s schemaNames) Document() any {
	return struct {
		Schema string   `json:"schema"`
		Names  []string `json:"names"`
	}{"brenner.schemas/v1", s}
}
