package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/govern"
	"brenner/stalemate"
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
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), waits: s.State == stalemate.Open,
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
