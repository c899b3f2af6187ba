package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
)

func traceFindCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "find TEXT [ID|FILE]",
		Short: "Follow a sentence back: to the delta, the reply, the kickoff and the inputs behind it",
		Long: `Looks for a text and says where it came from: the delta that wrote it, the line of the
reply in which that stood, the message that it answers, and what that message showed: the
version, the items of it, the template, the evidence. Case and line breaks do not count.

What stands is found first; then what stood once and was replaced, what was proposed and
not taken (with the code that says why), what an agent only said, and the notes of people.
Without a session all sessions of the project are searched, the newest first, and then its
records: who wrote it first there, and what that rests on.`,
		Example: `  brenner trace find "a fate is held by about 100 neighbours"
  brenner trace find "keeps the fate of its old place" RS-20261115-cell-fate
  brenner trace find "gradient" RS-20261115-cell-fate@v2
  brenner trace find "diffusion" cell-fate.jsonl --json

Exit codes: 0 found; 1 it is nowhere, or the store is damaged; 2 there is no such session,
or the file cannot be read.`,
		Args: ui.OneOrTwo("a text is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			res := &findResult{Schema: "brenner.trace.find/v1", Text: args[0], Found: []foundIn{}, Records: []foundRecord{}}
			if len(args) == 1 {
				return findEverywhere(a, c, dir, res)
			}
			return a.WithSession(c, dir, args[1], func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item != "" {
					return ui.Usage(c, "a text is looked for in a whole artifact, not in "+ui.Clean(src.Address.Item), "")
				}
				found, err := findIn(ctx, h, src.Address.Version, args[0])
				if err != nil {
					return err
				}
				res.Found = append(res.Found, found...)
				return showFound(a, res, h.Thread)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// findEverywhere looks through all sessions of the project, the newest first. One
// that cannot be read does not hide the others.
func findEverywhere(a *ui.App, c *cobra.Command, project string, res *findResult) error {
	ctx := c.Context()
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return err
	}
	var broken []error
	for i := range streams {
		thread := session.ThreadOf(&streams[i])
		h, err := session.Load(ctx, st, thread)
		var found []foundIn
		if err == nil {
			found, err = findIn(ctx, h, 0, res.Text)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fault.CodeOf(err) == session.NothingSaid:
			return err
		case err != nil:
			a.Log.Warn().Err(err).Str("session", thread).Msg("this session cannot be searched")
			broken = append(broken, err)
		}
		res.Found = append(res.Found, found...)
	}
	if err := findInRecords(ctx, a, p, st, res); err != nil {
		return err
	}
	if len(res.Found)+len(res.Records) == 0 && len(broken) > 0 {
		return errors.Join(broken...)
	}
	return showFound(a, res, "the sessions of this project ("+text.Count(len(streams), "session")+") and its records")
}

// foundIn is a text with its origin and the inputs behind it.
type foundIn struct {
	originDocument
	Thread       string         `json:"thread_id"`
	Rehearsal    bool           `json:"rehearsal"`
	Model        string         `json:"model"`
	Observed     string         `json:"model_observed"`
	TemplateHash string         `json:"template_hash"`
	View         string         `json:"view_hash"`
	Evidence     []callEvidence `json:"evidence"`
}

func findIn(ctx context.Context, h *session.History, version int, text string) ([]foundIn, error) {
	origins, err := h.Origins(ctx)
	if err != nil {
		return nil, err
	}
	if h.State.Version() == 0 {
		return nil, nil
	}
	if err := origins.At(version); err != nil {
		return nil, err
	}
	found, err := origins.Find(ctx, text)
	if err != nil {
		return nil, err
	}
	var all []foundIn
	for _, doc := range originDocuments(found) {
		one := foundIn{originDocument: doc, Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != "", Evidence: []callEvidence{}}
		if call, ok := h.State.Call(doc.Call); ok {
			var in callInput
			in.fill(h.State, call)
			s := summaryOf(h.State, call)
			one.Model, one.Observed, one.TemplateHash, one.View, one.Evidence = s.Model, s.Observed, in.TemplateHash, in.View, in.Evidence
		}
		all = append(all, one)
	}
	return all, nil
}

func showFound(a *ui.App, res *findResult, where string) error {
	if len(res.Found)+len(res.Records) == 0 {
		return ui.NothingFound(&fault.Error{
			Code: session.NotFound, Detail: ui.Quoted(res.Text) + " is nowhere in " + where,
			Hint: "give fewer words of it: what is looked for must stand together",
		})
	}
	return a.Show(res)
}

// findResult is where a text came from.
type findResult struct {
	Schema string    `json:"schema"`
	Text   string    `json:"text"`
	Found  []foundIn `json:"found"`
	// Records are those of the project that say it; they are searched where no
	// session is named.
	Records []foundRecord `json:"records"`
}

func (r *findResult) Print(a *ui.App) error {
	const most = 20
	var b strings.Builder
	for i := range r.Found {
		if i == most {
			if !a.Quiet {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "and %d more: --json has all of them\n", len(r.Found)-most)
			break
		}
		if i > 0 && !a.Quiet {
			b.WriteByte('\n')
		}
		r.Found[i].write(&b, a.Quiet)
	}
	for i := range r.Records {
		if (i > 0 || len(r.Found) > 0) && !a.Quiet {
			b.WriteByte('\n')
		}
		r.Records[i].write(&b, a.Quiet)
	}
	return a.Write([]byte(b.String()))
}

func (f *foundIn) write(b *strings.Builder, quiet bool) {
	fmt.Fprintf(b, "%s: %s\n", ui.Clean(f.Address), f.fate())
	if quiet {
		return
	}
	rows := [][]string{{"  Text", ui.Quoted(f.Text)}}
	if f.Delta != "" {
		rows = append(rows, []string{"  Delta", f.who()})
		if f.Rationale != "" && f.Field != "rationale" {
			rows = append(rows, []string{"  Why", ui.Clip(f.Rationale)})
		}
	}
	switch {
	case f.Fate == session.Noted:
		rows = append(rows, []string{"  Note", f.Agent + ", " + f.At})
	case f.Call == "" && f.Deltas != "":
		place := fmt.Sprintf("delta %d", f.Block)
		if f.Line > 0 {
			place = fmt.Sprintf("line %d", f.Line)
		}
		rows = append(rows, []string{"  Source", f.sourceName() + ", " + place + ", sha256 " + f.Deltas})
	case f.Source == flow.ByThread:
		rows = append(rows,
			[]string{"  Letter", f.sourceName() + fmt.Sprintf(", line %d, sha256 %s", f.Line, f.Reply)},
			[]string{"  Shown", fmt.Sprintf("version %d", f.Base)})
	case f.Call != "":
		shown := fmt.Sprintf("version %d, no items: only the brief", f.Base)
		if len(f.Saw) > 0 {
			shown = fmt.Sprintf("version %d: %s", f.Base, ui.Clean(strings.Join(f.Saw, ", ")))
		}
		rows = append(rows,
			[]string{"  Reply", fmt.Sprintf("line %d, sha256 %s", f.Line, f.Reply)},
			[]string{"  Kickoff", "sha256 " + f.Kickoff},
			[]string{"  Template", f.Template + ", sha256 " + f.TemplateHash},
			[]string{"  Shown", shown},
		)
		for _, ev := range f.Evidence {
			rows = append(rows, []string{"  Evidence", ev.ID + " " + ev.Name + ", sha256 " + ev.Hash})
		}
		rows = append(rows, []string{"  Call", "brenner trace show " + f.Call})
	}
	if f.Rehearsal {
		rows = append(rows, []string{"  Rehearsal", "scripted agents played this session"})
	}
	b.WriteString(ui.Columns(rows))
}

func (f *foundIn) sourceName() string {
	switch f.Source {
	case flow.ByBrief:
		return "the brief"
	case flow.ByThread:
		return "message " + ui.Clean(letterNumber(f.Letter)) + " of " + ui.Clean(f.Agent)
	}
	return "deltas of " + ui.Clean(f.Agent)
}

// fate says what became of a text.
func (f *foundIn) fate() string {
	switch f.Fate {
	case session.InConflict:
		return "in conflict"
	case session.Replaced:
		if f.By != "" {
			return "does not stand any more: replaced by " + ui.Clean(f.ByAgent) + " (" + ui.Clean(f.By) + ")"
		}
		return "does not stand any more"
	case session.NotTaken:
		why := f.Outcome
		if f.Code != "" {
			why += " " + string(f.Code)
		}
		if f.Message != "" {
			why += ": " + ui.Clean(f.Message)
		}
		return "does not stand: " + why
	case session.Said:
		if f.Delta != "" {
			return "said in a rationale"
		}
		return "said by " + ui.Clean(f.Agent) + ", in no delta"
	case session.Noted:
		return "said by " + ui.Clean(f.Agent) + ", in a note to the agents"
	}
	return "stands"
}
