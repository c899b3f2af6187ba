// Package audit answers questions about a stored session: its status, who wrote what, how it would
// be without an agent, and whether it verifies.
package audit

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/letters"
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
	// Unresolved are references in replies, in changes by hand and in the brief that are bound to nothing. Those in letters are
	// among their warnings.
	Unresolved []Rejection `json:"unresolved,omitempty"`
	// Letters are the messages of the thread outside of calls; after a compilation, all messages of
	// the thread.
	Letters []letters.Row `json:"letters,omitempty"`
	// Ignored are the deltas of replies that are drafts, quotations or examples, and not taken elsewhere.
	Ignored []IgnoredInCall `json:"ignored,omitempty"`
	// NotDurable says that a crash of the database's server can lose what was stored last.
	NotDurable bool `json:"not_durable,omitzero"`
	// Task is the task spec that the session runs.
	Task    string `json:"task,omitempty"`
	Started string `json:"started_at"`
	Updated string `json:"updated_at"`
	blame   string // an existing item, for a suggested command
	draft   string // the first version made that is a draft now
	branch  string // the command that decides about one made beside other versions
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
		Letters: letters.Rows(st), Agents: AgentSummaries(st), Versions: []VersionSummary{}, Rejected: []Rejection{}, Conflicts: []ConflictSummary{},
		Stuck: stalemateRows(h), Patches: PatchRows(st.Patches), Missing: append([]flow.Absence{}, st.Missing()...), Started: artifact.FormatInstant(st.Began), Updated: artifact.FormatInstant(st.Last),
		Remarks: remarksOf(st), Refused: []RefusedField{}, Idle: append([]string{}, st.Idle()...), Verdict: st.Verdict(),
		Waiting: st.Waiting(), Unasked: unasked(st), Uncorrected: uncorrected(st), Task: st.Opened.Task,
		NotDurable: store.NotDurable(locks),
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
			s.Failed += c.Failures - c.Killed
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
		if err := s.addLetters(ctx, h, i); err != nil {
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

// addRejections adds the deltas of a commit that were rejected, without effect, or taken without their label, and references
// that are bound to nothing.
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
	for _, row := range report.Merge.Unresolved() {
		if w := written[row.DeltaID]; w.Text != inLetter && c.Source != flow.ByThread {
			s.Unresolved = append(s.Unresolved, Rejection{c.Version, row.Agent, row.DeltaID, row.TargetID, row.Code, row.Message, "", w})
		}
	}
	for _, row := range report.Merge.Deltas {
		r := Rejection{c.Version, row.Agent, row.DeltaID, row.TargetID, row.Code, row.Reason(), "", written[row.DeltaID]}
		switch row.Disposition {
		case merge.Rejected:
			if r.Text != inLetter { // its author is not asked
				r.Uncorrected = uncorrectedBecause(h.State, c, &row)
			}
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
