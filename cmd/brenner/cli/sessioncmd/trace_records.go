package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/store"
)

// foundRecord is a record that says a text, and who wrote it first.
type foundRecord struct {
	ID      string            `json:"id"`
	Version int               `json:"version"`
	Type    string            `json:"type"`
	Status  string            `json:"status"`
	Stands  bool              `json:"stands"`
	Text    string            `json:"text"`
	First   int               `json:"first_version"`
	Author  string            `json:"author"`
	Change  string            `json:"change"`
	At      string            `json:"at"`
	Call    string            `json:"call"` // of the agent that produced it
	Links   []ui.LinkDocument `json:"links"`
}

// findInRecords looks through the project's records.
func findInRecords(ctx context.Context, a *ui.App, p *project.Project, st store.Store, res *findResult) error {
	found, err := p.Door(st).FindText(ctx, res.Text)
	if err != nil {
		return err
	}
	for i := range found {
		f := &found[i]
		one := foundRecord{
			ID: f.Record.ID, Version: f.Record.Version, Type: f.Record.Type, Status: f.Record.Status, Stands: f.Stands, Text: f.Text, First: f.First.Version,
			Author: f.First.Creator, Change: f.First.Change, At: artifact.FormatInstant(f.First.At), Links: ui.LinkDocuments(f.First.Links),
		}
		if f.Call != nil {
			one.Call = f.Call.ID
		}
		res.Records = append(res.Records, one)
	}
	return nil
}

func (f *foundRecord) write(b *strings.Builder, quiet bool) {
	stands := "stands"
	if !f.Stands {
		stands = "in a draft"
	}
	fmt.Fprintf(b, "%s@v%d: %s, %s\n", ui.Clean(f.ID), f.Version, stands, f.Status)
	if quiet {
		return
	}
	rows := [][]string{{"  Text", ui.Quoted(f.Text)}, {"  First", fmt.Sprintf("v%d, %s, %s", f.First, f.Author, f.At)}}
	if f.Change != "" {
		rows = append(rows, []string{"  Why", ui.Clip(f.Change)})
	}
	for _, l := range f.Links {
		rows = append(rows, []string{"  Link", fmt.Sprintf("%s %s@v%d", l.Relation, l.ID, l.Version)})
	}
	if f.Call != "" {
		rows = append(rows, []string{"  Call", f.Call + " (brenner store log --calls)"})
	}
	rows = append(rows, []string{"  Lineage", fmt.Sprintf("brenner store lineage %s@v%d", f.ID, f.First)})
	b.WriteString(ui.Columns(rows))
}
