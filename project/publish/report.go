package publish

import (
	"os"
	"path/filepath"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/loop"
	"brenner/loop/report"
)

// The files in the directory of a loop's report.
const (
	ReportText = "report.md"
	reportHTML = "report.html"
	reportJSON = "report.json"
	lastRun    = "last-run" // the number of the run that began on this machine last
)

// ReportDir is the directory of a loop's report.
type ReportDir string

func (d ReportDir) file(name string) string { return filepath.Join(string(d), name) }

// Written returns the report of the loop's last end from its file, or nil.
func (d ReportDir) Written(s *loop.State) *report.Report {
	data, err := os.ReadFile(d.file(reportJSON))
	if err != nil {
		return nil
	}
	r := &report.Report{}
	if jsonv2.Unmarshal(data, r) != nil || r.Runs != s.Runs || r.Reason != s.Ended {
		return nil
	}
	r.Restore()
	return r
}

// Has reports whether the report's files belong to the loop's last end.
func (d ReportDir) Has(s *loop.State) bool {
	for _, name := range []string{ReportText, reportHTML} {
		if _, err := os.Stat(d.file(name)); err != nil {
			return false
		}
	}
	return d.Written(s) != nil
}

// Write writes a report in all formats.
func (d ReportDir) Write(r *report.Report) error {
	page, err := r.HTML()
	if err != nil {
		return err
	}
	document, err := ReportDocument(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "make", Place: string(d), Detail: files.Reason(err), Hint: "the loop itself is stored: `brenner loop report " + r.Loop + "`"}
	}
	// The document is last: if it exists, so do the others.
	for _, f := range []struct {
		name string
		data []byte
	}{{ReportText, r.Markdown()}, {reportHTML, page}, {reportJSON, document}} {
		if err := files.Replace(d.file(f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// ReportDocument returns a report as JSON.
func ReportDocument(r *report.Report) ([]byte, error) {
	data, err := jsonv2.Marshal(r, jsonv2.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, &fault.Error{Code: files.CannotWrite, Op: "encode the report", Cause: err}
	}
	return append(data, '\n'), nil
}

// NoteRun notes which run of the loop begins on this machine. Without the note only a missing report is not noticed.
func (d ReportDir) NoteRun(number int) {
	if os.MkdirAll(string(d), 0o755) == nil {
		_ = files.Replace(d.file(lastRun), []byte(strconv.Itoa(number)+"\n"))
	}
}

// RanHere reports whether the last run of a loop began on this machine.
func (d ReportDir) RanHere(s *loop.State) bool {
	data, err := os.ReadFile(d.file(lastRun))
	return err == nil && string(data) == strconv.Itoa(s.Runs)+"\n"
}
