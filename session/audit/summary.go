// Package audit answers questions about a stored session: its status, who wrote what, how it would
// be without an agent, and whether it verifies.
package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/mail"
	"brenner/merge"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// Summary is the status of a session.
type Summary struct {
	Schema    string            `json:"schema"`
	Thread    string            `json:"thread_id"`
	Question  string            `json:"question"`
	Domain    string            `json:"domain,omitempty"` // of the playbook
	Rehearsal bool              `json:"rehearsal"`
	Phase     string            `json:"phase"`
	Reason    string            `json:"reason"` // of the end
	HeldBy    string            `json:"held_by"`
	Round     int               `json:"round"`
	Rounds    int               `json:"rounds"`
	Version   int               `json:"version"`
	Artifact  string            `json:"artifact"`         // path of the rendered file, if any
	Edited    []string          `json:"edited,omitempty"` // artifact files with other content, which were left
	Head      string            `json:"head"`
	Entries   int               `json:"entries"`
	Seal      string            `json:"seal"`
	Spent     int               `json:"tokens_spent"`
	Budget    int               `json:"tokens_budget"`
	SpentUSD  float64           `json:"usd_spent"`
	BudgetUSD float64           `json:"usd_budget"`
	Agents    []AgentSummary    `json:"agents"`
	Versions  []VersionSummary  `json:"versions"`
	Rejected  []Rejection       `json:"rejected"`
	Refused   []RefusedField    `json:"refused_fields"`
	Conflicts []ConflictSummary `json:"conflicts"`
	Stuck     []StalemateRow    `json:"stalemates"`
	Patches   []PatchRow        `json:"record_patches"`
	Missing   []flow.Absence    `json:"missing"`
	Idle      []string          `json:"idle"`                     // agents that neither contributed nor wrote NO CHANGES in any round
	Verdict   flow.Verdict      `json:"verdict"`                  // of the session as a whole
	Lost      int               `json:"tokens_lost"`              // part of Spent: possible cost of calls without a reply
	Unpriced  int               `json:"unpriced_models,omitzero"` // asked, without a price: SpentUSD leaves them out
	Mail      *Thread           `json:"mail,omitempty"`           // state of the thread, if agents have mailboxes
	Unmailed  *flow.Published   `json:"unmailed,omitempty"`       // the newest version, if not all recipients were reached
	Remarks   []CallRemark      `json:"remarks,omitempty"`        // about answered calls
	Next      []string          `json:"next"`
	Needs     int               `json:"tokens_needed"` // by the calls beyond the budget
	NeedsUSD  float64           `json:"usd_needed"`
	RetryAt   string            `json:"retry_at"`      // when the missing agents may answer
	Exit      *int              `json:"exit,omitzero"` // of the command that ran it, which sets it
	// Waiting are agents whose replies wait for the round to be settled.
	Waiting []string `json:"waiting,omitempty"`
	// Unasked are those of Missing that were not asked.
	Unasked []flow.Absence `json:"unasked,omitempty"`
	// Uncorrected are replies whose correction the budget did not cover.
	Uncorrected []flow.Absence `json:"uncorrected,omitempty"`
	// Skipped are deltas without an effect, such as EDITs of killed items, of what is already so, or of
	// which no field won.
	Skipped []Rejection `json:"skipped,omitempty"`
	// LabelsTaken are ADDs that were taken without an id that they carried.
	LabelsTaken []Rejection `json:"labels_taken,omitempty"`
	// Letters are the messages of the thread outside of calls; after a compilation, all messages of
	// the thread.
	Letters []session.LetterRow `json:"letters,omitempty"`
	// Ignored are the deltas of replies that are drafts, quotations or examples, and not taken elsewhere.
	Ignored []IgnoredInCall `json:"ignored,omitempty"`
	// Task is the task spec that the session runs.
	Task    string `json:"task,omitempty"`
	Started string `json:"started_at"`
	Updated string `json:"updated_at"`
	blame   string // an existing item, for a suggested command
	enough  string // flags of a sufficient budget, if its own is too small
}

// AgentSummary summarizes the calls of an agent.
type AgentSummary struct {
	Name     string     `json:"name"`
	Role     string     `json:"role"`
	Via      string     `json:"via"`
	Model    string     `json:"model"`
	Answered int        `json:"answered"`
	Letters  int        `json:"letters"` // outside of any call
	Failed   int        `json:"failed"`
	Tokens   int        `json:"tokens"`
	USD      float64    `json:"usd"`
	State    string     `json:"state"` // in the last round
	Code     fault.Code `json:"code,omitempty"`
	Problem  string     `json:"problem,omitempty"`
	Hint     string     `json:"hint,omitempty"` // how to solve the problem
	// Outcomes has one entry for each settled round, and for a round in which the call failed.
	Outcomes []RoundOutcome `json:"outcomes"`
	Counts   OutcomeCounts  `json:"outcome_counts"`
	// ModelID and AskedWay are what replied last; before the first reply, what is asked.
	ModelID string `json:"model_id,omitempty"`
	AskedWay
	// RepliedBy is what wrote the replies, in order.
	RepliedBy []string `json:"replied_by,omitempty"`
}

// FromArbiter is the source of a version that an agent ruled.
const FromArbiter = "arbiter"

// VersionSummary summarizes a version.
type VersionSummary struct {
	Version   int    `json:"version"`
	From      string `json:"from"`
	Round     int    `json:"round,omitzero"`
	Author    string `json:"author,omitempty"`
	Asked     string `json:"asked,omitempty"` // of an arbiter's ruling: what was asked
	At        string `json:"at"`
	Applied   int    `json:"applied"`
	Rejected  int    `json:"rejected"`
	Other     int    `json:"other"`
	Conflicts int    `json:"conflicts"`
	Errors    int    `json:"lint_errors"`
	Warnings  int    `json:"lint_warnings"`
	Stale     bool   `json:"stale_base,omitzero"`
	// Moved are records that changed after its authors were shown them.
	Moved    []flow.MovedRecord `json:"moved_records,omitempty"`
	Artifact string             `json:"sha256"`
	Seal     string             `json:"seal"`
}

// Rejection is a rejected delta.
type Rejection struct {
	Version int        `json:"version"`
	Agent   string     `json:"agent"`
	Delta   string     `json:"delta_id"`
	Target  string     `json:"target_id"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	// Uncorrected is why its author was not asked to correct it, if known.
	Uncorrected string `json:"uncorrected,omitempty"`
	Written
}

// ConflictSummary is an undecided place.
type ConflictSummary struct {
	Place      string             `json:"place"`
	Candidates []CandidateSummary `json:"candidates"`
}

// CandidateSummary is one candidate for it.
type CandidateSummary struct {
	Agent string         `json:"agent"`
	Delta string         `json:"delta_id"`
	Value jsontext.Value `json:"value"`
	Text  string         `json:"-"` // Value as readable text
}

// Summarise returns the status of a session. Locks reports whether it is running; it is nil for an
// export, whose file the suggested commands then name.
func Summarise(ctx context.Context, h *session.History, locks store.Locks, file string) (*Summary, error) {
	st := h.State
	s := &Summary{
		Schema: "brenner.session/v1", Thread: h.Thread, Question: st.Opened.Question, Domain: st.Opened.Domain, Rehearsal: st.Opened.Rehearsal != "",
		Reason: st.Ended, Phase: session.PhaseEnded, Round: st.Round(), Rounds: st.Settings.Rounds, Version: st.Version(),
		Head: st.Head.Hash, Entries: st.Head.Seq, Seal: st.Seal(), Spent: st.Spent.Tokens, Budget: st.Settings.Budget,
		SpentUSD: flow.Dollars(st.Spent.USD), BudgetUSD: flow.Dollars(st.Settings.BudgetUSD),
		Letters: h.Letters(), Agents: AgentSummaries(st), Versions: []VersionSummary{}, Rejected: []Rejection{}, Conflicts: []ConflictSummary{},
		Stuck: stalemateRows(h), Patches: PatchRows(st.Patches), Missing: append([]flow.Absence{}, st.Missing()...), Started: artifact.FormatInstant(st.Began), Updated: artifact.FormatInstant(st.Last),
		Remarks: remarksOf(st), Refused: []RefusedField{}, Idle: append([]string{}, st.Idle()...), Verdict: st.Verdict(),
		Waiting: st.Waiting(), Unasked: unasked(st), Uncorrected: uncorrected(st), Task: st.Opened.Task,
	}
	if locks != nil {
		holder, held, err := locks.HolderOf(h.Thread)
		if err != nil {
			return nil, err
		}
		switch {
		case held:
			s.Phase, s.HeldBy = session.PhaseRunning, holder.String()
		case st.Ended == "":
			s.Phase = session.PhaseLeft
		}
	} else if st.Ended == "" {
		s.Phase = session.PhaseLeft
	}
	if file == "" {
		if err := s.findElsewhere(ctx, h); err != nil {
			return nil, err
		}
	}
	if err := s.addVersions(ctx, h); err != nil {
		return nil, err
	}
	for _, c := range callsOf(st) {
		s.Lost += c.Lost.Tokens
	}
	asked := slices.DeleteFunc(slices.Clone(flow.WithArbiter(st.Agents, st.Arbiter)), func(p flow.Party) bool {
		return !slices.ContainsFunc(st.Calls(), func(c *flow.Call) bool {
			return c.Agent == p.Name && (c.Answered.Spent().Tokens > 0 || c.Lost.Tokens > 0)
		})
	})
	s.Unpriced = len(st.Settings.Prices.Unpriced(asked))
	s.countOpenFailures(st)
	shortfall := st.Shortfall()
	s.Needs, s.NeedsUSD = shortfall.Tokens, flow.Dollars(shortfall.USD)
	s.enough = st.EnoughBudget().Flags()
	s.blame = artifact.ThreadID
	if _, ok := st.Items["H1"]; ok {
		s.blame = "H1"
	}
	if leg := st.OpenLeg(); leg != nil && st.Ended == flow.EndLater {
		at, _ := leg.RetryTime()
		s.RetryAt = artifact.FormatInstant(at)
	}
	s.Next = s.next(file)
	return s, nil
}

// withoutCall returns the state of an agent without a call in the last round.
func withoutCall(st *flow.State) string {
	if len(st.Legs) == 0 && st.Ended == flow.EndCompiled {
		return "not asked"
	}
	return "waiting"
}

// AgentSummaries summarizes the calls of each agent.
func AgentSummaries(st *flow.State) []AgentSummary {
	out := make([]AgentSummary, len(st.Agents))
	for i, p := range st.Agents {
		by, authors := st.RepliedBy(&p)
		s := AgentSummary{Name: p.Name, Role: p.Role, Via: p.Via, Model: p.Model, ModelID: by.ModelID, State: withoutCall(st), Outcomes: []RoundOutcome{}, AskedWay: askedOf(by), RepliedBy: authors}
		if by.Way != nil && st.NamesAuthors() {
			s.Model = by.Entry().Model
		}
		spent := flow.Cost{}
		for _, c := range st.Calls() {
			if c.Agent != p.Name {
				continue
			}
			spent = spent.Plus(c.Answered.Spent()).Plus(c.Lost)
			s.Failed += c.Failures
			if c.Turn == flow.TurnAsk && c.Status == flow.Replied {
				s.Answered++
			}
			if c.Round == st.Round() {
				s.setState(c)
			}
		}
		for j := range st.Commits {
			for _, l := range st.Commits[j].Letters {
				if l.Agent == p.Name {
					s.Letters++
				}
			}
		}
		s.Tokens, s.USD = spent.Tokens, flow.Dollars(spent.USD)
		out[i] = s
	}
	return out
}

// setState sets the state in the last round. A failed repair does not undo the first reply.
func (s *AgentSummary) setState(c *flow.Call) {
	if c.Turn == flow.TurnAsk || c.Status == flow.Begun {
		s.State = string(c.Status)
	}
	s.Code, s.Problem, s.Hint = "", "", ""
	if c.Status == flow.Lost {
		s.Hint = c.Failed.Hint
	}
	switch {
	case c.Status == flow.Lost && c.Turn == flow.TurnRepair:
		s.Code, s.Problem = c.Failed.Code, "the repair failed: "+c.Failed.Detail
	case c.Status == flow.Lost:
		s.Code, s.Problem = c.Failed.Code, c.Failed.Detail
	}
}

// addVersions adds every version, the rejected deltas, and the open conflicts of the last version.
func (s *Summary) addVersions(ctx context.Context, h *session.History) error {
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		s.Versions = append(s.Versions, VersionSummary{
			Version: c.Version, From: c.Source, Round: c.Round, Author: c.Author, Asked: h.State.Ruler(&c.Committed), At: c.At,
			Applied: c.Outcome.Applied, Rejected: c.Outcome.Rejected, Other: c.Outcome.Other, Conflicts: c.Outcome.Conflicts,
			Errors: c.Outcome.Errors, Warnings: c.Outcome.Warnings, Stale: c.Stale, Moved: c.Moved, Artifact: c.Artifact, Seal: c.Seal,
		})
		if v := &s.Versions[i]; v.Asked != "" {
			v.From = FromArbiter
		}
		if !needsReport(h.State, i) {
			s.addOutcomes(c, h.State.HeardIn(c))
			continue
		}
		report, err := h.Report(ctx, c)
		if err != nil {
			return err
		}
		s.addOutcomes(c, h.Heard(c, report))
		s.addRefusedFields(c, report)
		if err := s.addRejections(ctx, h, c, report); err != nil {
			return err
		}
		if err := s.addIgnored(ctx, h, c, report); err != nil {
			return err
		}
		if err := s.addLetterWarnings(ctx, h, c, report); err != nil {
			return err
		}
		if err := s.addIdle(ctx, h, i, report); err != nil {
			return err
		}
		if i < len(h.State.Commits)-1 || c.Outcome.Conflicts == 0 {
			continue
		}
		now, err := h.Artifact(ctx, c.Version)
		if err != nil {
			return err
		}
		s.addConflicts(report.Merge.Conflicts, session.Conflicts(&now))
	}
	return nil
}

// addRejections adds the deltas of a commit that were rejected, without effect, or taken without their label.
func (s *Summary) addRejections(ctx context.Context, h *session.History, c *flow.Commit, report *session.Report) error {
	written, err := writtenIn(ctx, h, c, report)
	if err != nil {
		return err
	}
	for _, reading := range report.Readings {
		for _, p := range reading.Problems {
			if p.Code == delta.MessageTooLarge {
				s.Rejected = append(s.Rejected, Rejection{Version: c.Version, Agent: reading.Agent, Code: p.Code, Message: p.Message})
			}
		}
	}
	for _, row := range report.Merge.Deltas {
		r := Rejection{c.Version, row.Agent, row.DeltaID, row.TargetID, row.Code, row.Reason(), "", written[row.DeltaID]}
		switch row.Disposition {
		case merge.Rejected:
			r.Uncorrected = uncorrectedBecause(h.State, c, &row)
			s.Rejected = append(s.Rejected, r)
		case merge.Skipped, merge.Superseded:
			s.Skipped = append(s.Skipped, r)
		default:
			if row.Code == merge.LabelTaken {
				s.LabelsTaken = append(s.LabelsTaken, r)
			}
		}
	}
	return nil
}

// addConflicts adds the conflicts at open places, with their candidates.
func (s *Summary) addConflicts(all []merge.Conflict, open []string) {
	for _, c := range all {
		out := ConflictSummary{Place: c.Item + "." + c.Field}
		if !slices.Contains(open, out.Place) {
			continue
		}
		for _, one := range c.Candidates {
			out.Candidates = append(out.Candidates, CandidateSummary{one.Agent, one.Delta, artifact.Canonical(one.Value), session.PlainText(one.Value)})
		}
		s.Conflicts = append(s.Conflicts, out)
	}
}

func (s *Summary) next(file string) []string {
	if file != "" {
		return []string{"brenner session show " + file, "brenner verify " + file, "brenner session replay " + file}
	}
	id := s.Thread
	switch {
	case s.Task != "" && s.Phase == session.PhaseEnded:
		return s.nextOfTask()
	case s.Phase == session.PhaseRunning:
		return []string{"brenner session watch " + id, "brenner session show " + id, "brenner session note " + id + ` "…"`}
	case len(s.Conflicts) > 0 && s.Reason == flow.EndBudget:
		return []string{"brenner session resolve " + id, "brenner session resume " + id + s.enough, "brenner session show " + id}
	case len(s.Conflicts) > 0 && (s.Phase == session.PhaseLeft || flow.Resumable(s.Reason)):
		return []string{"brenner session resolve " + id, "brenner session show " + id, "brenner session resume " + id}
	case len(s.Conflicts) > 0:
		return []string{"brenner session resolve " + id, "brenner session show " + id, s.oneMoreRound()}
	case s.NeedsRuling():
		return s.nextRuling()
	case s.Phase == session.PhaseLeft, flow.Resumable(s.Reason):
		return []string{"brenner session resume " + id + OtherModels(s.Agents), "brenner session status " + id, "brenner session show " + id}
	case s.Reason == flow.EndBudget:
		return []string{"brenner session resume " + id + s.enough, "brenner session show " + id, "brenner trace list " + id}
	case len(s.Missing) > 0, s.Verdict != flow.Complete:
		return []string{s.oneMoreRound(), "brenner trace list " + id, "brenner session show " + id}
	}
	return []string{"brenner session show " + id, "brenner blame " + id + " " + s.blame, "brenner session replay " + id}
}

// nextOfTask returns what to do after the run of a task: look at what it made, or run it again.
func (s *Summary) nextOfTask() []string {
	made := s.Made()
	var all []string
	for _, one := range made {
		all = append(all, "brenner store show "+one)
	}
	elsewhere := slices.ContainsFunc(s.Patches, func(p PatchRow) bool { return p.Elsewhere })
	again := "brenner store run " + s.Task
	switch {
	case s.Reason == flow.EndBudget:
		again += s.enough
	case s.Reason == flow.EndRounds && len(s.Uncorrected) > 0:
		again += " --again" + s.enough
	case s.Reason == flow.EndRounds:
		again += " --again"
	}
	if s.Reason != flow.EndRounds || s.Verdict != flow.Complete || elsewhere || len(s.Uncorrected) > 0 {
		if OtherModels(s.Agents) != "" {
			again += " --model ID"
		}
		return append(all, again, "brenner trace list "+s.Thread)
	}
	if len(all) > 0 {
		const few = 3
		first := made[0]
		all = append(all[:min(len(all), few)], "brenner store lineage "+first, "brenner store promote "+first+" -m REASON")
	}
	return append(all, "brenner trace list "+s.Thread)
}

// Made returns the records and versions that agents made, as far as they are in this store.
func (s *Summary) Made() []string {
	var all []string
	for i := range s.Patches {
		if p := &s.Patches[i]; p.Made != "" && !p.Elsewhere {
			all = append(all, p.Made)
		}
	}
	return all
}

// oneMoreRound returns the command that continues a session whose rounds are done.
func (s *Summary) oneMoreRound() string {
	return fmt.Sprintf("brenner session resume %s --rounds %d%s%s", s.Thread, max(s.Rounds, s.Round)+1, s.enough, OtherModels(s.Agents))
}

// OtherModels returns the flag that replaces the models that their endpoints do not have.
func OtherModels(agents []AgentSummary) string {
	var flags []string
	for i := range agents {
		if session.NeedsModel(agents[i].Code) {
			flags = append(flags, agents[i].Name+"=ID")
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return " --model " + strings.Join(flags, ",")
}

// PatchRow is the outcome of an agent's blocks about one text, or of one record in its answer.
type PatchRow struct {
	Agent string `json:"agent"`
	Round int    `json:"round"`
	PatchResult
}

// PatchResult is the outcome of the search/replace blocks of a reply and its repair about one text, or of
// one of their records.
type PatchResult struct {
	Record  string `json:"record"`
	Made    string `json:"made"`
	Status  string `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Kind    string `json:"kind,omitempty"` // flow.RecordKind, or "" for blocks
	Hint    string `json:"hint,omitempty"` // of a refused record
	// Elsewhere reports whether what was made is not in this store: the session was imported without it.
	Elsewhere bool `json:"elsewhere,omitzero"`
	// Corrected reports that the author sent another record or change instead, when asked.
	Corrected bool `json:"corrected,omitzero"`
}

// PatchRows returns the outcomes of the blocks and records in answers, without records that their authors
// corrected.
func PatchRows(answers []flow.Patched) []PatchRow {
	rows := []PatchRow{}
	for i := range answers {
		p := &answers[i]
		for j := range p.Changes {
			if !p.Changes[j].Corrected {
				rows = append(rows, PatchRow{p.Agent, p.Round, patchResult(&p.Changes[j])})
			}
		}
	}
	return rows
}

func patchResult(c *flow.Patch) PatchResult {
	r := PatchResult{Record: c.Record, Made: c.Made, Status: c.Status, Code: string(c.Code), Message: c.Message, Kind: c.Kind, Corrected: c.Corrected}
	if c.Kind == flow.RecordKind {
		r.Hint = c.Hint
	}
	return r
}

// Thread is the progress of a session according to its mail thread alone.
type Thread struct {
	Server   string            `json:"server"`
	Phase    mail.Phase        `json:"phase,omitempty"`
	Agents   []ThreadAgent     `json:"agents"`
	Compiled int               `json:"compiled"` // number of published versions
	Messages int               `json:"messages"`
	Names    map[string]string `json:"names,omitempty"`   // agents with other names on the server
	Problem  string            `json:"problem,omitempty"` // why the thread could not be read
}

// ThreadAgent is an agent's progress in the newest round.
type ThreadAgent struct {
	Name         string `json:"name"`
	Acknowledged bool   `json:"acknowledged"`
	Answered     bool   `json:"answered"`
	Asked        string `json:"asked_at"`
}

// ReadThread returns the progress according to the messages of a thread.
func ReadThread(server string, all []mail.Message) *Thread {
	p := mail.Read(all)
	t := &Thread{Server: server, Phase: p.Phase, Compiled: p.Compiled, Messages: len(all), Agents: []ThreadAgent{}}
	for _, name := range p.Asked {
		t.Agents = append(t.Agents, ThreadAgent{
			Name: name, Acknowledged: slices.Contains(p.Acked, name), Answered: slices.Contains(p.Answered, name),
			Asked: artifact.FormatInstant(p.AskedAt),
		})
	}
	return t
}

// Count counts the letters that were read as answers, whatever their subjects say. Names maps agents to
// their names on the server.
func (t *Thread) Count(letters []session.LetterRow, names map[string]string) {
	for i := range t.Agents {
		a := &t.Agents[i]
		its := func(r session.LetterRow) bool {
			return r.TookPart() && cmp.Or(names[r.Agent], r.Agent) == a.Name && r.At >= a.Asked
		}
		a.Answered = a.Answered || slices.ContainsFunc(letters, its)
	}
}
