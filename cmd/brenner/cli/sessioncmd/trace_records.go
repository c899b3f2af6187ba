package sessioncmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

func writeFoundRecord(b *strings.Builder, f *project.FoundRecord, quiet bool) {
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
