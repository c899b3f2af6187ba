// Package schemas publishes the JSON Schemas of the program's formats. Those of
// the artifact and the delta are made from the section table; the others are
// files of this package.
package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"slices"
	"strings"
)

//go:embed files/*.json
var files embed.FS

// Names gives the names of all schemas, sorted.
func Names() []string {
	names := []string{artifactName, deltaName}
	entries, err := files.ReadDir("files")
	if err != nil {
		panic("schemas: the embedded folder is missing: " + err.Error()) // cannot be: it is compiled in
	}
	for _, e := range entries {
		names = append(names, nameOf(e.Name()))
	}
	slices.Sort(names)
	return names
}

// nameOf turns a file's name into a schema's: delta.check.v1.json is
// brenner.delta.check/v1.
func nameOf(file string) string {
	base := strings.TrimSuffix(file, ".json")
	dot := strings.LastIndexByte(base, '.')
	return "brenner." + base[:dot] + "/" + base[dot+1:]
}

// Find gives a schema by its whole name or by its middle.
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
		panic("schemas: " + err.Error()) // cannot be: it comes from an encoder
	}
	b.WriteByte('\n')
	return b.Bytes()
}
