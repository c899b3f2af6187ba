package sessioncmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/session"
)

func sessionImportCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Take the session of an export into this project",
		Long: `Proves an export as verify does, and takes its session into the project's store, whole or
not at all. Where the session is here already, and the export has more of it, it is
continued; where it went another way, nothing is touched.`,
		Example: `  brenner session import RS-20261115-cell-fate.brenner.jsonl
  brenner session import -C ../review cell-fate.jsonl

Exit codes: 0 imported, or it is here already; 1 the export was changed, or it cannot be
stored; 2 the file cannot be read, or is no export; 5 there is another session of this
name here, or another process holds it.`,
		Args: ui.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return importSession(a, c, project, args[0]) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func importSession(a *ui.App, c *cobra.Command, dir, file string) error {
	ctx := c.Context()
	data, err := a.ReadExact("the export", file)
	if err != nil {
		return err
	}
	checked, x, err := project.VerifyExport(ctx, file, data, "")
	if err != nil {
		return err
	}
	if len(checked.Found) > 0 {
		return refused(file, checked.Found)
	}
	if err := kickoff.CheckThreadID(x.Thread); err != nil {
		return fault.InFile("import", file, err) // it becomes the name of a folder
	}
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return err
	}
	st, err := p.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	release, err := st.Hold(x.Thread, a.Host().Holder(ui.Doing(c)))
	if err != nil {
		return err
	}
	defer release() //nolint:errcheck // the process ends, and the lock with it
	n, err := session.Import(ctx, st, x)
	if err != nil {
		return fault.InFile("import", file, err)
	}
	h, err := session.Load(ctx, st, x.Thread)
	if err != nil {
		return err
	}
	if _, err := project.Publish(ctx, p, h); err != nil {
		return err
	}
	return a.Show(&imported{
		Schema: "brenner.session.import/v1", Thread: x.Thread, File: file, New: n, Entries: len(h.Entries),
		Versions: h.State.Version(), Head: h.State.Head.Hash, Seal: h.State.Seal(), here: n == 0, ahead: len(h.Entries) > checked.Entries,
	})
}

// refused says why an export is not taken in, and everything that is wrong with it.
func refused(file string, found []error) error {
	all := []error{&fault.Error{
		Code: session.ExportChanged, Op: "import", Place: file, Detail: "it does not prove itself; nothing was imported",
		Hint: "ask for the file again, or export it again",
	}}
	for _, err := range found {
		for _, f := range fault.Distinct(err) {
			all = append(all, &fault.Error{Code: f.Code, Place: file, Cause: f})
		}
	}
	return errors.Join(all...)
}

// imported is a session that was taken in.
type imported struct {
	Schema   string `json:"schema"`
	Thread   string `json:"thread_id"`
	File     string `json:"file"`
	New      int    `json:"new_entries"`
	Entries  int    `json:"entries"`
	Versions int    `json:"versions"`
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	here     bool
	ahead    bool // the project has more of it than the export
}

func (i *imported) Print(a *ui.App) error {
	what := fmt.Sprintf("imported, %s", text.Plural(i.New, "new entry", "new entries"))
	switch {
	case i.here && i.ahead:
		what = "already here, and further on than the export"
	case i.here:
		what = "already here"
	}
	if a.Quiet {
		return a.Write([]byte(ui.Clean(i.Thread) + "\n"))
	}
	return a.Write([]byte(fmt.Sprintf("%s: %s\n%s", ui.Clean(i.Thread), what, ui.Columns([][]string{
		{"Holds", text.Plural(i.Entries, "entry", "entries") + ", " + text.Count(i.Versions, "version")}, {"Head", i.Head}, {"Seal", i.Seal},
	}))))
}
