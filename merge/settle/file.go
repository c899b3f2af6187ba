package settle

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
)

// ReadFile reads a file of deltas. The path is named in errors, and the hint is for an
// artifact that was given instead.
func ReadFile(path string, data []byte, hint string) ([]delta.Delta, error) {
	if !artifact.IsJSON(data) && len(bytes.TrimSpace(data)) > 0 {
		return nil, &fault.Error{
			Code: artifact.InvalidJSON, Op: "read deltas", Place: path, Detail: "this is not JSON",
			Hint: "a Markdown reply is given with its author: --deltas NAME=" + path,
		}
	}
	deltas, err := delta.ReadFile(data)
	if err == nil && len(deltas) == 1 && slices.Contains(deltas[0].Ignored, "metadata") && slices.Contains(deltas[0].Ignored, "sections") {
		err = &fault.Error{Code: artifact.InvalidJSON, Detail: "this is an artifact, not a file of deltas", Hint: hint}
	}
	return deltas, fault.InFile("read deltas", path, err)
}

// IsDeltaFile tells a file of deltas, as `merge --deltas FILE` takes it, from a reply: by
// its name, or because all of it is JSON. A reply may well begin with a brace.
func IsDeltaFile(file string, data []byte) bool {
	if slices.Contains([]string{".json", ".jsonl", ".ndjson"}, strings.ToLower(path.Ext(file))) {
		return true
	}
	_, err := delta.ReadFile(data)
	return err == nil && artifact.IsJSON(data)
}

// CheckFile says of each row of a file of deltas what a merge would make of it, as far
// as that does not depend on the base.
func CheckFile(path string, data []byte) (delta.Reply, error) {
	var r delta.Reply
	deltas, err := ReadFile(path, data, "`brenner artifact lint` checks one")
	if err != nil {
		return r, err
	}
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

// refusedAnyway returns why no base could take a delta. It asks the merge itself, about a
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
