package sessioncmd

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

func standing(t *audit.ThreadAgent) string {
	switch {
	case t.Answered:
		return "answered"
	case t.Acknowledged:
		return "acknowledged, not answered"
	}
	return "asked, silent"
}

// threadRows are the lines of a status about the thread.
func threadRows(t *audit.Thread) [][]string {
	if t.Problem != "" {
		return [][]string{{"Mail", "cannot be read: " + t.Problem}}
	}
	rows := [][]string{{"Mail", string(t.Phase) + ", " + text.Count(t.Messages, "message") + " at " + t.Server}}
	for i := range t.Agents {
		rows = append(rows, []string{"", t.Agents[i].Name + ": " + standing(&t.Agents[i])})
	}
	for _, agent := range slices.Sorted(maps.Keys(t.Names)) {
		rows = append(rows, []string{"", agent + " is called " + t.Names[agent] + " there"})
	}
	return rows
}

// foreignThread is a session that another tool runs.
type foreignThread struct{ *project.ForeignThread }

func (f foreignThread) Print(a *ui.App) error {
	out := ui.Clean(f.Thread) + ": a thread of another tool; this project's store has no session of that name\n\n" + ui.Columns(threadRows(f.Mail)) + "\nNext:\n"
	for _, next := range f.Next {
		out += "  " + ui.Clean(next) + "\n"
	}
	return a.Write([]byte(out))
}

// foreignStatus shows a thread that no session of this store belongs to. Where
// there is no such thread either, the session is what is missing.
func foreignStatus(a *ui.App, c *cobra.Command, project, arg string, missing error) error {
	address, err := session.ParseAddress(arg)
	if err != nil || ui.WholeSession(c, address) != nil {
		return missing
	}
	p, err := a.Open(project, "", nil)
	if err != nil {
		return missing
	}
	f, err := p.ForeignThread(c.Context(), address.Thread)
	switch {
	case fault.CodeOf(err) == mail.NoAuth:
		return errors.Join(missing, err) // it may well be there
	case err != nil || f == nil:
		return missing // what was asked for is not here; that no server answers is no news
	}
	return a.Show(foreignThread{f})
}

// unmailedLine says that a version was not mailed to everybody.
func unmailedLine(u *flow.Published) string {
	what := "Version " + strconv.Itoa(u.Version) + " was not mailed"
	if len(u.Missed) > 0 {
		what += " to " + strings.Join(u.Missed, ", ")
	}
	if u.Code != "" {
		what += ": " + u.Detail
	}
	return ui.Clean(what)
}
