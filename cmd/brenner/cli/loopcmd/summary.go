package loopcmd

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/sqlite"
)

// loopSummary is where a loop stands: what run ends with, and what status shows.
type loopSummary struct {
	Schema      string       `json:"schema"`
	Loop        string       `json:"loop"`
	Phase       string       `json:"phase"`
	Reason      string       `json:"reason"` // why it ended
	HeldBy      string       `json:"held_by"`
	Rehearsal   bool         `json:"rehearsal"`
	Round       int          `json:"round"`
	Rounds      int          `json:"rounds"`
	Planned     int          `json:"planned"`
	Done        int          `json:"done"`
	Failed      int          `json:"failed"`
	Short       int          `json:"short"` // their own budget ended them
	Skipped     int          `json:"skipped"`
	Running     int          `json:"running"`
	Waiting     int          `json:"waiting"`
	NotOpened   int          `json:"not_opened"` // of rounds that were not opened yet
	Concurrency int          `json:"concurrency"`
	Tokens      int          `json:"tokens_spent"`
	Reserved    int          `json:"tokens_reserved"`
	TokensLimit int          `json:"tokens_budget"`
	USD         float64      `json:"usd_spent"`
	USDLimit    float64      `json:"usd_budget"`
	Until       string       `json:"until"`    // the hour at which it stops
	RetryAt     string       `json:"retry_at"` // no session begins before
	NeedsPerson []string     `json:"needs_person"`
	Jobs        []jobSummary `json:"sessions"`
	Report      string       `json:"report"` // the file for people, where there is one
	Deliveries  []delivery   `json:"deliveries"`
	Head        string       `json:"head"`
	Entries     int          `json:"entries"`
	Next        []string     `json:"next"`
	Exit        *int         `json:"exit,omitzero"`
	Started     string       `json:"started_at"`
	Updated     string       `json:"updated_at"`

	told   bool   // somebody wants it to end
	goesOn string // the command that goes on with it
	rests  bool   // it is a failed session that waits until RetryAt, and no provider said so
}

type jobSummary struct {
	Number    int        `json:"number"`
	Round     int        `json:"round"`
	Name      string     `json:"name"`
	Thread    string     `json:"thread_id"`
	Base      string     `json:"base"`
	Status    string     `json:"status"`
	Reason    string     `json:"reason"`
	Attempts  int        `json:"attempts"`
	Version   int        `json:"version"`
	Tokens    int        `json:"tokens"`
	Conflicts int        `json:"conflicts"`
	Code      fault.Code `json:"code"`
	Problem   string     `json:"problem"`
}

type delivery struct {
	To     string     `json:"to"`
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
}

// The phases that only loops have.
const (
	phasePaused   = "paused"
	phaseStopping = "stopping" // it was told to, and its calls under way end
)

// statusLeft is that of a session that was under way when its process was killed.
const statusLeft = "left"

// summaryOf is loopSummary with what people have decided since about its sessions.
func summaryOf(p *project.Project, ctx context.Context, st *sqlite.Store, state *loop.State) (*loopSummary, error) {
	if err := runner.Refresh(ctx, st, state); err != nil {
		return nil, err
	}
	return summarise(p, st, state), nil
}

// loopSummary says where a loop stands. Who holds it is asked of the locks.
func summarise(p *project.Project, locks store.Locks, st *loop.State) *loopSummary {
	s := &loopSummary{
		Schema: "brenner.loop/v1", Loop: st.Opened.Name, Phase: session.PhaseEnded, Reason: st.Ended, Rehearsal: st.Work.Script != "",
		Round: st.Round, Rounds: st.Limits.Rounds, Planned: st.Planned(), Done: st.Count(loop.Finished), Failed: st.Count(loop.Broken),
		Short:   st.Count(loop.Cut),
		Skipped: st.Count(loop.Omitted), Running: st.Count(loop.Running), Waiting: st.Count(loop.Waiting), NotOpened: st.Planned() - len(st.Jobs),
		Concurrency: st.Limits.Concurrency, Tokens: st.Spent.Tokens, Reserved: st.Reserved.Tokens, TokensLimit: st.Limits.Tokens,
		USD: flow.Dollars(st.Spent.USD), USDLimit: flow.Dollars(st.Limits.USD), Until: st.Limits.Until,
		NeedsPerson: []string{}, Jobs: []jobSummary{}, Deliveries: []delivery{},
		Head: st.Head.Hash, Entries: st.Head.Seq, Started: artifact.FormatInstant(st.Began), Updated: artifact.FormatInstant(st.Last),
		told: st.Stopping != "", goesOn: goOnCommand(p, &st.Opened),
	}
	for i := range st.Jobs {
		j := &st.Jobs[i]
		t := &j.Settled
		s.Jobs = append(s.Jobs, jobSummary{
			j.Number, j.Round, j.Name(), j.Thread, j.Base, string(j.Status), t.Reason, j.Attempts, t.Version, t.Spent, t.Conflicts, t.Code, t.Detail,
		})
	}
	for _, j := range st.Needing() {
		s.NeedsPerson = append(s.NeedsPerson, j.Thread)
	}
	for _, r := range project.LastDeliveries(st) {
		s.Deliveries = append(s.Deliveries, delivery(r))
	}
	if st.Ended == "" {
		s.Phase = session.PhaseLeft
		// Whoever has run it has it until this was said, and does not run it any more.
		if holder, held, err := locks.HolderOf(runner.Lock(s.Loop)); err == nil && held && !project.IsUs(holder) {
			s.Phase, s.HeldBy = session.PhaseRunning, holder.String()
			switch {
			case s.told:
				s.Phase = phaseStopping
			case st.Paused:
				s.Phase = phasePaused
			}
		}
		if s.Phase == session.PhaseLeft { // whoever ran them was killed
			s.Waiting, s.Running = s.Waiting+s.Running, 0
			for i := range s.Jobs {
				if s.Jobs[i].Status == string(loop.Running) {
					s.Jobs[i].Status = statusLeft
				}
			}
		}
		until, provider := st.Rests(p.Now())
		if !until.IsZero() {
			s.RetryAt, s.rests = artifact.FormatInstant(until), !provider
		}
	} else if project.HasFiles(p, st) {
		s.Report = filepath.Join(project.StoreDir(p), project.LoopsFolder, s.Loop, project.ReportFile)
	}
	s.Next = s.next()
	return s
}

// next gives the commands that are most likely wanted now.
func (s *loopSummary) next() []string {
	switch s.Phase {
	case session.PhaseRunning:
		return []string{"brenner loop status " + s.Loop, "brenner loop pause " + s.Loop, "brenner loop stop " + s.Loop}
	case phaseStopping:
		return []string{"brenner loop status " + s.Loop}
	case phasePaused:
		return []string{"brenner loop pause " + s.Loop + " --off", "brenner loop status " + s.Loop, "brenner loop stop " + s.Loop}
	case session.PhaseLeft:
		if s.told {
			return []string{s.goesOn + "   # ends it", "brenner loop status " + s.Loop}
		}
		return []string{s.goesOn, "brenner loop status " + s.Loop, "brenner loop stop " + s.Loop}
	}
	next := []string{"brenner loop report " + s.Loop}
	switch {
	case s.Report == "":
		next = append(next, s.goesOn+"   # writes it into files")
	case slices.ContainsFunc(s.Deliveries, func(d delivery) bool { return d.Code != "" }):
		next = append(next, "brenner loop report "+s.Loop+" --send")
	}
	if s.Failed > 0 {
		next = append(next, s.goesOn+" --retry-failed")
	}
	if len(s.NeedsPerson) > 0 {
		next = append(next, "brenner session status "+s.NeedsPerson[0])
	}
	for _, j := range s.Jobs {
		if j.Status == string(loop.Finished) {
			return append(next, "brenner session show "+j.Thread)
		}
	}
	return next
}

func (s *loopSummary) headline() string {
	sessions := fmt.Sprintf("%d of %s done", s.Done, text.Count(s.Planned, "session"))
	if s.Failed > 0 {
		sessions += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Short > 0 {
		sessions += fmt.Sprintf(", %d short of budget", s.Short)
	}
	switch s.Phase {
	case session.PhaseRunning, phasePaused, phaseStopping:
		return s.Phase + ", " + sessions + ", held by " + ui.Clean(s.HeldBy)
	case session.PhaseLeft:
		if s.told {
			return "left before its end and told to stop, " + sessions
		}
		return "left before its end, " + sessions
	}
	return report.Ending(s.Reason) + ", " + sessions
}

func (s *loopSummary) Print(a *ui.App) error {
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(s.Loop), s.headline())
	if a.Quiet {
		return a.Write([]byte(headline))
	}
	var b strings.Builder
	if s.Rehearsal {
		b.WriteString(ui.LoopRehearsalNote + "\n\n")
	}
	b.WriteString(headline + "\n" + ui.Columns(s.facts(a)))
	b.WriteString("\n" + ui.Columns(s.rows()))
	s.problems(&b)
	if left := s.undone(); left != "" {
		b.WriteString("\nLeft undone: " + left + "\n")
	}
	if len(s.NeedsPerson) > 0 {
		names, more := s.NeedsPerson, ""
		if n := len(names) - mostNames; n > 0 {
			names, more = names[:mostNames], fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(&b, "\nA person is needed: %s%s\n", ui.Clean(strings.Join(names, ", ")), more)
	}
	for _, d := range s.Deliveries {
		if d.Code != "" {
			fmt.Fprintf(&b, "\nThe report did not reach %s: %s\n", ui.Clean(d.To), ui.Clean(d.Detail))
		}
	}
	b.WriteString("\nNext:\n")
	for _, next := range s.Next {
		b.WriteString("  " + ui.Clean(next) + "\n")
	}
	return a.Write([]byte(b.String()))
}

func (s *loopSummary) facts(a *ui.App) [][]string {
	tokens := fmt.Sprintf("%d (no limit)", s.Tokens)
	if s.TokensLimit > 0 {
		tokens = fmt.Sprintf("%d (of %d)", s.Tokens, s.TokensLimit)
		if over := s.Tokens - s.TokensLimit; over > 0 {
			tokens = fmt.Sprintf("%d (of %d: %d over)", s.Tokens, s.TokensLimit, over)
		}
	}
	if s.Reserved > 0 {
		tokens += fmt.Sprintf(", %d set aside", s.Reserved)
	}
	rows := [][]string{
		{"Round", fmt.Sprintf("%d of %d", s.Round, s.Rounds)},
		{"Tokens", tokens},
	}
	if s.USD > 0 || s.USDLimit > 0 {
		limit := "no limit"
		if s.USDLimit > 0 {
			limit = "of " + ui.Money(s.USDLimit)
		}
		rows = append(rows, []string{"Cost", fmt.Sprintf("%s (%s)", ui.Money(s.USD), limit)})
	}
	if s.Until != "" {
		rows = append(rows, []string{"Until", a.Clock(s.Until)})
	}
	if s.RetryAt != "" {
		why := "a provider said so"
		if s.rests {
			why = "then a failed session is tried again"
		}
		rows = append(rows, []string{"Waits", "until " + a.Clock(s.RetryAt) + ": " + why})
	}
	if s.Report != "" {
		rows = append(rows, []string{"Report", ui.FromHere(s.Report)})
	}
	return append(rows, []string{"Journal", fmt.Sprintf("%s, head %s", text.Plural(s.Entries, "entry", "entries"), s.Head)})
}

// How many sessions, and names of them, a person is shown.
const (
	mostJobs     = 40
	mostUnbegun  = 5 // of sessions of which there is nothing to say but that they wait
	mostNames    = 3
	mostProblems = 10
)

// problems says what went wrong with sessions; in the table it would push everything
// out of line.
func (s *loopSummary) problems(b *strings.Builder) {
	shown := 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Problem == "" {
			continue
		}
		if shown++; shown == 1 {
			b.WriteString("\nWhat went wrong:\n")
		}
		if shown <= mostProblems {
			fmt.Fprintf(b, "  %s: %s\n", ui.Clean(cmp.Or(j.Thread, j.Name)), ui.Clean(strings.TrimSpace(string(j.Code)+" "+j.Problem)))
		}
	}
	if shown > mostProblems {
		fmt.Fprintf(b, "  … and %d more: --json has all of them\n", shown-mostProblems)
	}
}

func (s *loopSummary) rows() [][]string {
	rows := [][]string{{"SESSION", "ROUND", "WHAT", "STATUS", "VERSION", "TOKENS", "CONFLICTS"}}
	unbegun := 0
	for _, j := range s.Jobs {
		if j.Thread == "" && j.Status == string(loop.Waiting) {
			if unbegun++; unbegun > mostUnbegun {
				continue
			}
		}
		if len(rows) > mostJobs {
			break
		}
		rows = append(rows, []string{
			ui.OrDash(ui.Clean(j.Thread)), fmt.Sprint(j.Round), ui.Clean(j.Name), j.Status, fmt.Sprint(j.Version), fmt.Sprint(j.Tokens), fmt.Sprint(j.Conflicts),
		})
	}
	if n := len(s.Jobs) - len(rows) + 1; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("… and %d more: --json has all of them", n)})
	}
	return rows
}

// undone says what a loop that has ended left undone.
func (s *loopSummary) undone() string {
	if s.Phase != session.PhaseEnded {
		return ""
	}
	var parts []string
	if s.Waiting > 0 {
		parts = append(parts, text.Count(s.Waiting, "session")+" of round "+fmt.Sprint(s.Round))
	}
	if s.Short > 0 {
		parts = append(parts, text.Count(s.Short, "session")+" short of budget")
	}
	if s.NotOpened > 0 {
		parts = append(parts, text.Count(s.NotOpened, "session")+" of later rounds")
	}
	return strings.Join(parts, ", ")
}
