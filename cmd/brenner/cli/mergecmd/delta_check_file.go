package mergecmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/merge"
)

// isDeltaFile tells a file of deltas, as `merge --deltas FILE` takes it, from a reply: by
// its name, or because all of it is JSON. A reply may well begin with a brace.
func isDeltaFile(path string, data []byte) bool {
	if slices.Contains([]string{".json", ".jsonl", ".ndjson"}, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	_, err := delta.ReadFile(data)
	return err == nil && artifact.IsJSON(data)
}

// checkFile says of each row of a file of deltas what a merge would make of it, as far
// as that does not depend on the base.
func checkFile(a *ui.App, c *cobra.Command, path string, data []byte) (checked, error) {
	if err := ui.Unused(c, "is for replies: in a file of deltas nothing is mended anyway", "strict"); err != nil {
		return checked{}, err
	}
	deltas, err := readDeltaFile(path, data)
	if err == nil && isArtifact(deltas) {
		err = fault.InFile("read deltas", path, anArtifact("`brenner artifact lint` checks one"))
	}
	if err != nil {
		return checked{}, err
	}
	r := checked{path: path}
	lines := delta.Lines(data)
	for i := range deltas {
		b := delta.Block{Index: i + 1, Line: lines[i], Delta: deltas[i], OK: true}
		if code, message := refusedAnyway(&deltas[i]); code != "" {
			b.OK, b.Problems = false, []delta.Located{{Code: code, Message: message, Line: b.Line, Column: 1, Hint: "a merge rejects it, whatever the base"}}
		}
		r.Blocks = append(r.Blocks, b)
	}
	if len(deltas) == 0 {
		r.Problems = []delta.Located{{Code: delta.NoDeltas, Message: "the file holds no delta", Line: 1, Column: 1, Hint: "write each change as one JSON object"}}
	}
	return r, nil
}

// refusedAnyway gives why no base could take a delta. It asks the merge itself, about a
// base with nothing in it: what that says of the delta alone holds for all others.
func refusedAnyway(d *delta.Delta) (fault.Code, string) {
	_, report := merge.Merge(artifact.Artifact{}, []delta.Delta{*d}, merge.Rules{})
	row := report.Deltas[0]
	switch row.Code {
	case artifact.InvalidJSON, delta.InvalidOperation, delta.InvalidSection, delta.InvalidField, delta.InvalidTimestamp, delta.MissingRequiredField, merge.RTEditOnly:
		return row.Code, row.Message
	}
	if d.Operation == delta.Edit && len(d.Payload) == 0 {
		return delta.MissingRequiredField, "an EDIT needs at least one field in its payload"
	}
	return "", ""
}
