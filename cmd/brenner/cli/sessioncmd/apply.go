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
	"brenner/internal/text"
	"brenner/merge/settle"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

type applyOptions struct {
	door   DoorFlags
	set    []string
	kill   []string
	again  bool
	strict bool
}

// DoorFlags are the flags of everything that people do in a session.
type DoorFlags struct {
	As  string
	why string
}

// Add declares the flags on a command.
func (d *DoorFlags) Add(c *cobra.Command) {
	ui.InProject(c)
	c.Flags().StringVar(&d.As, "as", "", "who does it: the operator, or one of the authorities; the operator of brenner.yaml if not given")
}

func sessionApplyCommand(a *ui.App) *cobra.Command {
	var opt applyOptions
	c := &cobra.Command{
		Use:   "apply ID [FILE]",
		Short: "Merge deltas of a person into a session's next version",
		Long: `Merges what a person has to say into the next version of a session's artifact: deltas
from a file (JSON, JSON Lines, or Markdown with delta fences; "-" is standard input), or
a field that is set, or an item that is struck out. It is stored as deltas in the journal,
under the name of --as, and any item can be traced to it.

A session may be running meanwhile: nobody waits for anybody, and the answers of the
agents are then merged into what stands. Whoever writes must be an authority: the
operator, or somebody under authorities: in brenner.yaml.

In a file each delta is taken or not, by rule, and the report says why. What --set and
--kill say is taken as a whole, or refused. A file that the same person gave before is not
merged twice: --again does that.`,
		Example: `  brenner session apply RS-20261115-cell-fate deltas.json --as Sydney
  brenner session apply RS-20261115-cell-fate --set "H2.claim=Cells read a gradient." --why "said more simply"
  brenner session apply RS-20261115-cell-fate --set P1.predictions.H2="no change" --set T1.score.cost=2
  brenner session apply RS-20261115-cell-fate --kill H4 --why "refuted by EV-002"

Exit codes: 0 done, whatever was rejected, or it was applied before; 1 it could not be
stored; 2 there is no such session, or the file or a flag cannot be used (an item that is
not there, or was killed), and nothing is written; 3 with --strict, when a delta or a field
was rejected; 4 --as names no authority; 75 the store is busy.`,
		Args: ui.OneOrTwo("a session is needed"),
		RunE: func(c *cobra.Command, args []string) error { return apply(a, c, args, &opt) },
	}
	opt.door.Add(c)
	f := c.Flags()
	f.StringArrayVar(&opt.set, "set", nil, "set a field: H2.claim=TEXT, P1.predictions.H2=TEXT; lists and maps in JSON; repeatable")
	f.StringArrayVar(&opt.kill, "kill", nil, "strike out an item (H2), or a cell of the predictions (P1.H2); needs --why; repeatable")
	f.StringVar(&opt.door.why, "why", "", "the reason for --set and --kill")
	f.BoolVar(&opt.again, "again", false, "merge a FILE once more that was applied before")
	f.BoolVar(&opt.strict, "strict", false, "exit with 3 when a delta or a field was rejected")
	return c
}

func apply(a *ui.App, c *cobra.Command, args []string, opt *applyOptions) error {
	if len(args) > 1 {
		return applyFile(a, c, args[0], args[1], opt)
	}
	deltas, err := opt.anyQuestion(c)
	if err != nil {
		return err
	}
	d, err := OpenDoor(a, c, &opt.door, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	h, out, err := d.Door.ApplyByHand(c.Context(), d.Thread, deltas...)
	if err != nil {
		return err
	}
	return showApplied(a, Applied(c.Context(), a, d, h, &out), opt)
}

// applyFile merges a file of deltas, once.
func applyFile(a *ui.App, c *cobra.Command, arg, file string, opt *applyOptions) error {
	switch {
	case len(opt.set)+len(opt.kill) > 0:
		return ui.Usage(c, "either a FILE of deltas, or --set and --kill", "")
	case opt.door.why != "":
		return ui.Usage(c, "--why belongs to --set and --kill: the deltas of a file have their rationales", "")
	}
	text, err := a.ReadFile("the deltas", file)
	if err != nil {
		return err
	}
	d, err := OpenDoor(a, c, &opt.door, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	var h *session.History
	var out settle.Settlement
	var before *flow.Commit
	if opt.again {
		h, out, err = d.Door.Apply(c.Context(), d.Thread, text)
	} else {
		h, out, before, err = d.Door.ApplyOnce(c.Context(), d.Thread, text)
	}
	switch {
	case err != nil:
		return inFileOf(file, err)
	case before != nil:
		return ui.Show(a, audit.AlreadyApplied(h, before), nil, appliedText)
	}
	res := Applied(c.Context(), a, d, h, &out)
	res.AddNotes(file, &out)
	return showApplied(a, res, opt)
}

func showApplied(a *ui.App, res *audit.Applied, opt *applyOptions) error {
	if opt.strict && res.Refused() && a.Exit == 0 {
		a.Exit = ui.ExitPartial
	}
	return ui.Show(a, res, nil, appliedText)
}

// inFileOf names the file in a fault of its content; others have nothing to do
// with it.
func inFileOf(path string, err error) error {
	code := fault.Distinct(err)[0].Code
	if ui.ExitCode(err) != ui.ExitUsage || code == session.NoSession || code == session.NoVersion {
		return err
	}
	return fault.InFile("read the deltas", path, err)
}

// anyQuestion returns what the flags say as deltas.
func (opt *applyOptions) anyQuestion(c *cobra.Command) ([]artifact.Value, error) {
	switch {
	case opt.again:
		return nil, ui.Usage(c, "--again is for a FILE of deltas", "")
	case len(opt.set)+len(opt.kill) == 0:
		return nil, ui.Usage(c, "there is nothing to merge: give a FILE of deltas, --set or --kill", "")
	case len(opt.kill) > 0 && strings.TrimSpace(opt.door.why) == "":
		return nil, ui.Usage(c, "--kill needs a reason", `say it with --why "…"; it stays with the item`)
	case !utf8.ValidString(strings.Join(opt.set, "") + opt.door.why):
		return nil, ui.Usage(c, "the text is not UTF-8", "")
	}
	var deltas []artifact.Value
	for _, set := range opt.set {
		place, text, ok := strings.Cut(set, "=")
		if !ok {
			return nil, ui.Usage(c, "--set "+ui.Clean(set)+" says nothing: it is PLACE=TEXT", "such as --set H2.claim=TEXT")
		}
		d, err := session.EditDelta(place, text, opt.door.why)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, d)
	}
	for _, place := range opt.kill {
		d, err := session.KillDelta(place, opt.door.why)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, d)
	}
	return deltas, nil
}

// Opened is a session with the door open.
type Opened struct {
	Door    *session.Editor
	project *project.Project
	Thread  string
}

// OpenDoor opens the store for a person who writes to a session of it.
func OpenDoor(a *ui.App, c *cobra.Command, flags *DoorFlags, arg string) (*Opened, error) {
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
	door, err := p.OpenEditor(c.Context(), thread, as)
	if err != nil {
		return nil, err
	}
	return &Opened{door, p, thread}, nil
}

// Applied returns what became of deltas, and writes the artifact's files anew.
func Applied(ctx context.Context, a *ui.App, d *Opened, h *session.History, out *settle.Settlement) *audit.Applied {
	res := audit.NewApplied(h, out)
	path, err := d.project.Publish(ctx, h)
	if err != nil {
		a.Log.Error().Err(err).Msg("the version is stored, but its files could not be written")
		a.Exit = ui.ExitFailed
	}
	res.Artifact = path
	return res
}

func appliedText(a *ui.App, r *audit.Applied) string {
	if r.Already {
		if !a.Quiet {
			a.Say("nothing was written; --again merges it once more\n")
		}
		return fmt.Sprintf("%s: already applied: version %d\n", r.Thread, r.Version)
	}
	if !a.Quiet {
		a.Say(mergecmd.NotesText(r.Reading) + mergecmd.ReportText(&r.Report) + "\n")
	}
	if r.Resolved != nil {
		return fmt.Sprintf("%s of %s is that of %s, by %s: version %d\n",
			ui.Clean(r.Resolved.Place), r.Thread, ui.Clean(r.Resolved.Agent), ui.Clean(r.Author), r.Version)
	}
	if !r.Changed {
		return fmt.Sprintf("%s: nothing changed, still version %d\n", r.Thread, r.Version)
	}
	return fmt.Sprintf("%s: version %d, by %s\n", r.Thread, r.Version, ui.Clean(r.Author))
}

func sessionResolveCommand(a *ui.App) *cobra.Command {
	var flags DoorFlags
	var take string
	c := &cobra.Command{
		Use:   "resolve ID [PLACE]",
		Short: "Decide a conflict: take what one of the agents wrote",
		Long: `Clears a CONFLICT by taking one of its candidates, named by its agent, its delta, or the
beginning of that. The decision is an EDIT in the journal, under the name of --as. To write
something that no candidate says, use ` + "`brenner session apply --set`" + `.

Without --take it lists the candidates with their values, and without a PLACE all
conflicts; then nothing is written.`,
		Example: `  brenner session resolve RS-20261115-cell-fate
  brenner session resolve RS-20261115-cell-fate A1.status
  brenner session resolve RS-20261115-cell-fate A1.status --take GreenValley --why "the estimate was a guess"
  brenner session resolve RS-20261115-cell-fate P2.predictions.H1 --take d-92dbc1ff --as Sydney

Exit codes: 0 decided, or nothing is in conflict; 1 it could not be stored; 2 there is no
such session, conflict or candidate; 4 --as names no authority; 5 listed: a decision is
needed; 75 the store is busy.`,
		Args: ui.OneOrTwo("a session is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			place := ""
			if len(args) > 1 {
				place = args[1]
			}
			switch {
			case !c.Flags().Changed("take"):
				if err := ui.Unused(c, "needs --take: without it nothing is decided", "why", "as"); err != nil {
					return err
				}
				return listConflicts(a, c, args[0], place)
			case place == "":
				return ui.Usage(c, "--take needs the place that is to be decided", "`brenner session resolve "+ui.Clean(args[0])+"` lists them")
			}
			return resolveConflict(a, c, &flags, args[0], place, take)
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&take, "take", "", "whose value: an agent, a delta, or the beginning of a delta's id")
	c.Flags().StringVar(&flags.why, "why", "", "the reason, for whoever reads the journal")
	return c
}

func resolveConflict(a *ui.App, c *cobra.Command, flags *DoorFlags, arg, place, take string) error {
	d, err := OpenDoor(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	ctx := c.Context()
	h, err := session.Load(ctx, d.Door.Store, d.Thread)
	if err != nil {
		return err
	}
	before, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return err
	}
	conflict, err := session.ConflictAt(&before, place)
	if err != nil {
		return err
	}
	chosen, err := session.Candidate(conflict, place, take)
	if err != nil {
		return err
	}
	// By its whole id: should others have written meanwhile, the choice stays what it is.
	h, out, err := d.Door.Resolve(ctx, d.Thread, place, chosen.Delta, flags.why)
	if err != nil {
		return err
	}
	res := Applied(ctx, a, d, h, &out)
	res.Resolved = &audit.Resolved{Place: place, Agent: chosen.Agent, Delta: chosen.Delta, Value: artifact.Canonical(chosen.Value)}
	return ui.Show(a, res, nil, appliedText)
}

// listConflicts shows what waits for a decision.
func listConflicts(a *ui.App, c *cobra.Command, arg, place string) error {
	return a.WithWhole(c, arg, func(ctx context.Context, _ *project.Source, h *session.History) error {
		res, err := audit.OpenConflicts(ctx, h, place)
		if err != nil {
			return err
		}
		if len(res.Conflicts) > 0 {
			a.Exit = ui.ExitPerson
		}
		return ui.Show(a, res, nil, conflictsText)
	})
}

func conflictsText(a *ui.App, r *audit.ConflictList) string {
	var b strings.Builder
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "%s\n", ui.Clean(c.Place))
		for _, one := range c.Candidates {
			fmt.Fprintf(&b, "  %s (%s, %s): %s\n", ui.Clean(one.Agent), ui.Clean(one.Delta), one.At, ui.Clean(one.Text))
			if one.Rationale != "" && !a.Quiet {
				fmt.Fprintf(&b, "    why: %s\n", ui.Clean(one.Rationale))
			}
		}
	}
	switch {
	case len(r.Conflicts) == 0:
		fmt.Fprintf(&b, "%s: nothing is in conflict in version %d\n", r.Thread, r.Version)
	case !a.Quiet:
		c := r.Conflicts[0]
		fmt.Fprintf(&b, "\nTo decide: %s\n", text.CommandToCopy("brenner session resolve "+r.Thread, "PLACE --take NAME", c.Place, "--take", c.Candidates[0].Agent))
	}
	return b.String()
}

func sessionNoteCommand(a *ui.App) *cobra.Command {
	var flags DoorFlags
	c := &cobra.Command{
		Use:   "note ID TEXT|@FILE",
		Short: "Leave a word to the agents, for their next round",
		Long: `Leaves a word to the agents of a session, while it runs or after it. They read it in the
messages of the next round and of those after it; the artifact is not changed by it.
"@FILE" takes the text from a file, "@-" from standard input.`,
		Example: `  brenner session note RS-20261115-cell-fate "Leave lineage aside; look at H2 only."
  brenner session note RS-20261115-cell-fate @note.md --as Sydney

Exit codes: 0 stored; 1 it could not be stored; 2 there is no such session, or the note
cannot be read or says nothing; 4 --as names no authority; 75 the store is busy.`,
		Args: ui.Args(2, 2, "a session and a text are needed", "put the text in quotation marks"),
		RunE: func(c *cobra.Command, args []string) error { return note(a, c, &flags, args[0], args[1]) },
	}
	flags.Add(c)
	return c
}

func note(a *ui.App, c *cobra.Command, flags *DoorFlags, arg, text string) error {
	text, err := a.Inline("the note", text)
	if err != nil {
		return err
	}
	d, err := OpenDoor(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	h, err := d.Door.Note(c.Context(), d.Thread, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	n := h.State.Notes[len(h.State.Notes)-1]
	return ui.Show(a, &noteResult{
		Schema: "brenner.session.note/v1", Thread: h.Thread, Author: n.Author, Text: n.Text, At: artifact.FormatInstant(n.At),
		Entry: h.State.Head.Seq, Head: h.State.Head.Hash, Round: h.State.Round() + 1, Rounds: h.State.Settings.Rounds,
		Ended: h.State.Ended,
	}, nil, noteText)
}

// noteResult is a word that was left to the agents.
type noteResult struct {
	Schema string `json:"schema"`
	Thread string `json:"thread_id"`
	Author string `json:"author"`
	Text   string `json:"text"`
	At     string `json:"at"`
	Entry  int    `json:"entry"`
	Head   string `json:"head"`
	Round  int    `json:"round"` // the first one in which it is read
	Rounds int    `json:"rounds"`
	Ended  string `json:"ended"` // why no run goes on, where none does
}

func noteText(a *ui.App, r *noteResult) string {
	out := fmt.Sprintf("%s: note of %s, to be read in round %d\n", r.Thread, ui.Clean(r.Author), r.Round)
	if (r.Ended != "" || r.Round > r.Rounds) && !a.Quiet {
		out += "That round is not planned: brenner session resume " + r.Thread
		if r.Round > r.Rounds {
			out += fmt.Sprintf(" --rounds %d", r.Round)
		}
		out += "\n"
	}
	return out
}
