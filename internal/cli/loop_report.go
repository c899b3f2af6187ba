package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	agentmail "brenner/agent/mail"
	"brenner/config"
	"brenner/fault"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/mail"
	"brenner/store"
	"brenner/store/sqlite"
)

// NotDelivered is the code of a report that did not reach somebody.
const NotDelivered fault.Code = "REPORT_NOT_DELIVERED"

// Where the reports of loops are, below the project's state.
const (
	loopsFolder = "loops"
	reportFile  = "report.md"
	reportHTML  = "report.html"
	reportJSON  = "report.json"
)

// deliveryTime is how long a mail server or a webhook may take.
const deliveryTime = 30 * time.Second

func (a *app) loopReportCommand() *cobra.Command {
	var project string
	var html bool
	c := &cobra.Command{
		Use:   "report NAME",
		Short: "Print what a loop came to, ended or not: Markdown, HTML or JSON",
		Long: `Reads the loop's sessions and prints the report: what needs a person, where the hypotheses of
each question disagree, tests by score, what was learned, what was spent, what failed and
what was left undone.`,
		Example: `  brenner loop report night
  brenner loop report night --html > night.html
  brenner loop report night --json

Exit codes: 0 printed; 1 the store is damaged; 2 there is no such loop.`,
		Args: oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := a.loadConfig(project, "", nil)
			if err != nil {
				return err
			}
			return a.withLoops(c.Context(), cfg, func(st *sqlite.Store) error {
				state, err := runner.Load(c.Context(), st, args[0])
				if err != nil {
					return err
				}
				r, err := runner.Gather(c.Context(), st, state, runner.FromReplies{})
				if err != nil {
					return err
				}
				return a.show(&reportResult{r, html})
			})
		},
	}
	addProjectFlag(c, &project)
	c.Flags().BoolVar(&html, "html", false, "one HTML file that needs nothing else")
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
func (a *app) writeReport(ctx context.Context, cfg *config.Config, st store.Store, s *loop.State) (*report.Report, error) {
	r, err := runner.Gather(ctx, st, s, runner.FromReplies{})
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
	dir := filepath.Join(storeDir(cfg), loopsFolder, s.Opened.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &fault.Error{Code: CannotWrite, Op: "make", Place: dir, Detail: reason(err), Hint: "the loop itself is stored: `brenner loop report " + s.Opened.Name + "`"}
	}
	for name, data := range map[string][]byte{reportFile: r.Markdown(), reportHTML: page, reportJSON: document} {
		if err := writeFile(filepath.Join(dir, name), data); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func reportDocument(r *report.Report) ([]byte, error) {
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, &fault.Error{Code: CannotWrite, Op: "encode the report", Cause: err}
	}
	return append(data, '\n'), nil
}

// reportWish is what an address of a file comes to.
func reportWish(address string) string { return "send the reports of loops to " + address }

// checkDelivery refuses, before anything starts, to send reports where only a file
// says so that the user has not looked at.
func (a *app) checkDelivery(cfg *config.Config) error {
	if cfg.Report.Mail {
		if _, err := a.mailboxOf(cfg, ""); err != nil {
			return err
		}
	}
	if cfg.Report.Webhook == "" || isLoopback(cfg.Report.Webhook) {
		return nil
	}
	return (&models{app: a, config: cfg}).mustTrust(cfg.Origin("report.webhook"), reportWish(cfg.Report.Webhook))
}

// reportKey names a report, so that whoever gets it twice knows.
func reportKey(r *report.Report) string { return r.Loop + "/" + strconv.Itoa(r.Runs) }

// undelivered tells whether something of a loop's end was never done: whoever was
// killed right after the end wrote no report.
func (a *app) undelivered(cfg *config.Config, s *loop.State) bool {
	sent := func(to string) bool {
		return slices.ContainsFunc(s.Reports, func(r loop.Reported) bool { return r.To == to })
	}
	_, err := os.Stat(filepath.Join(storeDir(cfg), loopsFolder, s.Opened.Name, reportFile))
	return err != nil || cfg.Report.Mail && !sent(byMail) || cfg.Report.Webhook != "" && !sent(byWebhook)
}

// The ways in which a report is delivered.
const (
	byMail    = "mail"
	byWebhook = "webhook"
)

// deliver sends the report where the configuration says, and journals what came of
// it. A report that was sent before is not sent again: its key is the loop's end.
func (a *app) deliver(ctx context.Context, cfg *config.Config, st store.Store, r *report.Report) error {
	var missed error
	interrupted := ctx
	send := func(to string, do func(context.Context) error) {
		ctx, cancel := context.WithTimeout(ctx, deliveryTime)
		defer cancel()
		sent := loop.Reported{To: to}
		err := do(ctx)
		if interrupted.Err() != nil && err != nil {
			return // it is not known whether it came; the next run sends it, under the same key
		}
		if err != nil {
			sent.Code, sent.Detail = fault.CodeOf(err), err.Error()
			missed = &fault.Error{Code: NotDelivered, Op: "send the report to " + to, Cause: err, Hint: "it is in the files; `brenner loop report " + r.Loop + "` prints it"}
		}
		if err := runner.Note(context.WithoutCancel(ctx), st, a.Now, r.Loop, loop.KindReported, sent); err != nil {
			missed = err
		}
	}
	if cfg.Report.Mail {
		send(byMail, func(ctx context.Context) error { return a.mailReport(ctx, cfg, r) })
	}
	if cfg.Report.Webhook != "" {
		send(byWebhook, func(ctx context.Context) error { return postReport(ctx, cfg.Report.Webhook, r) })
	}
	return missed
}

// mailReport sends the report to the operator's mailbox.
func (a *app) mailReport(ctx context.Context, cfg *config.Config, r *report.Report) error {
	box, err := a.mailboxOf(cfg, "")
	if err != nil {
		return err
	}
	desk := agentmail.New(agentmail.Options{Client: box.client, Project: box.key, Sender: operatorName})
	if err := desk.Open(ctx); err != nil {
		return err
	}
	_, err = box.client.Send(ctx, mail.Draft{
		Project: box.key, From: desk.Own(), To: []string{desk.Own()}, Subject: "REPORT: loop " + r.Loop + ", " + report.Ending(r.Reason),
		Body: string(r.Markdown()), Key: "report/" + reportKey(r),
	})
	return err
}

// postReport sends the report as JSON. No redirect is followed: the address is the
// one that the user has looked at.
func postReport(ctx context.Context, address string, r *report.Report) error {
	document, err := reportDocument(r)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(document))
	if err != nil {
		return &fault.Error{Code: NotDelivered, Detail: "the address cannot be used", Cause: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "brenner/"+release)
	request.Header.Set("Idempotency-Key", reportKey(r))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err // without the address: it may hold a token
		}
		return &fault.Error{Code: NotDelivered, Detail: "nobody took it", Cause: err}
	}
	defer response.Body.Close()                                      //nolint:errcheck // it was read
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // what it says does not matter
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return &fault.Error{Code: NotDelivered, Detail: fmt.Sprintf("it was answered with %s", response.Status)}
	}
	return nil
}
