package stalematecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session/audit"
	"brenner/session/stalemate"
)

// aboutRecord reports whether an argument names a record, where a session or an export
// could stand.
func aboutRecord(arg string) bool {
	_, _, isFile := project.ExportFile(arg)
	return !isFile && !project.MissingFile(arg) && !strings.HasPrefix(arg, "RS-")
}

func showRecordStalemate(a *ui.App, c *cobra.Command, dir, of, id string) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: dir}, false, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Stalemate(ctx, of, id)
		if err != nil {
			return err
		}
		return show(a, project.RecordStalemate(s))
	})
}

func listRecordStalemates(a *ui.App, c *cobra.Command, dir, of string, all bool) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: dir}, false, func(ctx context.Context, r *storecmd.Records) error {
		h, _, err := r.Find(ctx, of)
		if err != nil {
			return err
		}
		about, err := r.Stalemates(ctx, h.ID)
		if err != nil {
			return err
		}
		l := audit.NewStalemateList()
		project.AddRecordStalemates(l, about, all)
		return showStalemates(a, l)
	})
}

// openOnRecord opens a stalemate about patches of a record.
func openOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, address string, request []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: flags.Project, As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, warnings, err := r.OpenStalemate(ctx, r.Who, address, request)
		if err != nil {
			return err
		}
		res := project.RecordStalemate(s)
		res.Warn(warnings)
		return a.Show(stalemateView{res})
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
		return show(a, project.RecordStalemate(s))
	})
}

// ruleOnRecord puts the verdict of a person on patches of a record.
func ruleOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, args []string, verdict []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{Project: flags.Project, As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Rule(ctx, r.Who, args[0], args[1], verdict)
		if err != nil {
			return err
		}
		return show(a, project.RecordStalemate(s))
	})
}
