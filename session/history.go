package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/letters"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/journal"
)

// History is a session as stored.
type History struct {
	Store   store.Store
	Thread  string
	Entries []journal.Entry
	State   *flow.State

	common        *Common               // may be nil
	project       Project               // for new versions; may be nil
	rules         *merge.Rules          // cached
	contributions []settle.Contribution // of the open leg, if a run has them
	current       *artifact.Artifact    // the newest version, cached
}

// Load reads a session and verifies the chain of its journal.
func Load(ctx context.Context, st store.Store, thread string) (*History, error) {
	entries, state, err := read(ctx, st, Prefix+thread)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, unknownSession(ctx, st, thread)
	}
	return &History{Store: st, Thread: thread, Entries: entries, State: state}, nil
}

// read returns the journal of a session and its state; an unknown session has no entries.
func read(ctx context.Context, st store.Store, stream string) ([]journal.Entry, *flow.State, error) {
	entries, err := st.Entries(ctx, stream, 0)
	if err != nil {
		return nil, nil, err
	}
	state, err := fold(stream, entries)
	return entries, state, err
}

func fold(stream string, entries []journal.Entry) (*flow.State, error) {
	if err := journal.Check(stream, journal.Head{}, entries); err != nil {
		return nil, err
	}
	return flow.Fold(entries)
}

func unknownSession(ctx context.Context, st store.Store, thread string) error {
	none := noSession(thread)
	threads, err := List(ctx, st)
	if err != nil {
		return none // without a suggestion
	}
	if hint := text.Suggest(thread, threads); hint != "" {
		return &fault.Error{Code: NoSession, Detail: none.Error(), Hint: hint}
	}
	return none
}

// List returns the names of all sessions of a store.
func List(ctx context.Context, st store.Store) ([]string, error) {
	streams, err := st.Streams(ctx, Prefix)
	if err != nil {
		return nil, err
	}
	var threads []string
	for _, s := range streams {
		threads = append(threads, strings.TrimPrefix(s.Name, Prefix))
	}
	return threads, nil
}

// Summarise returns what lists show of a session; "" if the stream is not that of a session that can be read.
func Summarise(stream string, entries []journal.Entry) string {
	if state, err := fold(stream, entries); err == nil && strings.HasPrefix(stream, Prefix) {
		return state.ListedText()
	}
	return ""
}

// Roster returns the roster as journaled when the session was opened. Models of the roster in a
// message stand if they were asked by calls or are asked now: ways change.
func (h *History) Roster(read roster.Roster) (roster.Roster, error) {
	r, err := rosterOf(&h.State.Opened)
	if err != nil || !h.State.Opened.Follows(flow.SecondProtocol) {
		return r, err
	}
	all := slices.Clone(h.State.Agents)
	for _, c := range h.State.Calls() {
		all = append(all, *h.State.Reached(c))
	}
	for i := range all {
		if p := &all[i]; slices.ContainsFunc(read.Entries, func(e roster.Entry) bool { return e.Agent == p.Name && e.Model == p.Entry().Model }) {
			r = flow.AskedRoster(r, all[i:i+1])
		}
	}
	return r, nil
}

// Artifact assembles a version of the artifact. Version 0 is empty, before the brief.
func (h *History) Artifact(ctx context.Context, version int) (artifact.Artifact, error) {
	switch {
	case version == 0:
		return h.empty(), nil
	case h.current != nil && h.current.Metadata.Version == version:
		return *h.current, nil
	}
	items := make(map[string]string)
	var stamps []string
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		if c.Version > version {
			break
		}
		for _, p := range c.Changed {
			items[p.ID] = p.Hash
		}
		stamps = append(stamps, c.Stamps)
		if c.Version != version || i+1 < len(h.State.Commits) && h.State.Commits[i+1].Version == version {
			continue
		}
		a, err := h.join(ctx, c, items, stamps)
		if err == nil && version == h.State.Version() {
			h.current = &a
		}
		return a, err
	}
	return artifact.Artifact{}, h.VersionError(version)
}

// join assembles the pieces of a commit and checks the result against the committed hash.
func (h *History) join(ctx context.Context, c *flow.Commit, items map[string]string, stamps []string) (artifact.Artifact, error) {
	hashes := append(slices.Clip(stamps), c.Metadata)
	for _, id := range slices.Sorted(maps.Keys(items)) {
		hashes = append(hashes, items[id])
	}
	read := make([][]byte, len(hashes))
	err := store.Blobs(ctx, h.Store, hashes, func(n int, data []byte) error { read[n] = data; return nil })
	if err != nil {
		return artifact.Artifact{}, h.commitError(c, err)
	}
	n := len(stamps)
	a, err := artifact.Join(read[n], read[n+1:], read[:n])
	if err != nil {
		return artifact.Artifact{}, h.commitError(c, err)
	}
	if got := store.Hash(a.JSON()); got != c.Artifact {
		return artifact.Artifact{}, h.commitError(c, &fault.Error{Code: store.Damaged, Detail: "the stored pieces do not match the committed artifact"})
	}
	return a, nil
}

func (h *History) commitError(c *flow.Commit, err error) error {
	return &fault.Error{
		Code: fault.CodeOf(err), Op: "read version " + itoa(c.Version), Place: fmt.Sprintf("%s, entry %d", h.Thread, c.Seq), Cause: err,
		Hint: "`brenner verify " + h.Thread + "` lists all damage",
	}
}

func (h *History) empty() artifact.Artifact {
	a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: h.Thread, Status: "active"}}
	a.Metadata.CreatedAt = artifact.FormatInstant(h.State.Began)
	if len(h.State.Commits) > 0 {
		a.Metadata.CreatedAt = h.State.Commits[0].At
	}
	return a
}

// input gathers the contributions that a commit settles. Texts that are not stored yet are in
// unstored. Agents are the session's at the time of the commit.
func (h *History) input(ctx context.Context, base artifact.Artifact, c *flow.Committed, agents []flow.Party, unstored [][]byte) (settle.Input, error) {
	if h.rules == nil {
		rules, err := h.State.Opened.MergeRules()
		if err != nil {
			return settle.Input{}, err
		}
		h.rules = &rules
	}
	at, err := artifact.ParseInstant(c.At)
	if err != nil {
		return settle.Input{}, err
	}
	if base.Metadata.Version == 0 {
		base.Metadata.CreatedAt = c.At
	}
	in := settle.Input{Base: base, At: at, Message: c.Message, Rules: *h.rules, Marks: h.marks(c.Seal)}
	h.State.SetAuthors(&in.Rules, c, agents)
	in.Base.Metadata.Contributors = h.State.NameEarlier(base.Metadata.Contributors, agents)
	if c.Source == flow.ByRound {
		in.Contributions, err = h.replies(ctx, c, unstored, &in.Base)
		return in, err
	}
	if c.Source == flow.ByThread {
		in.Contributions, err = h.letters(ctx, c, unstored, &in.Base)
		return in, err
	}
	in.Rules.Authorities = append([]string{c.Author}, h.rules.Authorities...)
	text, err := h.text(ctx, c.Deltas, unstored, 0)
	if err != nil {
		return in, err
	}
	in.Contributions = []settle.Contribution{h.byPerson(c.Author, fmt.Sprintf("%s/%s/%d", h.Thread, c.Source, c.Message), text)}
	in.Contributions[0].Shown = base.Metadata.Version
	return in, nil
}

// replies returns the contributions of a round: the answers, and the letters that follow them.
func (h *History) replies(ctx context.Context, c *flow.Committed, unstored [][]byte, base *artifact.Artifact) ([]settle.Contribution, error) {
	leg, all := h.State.Leg(c.Round, c.Leg), h.contributions
	var err error
	if all == nil {
		if all, err = h.answers(ctx, leg, base); err != nil {
			return nil, err
		}
	}
	if len(c.Letters) == 0 {
		return all, nil
	}
	after, err := h.letters(ctx, c, unstored, base)
	if err != nil {
		return nil, err
	}
	for i, l := range c.Letters {
		x := leg.Of(l.Agent)
		after[i].AfterRepair = l.Follows != x.Ask.Answered.Letter
		at := slices.IndexFunc(all, func(one settle.Contribution) bool { return one.Agent == l.Agent })
		all[at].SetFollowed(letters.SentAt(x.Ask.Answered.Letter))
	}
	return append(all, after...), nil
}

// text returns the i-th unstored text, or the one stored under hash.
func (h *History) text(ctx context.Context, hash string, unstored [][]byte, i int) ([]byte, error) {
	if i < len(unstored) {
		return unstored[i], nil
	}
	return h.Store.Blob(ctx, hash)
}

// letters returns the contributions of letters. Their authors are agents with the rights of
// their roles, as for answers to calls.
func (h *History) letters(ctx context.Context, c *flow.Committed, unstored [][]byte, base *artifact.Artifact) ([]settle.Contribution, error) {
	out := make([]settle.Contribution, len(c.Letters))
	fresh := map[string]delta.Known{"": {}} // examples that are not stored yet
	for i := len(c.Letters); i < len(unstored); i++ {
		var texts []string
		_ = json.Unmarshal(unstored[i], &texts) // cannot fail: ThreadExamples made it
		fresh[store.Hash(unstored[i])] = delta.ReadExamples(texts, h.State.Opened.Reads())
	}
	for i, l := range c.Letters {
		text, err := h.text(ctx, l.Body, unstored, i)
		if err != nil {
			return nil, err
		}
		if text == nil {
			text = []byte{} // an empty letter is a letter
		}
		out[i] = settle.Contribution{Agent: l.Agent, ID: h.Thread + "/letter/" + l.ID, Text: text, Shown: l.Shown, Reader: h.State.Opened.Reads()}
		if out[i].Reader == delta.FirstReader {
			continue
		}
		out[i].Base, out[i].Third = base, true // NO CHANGES is an answer here, too
		out[i].Before = h.State.InstantsOf(l.Agent, l.Round, c.At)
		if out[i].Refused, err = h.refusedAt(ctx, l.Agent, out[i].Before); err != nil {
			return nil, err
		}
		if sent, err := artifact.ParseInstant(l.At); err == nil && !sent.IsZero() {
			out[i].Letter = &delta.Letter{Sent: sent, To: l.To, Direct: l.Direct}
		}
		if known, ok := fresh[l.Examples]; ok {
			out[i].Known = known
		} else if out[i].Known, err = h.common.examples(ctx, h.Store, l.Examples, out[i].Reader); err != nil {
			return nil, err
		}
		for _, hash := range l.More {
			more, err := h.common.examples(ctx, h.Store, hash, out[i].Reader)
			if err != nil {
				return nil, err
			}
			out[i].Known = out[i].Known.With(more)
		}
	}
	return out, nil
}

// refusedAt returns the ids of an agent's deltas that were rejected at the instants.
func (h *History) refusedAt(ctx context.Context, agent string, instants []string) (map[string]bool, error) {
	refused := make(map[string]bool)
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		if c.Outcome.Rejected == 0 || !slices.Contains(instants, c.At) {
			continue
		}
		report, err := h.Report(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, row := range report.Merge.Deltas {
			if row.Agent == agent && row.Disposition == merge.Rejected {
				refused[row.DeltaID] = true
			}
		}
	}
	return refused, nil
}

// marks returns the metadata of a version beyond what the merge writes.
func (h *History) marks(seal string) artifact.Map {
	m := []artifact.Entry{{Key: "seal", Value: artifact.Text(seal)}}
	if h.State.Opened.Rehearsal != "" {
		m = append(m, artifact.Entry{Key: "rehearsal", Value: artifact.Bool(true)})
	}
	var evidence artifact.List
	for _, ev := range h.State.Opened.Evidence {
		evidence = append(evidence, artifact.MapOf(
			artifact.Entry{Key: "id", Value: artifact.Text(ev.ID)}, artifact.Entry{Key: "name", Value: artifact.Text(ev.Name)},
			artifact.Entry{Key: "sha256", Value: artifact.Text(ev.Hash)},
		))
	}
	if evidence != nil {
		m = append(m, artifact.Entry{Key: "evidence", Value: evidence})
	}
	return artifact.MapOf(m...)
}

// answers returns the contributions of a leg's agents in kickoff order. An agent without an
// answer contributes nothing and keeps its number. Current is a version that need not be read again.
func (h *History) answers(ctx context.Context, leg *flow.Leg, current *artifact.Artifact) ([]settle.Contribution, error) {
	if leg == nil {
		return nil, nil
	}
	shown, err := h.shown(ctx, leg, current)
	if err != nil {
		return nil, err
	}
	out := make([]settle.Contribution, len(leg.Exchanges))
	for i := range leg.Exchanges {
		x := &leg.Exchanges[i]
		out[i] = settle.Contribution{
			Agent: x.Agent, ID: x.Ask.ID, Shown: leg.Base, Base: shown,
			Third: h.State.Opened.Follows(flow.ThirdProtocol), Reader: h.State.Opened.Reads(), Records: h.State.Opened.ReadsRecords(),
		}
		answer := x.Answer()
		if answer == nil {
			continue
		}
		out[i].Cut = answer.Answered.Cut
		if out[i].Known, err = h.common.examples(ctx, h.Store, x.Examples, h.State.Opened.Reads()); err != nil {
			return nil, err
		}
		if out[i].Text, err = h.reply(ctx, answer); err != nil {
			return nil, err
		}
		if repair := x.RepairAnswer(); repair != nil {
			if out[i].Repair, err = h.reply(ctx, repair); err != nil {
				return nil, err
			}
			out[i].RepairCut = repair.Answered.Cut
		}
	}
	return out, nil
}

// reply returns the text of an answer. It is not nil, even if a reply was cut before its first word.
func (h *History) reply(ctx context.Context, c *flow.Call) ([]byte, error) {
	text, err := h.Store.Blob(ctx, c.Answered.Reply)
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// shown returns the artifact that the agents of a leg were shown, for sessions since protocol 2.
func (h *History) shown(ctx context.Context, leg *flow.Leg, current *artifact.Artifact) (*artifact.Artifact, error) {
	switch {
	case !h.State.Opened.Follows(flow.SecondProtocol):
		return nil, nil
	case current.Metadata.Version == leg.Base:
		base := *current
		return &base, nil
	}
	base, err := h.Artifact(ctx, leg.Base)
	return &base, err
}

func (h *History) views(ctx context.Context) (map[string]view.Spec, error) {
	specs := make(map[string]view.Spec)
	for _, p := range h.State.Opened.Agents {
		data, err := h.Store.Blob(ctx, p.View)
		if err != nil {
			return nil, err
		}
		if specs[p.Name], err = view.ParseSpec(data); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// Streams returns the streams of all sessions, latest first.
func Streams(ctx context.Context, st store.Store) ([]store.Stream, error) {
	streams, err := st.Streams(ctx, Prefix)
	slices.SortStableFunc(streams, func(x, y store.Stream) int {
		return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(y.Name, x.Name))
	})
	return streams, err
}

// ThreadOf returns the thread id of a session's stream.
func ThreadOf(s *store.Stream) string { return strings.TrimPrefix(s.Name, Prefix) }

// Phases of a session.
const (
	PhaseRunning = "running"
	PhaseLeft    = "left" // not running and not ended
	PhaseEnded   = "ended"
)

// PhaseDamaged is the phase of a session whose journal cannot be read.
const PhaseDamaged = "damaged"

// VersionError is the error for a version that the session does not have.
func (h *History) VersionError(version int) error {
	return &fault.Error{
		Code: NoVersion, Detail: fmt.Sprintf("%s has no version %d", h.Thread, version),
		Hint: fmt.Sprintf("versions: 1 to %d", h.State.Version()),
	}
}

// ReadingOptions returns how the answer to a call is read, without the examples.
func (h *History) ReadingOptions(c *flow.Call) delta.Options {
	o := &h.State.Opened
	return delta.Options{Reader: o.Reads(), Author: c.Agent, NoChanges: o.Follows(flow.SecondProtocol), BareNoChanges: !o.Follows(flow.ThirdProtocol), Cut: c.Answered.Cut, Repair: c.Turn == flow.TurnRepair, Records: o.ReadsRecords()}
}

// ReadReply parses a reply to a message that showed examples.
func (h *History) ReadReply(ctx context.Context, text []byte, examples string, opt delta.Options) (delta.Reply, error) {
	if examples != "" {
		var err error
		if opt.Known, err = h.common.examples(ctx, h.Store, examples, opt.Reader); err != nil {
			return delta.Reply{}, err
		}
	}
	return delta.Read(text, opt), nil
}

// Reading returns the parsed answer to a call, block by block.
func (h *History) Reading(ctx context.Context, c *flow.Call) (delta.Reply, error) {
	_, x := h.State.Planned(c)
	if x == nil || c.Status != flow.Replied {
		return delta.Reply{}, nil
	}
	text, err := h.Store.Blob(ctx, c.Answered.Reply)
	if err != nil {
		return delta.Reply{}, err
	}
	return h.ReadReply(ctx, text, x.Examples, h.ReadingOptions(c))
}

// PlainText returns a value as people read it: text as it is, all else as JSON.
func PlainText(v artifact.Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case artifact.Text:
		return string(v)
	}
	return string(artifact.Canonical(v))
}
