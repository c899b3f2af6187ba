package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/session/stalemate"
)

// aboutRecord tells whether an argument names a record, where a session or an export
// could stand.
func aboutRecord(arg string) bool {
	_, _, isFile := exportFile(arg)
	return !isFile && !missingFile(arg) && !strings.HasPrefix(arg, "RS-")
}

func recordStalemateRow(s *govern.Stalemate) stalemateRow {
	row := stalemateRow{
		ID: s.ID, Thread: s.About.ID, State: s.State, Kind: s.Kind, Place: s.About.String(), By: s.By,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), waits: s.Waits(),
	}
	if s.State == stalemate.Expired {
		row.Why = "the record went on to another version"
	}
	for _, p := range s.Request.Parties {
		row.Parties = append(row.Parties, p.Name)
	}
	return row
}

func (a *app) showRecordStalemate(c *cobra.Command, project, of, id string) error {
	return a.withRecords(c, &recordFlags{project: project}, false, func(ctx context.Context, r *records) error {
		s, err := r.Stalemate(ctx, of, id)
		if err != nil {
			return err
		}
		return a.showOne(s)
	})
}

func (a *app) showOne(s *govern.Stalemate) error {
	res := &stalemateShown{row: recordStalemateRow(s), request: s.Request, verdict: s.Verdict, version: s.About.Version}
	if res.row.waits {
		a.exit = exitPerson
	}
	return a.show(res)
}

func (a *app) listRecordStalemates(c *cobra.Command, project, of string, all bool) error {
	return a.withRecords(c, &recordFlags{project: project}, false, func(ctx context.Context, r *records) error {
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
		return a.showStalemates(&l)
	})
}

// openOnRecord opens a stalemate about patches of a record.
func (a *app) openOnRecord(c *cobra.Command, flags *doorFlags, address string, request []byte) error {
	return a.withRecords(c, &recordFlags{project: flags.project, as: flags.as}, true, func(ctx context.Context, r *records) error {
		s, warnings, err := r.OpenStalemate(ctx, r.who, address, request)
		if err != nil {
			return err
		}
		res := &stalemateShown{row: recordStalemateRow(s), request: s.Request, version: s.About.Version}
		for _, w := range warnings {
			res.warnings = append(res.warnings, string(w.Code)+": "+w.Error())
		}
		return a.show(res)
	})
}

// sendOnRecord gives the request about a record out, to be ruled on by whoever gets it.
func (a *app) sendOnRecord(c *cobra.Command, f *helperFlags, args []string) (stalemate.Request, error) {
	var out stalemate.Request
	err := a.withRecords(c, &f.recordFlags, true, func(ctx context.Context, r *records) error {
		s, err := r.Send(ctx, r.who, args[0], args[1])
		if err == nil {
			out = s.Request
		}
		return err
	})
	return out, err
}

// arbitrateOnRecord has an agent rule on patches of a record.
func (a *app) arbitrateOnRecord(c *cobra.Command, f *helperFlags, arbiter string, args []string) error {
	if f.name, f.via, f.model = arbiterWords(arbiter); f.name == "" || f.via == "" && f.model == "" {
		return usage(c, "--arbiter "+clean(fault.Shown(arbiter))+" does not say who is asked, and how", "write NAME=KIND:MODEL, such as Judge=openai:gpt-5")
	}
	return a.withRecords(c, &f.recordFlags, true, func(ctx context.Context, r *records) error {
		h, done, err := f.helper(a, c, r, stalemate.ArbiterRole)
		if err != nil {
			return err
		}
		defer done()
		s, err := r.Arbitrate(ctx, r.who, h, args[0], args[1])
		if err != nil {
			return err
		}
		return a.showOne(s)
	})
}

// ruleOnRecord puts the verdict of a person on patches of a record.
func (a *app) ruleOnRecord(c *cobra.Command, flags *doorFlags, args []string, verdict []byte) error {
	return a.withRecords(c, &recordFlags{project: flags.project, as: flags.as}, true, func(ctx context.Context, r *records) error {
		s, err := r.Rule(ctx, r.who, args[0], args[1], verdict)
		if err != nil {
			return err
		}
		return a.showOne(s)
	})
}
