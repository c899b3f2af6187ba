package session

import (
	"cmp"
	"context"
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

// LoadIntact is Load for reading a session that may be damaged: damage names the first damaged entry, and
// the history, if any, is that of the entries before it.
func LoadIntact(ctx context.Context, st store.Store, thread string) (h *History, damage, err error) {
	if h, err = Load(ctx, st, thread); err == nil || fault.CodeOf(err) != journal.BrokenChain {
		return h, nil, err
	}
	entries, readErr := st.Entries(ctx, Prefix+thread, 0)
	if readErr != nil {
		return nil, nil, readErr
	}
	intact, head := 0, journal.Head{}
	for intact < len(entries) && journal.Check(Prefix+thread, head, entries[intact:intact+1]) == nil {
		head = entries[intact].Head()
		intact++
	}
	state, foldErr := flow.Fold(entries[:intact])
	if intact == 0 || foldErr != nil {
		return nil, nil, err
	}
	return &History{Store: st, Thread: thread, Entries: entries[:intact], State: state}, err, nil
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
