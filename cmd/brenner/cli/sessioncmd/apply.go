package sessioncmd

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/mergecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

type applyOptions struct {
	author AuthorFlags
	set    []string
	kill   []string
	again  bool
	strict bool
}

// AuthorFlags are the flags of commands with which a person writes to a session.
type AuthorFlags struct {
	As  string
	why string
}

// Add declares the flags on a command.
func (d *AuthorFlags) Add(c *cobra.Command) {
	ui.InProject(c)
	c.Flags().StringVar(&d.As, "as", "", "author of the change: the operator or one of the authorities (default: the operator in brenner.yaml)")
}

func sessionApplyCommand(a *ui.App) *cobra.Command {
	var opt applyOptions
	c := &cobra.Command{
		Use:   "apply ID [FILE]",
		Short: "Merge your own deltas into a session's next version",
		Long: `Merges deltas from a file (JSON, JSON Lines, or Markdown with delta fences; "-" is
standard input), or the changes given by --set and --kill, into the next version of a
session's artifact. They are journaled under the name given by --as.

The session may be running: agents' replies are then merged into the result. The author
must be the operator or listed under authorities: in brenner.yaml. Author, id and time in
a file of deltas are replaced, and the report names those that were.

Each delta in a file is accepted or rejected on its own, and the report says why. --set
and --kill are applied all or not at all. A file that the same author applied before is
skipped unless --again is set.`,
		Example: `  brenner session apply RS-20261115-cell-fate deltas.json --as Sydney
  brenner session apply RS-20261115-cell-fate --set "H2.claim=Cells read a gradient." --why "simpler wording"
  brenner session apply RS-20261115-cell-fate --set P1.predictions.H2="no change" --set T1.score.cost=2
  brenner session apply RS-20261115-cell-fate --kill H4 --why "refuted by EV-002"

Exit codes: 0 done, even if deltas were rejected, or already applied; 1 storing failed;
2 no such session, or invalid file or flag (such as an unknown or killed item), nothing
written; 3 with --strict: a delta or a field was rejected; 4 --as is not an authority;
75 the store is busy.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error { return apply(a, c, args, &opt) },
	}
	opt.author.Add(c)
	f := c.Flags()
	f.StringArrayVar(&opt.set, "set", nil, "field to set: H2.claim=TEXT, P1.predictions.H2=TEXT; lists and maps in JSON; repeatable")
	f.StringArrayVar(&opt.kill, "kill", nil, "item (H2) or prediction (P1.H2) to kill; requires --why; repeatable")
	f.StringVar(&opt.author.why, "why", "", "reason for --set and --kill")
	f.BoolVar(&opt.again, "again", false, "merge a FILE that was already applied")
	f.BoolVar(&opt.strict, "strict", false, "exit with 3 if a delta or a field was rejected")
	return c
}

func apply(a *ui.App, c *cobra.Command, args []string, opt *applyOptions) error {
	if len(args) > 1 {
		return applyFile(a, c, args[0], args[1], opt)
	}
	deltas, err := opt.deltas(c)
	if err != nil {
		return err
	}
	d, err := OpenWritable(a, c, &opt.author, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	h, out, err := d.Editor.ApplyByHand(c.Context(), d.Thread, deltas...)
	if err != nil {
		return err
	}
	return showApplied(a, Applied(c.Context(), a, d, h, &out), opt)
}

// applyFile merges a file of deltas, once.
func applyFile(a *ui.App, c *cobra.Command, arg, file string, opt *applyOptions) error {
	switch {
	case len(opt.set)+len(opt.kill) > 0:
		return ui.Usage(c, "--set and --kill cannot be combined with FILE", "")
	case opt.author.why != "":
		return ui.Usage(c, "--why requires --set or --kill: the deltas in a FILE have their own rationales", "")
	}
	text, err := a.ReadFile("the deltas", file)
	if err != nil {
		return err
	}
	d, err := OpenWritable(a, c, &opt.author, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	var h *session.History
	var out settle.Settlement
	var before *flow.Commit
	if opt.again {
		h, out, err = d.Editor.Apply(c.Context(), d.Thread, text)
	} else {
		h, out, before, err = d.Editor.ApplyOnce(c.Context(), d.Thread, text)
	}
	switch {
	case err != nil:
		return inFile(file, err)
	case before != nil:
		return ui.Show(a, audit.AlreadyApplied(h, before), nil, appliedText)
	}
	res := Applied(c.Context(), a, d, h, &out)
	res.AddNotes(file, text, &out)
	return showApplied(a, res, opt)
}

func showApplied(a *ui.App, res *audit.ApplyResult, opt *applyOptions) error {
	if opt.strict && res.Refused() && a.Exit == 0 {
		a.Exit = ui.ExitPartial
	}
	return ui.Show(a, res, nil, appliedText)
}

// inFile adds the file's name to an error about its content, and leaves others unchanged.
func inFile(path string, err error) error {
	code := fault.Distinct(err)[0].Code
	if ui.ExitCode(err) != ui.ExitUsage || code == session.NoSession || code == session.NoVersion {
		return err
	}
	return fault.InFile("read the deltas", path, err)
}

// deltas returns the deltas for --set and --kill.
func (opt *applyOptions) deltas(c *cobra.Command) ([]artifact.Value, error) {
	switch {
	case opt.again:
		return nil, ui.Usage(c, "--again requires a FILE", "")
	case len(opt.set)+len(opt.kill) == 0:
		return nil, ui.Usage(c, "nothing to merge: pass a FILE of deltas, --set or --kill", "")
	case len(opt.kill) > 0 && strings.TrimSpace(opt.author.why) == "":
		return nil, ui.Usage(c, "--kill requires a reason", `pass --why "REASON"; it is kept with the item`)
	case !utf8.ValidString(strings.Join(opt.set, "") + opt.author.why):
		return nil, ui.Usage(c, "--set, --why: not valid UTF-8", "")
	}
	var deltas []artifact.Value
	for _, set := range opt.set {
		place, text, ok := strings.Cut(set, "=")
		if !ok {
			return nil, ui.Usage(c, "--set: "+ui.Clean(set)+" is not PLACE=TEXT", "for example: --set H2.claim=TEXT")
		}
		d, err := session.EditDelta(place, text, opt.author.why)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, d)
	}
	for _, place := range opt.kill {
		d, err := session.KillDelta(place, opt.author.why)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, d)
	}
	return deltas, nil
}

// Writable is a session opened for a person to write to.
type Writable struct {
	Editor  *session.Editor
	project *project.Project
	Thread  string
}

// OpenWritable opens a session for the author that the flags name.
func OpenWritable(a *ui.App, c *cobra.Command, flags *AuthorFlags, arg string) (*Writable, error) {
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return nil, err
	}
	p, err := a.Open()
	if err != nil {
		return nil, err
	}
	as := flags.As
	if !c.Flags().Changed("as") {
		as = p.Config.Operator
	}
	editor, err := p.OpenEditor(c.Context(), thread, as)
	if err != nil {
		return nil, err
	}
	return &Writable{editor, p, thread}, nil
}

// Applied returns the result of a settlement, and rewrites the artifact's files.
func Applied(ctx context.Context, a *ui.App, d *Writable, h *session.History, out *settle.Settlement) *audit.ApplyResult {
	res := audit.NewApplyResult(h, out)
	path, err := d.project.Publish(ctx, h)
	if err != nil {
		a.Log.Error().Err(err).Msg("version stored, but writing its files failed")
		a.Exit = ui.ExitFailed
	}
	res.Artifact = path
	return res
}

func appliedText(a *ui.App, r *audit.ApplyResult) string {
	if r.Already {
		if !a.Quiet {
			a.Say("nothing written; pass --again to merge it again\n")
		}
		return fmt.Sprintf("%s: already applied: version %d\n", r.Thread, r.Version)
	}
	if !a.Quiet {
		a.Say(mergecmd.NotesText(r.Reading) + mergecmd.ReportText(&r.Report) + "\n")
	}
	if r.Resolved != nil {
		return fmt.Sprintf("%s of %s resolved to the value from %s, by %s: version %d\n",
			ui.Clean(r.Resolved.Place), r.Thread, ui.Clean(r.Resolved.Agent), ui.Clean(r.Author), r.Version)
	}
	if !r.Changed {
		return fmt.Sprintf("%s: nothing changed, still version %d\n", r.Thread, r.Version)
	}
	return fmt.Sprintf("%s: version %d, by %s\n", r.Thread, r.Version, ui.Clean(r.Author))
}

func sessionNoteCommand(a *ui.App) *cobra.Command {
	var flags AuthorFlags
	c := &cobra.Command{
		Use:   "note ID TEXT|@FILE",
		Short: "Leave a note for the agents' next round",
		Long: `Leaves a note for the agents of a session, running or not. It is part of their messages
from the next round on and does not change the artifact. "@FILE" reads the text from a
file, "@-" from standard input.`,
		Example: `  brenner session note RS-20261115-cell-fate "Leave lineage aside; look at H2 only."
  brenner session note RS-20261115-cell-fate @note.md --as Sydney

Exit codes: 0 stored; 1 storing failed; 2 no such session, or the note is empty or
unreadable; 4 --as is not an authority; 75 the store is busy.`,
		Args: ui.Args(2, 2, ""),
		RunE: func(c *cobra.Command, args []string) error { return note(a, c, &flags, args[0], args[1]) },
	}
	flags.Add(c)
	return c
}

func note(a *ui.App, c *cobra.Command, flags *AuthorFlags, arg, text string) error {
	text, err := a.Inline("the note", text)
	if err != nil {
		return err
	}
	d, err := OpenWritable(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	h, err := d.Editor.Note(c.Context(), d.Thread, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	n := h.State.Notes[len(h.State.Notes)-1]
	return ui.Show(a, &noteResult{
		Schema: "brenner.session.note/v1", Thread: h.Thread, Author: n.Author, Text: n.Text, At: artifact.FormatInstant(n.At),
		Entry: h.State.Head.Seq, Head: h.State.Head.Hash, Round: h.State.Round() + 1, Rounds: h.State.Settings.Rounds,
		Ended: h.State.Ended, task: h.State.Opened.Task, resume: audit.ResumeForNote(h.State),
	}, nil, noteText)
}

// noteResult is a note left for the agents.
type noteResult struct {
	Schema string `json:"schema"`
	Thread string `json:"thread_id"`
	Author string `json:"author"`
	Text   string `json:"text"`
	At     string `json:"at"`
	Entry  int    `json:"entry"`
	Head   string `json:"head"`
	Round  int    `json:"round"` // the first round that shows it
	Rounds int    `json:"rounds"`
	Ended  string `json:"ended"` // why the session ended, if it did

	task   string // that the session runs
	resume string // the command that runs the round, if it is not planned
}

func noteText(a *ui.App, r *noteResult) string {
	if r.task != "" && r.Round > 1 {
		return fmt.Sprintf("%s: note by %s; no agent is shown it: a task has one round, and its message is written\n", r.Thread, ui.Clean(r.Author))
	}
	out := fmt.Sprintf("%s: note by %s, shown from round %d on\n", r.Thread, ui.Clean(r.Author), r.Round)
	if r.resume != "" && !a.Quiet {
		out += "That round is not planned; to run it: " + r.resume + "\n"
	}
	return out
}
