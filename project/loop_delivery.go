package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	agentmail "brenner/agent/mail"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/mail"
	"brenner/store"
)

// NotDelivered is the code of a report that did not reach somebody.
const NotDelivered fault.Code = "REPORT_NOT_DELIVERED"

// deliveryTime is how long a mail server or a webhook may take.
const deliveryTime = 30 * time.Second

// ReportWish is what an address of a file comes to.
func ReportWish(address string) string { return "send the reports of loops to " + address }

// CheckDelivery refuses, before anything starts, to send reports where only a file
// says so that the user has not looked at.
func (p *Project) CheckDelivery() error {
	if p.Config.Report.Mail {
		if _, err := p.MailboxOf(""); err != nil {
			return err
		}
	}
	if p.Config.Report.Webhook == "" || IsLoopback(p.Config.Report.Webhook) {
		return nil
	}
	return (&Models{Project: p}).MustTrust(p.Config.Origin("report.webhook"), ReportWish(p.Config.Report.Webhook))
}

// reportKey names a report, so that whoever gets it twice knows; several projects may send
// theirs to one receiver, and loops of one name began at different instants.
func reportKey(r *report.Report) string {
	return r.Loop + "/" + r.Began + "/" + strconv.Itoa(r.Runs)
}

// ReadersOf are those to whom reports are to go.
func ReadersOf(p *Project) []string {
	var all []string
	if p.Config.Report.Mail {
		all = append(all, byMail)
	}
	if p.Config.Report.Webhook != "" {
		all = append(all, byWebhook)
	}
	return all
}

// LastDeliveries is what became of the report the last time, for each to whom it went
// since the loop ended.
func LastDeliveries(s *loop.State) []loop.Reported {
	var last []loop.Reported
	for _, r := range s.Reports {
		if i := slices.IndexFunc(last, func(o loop.Reported) bool { return o.To == r.To }); i >= 0 {
			last[i] = r
			continue
		}
		last = append(last, r)
	}
	return last
}

// Unreached are those whom the report of a loop's end has not reached, of those to whom
// reports go now.
func Unreached(p *Project, s *loop.State) []string {
	return slices.DeleteFunc(ReadersOf(p), func(to string) bool {
		return slices.ContainsFunc(s.Reports, func(r loop.Reported) bool { return r.To == to && r.Code == "" })
	})
}

// owed is what a loop's end still has to do.
type owed struct {
	files bool
	To    []string
}

// OwedBy says what that is: whoever was killed right after the end wrote no report, and
// not everybody may have been reached. Who is named only since is owed nothing.
func (p *Project) OwedBy(s *loop.State) owed {
	o := owed{files: !HasFiles(p, s), To: Unreached(p, s)}
	o.To = slices.DeleteFunc(o.To, func(to string) bool {
		tried := slices.ContainsFunc(s.Reports, func(r loop.Reported) bool { return r.To == to })
		return !tried && !slices.Contains(s.Opened.Deliver, to)
	})
	return o
}

// Any reports whether anything is owed.
func (o owed) Any() bool { return o.files || len(o.To) > 0 }

func (o owed) String() string {
	if len(o.To) == 0 {
		return "was not written"
	}
	return "did not reach " + strings.Join(o.To, " and ")
}

// The ways in which a report is delivered.
const (
	byMail    = "mail"
	byWebhook = "webhook"
)

// Deliver sends the report to some of those whom the configuration names, and journals
// what came of it. Whoever gets it twice knows it by its key.
func (p *Project) Deliver(ctx context.Context, st store.Store, r *report.Report, to []string) error {
	var missed error
	for _, to := range to {
		err := p.deliverTo(ctx, r, to)
		if ctx.Err() != nil && err != nil {
			return missed // it is not known whether it came; the next run sends it, under the same key
		}
		sent := loop.Reported{To: to}
		if err != nil {
			sent.Code, sent.Detail = fault.CodeOf(err), strings.ToValidUTF8(err.Error(), "\ufffd") // a server may have said it
			missed = errors.Join(missed, &fault.Error{
				Code: NotDelivered, Op: "send the report to " + to, Cause: err,
				Hint: "it is in the files; `brenner loop report " + r.Loop + " --send`, or the same command, tries again",
			})
		}
		if err := runner.Note(context.WithoutCancel(ctx), st, p.Now, r.Loop, loop.KindReported, sent); err != nil {
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
		Project: box.Key, From: desk.Own(), To: []string{desk.Own()}, Subject: "REPORT: loop " + r.Loop + ", " + report.Ending(r.Reason),
		Body: string(r.Markdown()), Key: "report/" + reportKey(r),
	})
	return err
}

// The waits before a webhook is asked again.
const (
	firstWait   = time.Second
	longestWait = 30 * time.Second
)

// postReport sends the report as JSON, and once more where that may help: nothing came
// back, or the other side says that it is its own fault.
func (p *Project) postReport(ctx context.Context, r *report.Report) error {
	document, err := reportDocument(r)
	if err != nil {
		return err
	}
	wait := firstWait
	for try := 1; ; try++ {
		again, err := post(ctx, p.Config.Report.Webhook, reportKey(r), document)
		if err == nil || !again || try >= p.Config.Attempts || ctx.Err() != nil {
			return err
		}
		p.Pause(ctx, wait)
		wait = min(2*wait, longestWait)
	}
}

// post sends one request. No redirect is followed: the address is the one that the user
// has looked at.
func post(ctx context.Context, address, key string, document []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, deliveryTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(document))
	if err != nil {
		return false, &fault.Error{Code: NotDelivered, Detail: "the address cannot be used", Cause: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "brenner/"+release)
	request.Header.Set("Idempotency-Key", key)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err // without the address: it may hold a token
		}
		return true, &fault.Error{Code: NotDelivered, Detail: "nobody took it", Cause: err}
	}
	defer response.Body.Close()                                      //nolint:errcheck // it was read
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // what it says does not matter
	switch status := response.StatusCode; {
	case status >= 200 && status <= 299:
		return false, nil
	default:
		again = status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
		return again, &fault.Error{Code: NotDelivered, Detail: fmt.Sprintf("it was answered with %s", response.Status)}
	}
}
