package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/sqlite"
)

// Where the reports of loops are, below the project's state.
const (
	loopsFolder = "loops"
	reportFile  = "report.md"
	reportHTML  = "report.html"
	reportJSON  = "report.json"
)

func (a *app) loopReportCommand() *cobra.Command {
	var project string
	var html, send bool
	c := &cobra.Command{
		Use:   "report NAME",
		Short: "Print what a loop came to, ended or not: Markdown, HTML or JSON",
		Long: `Reads the loop's sessions and prints the report: what needs a person, where the hypotheses of
each question disagree, tests by score, what was learned, what was spent, what failed and
what was left undone. With --send the report of a loop that has ended goes to the mailbox
and the webhook of the configuration instead, as far as it has not reached them.`,
		Example: `  brenner loop report night
  brenner loop report night --html > night.html
  brenner loop report night --json
  brenner loop report night --send

Exit codes: 0 printed, or sent; 1 the store is damaged, or somebody was not reached; 2 there
is no such loop, or nothing to send; 4 a file wants what needs ` + "`brenner trust`" + `.`,
		Args: oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case html && a.json:
				return usage(c, "--html and --json are two forms of one report", "leave one of them out")
			case html && send:
				return usage(c, "--send sends, and prints no page", "leave --html out")
			}
			cfg, err := a.open(project, "", nil)
			if err != nil {
				return err
			}
			if send {
				return a.sendReport(c, cfg, args[0])
			}
			return cfg.withLoops(c.Context(), func(st *sqlite.Store) error {
				state, err := runner.Load(c.Context(), st, args[0])
				if err == nil {
					err = runner.Decided(c.Context(), st, state)
				}
				if err != nil {
					return err
				}
				r, err := runner.Gather(c.Context(), st, state)
				if err != nil {
					return err
				}
				return a.show(&reportResult{r, html})
			})
		},
	}
	addProjectFlag(c, &project)
	c.Flags().BoolVar(&html, "html", false, "one HTML file that needs nothing else")
	c.Flags().BoolVar(&send, "send", false, "send it to those that report: names and whom it has not reached")
	return c
}

type reportResult struct {
	*report.Report
	html bool
}

func (r *reportResult) document() any { return r.Report }

func (r *reportResult) text(a *app) error {
	if !r.html {
		return a.write(r.Markdown())
	}
	page, err := r.HTML()
	if err != nil {
		return err
	}
	return a.write(page)
}

// writeReport puts the report of a loop beside the store, in all its forms.
func (p *Project) writeReport(ctx context.Context, st store.Store, s *loop.State) (*report.Report, error) {
	if err := runner.Decided(ctx, st, s); err != nil {
		return nil, err
	}
	r, err := runner.Gather(ctx, st, s)
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
	dir := filepath.Join(storeDir(p), loopsFolder, s.Opened.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &fault.Error{Code: CannotWrite, Op: "make", Place: dir, Detail: reason(err), Hint: "the loop itself is stored: `brenner loop report " + s.Opened.Name + "`"}
	}
	// The document is the last one: where it is, the others are too.
	for _, f := range []struct {
		name string
		data []byte
	}{{reportFile, r.Markdown()}, {reportHTML, page}, {reportJSON, document}} {
		if err := writeFile(filepath.Join(dir, f.name), f.data); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// hasFiles tells whether the files of a report are those of the loop's last end.
func hasFiles(cfg *Project, s *loop.State) bool {
	dir := filepath.Join(storeDir(cfg), loopsFolder, s.Opened.Name)
	for _, name := range []string{reportFile, reportHTML} {
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
		return nil, &fault.Error{Code: CannotWrite, Op: "encode the report", Cause: err}
	}
	return append(data, '\n'), nil
}
