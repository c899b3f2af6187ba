package sessioncmd

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
)

// threadSummary is how far a session has come, as its thread of mail alone tells.
type threadSummary struct {
	Server   string            `json:"server"`
	Phase    mail.Phase        `json:"phase,omitempty"`
	Agents   []threadStanding  `json:"agents"`
	Compiled int               `json:"compiled"` // versions that were published
	Messages int               `json:"messages"`
	Names    map[string]string `json:"names,omitempty"`   // agents whom the server calls otherwise
	Problem  string            `json:"problem,omitempty"` // why the thread could not be read
}

// threadStanding is what one agent has done in the newest round.
type threadStanding struct {
	Name         string `json:"name"`
	Acknowledged bool   `json:"acknowledged"`
	Answered     bool   `json:"answered"`
	Asked        string `json:"asked_at"`
}

func (t *threadStanding) state() string {
	switch {
	case t.Answered:
		return "answered"
	case t.Acknowledged:
		return "acknowledged, not answered"
	}
	return "asked, silent"
}

// waitForThread is how long a status waits for a mail server that may be gone.
const waitForThread = 5 * time.Second

// threadOf reads what a thread tells. A server that cannot be read is part of the
// answer: where a session stands is known all the same.
func threadOf(ctx context.Context, a *ui.App, src *project.Source, url, thread string) *threadSummary {
	ctx, cancel := context.WithTimeout(ctx, waitForThread)
	defer cancel()
	all, server, err := readThread(ctx, a, src.Project, url, thread, false)
	if err != nil {
		return &threadSummary{Server: server, Agents: []threadStanding{}, Problem: strings.TrimSpace(err.Error())}
	}
	return newThreadSummary(server, all)
}

func newThreadSummary(server string, all []mail.Message) *threadSummary {
	p := mail.Read(all)
	t := &threadSummary{Server: server, Phase: p.Phase, Compiled: p.Compiled, Messages: len(all), Agents: []threadStanding{}}
	for _, name := range p.Asked {
		t.Agents = append(t.Agents, threadStanding{
			Name: name, Acknowledged: slices.Contains(p.Acked, name), Answered: slices.Contains(p.Answered, name),
			Asked: artifact.FormatInstant(p.AskedAt),
		})
	}
	return t
}

// rows are the lines of a status about the thread.
func (t *threadSummary) rows() [][]string {
	if t.Problem != "" {
		return [][]string{{"Mail", "cannot be read: " + t.Problem}}
	}
	rows := [][]string{{"Mail", string(t.Phase) + ", " + text.Count(t.Messages, "message") + " at " + t.Server}}
	for i := range t.Agents {
		rows = append(rows, []string{"", t.Agents[i].Name + ": " + t.Agents[i].state()})
	}
	for _, agent := range slices.Sorted(maps.Keys(t.Names)) {
		rows = append(rows, []string{"", agent + " is called " + t.Names[agent] + " there"})
	}
	return rows
}

// addThread puts what the thread tells beside what the journal does.
func addThread(ctx context.Context, a *ui.App, src *project.Source, h *session.History, s *sessionSummary) {
	if len(h.State.ByMail()) == 0 || src.File != "" || src.Project == nil {
		return
	}
	s.Mail = threadOf(ctx, a, src, "", h.Thread)
	for _, b := range h.State.Mailboxes() {
		if b.Agent != b.Name {
			if s.Mail.Names == nil {
				s.Mail.Names = make(map[string]string)
			}
			s.Mail.Names[b.Agent] = b.Name
		}
	}
	if u := h.State.Unmailed; u.Code != "" || len(u.Missed) > 0 {
		s.Unmailed = &u
		s.Next = append([]string{"brenner session publish " + h.Thread}, s.Next[:2]...)
	}
}

// foreignThread is a session that another tool runs.
type foreignThread struct {
	Schema string         `json:"schema"`
	Thread string         `json:"thread_id"`
	Mail   *threadSummary `json:"mail"`
	Next   []string       `json:"next"`
}

func (f *foreignThread) Print(a *ui.App) error {
	out := ui.Clean(f.Thread) + ": a thread of another tool; this project's store has no session of that name\n\n" + ui.Columns(f.Mail.rows()) + "\nNext:\n"
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
	ctx, cancel := context.WithTimeout(c.Context(), waitForThread)
	defer cancel()
	all, server, err := readThread(ctx, a, p, "", address.Thread, false)
	switch {
	case fault.CodeOf(err) == mail.NoAuth:
		return errors.Join(missing, err) // it may well be there
	case err != nil || len(all) == 0:
		return missing // what was asked for is not here; that no server answers is no news
	}
	f := &foreignThread{Schema: "brenner.thread/v1", Thread: address.Thread, Mail: newThreadSummary(server, all)}
	f.Next = []string{text.CommandToCopy("brenner mail thread", "ID", f.Thread)}
	switch f.Mail.Phase {
	case mail.PartiallyComplete, mail.AwaitingCompiling, mail.CompiledPhase, mail.InCritique, mail.Closed:
		f.Next = append([]string{text.CommandToCopy("brenner session compile", "ID", f.Thread)}, f.Next...)
	case mail.NotStarted, mail.AwaitingResponses:
	}
	return a.Show(f)
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
