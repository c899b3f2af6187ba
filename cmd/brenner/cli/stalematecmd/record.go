package stalematecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session/stalemate"
)

// aboutRecord tells whether an argument names a record, where a session or an export
// could stand.
func aboutRecord(arg string) bool {
	_, _, isFile := project.ExportFile(arg)
	return !isFile && !project.MissingFile(arg) && !strings.HasPrefix(arg, "RS-")
}

func recordStalemateRow(s *govern.Stalemate) sessioncmd.StalemateRow {
	row := sessioncmd.StalemateRow{
		ID: s.ID, Thread: s.About.ID, State: s.State, Kind: s.Kind, Place: s.About.String(), By: s.By,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), Waits: s.Waits(),
	}
	if s.State == stalemate.Expired {
		row.Why = "the record went on to another version"
	}
	for _, p := range s.Request.Parties {
		row.Parties = append(row.Parties, p.Name)
	}
	return row
}

func showRecordStalemate(a *ui.App, c *cobra.Command, project, of, id string) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: project}, false, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Stalemate(ctx, of, id)
		if err != nil {
			return err
		}
		return showOne(a, s)
	})
}

func showOne(a *ui.App, s *govern.Stalemate) error {
	res := &stalemateShown{row: recordStalemateRow(s), request: s.Request, verdict: s.Verdict, version: s.About.Version}
	if res.row.Waits {
		a.Exit = ui.ExitPerson
	}
	return a.Show(res)
}

func listRecordStalemates(a *ui.App, c *cobra.Command, project, of string, all bool) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: project}, false, func(ctx context.Context, r *storecmd.Records) error {
		h, _, err := r.Find(ctx, of)
		if err != nil {
			return err
		}
		about, err := r.Stalemates(ctx, h.ID)
		if err != nil {
			return err
		}
		var l stalemateList
		l.addRecords(about, all)
		return showStalemates(a, &l)
	})
}

// openOnRecord opens a stalemate about patches of a record.
func openOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, address string, request []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: flags.Project, As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, warnings, err := r.OpenStalemate(ctx, r.Who, address, request)
		if err != nil {
			return err
		}
		res := &stalemateShown{row: recordStalemateRow(s), request: s.Request, version: s.About.Version}
		for _, w := range warnings {
			res.warnings = append(res.warnings, string(w.Code)+": "+w.Error())
		}
		return a.Show(res)
	})
}

// sendOnRecord gives the request about a record out, to be ruled on by whoever gets it.
func sendOnRecord(a *ui.App, c *cobra.Command, f *storecmd.HelperFlags, args []string) (stalemate.Request, error) {
	var out stalemate.Request
	err := storecmd.WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Send(ctx, r.Who, args[0], args[1])
		if err == nil {
			out = s.Request
		}
		return err
	})
	return out, err
}

// arbitrateOnRecord has an agent rule on patches of a record.
func arbitrateOnRecord(a *ui.App, c *cobra.Command, f *storecmd.HelperFlags, arbiter string, args []string) error {
	if f.Name, f.Via, f.Model = project.ArbiterWords(arbiter); f.Name == "" || f.Via == "" && f.Model == "" {
		return ui.Usage(c, "--arbiter "+ui.Clean(fault.Shown(arbiter))+" does not say who is asked, and how", "write NAME=KIND:MODEL, such as Judge=openai:gpt-5")
	}
	return storecmd.WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *storecmd.Records) error {
		h, done, err := f.Helper(a, c, r, stalemate.ArbiterRole)
		if err != nil {
			return err
		}
		defer done()
		s, err := r.Arbitrate(ctx, r.Who, h, args[0], args[1])
		if err != nil {
			return err
		}
		return showOne(a, s)
	})
}

// ruleOnRecord puts the verdict of a person on patches of a record.
func ruleOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, args []string, verdict []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: flags.Project, As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Rule(ctx, r.Who, args[0], args[1], verdict)
		if err != nil {
			return err
		}
		return showOne(a, s)
	})
}
