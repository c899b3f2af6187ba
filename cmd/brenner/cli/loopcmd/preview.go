package loopcmd

import (
	"context"
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session/flow"
	"brenner/store"
)

// loopPreview is what a plan would do.
type loopPreview struct {
	Schema      string           `json:"schema"`
	DryRun      bool             `json:"dry_run"`
	Loop        string           `json:"loop"`
	Does        string           `json:"does"`
	Rehearsal   bool             `json:"rehearsal"`
	Rounds      int              `json:"rounds"`
	Planned     int              `json:"planned"` // sessions of all rounds
	Done        int              `json:"done"`    // of those, before
	Concurrency int              `json:"concurrency"`
	Share       int              `json:"session_tokens"` // what is set aside for each; 0 is no limit
	ShareUSD    float64          `json:"session_usd"`
	TokensLimit int              `json:"tokens_budget"`
	USDLimit    float64          `json:"usd_budget"`
	Until       string           `json:"until"`
	Deliver     []string         `json:"report_to"`
	Sessions    []previewSession `json:"sessions"` // of a round

	shareNano, limitNano int64 // of dollars
}

type previewSession struct {
	Name     string         `json:"name"`
	Question string         `json:"question"`
	Roster   string         `json:"roster"`
	Model    string         `json:"model"`
	Seed     *int           `json:"seed"` // null is none
	After    string         `json:"after"`
	Agents   []previewAgent `json:"agents"`
}

type previewAgent struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Via     string `json:"via"`
	ModelID string `json:"model_id"`
}

// What would become of a loop.
const (
	wouldBegin  = "begin"
	wouldGoOn   = "go_on"
	wouldEnd    = "end"
	wouldMakeUp = "make_up" // for a report that is owed
	wouldNot    = "nothing"
)

// previewLoop says what a plan would do, and writes nothing.
func previewLoop(ctx context.Context, a *ui.App, p *project.Planned, base string, opt *loopOptions) error {
	state, err := peekLoop(ctx, a, p, base, opt)
	if err != nil {
		return err
	}
	if state != nil {
		p.Opened.Limits = limits(p, state)
	}
	w, l := &p.Opened.Work, &p.Opened.Limits
	v := &loopPreview{
		Schema: "brenner.loop.preview/v1", DryRun: true, Loop: p.Opened.Name, Does: wouldBegin, Rehearsal: w.Script != "",
		Rounds: l.Rounds, Planned: l.Rounds * len(w.Cells), Concurrency: l.Concurrency,
		Share: w.Settings.Budget, ShareUSD: flow.Dollars(w.Settings.BudgetUSD), TokensLimit: l.Tokens, USDLimit: flow.Dollars(l.USD),
		Until: l.Until, Deliver: append([]string{}, project.ReadersOf(p.Project)...), Sessions: []previewSession{},
		shareNano: w.Settings.BudgetUSD, limitNano: l.USD,
	}
	if state != nil {
		v.Loop, v.Done, v.Does = state.Opened.Name, state.Count(loop.Finished), wouldGoOn
		until, err := artifact.ParseInstant(l.Until)
		switch {
		case state.Ended != "" && !opt.goOn:
			v.Does = wouldNot
			if p.Project.OwedBy(state).Any() {
				v.Does = wouldMakeUp
			}
		case state.Ended == "" && state.Stopping != "", err == nil && !a.Now().Before(until):
			v.Does = wouldEnd
		}
	}
	if v.Sessions, err = preview(p); err != nil {
		return err
	}
	return a.Show(v)
}

// peekLoop gives the loop that there is, without making a store to look into.
func peekLoop(ctx context.Context, a *ui.App, p *project.Planned, base string, opt *loopOptions) (*loop.State, error) {
	st, err := p.Project.OpenUnchanged(ctx)
	switch {
	case fault.CodeOf(err) == store.NoStore && opt.goOn:
		return nil, project.NothingToGoOn(base)
	case fault.CodeOf(err) == store.NoStore:
		p.Opened.Name = base
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer a.CloseStore(st)
	state, err := p.Find(ctx, st, base, opt.key, opt.goOn)
	if err != nil || state == nil {
		return nil, err
	}
	holder, held, err := st.HolderOf(runner.Lock(state.Opened.Name))
	if err == nil && held {
		err = store.Taken(runner.Lock(state.Opened.Name), holder) // so would the real one say
	}
	return state, err
}

// preview gives the sessions of a round, with who takes part in each.
func preview(p *project.Planned) ([]previewSession, error) {
	w := &p.Opened.Work
	all, casts := make([]previewSession, 0, len(w.Cells)), make(map[string][]previewAgent)
	for i := range w.Cells {
		c := &w.Cells[i]
		kind := c.Roster + "\n" + c.Model
		if _, known := casts[kind]; !known {
			r, err := project.RosterOfCell(w, c, 0)
			if err != nil {
				return nil, err
			}
			parties, err := p.Project.LoopParties(w, c, r)
			if err != nil {
				return nil, err
			}
			for _, one := range parties {
				casts[kind] = append(casts[kind], previewAgent{one.Name, one.Role, one.Via, one.ModelID})
			}
		}
		name := (&loop.Job{Cell: *c}).Name()
		all = append(all, previewSession{name, c.Question, c.Roster, c.Model, c.Seed, c.After, casts[kind]})
	}
	return all, nil
}

func (v *loopPreview) Print(a *ui.App) error {
	does := map[string]string{
		wouldBegin: "would begin", wouldGoOn: fmt.Sprintf("would go on, %d of %s done", v.Done, text.Count(v.Planned, "session")),
		wouldEnd:    "would end, since it was told to stop or its hour has passed; no session would begin",
		wouldMakeUp: "has ended; only its report would be made up for", wouldNot: "has ended; nothing would be run",
	}[v.Does]
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(v.Loop), does)
	if a.Quiet {
		return a.Write([]byte(headline))
	}
	var b strings.Builder
	if v.Rehearsal {
		b.WriteString(ui.LoopRehearsalNote + "\n\n")
	}
	b.WriteString("Dry run: nothing is sent, nothing is written.\n\n" + headline + "\n" + ui.Columns(v.facts(a)) + "\n")
	rows := [][]string{{"SESSION OF A ROUND", "AFTER", "AGENTS"}}
	for i := range v.Sessions {
		if i == mostJobs {
			rows = append(rows, []string{fmt.Sprintf("… and %d more: --json has all of them", len(v.Sessions)-i)})
			break
		}
		s := &v.Sessions[i]
		var agents []string
		for _, one := range s.Agents {
			agents = append(agents, fmt.Sprintf("%s (%s)", one.Name, strings.TrimSpace(one.Via+" "+one.ModelID)))
		}
		rows = append(rows, []string{s.Name, ui.OrDash(s.After), strings.Join(agents, ", ")})
	}
	b.WriteString(ui.Columns(rows))
	return a.Write([]byte(b.String()))
}

func (v *loopPreview) facts(a *ui.App) [][]string {
	rows := [][]string{
		{"Sessions", fmt.Sprintf("%d a round, %d at a time: %d in all", len(v.Sessions), v.Concurrency, v.Planned)},
		{"Rounds", fmt.Sprint(v.Rounds)},
	}
	atOnce := min(v.Concurrency, len(v.Sessions))
	if n := v.Share; n > 0 {
		rows = append(rows, []string{"Set aside", fmt.Sprintf("%d tokens for each session: %d at once, %d for all", n, n*atOnce, n*v.Planned)})
	}
	if usd := v.ShareUSD; usd > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("%s for each session: %s at once, %s for all", ui.Money(usd), ui.Money(usd*float64(atOnce)), ui.Money(usd*float64(v.Planned)))})
	}
	if v.TokensLimit > 0 {
		rows = append(rows, []string{"Budget", fmt.Sprintf("%d tokens%s", v.TokensLimit, v.reach(int64(v.TokensLimit), int64(v.Share)))})
	}
	if v.USDLimit > 0 {
		rows = append(rows, []string{"Budget", ui.Money(v.USDLimit) + v.reach(v.limitNano, v.shareNano)})
	}
	if v.Until != "" {
		rows = append(rows, []string{"Until", a.Clock(v.Until)})
	}
	return append(rows, []string{"Report", strings.Join(append([]string{"files"}, v.Deliver...), ", ")})
}

// reach says how far a budget reaches in the worst case.
func (v *loopPreview) reach(budget, share int64) string {
	if share <= 0 || budget/share >= int64(v.Planned) {
		return ""
	}
	return fmt.Sprintf(": if every session spends its share, %d of %d begin", budget/share, v.Planned)
}
