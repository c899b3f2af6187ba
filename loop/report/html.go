package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"reflect"
	"strings"
	"unicode"

	"brenner/internal/fault"
)

// Unwritable is the code of a report that could not be made.
const Unwritable fault.Code = "REPORT_UNWRITABLE"

//go:embed report.html
var page string

// few gives the rows of a list that a person is shown.
func few(list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(v.Len(), mostRows)).Interface()
}

// HTML gives the report as one file that needs nothing else: no script, no font,
// no picture, no address.
func (r *Report) HTML() ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"ending": func(reason string) string { return strings.ReplaceAll(Ending(reason), "\\", "") },
		"facts":  func() []string { return r.facts() },
		"cost":   cost,
		"count":  count,
		"few":    few,
		"rest":   func(list any) int { return max(0, reflect.ValueOf(list).Len()-mostRows) },
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
	return bytes.Map(shownOnly, b.Bytes()), nil
}

// shownOnly gives what stands for a character that is not seen and does something: the
// page may be read with cat as well.
func shownOnly(r rune) rune {
	if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
		return '\ufffd'
	}
	return r
}
