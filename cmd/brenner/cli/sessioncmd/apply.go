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
	door   DoorFlags
	set    []string
	kill   []string
	again  bool
	strict bool
}

// DoorFlags are the flags of everything that people do in a session.
type DoorFlags struct {
	Project string
	As      string
	why     string
}

// Add declares the flags on a command.
func (d *DoorFlags) Add(c *cobra.Command) {
	ui.AddProjectFlag(c, &d.Project)
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
	deltas, err := opt.byHand(c)
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
		return a.Show(appliedView{audit.AlreadyApplied(h, before)})
	}
	res := Applied(c.Context(), a, d, h, &out)
	res.AddNotes(file, &out)
	return showApplied(a, res, opt)
}

func showApplied(a *ui.App, res *audit.Applied, opt *applyOptions) error {
	if opt.strict && res.Refused() && a.Exit == 0 {
		a.Exit = ui.ExitPartial
	}
	return a.Show(appliedView{res})
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

// byHand returns what the flags say as deltas.
func (opt *applyOptions) byHand(c *cobra.Command) ([]artifact.Value, error) {
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
		d, err := session.EditBy(place, text, opt.door.why)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, d)
	}
	for _, place := range opt.kill {
		d, err := session.KillBy(place, opt.door.why)
		if err != nil {
			return nil, err
		}
		deltas = append(deltas, d)
	}
	return deltas, nil
}

// Opened is a session with the door open.
type Opened struct {
	Door    *session.Door
	project *project.Project
	Thread  string
}

// OpenDoor opens the store for a person who writes to a session of it.
func OpenDoor(a *ui.App, c *cobra.Command, flags *DoorFlags, arg string) (*Opened, error) {
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return nil, err
	}
	p, err := a.Open(flags.Project, "", nil)
	if err != nil {
		return nil, err
	}
	as := flags.As
	if !c.Flags().Changed("as") {
		as = p.Config.Operator
	}
	door, err := p.OpenDoor(c.Context(), thread, as)
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

// appliedView is what became of a person's deltas, for people.
type appliedView struct{ *audit.Applied }

func (r appliedView) Print(a *ui.App) error {
	if r.Already {
		if !a.Quiet {
			a.Say("nothing was written; --again merges it once more\n")
		}
		return a.Write(fmt.Appendf(nil, "%s: already applied: version %d\n", r.Thread, r.Version))
	}
	if !a.Quiet {
		a.Say(mergecmd.NotesText(r.Reading) + mergecmd.ReportText(&r.Report) + "\n")
	}
	if r.Resolved != nil {
		return a.Write(fmt.Appendf(nil, "%s of %s is that of %s, by %s: version %d\n",
			ui.Clean(r.Resolved.Place), r.Thread, ui.Clean(r.Resolved.Agent), ui.Clean(r.Author), r.Version))
	}
	if !r.Changed {
		return a.Write(fmt.Appendf(nil, "%s: nothing changed, still version %d\n", r.Thread, r.Version))
	}
	return a.Write(fmt.Appendf(nil, "%s: version %d, by %s\n", r.Thread, r.Version, ui.Clean(r.Author)))
}
