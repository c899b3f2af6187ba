package project

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/config"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/project/publish"
	"brenner/project/storage"
	"brenner/prompts"
	"brenner/roster"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store"
)

// Compose checks the brief of a session: question and context come from the configuration, the
// rest from in. It generates a missing thread id.
func (p *Project) Compose(in kickoff.Input, res roster.Resolution) (Composed, error) {
	p.chooseQuestion(&res.Roster)
	if err := p.checkQuestion(); err != nil {
		return Composed{}, err
	}
	in.Round, in.Scopes, in.Question, in.Context = 1, p.Config.Scopes, p.Config.Question, p.Config.Context
	if in.ThreadID == "" {
		in.ThreadID = kickoff.NewThreadID(p.Now(), p.Config.Question)
	}
	checked := in // without recipients, these are added
	if err := checked.Check(); err != nil {
		return Composed{}, err
	}
	return Composed{ThreadID: in.ThreadID, Input: in, Project: p, Roster: res}, nil
}

// chooseQuestion sets the question of the built-in rehearsal if there is none and all agents play it.
func (p *Project) chooseQuestion(r *roster.Roster) {
	if delta.Blank(p.Config.Question) && p.playsOnly(r) {
		p.Config.Question = rehearsal.BuiltIn().Question()
	}
}

func (p *Project) checkQuestion() error {
	if !delta.Blank(p.Config.Question) {
		return nil
	}
	return &fault.Error{
		Code: kickoff.NoQuestion, Detail: "the research question is missing",
		Hint: p.firstSteps("pass --question \"…\"", "set question: in "+config.FileName),
	}
}

// playsOnly reports whether every agent is configured to play a script.
func (p *Project) playsOnly(r *roster.Roster) bool {
	return len(r.Entries) > 0 && !slices.ContainsFunc(r.Entries, func(e roster.Entry) bool { return p.Config.Reach(e.Model).Via != config.ViaRehearsal })
}

// firstSteps completes a hint about something missing: with what to set in the configuration
// file, or, in a directory without one, with two commands that work.
func (p *Project) firstSteps(hint, set string) string {
	if p.Config.Project.File != "" {
		return hint + ", or " + set
	}
	const start = "brenner session start --preset default-3-agent "
	return hint + "; a rehearsal: `" + start + "--via rehearsal`; with a model: `" + start + "--question \"…\" --via openai --base-url URL --model ID`"
}

// Composed is the checked brief of a session.
type Composed struct {
	ThreadID string
	Input    kickoff.Input
	Project  *Project
	Roster   roster.Resolution
	Task     *session.Task // that the session runs, or nil
}

// nameSession chooses the session's name. If the name is taken, ifExists decides; by
// default a name that the user did not choose gets a number.
func nameSession(ctx context.Context, st store.Store, b *session.Brief, ifExists string, chosen bool) error {
	head, err := store.HeadOf(ctx, st, session.Prefix+b.Thread)
	if err != nil || head.Seq == 0 || ifExists == "resume" || ifExists == "fail" || ifExists == "" && chosen {
		return err // Start reports one that exists, with the lock held
	}
	base := b.Thread
	for n := 2; head.Seq > 0; n++ {
		b.Thread = kickoff.NumberedThreadID(base, n)
		if head, err = store.HeadOf(ctx, st, session.Prefix+b.Thread); err != nil {
			return err
		}
	}
	return kickoff.CheckThreadID(b.Thread)
}

// briefFor returns a brief with the agents and the rules of the merge.
func (p *Project) briefFor(r roster.Roster, parties []flow.Party) session.Brief {
	b := session.Brief{
		Operator: p.Config.Operator, Domain: p.Config.Playbook.Domain, Program: thisProgram(), Roster: flow.AskedRoster(r, parties), Agents: p.unlabelled(parties), Views: make(map[string]view.Spec),
		Rules: merge.Rules{
			Unified: r.Mode == roster.Unified, Scopes: p.Config.Scopes, Limits: p.Config.Limits, Authorities: p.Config.Authorities,
		},
	}
	b.Rules.Priority = b.Roster.Priority(p.Config.Priority)
	for _, party := range parties {
		role := party.Role
		if b.Rules.Unified {
			role = view.Unified
		}
		b.Views[party.Name] = view.Default(role)
	}
	return b
}

// Brief returns the opening of a session.
func (k *Composed) Brief(module string, evidence []session.File, parties []flow.Party, script *rehearsal.Script) (session.Brief, error) {
	p := k.Project
	b := p.briefFor(k.Roster.Roster, parties)
	b.Thread, b.Settings, b.Task = k.ThreadID, p.Config.Session, k.Task
	b.Question, b.Context, b.Excerpt, b.Constraints = k.Input.Question, k.Input.Context, k.Input.Excerpt, k.Input.Constraints
	if module != "" {
		if err := govern.CheckID("module", module); err != nil {
			return b, err
		}
		b.Module = module
	}
	b.Settings.Prices = p.prices(parties)
	for _, h := range k.Input.Hypotheses {
		b.Hypotheses = append(b.Hypotheses, h.Text)
	}
	if script != nil {
		b.Script = script.Source()
	}
	b.Evidence = evidence
	return b, nil
}

// mostEvidence is more than any model can read.
const mostEvidence = 2 << 20

// CheckEvidence rejects files that no agent could read: they are sent to each agent in
// every round.
func CheckEvidence(what, path string, data []byte) error {
	switch {
	case len(data) > mostEvidence:
		return &fault.Error{
			Code: files.Unreadable, Op: "read " + what, Place: path, Detail: fmt.Sprintf("%d bytes; the limit is %d", len(data), mostEvidence),
			Hint: "pass only the relevant part: every agent receives it in every round",
		}
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return &fault.Error{Code: files.Unreadable, Op: "read " + what, Place: path, Detail: "not valid UTF-8", Hint: "convert it to text first"}
	}
	return nil
}

// holder describes this process to others that want the same lock.
func (h *Host) holder(doing string) store.Holder {
	host, _ := os.Hostname() // for display only
	return store.Holder{PID: os.Getpid(), Host: host, Since: h.Now(), Doing: doing}
}

// Find returns the opening of a session, without creating a store. Missing and old artifact
// files of the session are written; a file with other content is left to commands that commit
// or show a version.
func (p *Project) Find(ctx context.Context, thread string) (*flow.Opened, error) {
	return p.find(ctx, thread, func(s *Source, h *session.History) {
		if _, err := s.restore(ctx, h); err != nil && fault.CodeOf(err) != publish.NotGenerated {
			s.warn(h.Thread, err)
		}
	})
}

// Look is Find without writing anything.
func (p *Project) Look(ctx context.Context, thread string) (*flow.Opened, error) {
	return p.find(ctx, thread, func(*Source, *session.History) {})
}

func (p *Project) find(ctx context.Context, thread string, found func(*Source, *session.History)) (*flow.Opened, error) {
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	h, err := session.Load(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	found(p.Source(st, thread), h)
	return &h.State.Opened, nil
}

// pinnedScript returns the script that a rehearsal was opened with, or nil.
func pinnedScript(ctx context.Context, h *session.History) (*rehearsal.Script, error) {
	hash := h.State.Opened.Rehearsal
	if hash == "" {
		return nil, nil
	}
	data, err := h.Store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return rehearsal.Parse(data)
}

// runner returns a runner for writing to sessions.
func (p *Project) runner(st storage.Store, holder store.Holder) *session.Runner {
	return &session.Runner{Store: st, Locks: st, Now: p.Now, Log: p.Log, Tokens: &p.Tokens, Holder: holder}
}

// runner returns a runner for a session of these parties.
func (m *Models) runner(st storage.Store, holder store.Holder, script *rehearsal.Script, parties []flow.Party) *session.Runner {
	r := m.Project.runner(st, holder)
	r.Allowance, r.Agent = &m.Allow, m.Agents(script, parties)
	if anyVia(parties, config.ViaMail) {
		r.Mail = m.Mail
	}
	return r
}

// checkQuorum rejects a quorum that a roster of so many agents can never reach.
func checkQuorum(quorum string, agents int) error {
	detail, hint := unreachable(quorum, "the roster", agents)
	if detail == "" {
		return nil
	}
	return &fault.Error{Code: fault.Usage, Detail: detail, Hint: hint}
}

// unreachable returns an error text and a hint for a quorum that a roster can never reach,
// or "".
func unreachable(quorum, roster string, agents int) (detail, hint string) {
	if n, err := strconv.Atoi(quorum); err == nil && n > agents {
		return fmt.Sprintf("a quorum of %d replies can never be reached: %s has %s", n, roster, text.Count(agents, "agent")), "use all to require every agent"
	}
	return "", ""
}

// Merged is a merged artifact, and the report on its deltas.
type Merged struct {
	Schema  string         `json:"schema"`
	JSON    jsontext.Value `json:"artifact"`
	Report  merge.Report   `json:"report"`
	Reading []delta.Note   `json:"reading"`
	// Rationales are the authors' reasons, by the id of the delta.
	Rationales map[string]string `json:"rationales,omitempty"`
	Artifact   artifact.Artifact `json:"-"`
}

// Merge merges deltas and replies into an artifact, by the rules of the configuration.
func (p *Project) Merge(in *settle.ByHand, withRationales bool) *Merged {
	rules := merge.Rules{Priority: p.Config.Priority, Authorities: p.Config.Authorities, Limits: p.Config.Limits, Scopes: p.Config.Scopes}
	in.Operator = p.Config.Operator
	out, report, notes, batch := in.Merge(rules, WorkedExamples())
	p.Log.Debug().Int("deltas", len(batch)).Int("applied", report.Applied).Int("version", report.Version).Msg("merged")
	p.warnPriority(in.Roster, batch)
	m := &Merged{Schema: "brenner.merge/v1", JSON: out.JSON(), Report: report, Reading: notes, Artifact: out}
	if withRationales {
		m.Rationales = merge.Rationales(batch)
	}
	return m
}

// warnPriority names the agents of the priority list without a delta: a misspelt name there
// would silently change the outcome.
func (p *Project) warnPriority(r *roster.Roster, batch []delta.Delta) {
	for _, name := range (roster.Roster{}).Priority(p.Config.Priority) {
		known := r != nil && slices.Contains(r.Agents(), name) ||
			slices.ContainsFunc(batch, func(d delta.Delta) bool { return d.Agent == name })
		if !known && len(batch) > 0 {
			p.Log.Warn().Str("agent", name).Msg("an agent in the priority list has no delta here")
		}
	}
}

// WorkedExamples returns the examples in the prompts. A reply that only repeats
// one of them proposes nothing.
func WorkedExamples() []string {
	var examples []string
	for _, t := range prompts.All(prompts.Latest) {
		examples = append(examples, t.Example())
	}
	return examples
}

// Stalemates returns the stalemates of all sessions and records; without all, only those
// awaiting a ruling.
func (p *Project) Stalemates(ctx context.Context, all bool) (*audit.StalemateList, error) {
	l := audit.NewStalemateList()
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	if err := l.AddSessions(ctx, st, all); err != nil {
		return nil, err
	}
	about, err := p.Records(st).Stalemates(ctx, "")
	if err != nil {
		return nil, err
	}
	AddRecordStalemates(l, about, all)
	return l, nil
}

// AddRecordStalemates adds stalemates about records to a list; without all, only those
// awaiting a ruling.
func AddRecordStalemates(l *audit.StalemateList, about []govern.Stalemate, all bool) {
	for i := range about {
		if s := RecordStalemate(&about[i]); all || s.Row.Waits {
			l.Stalemates = append(l.Stalemates, s.Row)
		}
	}
}

// RecordStalemate returns the details of a stalemate over patches of a record.
func RecordStalemate(s *govern.Stalemate) *audit.Stalemate {
	row := audit.StalemateRow{
		ID: s.ID, Thread: s.About.ID, State: s.State, Kind: s.Kind, Place: s.Subject, By: s.By, Why: s.Why,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), Waits: s.Waits(),
	}
	isFile := s.Subject != s.About.String()
	if isFile {
		row.Thread = s.Subject
	}
	switch {
	case s.State == stalemate.Expired && isFile:
		row.Why = "the file changed"
	case s.State == stalemate.Expired:
		row.Why = "the record moved to another version"
	}
	return audit.NewStalemate(row, s.About.Version, s.Request, s.Verdict)
}
