// Package offline writes the export of a session as one HTML page, for a reviewer who has no
// brenner. The page needs no network. A script in it verifies the journal's hash chain and the hash of
// every text, and builds all that is shown from these bytes.
package offline

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

//go:embed page.js
var script string

// begin and end enclose the export in a page. No export contains them: "<" is escaped.
const (
	begin = `<script type="application/vnd.brenner.export" id="export">` + "\n"
	end   = `</script>`
)

// Page returns the page of an export. The export's bytes are in it, with "<" as the escape \u003c,
// which no line of an export contains otherwise: its JSON is canonical.
func Page(export []byte) []byte {
	look, _ := json.Marshal(style) // a text of this program
	code := strings.NewReplacer("{{sections}}", sectionTable(), "{{style-text}}", string(look)).Replace(script)
	fill := strings.NewReplacer(
		"{{script-hash}}", hashSource(code), "{{style-hash}}", hashSource(style), "{{style}}", style, "{{script}}", code,
		"{{export}}", strings.ReplaceAll(string(export), "<", `\u003c`),
	)
	return []byte(fill.Replace(page))
}

// parts returns what is before, in and behind the block of the export in a page, or false if the
// data is not such a page.
func parts(data []byte) (before, block, behind []byte, ok bool) {
	if !bytes.HasPrefix(data, []byte("<!doctype html>")) {
		return nil, nil, nil, false
	}
	before, rest, ok := bytes.Cut(data, []byte(begin))
	block, behind, _ = bytes.Cut(rest, []byte(end))
	return before, block, behind, ok
}

// Export returns the export in a page, or false if the data is not such a page. Of a page that was
// cut off, it returns the rest.
func Export(data []byte) ([]byte, bool) {
	_, rest, _, ok := parts(data)
	if !ok {
		return nil, false
	}
	out := make([]byte, 0, len(rest))
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] != '\\' || i+1 == len(rest):
			out = append(out, rest[i])
		case bytes.HasPrefix(rest[i:], []byte(`\u003c`)):
			out = append(out, '<')
			i += len(`\u003c`) - 1
		default:
			out = append(out, rest[i], rest[i+1])
			i++
		}
	}
	return out, true
}

//go:embed shells.txt
var shells string

// Shell returns the hash of a page without its export.
func Shell(data []byte) string {
	before, _, behind, _ := parts(data)
	sum := sha256.Sum256(slices.Concat(before, []byte(begin+end), behind))
	return hex.EncodeToString(sum[:])
}

// Changed returns the first line of a page that differs from the page of its export, and its
// number, or 0 if the page is as this program or an earlier one wrote it. The lines of the export
// itself are not compared: their hashes are.
func Changed(data []byte) (line int, text string) {
	before, block, behind, ok := parts(data)
	switch {
	case !ok:
		return 0, ""
	case bytes.ContainsRune(block, '<'):
		return differing(bytes.Count(before, []byte("\n"))+2, block, bytes.ReplaceAll(block, []byte("<"), []byte(`\u003c`)))
	case strings.Contains(shells, Shell(data)):
		return 0, ""
	}
	wantBefore, _, wantBehind, _ := parts(Page(nil))
	if !bytes.Equal(before, wantBefore) {
		return differing(1, before, wantBefore)
	}
	return differing(bytes.Count(data[:len(data)-len(behind)], []byte("\n"))+1, behind, wantBehind)
}

// differing returns the first line of a text that is not the same in another, counted from first.
func differing(first int, got, want []byte) (line int, text string) {
	lines, others := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range lines {
		if i == len(others) || !bytes.Equal(lines[i], others[i]) {
			return first + i, string(lines[i])
		}
	}
	return first + len(lines) - 1, ""
}

// hashSource returns the source expression that allows a text in a content security policy.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// sectionTable returns what the script needs to know about sections.
func sectionTable() string {
	type section struct {
		ID     string      `json:"id"`
		Title  string      `json:"title"`
		Prefix string      `json:"prefix"`
		Empty  string      `json:"empty"`
		Fields [][2]string `json:"fields"` // names and titles
	}
	var all []section
	for _, s := range artifact.Sections() {
		spec := s.Spec()
		one := section{spec.ID, spec.Title, spec.Prefix, spec.Empty, nil}
		for _, f := range spec.Fields {
			one.Fields = append(one.Fields, [2]string{f.Name, f.Title})
		}
		all = append(all, one)
	}
	data, _ := json.Marshal(all, json.Deterministic(true)) // texts of this program
	return string(data)
}
