package project

import (
	"context"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/sqlite"
)

// Where the reports of loops are, below the project's state.
const (
	loopsFolder = "loops"
	reportText  = "report.md"
	reportHTML  = "report.html"
	reportJSON  = "report.json"
)

// reportDir returns where the report of a loop is.
func (p *Project) reportDir(loop string) string {
	return filepath.Join(p.StateDir(), loopsFolder, loop)
}

// LoopReport returns the report of a loop, ended or not, with what people have decided
// since.
func (p *Project) LoopReport(ctx context.Context, name string) (r *report.Report, err error) {
	err = p.withLoops(ctx, func(st *sqlite.Store) error {
		state, err := runner.Load(ctx, st, name)
		if err != nil {
			return err
		}
		r, err = gatherReport(ctx, st, state)
		return err
	})
	return r, err
}

func gatherReport(ctx context.Context, st store.Store, s *loop.State) (*report.Report, error) {
	if err := runner.Decided(ctx, st, s); err != nil {
		return nil, err
	}
	return runner.Gather(ctx, st, s)
}

// writeReport puts the report of a loop beside the store, in all its forms.
func (p *Project) writeReport(ctx context.Context, st store.Store, s *loop.State) (*report.Report, error) {
	r, err := gatherReport(ctx, st, s)
	if err != nil {
		return nil, err
	}
	page, err := r.HTML()
	if err != nil {
		return nil, err
	}
	document, err := reportDocument(r)
	if err != nil {
		return nil, err
	}
	dir := p.reportDir(s.Opened.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &fault.Error{Code: files.CannotWrite, Op: "make", Place: dir, Detail: files.Reason(err), Hint: "the loop itself is stored: `brenner loop report " + s.Opened.Name + "`"}
	}
	// The document is the last one: where it is, the others are too.
	for _, f := range []struct {
		name string
		data []byte
	}{{reportText, r.Markdown()}, {reportHTML, page}, {reportJSON, document}} {
		if err := files.Replace(filepath.Join(dir, f.name), f.data); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// hasReport reports whether the files of the report are those of the loop's last end.
func (p *Project) hasReport(s *loop.State) bool {
	dir := p.reportDir(s.Opened.Name)
	for _, name := range []string{reportText, reportHTML} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, reportJSON))
	var written struct {
		Runs int `json:"runs"`
	}
	return err == nil && json.Unmarshal(data, &written) == nil && written.Runs == s.Runs
}

func reportDocument(r *report.Report) ([]byte, error) {
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, &fault.Error{Code: files.CannotWrite, Op: "encode the report", Cause: err}
	}
	return append(data, '\n'), nil
}
