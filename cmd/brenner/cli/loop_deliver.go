package cli

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

	"github.com/spf13/cobra"

	agentmail "brenner/agent/mail"
	"brenner/config"
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

// reportWish is what an address of a file comes to.
func reportWish(address string) string { return "send the reports of loops to " + address }

// checkDelivery refuses, before anything starts, to send reports where only a file
// says so that the user has not looked at.
func (p *Project) checkDelivery() error {
	if p.Report.Mail {
		if _, err := p.mailboxOf(""); err != nil {
			return err
		}
	}
	if p.Report.Webhook == "" || isLoopback(p.Report.Webhook) {
		return nil
	}
	return (&models{config: p}).mustTrust(p.Origin("report.webhook"), reportWish(p.Report.Webhook))
}

// reportKey names a report, so that whoever gets it twice knows; several projects may send
// theirs to one receiver, and loops of one name began at different instants.
func reportKey(r *report.Report) string {
	return r.Loop + "/" + r.Began + "/" + strconv.Itoa(r.Runs)
}

// readersOf are those to whom reports are to go.
func readersOf(cfg *Project) []string {
	var all []string
	if cfg.Report.Mail {
		all = append(all, byMail)
	}
	if cfg.Report.Webhook != "" {
		all = append(all, byWebhook)
	}
	return all
}

// lastDeliveries is what became of the report the last time, for each to whom it went
// since the loop ended.
func lastDeliveries(s *loop.State) []loop.Reported {
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

// unreached are those whom the report of a loop's end has not reached, of those to whom
// reports go now.
func unreached(cfg *Project, s *loop.State) []string {
	return slices.DeleteFunc(readersOf(cfg), func(to string) bool {
		return slices.ContainsFunc(s.Reports, func(r loop.Reported) bool { return r.To == to && r.Code == "" })
	})
}

// owed is what a loop's end still has to do.
type owed struct {
	files bool
	to    []string
}

// owedBy says what that is: whoever was killed right after the end wrote no report, and
// not everybody may have been reached. Who is named only since is owed nothing.
func (p *Project) owedBy(s *loop.State) owed {
	o := owed{files: !hasFiles(p, s), to: unreached(p, s)}
	o.to = slices.DeleteFunc(o.to, func(to string) bool {
		tried := slices.ContainsFunc(s.Reports, func(r loop.Reported) bool { return r.To == to })
		return !tried && !slices.Contains(s.Opened.Deliver, to)
	})
	return o
}

func (o owed) any() bool { return o.files || len(o.to) > 0 }

func (o owed) String() string {
	if len(o.to) == 0 {
		return "was not written"
	}
	return "did not reach " + strings.Join(o.to, " and ")
}

// The ways in which a report is delivered.
const (
	byMail    = "mail"
	byWebhook = "webhook"
)

// deliver sends the report to some of those whom the configuration names, and journals
// what came of it. Whoever gets it twice knows it by its key.
func (p *Project) deliver(ctx context.Context, st store.Store, r *report.Report, to []string) error {
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
	box, err := p.mailboxOf("")
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
		again, err := post(ctx, p.Report.Webhook, reportKey(r), document)
		if err == nil || !again || try >= p.Attempts || ctx.Err() != nil {
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

// sendReport sends the report of a loop that has ended to whom it has not reached.
func (a *app) sendReport(c *cobra.Command, cfg *Project, name string) error {
	if len(readersOf(cfg)) == 0 {
		return usage(c, "nothing says where reports go", "write report: {webhook: …} or {mail: true} into "+config.FileName)
	}
	if err := cfg.checkDelivery(); err != nil {
		return err
	}
	st, err := cfg.openLoops(c.Context(), name)
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	state, err := runner.Load(c.Context(), st, name)
	if err != nil {
		return err
	}
	if state.Ended == "" {
		return usage(c, "the loop "+name+" has not ended; its report is sent then", "`brenner loop report "+name+"` prints it as it is now")
	}
	to := unreached(cfg, state)
	r, err := cfg.writeReport(c.Context(), st, state)
	if err == nil {
		err = cfg.deliver(c.Context(), st, r, to)
	}
	if err != nil && fault.CodeOf(err) != NotDelivered {
		return err
	}
	if err != nil {
		a.exit = exitFailed
		a.sayFaults(faultsOf(err))
	}
	if state, err = runner.Load(c.Context(), st, name); err != nil {
		return err
	}
	s := cfg.loopSummary(st, state)
	s.Exit = &a.exit
	return a.show(&sentReport{s, to})
}

// sentReport is where a report went.
type sentReport struct {
	*loopSummary
	to []string
}

func (r *sentReport) text(a *app) error {
	var b strings.Builder
	if len(r.to) == 0 {
		b.WriteString(clean(r.Loop) + ": the report has reached everybody already; nothing was sent\n")
	}
	for _, d := range r.Deliveries {
		if slices.Contains(r.to, d.To) && d.Code == "" {
			b.WriteString(clean(r.Loop) + ": the report was sent to " + clean(d.To) + "\n")
		}
	}
	return a.write([]byte(b.String()))
}
