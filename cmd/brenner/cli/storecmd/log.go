package storecmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store"
	"brenner/store/record"
)

type logOptions struct {
	RecordFlags
	kind, module, status string
	refused, calls       bool
	most                 int
}

func storeLogCommand(a *ui.App) *cobra.Command {
	var opt logOptions
	c := &cobra.Command{
		Use:   "log [ID]",
		Short: "List records, or all versions of one with what became of them",
		Long: `Without an id it lists the records, the newest first. With one it lists all versions of that
record and every mark that they got: who promoted which, when and why.

--refused lists what agents tried outside the scope of their role, and --calls every call of an
agent for the store: which records went in, and which came out.`,
		Example: `  brenner store log --type paper_note --module fate
  brenner store log memo-fate
  brenner store log --refused

Exit codes: 0 listed; 2 there is no such record.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if opt.most < 0 {
				return ui.Usage(c, "-n must not be below 0", "")
			}
			if err := opt.check(c, args); err != nil {
				return err
			}
			return WithRecords(a, c, &opt.RecordFlags, false, func(ctx context.Context, r *Records) error {
				switch {
				case opt.refused:
					return logRefused(ctx, a, r, opt.most)
				case opt.calls:
					return logCalls(ctx, a, r)
				case len(args) == 1:
					return logRecord(ctx, a, r, args[0])
				}
				return logAll(ctx, a, r, &opt)
			})
		},
	}
	opt.add(c)
	f := c.Flags()
	f.StringVar(&opt.kind, "type", "", "of this type only")
	f.StringVar(&opt.module, "module", "", "of this module only")
	f.StringVar(&opt.status, "status", "", "with this status only")
	f.BoolVar(&opt.refused, "refused", false, "what agents tried outside their scope")
	f.BoolVar(&opt.calls, "calls", false, "the calls of agents for the store")
	f.IntVarP(&opt.most, "number", "n", 50, "at most so many; 0 is all")
	return c
}

// check refuses flags that choose among records where something else is listed.
func (o *logOptions) check(c *cobra.Command, args []string) error {
	const choose = "chooses among records, and something else is listed"
	switch {
	case o.refused && o.calls:
		return ui.Usage(c, "--refused and --calls are two lists", "leave one of them out")
	case len(args) == 1 && (o.refused || o.calls):
		return ui.Usage(c, "--refused and --calls are about all records", "leave out "+ui.Clean(args[0]))
	case o.refused:
		return ui.Unused(c, choose, "type", "module", "status")
	case o.calls, len(args) == 1:
		return ui.Unused(c, choose, "type", "module", "status", "number")
	}
	return nil
}

// headDocument is a record, all versions together.
type headDocument struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Module    string `json:"module"`
	Status    string `json:"status"`
	Latest    int    `json:"latest"`
	Canonical int    `json:"canonical"`
	Forked    bool   `json:"forked"`
	Summary   string `json:"summary"`
	At        string `json:"changed_at"`
}

func headDocumentOf(h *record.Head) headDocument {
	return headDocument{h.ID, h.Type, h.Module, h.Status, h.Latest, h.Canonical, h.Forked(), h.Summary, artifact.FormatInstant(h.At)}
}

// logResult lists records.
type logResult struct {
	Schema  string         `json:"schema"`
	Records []headDocument `json:"records"`
	More    bool           `json:"more"`
}

// knowsModules refuses a module to which nothing belongs: it is misspelt.
func (r *Records) knowsModules(ctx context.Context, names ...string) error {
	census, err := r.Store.Census(ctx)
	if err != nil {
		return err
	}
	modules := []string{record.Project}
	for _, c := range census {
		if !slices.Contains(modules, c.Module) {
			modules = append(modules, c.Module)
		}
	}
	for _, name := range names {
		if slices.Contains(modules, name) {
			continue
		}
		hint := "there are " + strings.Join(modules, ", ")
		if near, ok := text.Nearest(name, modules); ok {
			hint = "did you mean " + near + "?"
		}
		return &fault.Error{Code: store.NoRecord, Place: "--module " + fault.Shown(name), Detail: "no record belongs to it", Hint: hint}
	}
	return nil
}

func logAll(ctx context.Context, a *ui.App, r *Records, opt *logOptions) error {
	q := store.HeadQuery{Status: opt.status, Newest: true}
	if opt.kind != "" {
		if err := r.Types.Check(opt.kind); err != nil {
			return err
		}
		q.Types = []string{opt.kind}
	}
	if opt.status != "" && !slices.Contains(record.Statuses(), opt.status) {
		return &fault.Error{Code: govern.BadRecord, Place: "--status " + fault.Shown(opt.status), Detail: "there is no such status", Hint: "it is one of " + strings.Join(record.Statuses(), ", ")}
	}
	if opt.module != "" {
		if err := r.knowsModules(ctx, opt.module); err != nil {
			return err
		}
		q.Modules = []string{opt.module}
	}
	if opt.most > 0 {
		q.Limit = opt.most + 1
	}
	heads, err := r.Store.Heads(ctx, q)
	if err != nil {
		return err
	}
	res := &logResult{Schema: "brenner.store.log/v1", Records: []headDocument{}}
	for i := range heads {
		if opt.most > 0 && i == opt.most {
			res.More = true
			break
		}
		res.Records = append(res.Records, headDocumentOf(&heads[i]))
	}
	return a.Show(res)
}

func (r *logResult) Print(a *ui.App) error {
	if a.Quiet {
		var b strings.Builder
		for i := range r.Records {
			b.WriteString(ui.Clean(r.Records[i].ID) + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	if len(r.Records) == 0 {
		return a.Write([]byte("No records.\n"))
	}
	rows := [][]string{{"RECORD", "TYPE", "MODULE", "STATUS", "CANONICAL", "SUMMARY"}}
	for i := range r.Records {
		h := &r.Records[i]
		canonical := "-"
		if h.Canonical > 0 {
			canonical = fmt.Sprintf("v%d", h.Canonical)
		}
		status := h.Status
		if h.Forked {
			status += ", forked"
		}
		rows = append(rows, []string{fmt.Sprintf("%s@v%d", h.ID, h.Latest), h.Type, h.Module, status, canonical, ui.Clip(h.Summary)})
	}
	text := ui.Columns(rows)
	if r.More {
		text += "and more: -n 0 lists all\n"
	}
	return a.Write([]byte(text))
}

// historyResult is a record with all versions.
type historyResult struct {
	Schema   string           `json:"schema"`
	Record   headDocument     `json:"record"`
	Tips     []int            `json:"tips"`
	Versions []recordDocument `json:"versions"`
	Marks    []markDocument   `json:"marks"`
}

type markDocument struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Status  string `json:"status"`
	By      string `json:"by"`
	Reason  string `json:"reason"`
	At      string `json:"at"`
}

func markDocuments(marks []record.Mark) []markDocument {
	out := []markDocument{}
	for _, m := range marks {
		out = append(out, markDocument{m.ID, m.Version, m.Status, m.By, m.Reason, artifact.FormatInstant(m.At)})
	}
	return out
}

func logRecord(ctx context.Context, a *ui.App, r *Records, id string) error {
	h, err := r.History(ctx, id)
	if err != nil {
		return err
	}
	res := &historyResult{
		Schema: "brenner.store.history/v1", Record: headDocumentOf(&h.Head), Tips: append([]int{}, h.Tips...), Versions: []recordDocument{}, Marks: markDocuments(h.Marks),
	}
	for i := range h.Versions {
		res.Versions = append(res.Versions, documentOf(&h.Versions[i], h.Head.Canonical))
	}
	return a.Show(res)
}

func (r *historyResult) Print(a *ui.App) error {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s: %s of %s\n\n", ui.Clean(r.Record.ID), ui.Clean(r.Record.Type), ui.Clean(r.Record.Module))
	}
	rows := [][]string{{"VERSION", "PARENT", "STATUS", "BY", "AT", "CHANGE"}}
	for i := len(r.Versions) - 1; i >= 0; i-- {
		v := &r.Versions[i]
		parent := "-"
		if v.Parent > 0 {
			parent = fmt.Sprintf("v%d", v.Parent)
		}
		rows = append(rows, []string{fmt.Sprintf("v%d", v.Version), parent, v.statusWord(), v.Creator, v.At, ui.OrDash(ui.Clip(v.Change))})
	}
	b.WriteString(ui.Columns(rows))
	if len(r.Tips) > 1 && !a.Quiet {
		fmt.Fprintf(&b, "\nA fork: %s go different ways.\n", versionList(r.Tips))
	}
	if len(r.Marks) > 0 && !a.Quiet {
		b.WriteByte('\n')
		for _, m := range r.Marks {
			fmt.Fprintf(&b, "v%d %s by %s, %s: %s\n", m.Version, m.Status, ui.Clean(m.By), m.At, ui.Clean(m.Reason))
		}
	}
	return a.Write([]byte(b.String()))
}

// refusalsResult is what agents tried outside their scope.
type refusalsResult struct {
	Schema   string            `json:"schema"`
	All      int               `json:"all"`
	Attempts []refusalDocument `json:"attempts"`
}

type refusalDocument struct {
	At     string `json:"at"`
	By     string `json:"by"`
	Role   string `json:"role"`
	Action string `json:"action"`
	Type   string `json:"type"`
	ID     string `json:"id"`
}

func logRefused(ctx context.Context, a *ui.App, r *Records, most int) error {
	found, all, err := r.Refusals(ctx, most)
	if err != nil {
		return err
	}
	res := &refusalsResult{Schema: "brenner.store.refusals/v1", All: all, Attempts: []refusalDocument{}}
	for _, f := range found {
		res.Attempts = append(res.Attempts, refusalDocument{artifact.FormatInstant(f.At), f.By, f.Role, f.Action, f.Type, f.ID})
	}
	return a.Show(res)
}

func (r *refusalsResult) Print(a *ui.App) error {
	if len(r.Attempts) == 0 {
		return a.Write([]byte("Nobody tried anything outside the scope of a role.\n"))
	}
	rows := [][]string{{"AT", "BY", "ROLE", "TRIED TO", "TYPE", "RECORD"}}
	for _, f := range r.Attempts {
		rows = append(rows, []string{f.At, f.By, f.Role, f.Action, ui.OrDash(f.Type), ui.OrDash(f.ID)})
	}
	return a.Write([]byte(ui.Columns(rows)))
}

// storeCalls are the calls of agents for the store.
type storeCalls struct {
	Schema string              `json:"schema"`
	Calls  []storeCallDocument `json:"calls"`
}

type storeCallDocument struct {
	Call     string        `json:"call"`
	At       string        `json:"at"`
	Role     string        `json:"role"`
	Agent    string        `json:"agent"`
	Model    string        `json:"model"`
	Observed string        `json:"model_observed"`
	Task     string        `json:"task"`
	View     string        `json:"view_hash"`
	Context  []shownInCall `json:"context"`
	Prompt   string        `json:"prompt_sha256"`
	Reply    string        `json:"reply_sha256"`
	Tokens   int           `json:"context_tokens"`
	Input    int           `json:"input_tokens"`
	Output   int           `json:"output_tokens"`
	Attempts int           `json:"attempts"`
	TookMS   int           `json:"took_ms"`
	Code     string        `json:"code"`
	Produced []string      `json:"produced"`
}

type shownInCall struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form"`
}

func logCalls(ctx context.Context, a *ui.App, r *Records) error {
	calls, err := r.Calls(ctx)
	if err != nil {
		return err
	}
	res := &storeCalls{Schema: "brenner.store.calls/v1", Calls: []storeCallDocument{}}
	for i := range calls {
		res.Calls = append(res.Calls, callDocument(&calls[i]))
	}
	return a.Show(res)
}

func callDocument(c *govern.Call) storeCallDocument {
	d := storeCallDocument{
		Call: c.ID, At: artifact.FormatInstant(c.At), Role: c.Role, Agent: c.Agent, Model: c.Model, Observed: c.Observed, Task: c.Task, View: c.View,
		Context: []shownInCall{}, Prompt: c.Prompt, Reply: c.Reply, Tokens: c.Tokens, Input: c.Input, Output: c.Output, Attempts: c.Attempts, TookMS: c.TookMS,
		Code: string(c.Code), Produced: append([]string{}, c.Produced...),
	}
	for _, s := range c.Context {
		d.Context = append(d.Context, shownInCall{s.Ref.ID, s.Ref.Version, s.Type, s.Form})
	}
	return d
}

func (r *storeCalls) Print(a *ui.App) error {
	if len(r.Calls) == 0 {
		return a.Write([]byte("No agent was asked for the store.\n"))
	}
	var b strings.Builder
	for i := range r.Calls {
		c := &r.Calls[i]
		outcome := "answered"
		if c.Code != "" {
			outcome = c.Code
		}
		fmt.Fprintf(&b, "%s: %s as %s, %s, %s\n", ui.Clean(c.Call), ui.Clean(c.Agent), ui.Clean(c.Role), outcome, c.At)
		if a.Quiet {
			continue
		}
		var in []string
		for _, s := range c.Context {
			in = append(in, fmt.Sprintf("%s@v%d (%s, %s)", ui.Clean(s.ID), s.Version, ui.Clean(s.Type), s.Form))
		}
		rows := [][]string{{"  In", ui.OrDash(strings.Join(in, ", "))}, {"  Out", ui.OrDash(strings.Join(c.Produced, ", "))}, {"  Model", ui.OrDash(c.Model) + ", answered by " + ui.OrDash(c.Observed)}}
		if c.View != "" { // an arbiter sees a request, and no view
			rows = append(rows, []string{"  View", "sha256 " + c.View})
		}
		rows = append(rows, []string{"  Prompt", "sha256 " + c.Prompt})
		if c.Reply != "" {
			rows = append(rows, []string{"  Reply", "sha256 " + c.Reply})
		}
		b.WriteString(ui.Columns(rows))
	}
	return a.Write([]byte(b.String()))
}
