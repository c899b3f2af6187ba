package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// schemaName is what the schema is called where a name is wanted.
const schemaName = "brenner_reply"

// markdown turns an answer that was held to the schema back into the Markdown that
// readers of replies know: each delta in a fence of its own, as it was written,
// and the prose after them. Before them, a code block that the prose forgot to end
// would swallow them all. An answer that is not of that form (some endpoints
// accept a schema and pay no heed to it) stays as it is.
func markdown(text string) string {
	var given struct {
		Prose  *string           `json:"prose"`
		Deltas []json.RawMessage `json:"deltas"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&given) != nil || d.More() || given.Prose == nil && given.Deltas == nil {
		return text
	}
	var b bytes.Buffer
	for _, delta := range given.Deltas {
		b.WriteString("```delta\n")
		b.Write(delta) // a line of JSON never begins with a fence: in a string it has no line breaks
		b.WriteString("\n```\n\n")
	}
	if given.Prose != nil {
		b.WriteString(*given.Prose)
	}
	return b.String()
}
