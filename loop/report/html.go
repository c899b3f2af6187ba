package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"reflect"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Unwritable is the code for a report that cannot be rendered.
const Unwritable fault.Code = "REPORT_UNWRITABLE" // The HTML report could not be written.

//go:embed report.html
var page string

// firstRows returns at most maxRows rows of a list.
func firstRows(list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(v.Len(), maxRows)).Interface()
}

// HTML renders the report as one self-contained file: no scripts, fonts or images, and links
// to the artifacts only.
func (r *Report) HTML() ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"ending":    func(reason string) string { return strings.ReplaceAll(Ending(reason), "\\", "") },
		"facts":     func() []string { return r.facts() },
		"count":     text.Count,
		"firstRows": firstRows,
		"short":     shortValue,
		"byKind":    r.byKind,
		"rest":      func(list any) int { return max(0, reflect.ValueOf(list).Len()-maxRows) },
		"dash": func(s string) string {
			if strings.TrimSpace(s) == "" {
				return "–"
			}
			return s
		},
	}).Parse(page)
	var b bytes.Buffer
	if err == nil {
		err = t.Execute(&b, r)
	}
	if err != nil {
		return nil, &fault.Error{Code: Unwritable, Op: "write the report as HTML", Cause: err}
	}
	return bytes.Map(replaceHidden, b.Bytes()), nil
}

// replaceHidden replaces invisible and control characters: the page may also be read in a
// terminal.
func replaceHidden(r rune) rune {
	if r != '\n' && r != '\t' && text.Hidden(r) {
		return '\ufffd'
	}
	return r
}
