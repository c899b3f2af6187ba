package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/offline"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

func failedProof(thread string, err error) *session.Proof {
	return &session.Proof{Thread: thread, Faults: store.Faults{err}}
}

// Verify verifies one session of a store. Unreadable data is a fault of the proof; an error means
// that there is no such session, or that the context has ended.
func Verify(ctx context.Context, st store.Store, thread, head string) (*session.Proof, error) {
	p, err := session.Verify(ctx, st, thread, head)
	switch code := fault.CodeOf(err); {
	case err == nil:
	case ctx.Err() != nil, code == session.NoSession:
		return nil, err
	default:
		return failedProof(thread, err), nil
	}
	return p, nil
}

// VerifyAll verifies every session that a store lists.
func VerifyAll(ctx context.Context, st store.Store) ([]*session.Proof, error) {
	threads, err := session.List(ctx, st)
	var all []*session.Proof
	for _, thread := range threads {
		checked, err := Verify(ctx, st, thread, "")
		if fault.CodeOf(err) == session.NoSession {
			checked, err = failedProof(thread, &fault.Error{Code: store.Damaged, Place: thread, Detail: "the store lists the session, but has no entry of its journal"}), nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, checked)
	}
	return all, err
}

// Orphans returns the names of sessions that the store has versions of but no longer lists. It
// lists the sessions last, since a session may begin meanwhile.
func Orphans(ctx context.Context, st store.Store) (lost []string, err error) {
	records, err := st.Records(ctx, store.Query{Type: record.ResearchArtifact, Latest: true})
	if err != nil {
		return nil, err
	}
	threads, err := session.List(ctx, st)
	if err != nil {
		return nil, err
	}
	var found fault.List
	for i := range records {
		if id := records[i].ID; !slices.Contains(threads, id) {
			found.Add(store.Damaged, "the record of "+id, "the session's journal was removed from the store", "no such session")
			lost = append(lost, id)
		}
	}
	return lost, found.Err()
}

// VerifyExport verifies an export with the help of an empty store. It verifies the content only if
// no line was altered. An error means that the data is not an export.
func VerifyExport(ctx context.Context, empty store.Store, data []byte, head string) (*session.Proof, *session.ExportFile, error) {
	contained, isPage := offline.Export(data)
	if !isPage {
		return verifyLines(ctx, empty, data, head)
	}
	checked, x, err := verifyLines(ctx, empty, contained, head)
	if checked != nil && len(checked.Faults) == 0 {
		checked.Faults.Add(changedPage(data))
	}
	return checked, x, err
}

// changedPage returns an error if a page has more or other text around its export than brenner wrote.
func changedPage(data []byte) error {
	line, shown := offline.Changed(data)
	if line == 0 {
		return nil
	}
	return &fault.Error{
		Code: session.ExportChanged, Line: line,
		Detail: "the page around the session was changed, or a newer brenner wrote it: " + fault.Shown(shown) + "; the journal in it is whole: `brenner session export FILE --html NEW` writes the page again",
	}
}

func verifyLines(ctx context.Context, empty store.Store, data []byte, head string) (*session.Proof, *session.ExportFile, error) {
	x, err := session.ReadExport(data)
	if err != nil {
		if broken := brokenHeader(data); broken != nil {
			return broken, nil, nil
		}
		return nil, nil, err
	}
	entries := x.Batch.Appends[0].Entries
	if len(x.Faults) > 0 {
		checked := &session.Proof{
			Thread: x.Thread, Entries: len(entries), Blobs: len(x.Batch.Blobs), Head: journal.HeadOf(entries).Hash, Faults: namedLines(data, x),
		}
		if head != "" {
			checked.Faults.Add(journal.CheckHead(entries, head))
		}
		return checked, x, nil
	}
	if _, err := session.Import(ctx, empty, x); err != nil {
		return failedProof(x.Thread, err), x, nil
	}
	checked, err := Verify(ctx, empty, x.Thread, head)
	if fault.CodeOf(err) == session.NoSession {
		checked, err = failedProof(x.Thread, changedLine(1, "the export contains no session")), nil
	}
	return checked, x, err
}

func changedLine(line int, detail string) *fault.Error {
	return &fault.Error{
		Code: session.ExportChanged, Line: line, Detail: detail, Hint: "the file was changed after it was written",
	}
}

// brokenHeader returns a proof if only the first line of an export was altered and journal
// lines follow; nil for any other file.
func brokenHeader(data []byte) *session.Proof {
	lines := bytes.Split(data, []byte("\n"))
	c := failedProof("", changedLine(1, "invalid header"))
	for _, line := range lines[1:] {
		e, err := journal.Parse(line)
		if err != nil || !strings.HasPrefix(e.Stream, session.Prefix) {
			continue
		}
		c.Thread, c.Head = strings.TrimPrefix(e.Stream, session.Prefix), e.Hash
		c.Entries++
	}
	if c.Entries == 0 {
		return nil
	}
	return c
}

func namedLines(data []byte, x *session.ExportFile) store.Faults {
	lines := bytes.Split(data, []byte("\n"))
	names := namesIn(lines, x)
	var all store.Faults
	for _, err := range x.Faults {
		var f *fault.Error
		if errors.As(err, &f) {
			if name := names(f.Line); name != "" {
				named := *f
				named.Line, named.Place = 0, fmt.Sprintf("line %d (%s)", f.Line, name)
				err = &named
			}
		}
		all = append(all, err)
	}
	return all
}

// namesIn returns a function that names an export's lines, as far as its journal can be read. A
// blob is known by its hash or, if that was altered, by its position.
func namesIn(lines [][]byte, x *session.ExportFile) func(line int) string {
	entries := x.Batch.Appends[0].Entries
	state, whole := &flow.State{}, true
	for i := range entries {
		if journal.Check(session.Prefix+x.Thread, state.Head, entries[i:i+1]) != nil || state.Apply(&entries[i]) != nil {
			whole = false
			break
		}
	}
	refs := (&session.History{Thread: x.Thread, Entries: entries, State: state}).References()
	byHash := make(map[string]string)
	for _, ref := range refs {
		byHash[ref.Hash] = ref.What
	}
	var head struct {
		Entries int `json:"entries"`
	}
	_ = json.Unmarshal(lines[0], &head) // read before
	return func(line int) string {
		entry, blob := line-1, line-2-head.Entries
		switch {
		case line < 1 || line > len(lines):
			return ""
		case line == 1:
			return "the header"
		case line == len(lines)-1 && len(lines[len(lines)-1]) == 0:
			return "the checksum"
		case blob < 0:
			return fmt.Sprintf("entry %d of the journal", entry)
		}
		var named struct {
			Hash string `json:"blob"`
		}
		_ = json.Unmarshal(lines[line-1], &named) // without a hash if it fails
		switch {
		case byHash[named.Hash] != "":
			return byHash[named.Hash]
		case whole && state.Head.Hash == x.Head && blob < len(refs):
			return refs[blob].What
		}
		return "a blob"
	}
}

// Export is a session as a self-verifying file.
type Export struct {
	Schema   string `json:"schema"`
	Thread   string `json:"thread_id"`
	File     string `json:"file"` // its path; set by the writer
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	SHA256   string `json:"sha256"` // of the file
	Bytes    int    `json:"bytes"`
	Entries  int    `json:"entries"`
	Blobs    int    `json:"blobs"`
	Versions int    `json:"versions"`
	Data     []byte `json:"-"`
}

// ExportSession returns everything about a session as one file.
func ExportSession(ctx context.Context, h *session.History) (*Export, error) {
	var data bytes.Buffer
	if err := h.Export(ctx, &data); err != nil {
		return nil, err
	}
	return &Export{
		Schema: "brenner.session.export/v1", Thread: h.Thread, Head: h.State.Head.Hash, Seal: h.State.Seal(),
		SHA256: store.Hash(data.Bytes()), Bytes: data.Len(), Entries: len(h.Entries), Blobs: len(h.References()), Versions: h.State.Version(),
		Data: data.Bytes(),
	}, nil
}

// ExportPage is ExportSession as a page that verifies itself in a browser.
func ExportPage(ctx context.Context, h *session.History) (*Export, error) {
	x, err := ExportSession(ctx, h)
	if err == nil {
		x.Data = offline.Page(x.Data)
		x.SHA256, x.Bytes = store.Hash(x.Data), len(x.Data)
	}
	return x, err
}

// ReadExport reads an export, or a page with one.
func ReadExport(data []byte) (*session.ExportFile, error) {
	if contained, ok := offline.Export(data); ok {
		data = contained
	}
	return session.ReadExport(data)
}

// Replay is a session that was settled again.
type Replay struct {
	Schema   string            `json:"schema"`
	Thread   string            `json:"thread_id"`
	Equal    bool              `json:"equal"`
	Versions []ReplayedVersion `json:"versions"`
	Faults   []fault.Detail    `json:"faults"`
}

// ReplayedVersion is a version as committed and as settled again.
type ReplayedVersion struct {
	Version  int    `json:"version"`
	From     string `json:"from"`
	Round    int    `json:"round,omitzero"`
	Author   string `json:"author,omitempty"`
	Entry    int    `json:"entry"`
	SHA256   string `json:"sha256"` // as committed
	Replayed string `json:"replayed"`
	OK       bool   `json:"ok"`
	// Lint names the rules of another program whose findings were not compared.
	Lint     string `json:"other_lint,omitempty"`
	Reworded bool   `json:"reworded,omitzero"` // its report differs in wording only
}

// ReplaySession settles a session again and compares each version with the committed one.
// Differences are part of the result.
func ReplaySession(ctx context.Context, h *session.History) (*Replay, error) {
	all, err := h.Replay(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &Replay{Schema: "brenner.session.replay/v1", Thread: h.Thread, Equal: err == nil, Versions: []ReplayedVersion{}, Faults: fault.Details(err)}
	for i := range all {
		c, got := &all[i].Commit, store.Hash(all[i].Settlement.Artifact.JSON())
		r.Versions = append(r.Versions, ReplayedVersion{
			Version: c.Version, From: c.Source, Round: c.Round, Author: c.Author, Entry: c.Seq, SHA256: c.Artifact, Replayed: got,
			OK: got == c.Artifact && all[i].Settlement.Artifact.Metadata.Version == c.Version, Lint: all[i].Diff.Lint, Reworded: all[i].Diff.Reworded,
		})
	}
	return r, nil
}
