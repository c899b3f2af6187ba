package project

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
	"strings"
	"time"

	agentmail "brenner/agent/mail"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/mail"
	"brenner/project/publish"
	"brenner/project/storage"
	"brenner/store"
)

// reportDir returns the directory of a loop's report, below the project's state directory.
func (p *Project) reportDir(loop string) publish.ReportDir {
	return publish.ReportDir(filepath.Join(p.StateDir(), "loops", loop))
}

// LoopReport returns the report of a loop, ended or not, with later decisions included.
func (p *Project) LoopReport(ctx context.Context, name string) (r *report.Report, err error) {
	err = p.withLoop(ctx, name, func(st storage.Store, state *loop.State) (err error) {
		here, err := os.Getwd()
		if err == nil {
			r, err = p.gatherReport(ctx, st, state, here)
		}
		return err
	})
	return r, err
}

// gatherReport builds the report of a loop, with links for readers in a directory.
func (p *Project) gatherReport(ctx context.Context, st store.Store, s *loop.State, dir string) (*report.Report, error) {
	if err := runner.RefreshDecisions(ctx, st, s); err != nil {
		return nil, err
	}
	r, err := runner.Gather(ctx, st, s)
	if err != nil {
		return nil, err
	}
	for i := range r.Sessions {
		if s.Jobs[i].Cell.Task == "" { // the artifact of a task stays empty
			r.Sessions[i].File = p.artifactFrom(dir, r.Sessions[i].Session)
		}
	}
	for i := range r.Questions {
		r.Questions[i].File = p.artifactFrom(dir, r.Questions[i].Session)
	}
	r.Unpriced = len(s.Unpriced(nil, p.prices))
	for i := range r.Spent {
		r.Spent[i].Unpriced = len(s.Unpriced(r.Spent[i].Cell, p.prices))
	}
	for i := range r.Person {
		switch n := &r.Person[i]; {
		case n.Kind == report.NeedCause:
			n.Command = p.resumeCommand(s)
			if !s.StoppedEarly() {
				n.Command += " --go-on"
			}
		case n.Kind == report.NeedFailed && n.Command == "":
			n.Command = p.resumeCommand(s) + " --retry-failed"
		}
	}
	return r, nil
}

// artifactFrom returns the path of a session's artifact file from a directory, with slashes,
// or "" if there is no such file.
func (p *Project) artifactFrom(dir, thread string) string {
	if thread == "" || store.CheckLockName(thread) != nil {
		return ""
	}
	file := filepath.Join(p.published().Of(thread), publish.Text)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	from, err := filepath.Rel(dir, file)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(from)
}

// writeReport writes the report of a loop to the state directory, in all formats. What is sent again must be the same,
// whatever was decided since.
func (p *Project) writeReport(ctx context.Context, st store.Store, s *loop.State) (r *report.Report, err error) {
	dir := p.reportDir(s.Opened.Name)
	if r = dir.Written(s); r == nil {
		if r, err = p.gatherReport(ctx, st, s, string(dir)); err != nil {
			return nil, err
		}
	}
	return r, dir.Write(r)
}

// NotDelivered is the code of a report that did not reach a reader.
const NotDelivered fault.Code = "REPORT_NOT_DELIVERED" // The loop's report did not reach a mailbox or webhook; its files are written.

// deliveryTime is how long a mail server or a webhook may take.
const deliveryTime = 30 * time.Second

// reportAction describes, for trust, a configured address for reports.
func reportAction(address string) string {
	return "send the reports of loops to " + baseurl.Shown(address)
}

// checkDelivery refuses, before anything starts, to send reports to an address that only an
// untrusted file names.
func (p *Project) checkDelivery() error {
	if p.Config.Report.Mail {
		if _, err := p.MailboxOf(""); err != nil {
			return err
		}
	}
	if err := p.CheckHost(p.Config.Report.Webhook); err != nil {
		return err
	}
	if p.Config.Report.Webhook == "" || baseurl.IsLocal(p.Config.Report.Webhook) {
		return nil
	}
	return p.mustTrust(p.Config.Origin("report.webhook"), reportAction(p.Config.Report.Webhook))
}

// reportReaders returns the configured readers of reports.
func (p *Project) reportReaders() []string {
	var all []string
	if p.Config.Report.Mail {
		all = append(all, byMail)
	}
	if p.Config.Report.Webhook != "" {
		all = append(all, byWebhook)
	}
	return all
}

// PendingReport is what is still to be done about a loop's report: the process was killed
// before, or some readers were not reached.
type PendingReport struct {
	Files bool     // its files must be written
	To    []string // it must be sent to these readers
}

// Any reports whether anything is still to be done.
func (o PendingReport) Any() bool { return o.Files || len(o.To) > 0 }

// pendingReport returns what is still to be done about a loop's report. A team's loop has its files on the machine of its
// last run: on others they are not missing, nor are they after a delivery.
func (p *Project) pendingReport(s *loop.State) PendingReport {
	dir := p.reportDir(s.Opened.Name)
	missing := !dir.Has(s) && (p.Config.StoreAddress == "" || len(s.Reports) == 0 && dir.RanHere(s))
	return PendingReport{Files: missing, To: s.Owed(p.reportReaders())}
}

// SentReport is the result of sending the report of a loop.
type SentReport struct {
	*LoopSummary
	To          []string `json:"-"` // the readers it had not reached
	Undelivered error    `json:"-"` // the readers it still did not reach
}

// SendReport sends the report of a loop that has ended to the readers that it has not
// reached.
func (p *Project) SendReport(ctx context.Context, name string) (*SentReport, error) {
	readers := p.reportReaders()
	if len(readers) == 0 {
		return nil, &fault.Error{Code: fault.Usage, Detail: "no destination for reports is configured", Hint: "set report: {webhook: …} or {mail: true} in " + config.FileName}
	}
	if err := p.checkDelivery(); err != nil {
		return nil, err
	}
	st, err := p.openLoops(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	state, err := runner.Load(ctx, st, name)
	if err != nil {
		return nil, err
	}
	if state.Ended == "" {
		return nil, &fault.Error{
			Code: fault.Usage, Detail: "the loop " + name + " has not ended; its report is sent at the end", Hint: "`brenner loop report " + name + "` prints the current state",
		}
	}
	sent := &SentReport{To: state.Unreached(readers)}
	r, err := p.writeReport(ctx, st, state)
	if err == nil {
		err = p.deliver(ctx, st, r, sent.To)
	}
	if err != nil && fault.CodeOf(err) != NotDelivered {
		return nil, err
	}
	sent.Undelivered = err
	if state, err = runner.Load(ctx, st, name); err != nil {
		return nil, err
	}
	sent.LoopSummary = p.summariseLoop(st, st, state)
	return sent, nil
}

// The kinds of delivery.
const (
	byMail    = "mail"
	byWebhook = "webhook"
)

// deliver sends the report to some of its readers, and journals the outcome. A reader
// recognises a duplicate by its key.
func (p *Project) deliver(ctx context.Context, st store.Store, r *report.Report, to []string) error {
	var missed error
	for _, to := range to {
		err := p.deliverTo(ctx, r, to)
		if ctx.Err() != nil && err != nil {
			return missed // delivery is uncertain; the next run sends it with the same key
		}
		sent := loop.Reported{To: to}
		if err != nil {
			sent.Code, sent.Detail = fault.CodeOf(err), strings.ToValidUTF8(err.Error(), "\ufffd") // may contain a server's text
			missed = errors.Join(missed, &fault.Error{
				Code: NotDelivered, Op: "send the report to " + to, Cause: err,
				Hint: "the report's files are written; retry with `brenner loop report " + r.Loop + " --send`",
			})
		}
		if err := runner.AppendEvent(context.WithoutCancel(ctx), st, p.Now, r.Loop, loop.KindReported, sent); err != nil {
			missed = errors.Join(missed, err)
		}
	}
	return missed
}

func (p *Project) deliverTo(ctx context.Context, r *report.Report, to string) error {
	if to == byMail {
		ctx, cancel := context.WithTimeout(ctx, deliveryTime)
		defer cancel()
		return p.mailReport(ctx, r)
	}
	return p.postReport(ctx, r)
}

// mailReport sends the report to the operator's mailbox.
func (p *Project) mailReport(ctx context.Context, r *report.Report) error {
	box, err := p.MailboxOf("")
	if err != nil {
		return err
	}
	desk := agentmail.New(agentmail.Options{Client: box.Client, Project: box.Key, Sender: OperatorName})
	if err := desk.Open(ctx); err != nil {
		return err
	}
	_, err = box.Client.Send(ctx, mail.Draft{
		Project: box.Key, From: desk.OwnName(), To: []string{desk.OwnName()}, Subject: "REPORT: loop " + r.Loop + ", " + report.Ending(r.Reason),
		Body: string(r.Markdown()), Key: "report/" + r.Key(),
	})
	return err
}

// The waits before a webhook is retried.
const (
	firstWait   = time.Second
	longestWait = 30 * time.Second
)

// postReport sends the report as JSON. It retries if there was no response or a server
// error.
func (p *Project) postReport(ctx context.Context, r *report.Report) error {
	document, err := publish.ReportDocument(r)
	if err != nil {
		return err
	}
	wait := firstWait
	for try := 1; ; try++ {
		again, err := post(ctx, p.Config.Report.Webhook, r.Key(), document)
		if err == nil || !again || try >= p.Config.Attempts || ctx.Err() != nil {
			return err
		}
		p.Pause(ctx, wait)
		wait = min(2*wait, longestWait)
	}
}

// post sends one request. Redirects are not followed: the user approved this address only.
func post(ctx context.Context, address, key string, document []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, deliveryTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(document))
	if err != nil {
		return false, &fault.Error{Code: NotDelivered, Detail: "invalid address", Cause: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "brenner/"+release)
	request.Header.Set("Idempotency-Key", key)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err // without the address: it may contain a token
		}
		return true, &fault.Error{Code: NotDelivered, Detail: "no response", Cause: err}
	}
	defer response.Body.Close()                                      //nolint:errcheck // the body was read
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // the content does not matter
	switch status := response.StatusCode; {
	case status >= 200 && status <= 299:
		return false, nil
	default:
		again = status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
		return again, &fault.Error{Code: NotDelivered, Detail: fmt.Sprintf("the server responded with %s", response.Status)}
	}
}
