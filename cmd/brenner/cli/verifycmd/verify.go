package verifycmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/playbookcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/record"
)

// Command returns the verify command.
func Command(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:     "verify [ID|FILE [HEAD]]",
		GroupID: ui.Other,
		Short:   "Prove a session, an export, or everything in the store",
		Long: `Proves a session from what is stored: the chain of its journal, every message and reply
by its hash, and every version by settling the replies once more, byte by byte. Without
an argument it proves the file of the store, all sessions in it, the project's records,
the playbook, and the loops that ran sessions, with what each of those came to and spent. For
the file of an export it needs no project.

HEAD is the head or the seal of a session as somebody kept it: from a summary, a version
or an export. Without it, a journal whose end was cut off, or that was made anew from
its beginning, looks whole.`,
		Example: `  brenner verify
  brenner verify RS-20261115-cell-fate
  brenner verify cell-fate.brenner.jsonl 1f2c1c61025f982236235a929f3cfc6b1755e9cd38ee35990e1119c9d5310e63

Exit codes: 0 everything is proven; 1 something is not as it was written; 2 there is no
such session, or the file cannot be read or is no export.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return verify(a, c, project, args) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func verify(a *ui.App, c *cobra.Command, project string, args []string) error {
	head := ""
	if len(args) == 2 {
		head = strings.ToLower(args[1])
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(head) {
			return ui.Usage(c, ui.Clean(args[1])+" is no head and no seal", "both are 64 hexadecimal digits; the summary of a session prints them")
		}
	}
	var v *verification
	var err error
	if len(args) == 0 {
		v, err = verifyStore(c.Context(), a, project)
	} else {
		v, err = verifyOne(a, c, project, args[0], head)
	}
	if err != nil {
		return err
	}
	if !v.ok() {
		a.Exit = ui.ExitFailed
	}
	return a.Show(v)
}

func verifyOne(a *ui.App, c *cobra.Command, dir, arg, head string) (*verification, error) {
	ctx := c.Context()
	if file, rest, ok := project.ExportFile(arg); ok {
		if rest != "" {
			return nil, ui.Usage(c, "verify takes a whole export, not "+ui.Clean(arg), "leave out "+ui.Clean(rest))
		}
		checked, _, err := VerifyExport(ctx, a, file, head)
		return &verification{sessions: []*checkedSession{checked}}, err
	}
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return nil, err
	}
	src, err := p.OpenSource(ctx, arg)
	if err != nil {
		return damagedStore(err)
	}
	defer a.CloseStore(src.Store)
	if err := ui.WholeSession(c, src.Address); err != nil {
		return nil, err
	}
	checked, err := verifySession(ctx, src.Store, src.Address.Thread, head)
	if err != nil {
		return nil, err
	}
	return &verification{sessions: []*checkedSession{checked}}, nil
}

// damagedStore makes a store that cannot even be opened a finding: that is what
// verify was asked for.
func damagedStore(err error) (*verification, error) {
	if fault.CodeOf(err) != store.Damaged {
		return nil, err
	}
	return &verification{store: &checkedStore{found: []error{err}}}, nil
}

// verifyStore proves the store's file and everything in it.
func verifyStore(ctx context.Context, a *ui.App, project string) (*verification, error) {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return nil, err
	}
	st, err := p.OpenUnchanged(ctx)
	if err != nil {
		return damagedStore(err)
	}
	defer a.CloseStore(st)
	v := &verification{store: &checkedStore{}}
	v.store.add(st.Verify(ctx))
	threads, err := session.List(ctx, st)
	v.store.add(err)
	for _, thread := range threads {
		checked, err := verifySession(ctx, st, thread, "")
		if fault.CodeOf(err) == session.NoSession { // it is in the list, and has nothing
			checked, err = &checkedSession{Thread: thread, Found: []error{&fault.Error{Code: store.Damaged, Place: thread, Detail: "the store lists the session, but has no entry of its journal"}}}, nil
		}
		if err != nil {
			return nil, err
		}
		v.sessions = append(v.sessions, checked)
	}
	v.loops, err = VerifyLoops(ctx, st)
	v.store.add(err)
	lost, err := Orphans(ctx, st)
	v.store.add(err)
	door := p.Door(st)
	sessions := session.NewVouching(st)
	door.Vouched = func(ctx context.Context, ref record.Ref) (bool, error) {
		if slices.Contains(lost, ref.ID) {
			return true, nil // that was said
		}
		return sessions.Vouches(ctx, ref)
	}
	if v.records, err = door.Verify(ctx); err != nil && ctx.Err() == nil {
		v.store.add(err)
	}
	if v.records != nil && v.records.Entries == 0 && len(v.records.Faults) == 0 {
		v.records = nil
	}
	if v.playbook = playbookcmd.ProvePlaybook(ctx, st, ""); v.playbook.Entries == 0 && v.playbook.Ok() {
		v.playbook = nil
	}
	return v, ctx.Err()
}

// Orphans finds versions of sessions that the store no longer has, and names those. The
// sessions are listed last: each begins before it has a version, and perhaps just now.
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
			found.Add(store.Damaged, "the record of "+id, "the journal of that session was taken out of the store", "there is no such session")
			lost = append(lost, id)
		}
	}
	return lost, found.Err()
}

// verifySession proves one session of a store. What cannot be read is a finding;
// an error means that there is no such session, or that nobody waits any more.
func verifySession(ctx context.Context, st store.Store, thread, head string) (*checkedSession, error) {
	p, err := session.Verify(ctx, st, thread, head)
	switch code := fault.CodeOf(err); {
	case err == nil:
	case ctx.Err() != nil, code == session.NoSession:
		return nil, err
	default:
		return &checkedSession{Thread: thread, Found: []error{err}}, nil
	}
	return &checkedSession{
		Thread: thread, Entries: p.Entries, Blobs: p.Blobs, Versions: p.Versions, Head: p.Head.Hash, Seal: p.Seal, Lint: p.Lint, Reworded: p.Reworded, Found: p.Faults,
	}, nil
}

// VerifyExport proves the file of an export.
func VerifyExport(ctx context.Context, a *ui.App, file, head string) (*checkedSession, *session.Exported, error) {
	data, err := readExactly(a, file)
	if err != nil {
		return nil, nil, err
	}
	checked, x, err := ProveExport(ctx, data, head)
	if err != nil {
		return nil, nil, fault.InFile("read the export", file, err)
	}
	checked.File = file
	return checked, x, nil
}

// ProveExport proves the bytes of an export. What is wrong with its lines comes
// first; what they say is only looked at if they are as they were written. An
// error means that the bytes are no export.
func ProveExport(ctx context.Context, data []byte, head string) (*checkedSession, *session.Exported, error) {
	x, err := session.ReadExport(data)
	if err != nil {
		if broken := brokenHeader(data); broken != nil {
			return broken, nil, nil
		}
		return nil, nil, err
	}
	entries := x.Batch.Appends[0].Entries
	if len(x.Faults) > 0 {
		checked := &checkedSession{
			Thread: x.Thread, Entries: len(entries), Blobs: len(x.Batch.Blobs), Head: journal.HeadOf(entries).Hash,
			Found: namedLines(data, x),
		}
		if head != "" {
			checked.add(journal.CheckHead(entries, head))
		}
		return checked, x, nil
	}
	st := memory.New()
	if _, err := session.Import(ctx, st, x); err != nil {
		return &checkedSession{Thread: x.Thread, Found: []error{err}}, x, nil
	}
	checked, err := verifySession(ctx, st, x.Thread, head)
	if fault.CodeOf(err) == session.NoSession {
		checked, err = &checkedSession{Thread: x.Thread, Found: []error{changedLine(1, "it holds no session at all")}}, nil
	}
	return checked, x, err
}

// readExactly reads a file with all its bytes: a mark that an editor put in
// front of them is a change, too.
func readExactly(a *ui.App, file string) ([]byte, error) {
	data, err := a.ReadBytes(file)
	if err != nil {
		return nil, files.CannotRead("read the export", file, err)
	}
	return data, nil
}

func changedLine(line int, detail string) *fault.Error {
	return &fault.Error{
		Code: session.ExportChanged, Place: fmt.Sprintf("line %d", line), Detail: detail, Hint: "the file was changed after it was written",
	}
}

// brokenHeader tells an export whose first line was changed from a file that is
// something else: the lines behind it are those of a journal.
func brokenHeader(data []byte) *checkedSession {
	lines := bytes.Split(data, []byte("\n"))
	c := &checkedSession{Found: []error{changedLine(1, "the header cannot be read")}}
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

// namedLines says of the lines of an export that were changed what stood there.
func namedLines(data []byte, x *session.Exported) []error {
	lines := bytes.Split(data, []byte("\n"))
	names := namesIn(lines, x)
	var all []error
	for _, err := range x.Faults {
		var f *fault.Error
		n := 0
		if errors.As(err, &f) {
			_, _ = fmt.Sscanf(f.Place, "line %d", &n) // a place without a line has no name
		}
		if name := names(n); name != "" {
			named := *f
			named.Place += " (" + name + ")"
			err = &named
		}
		all = append(all, err)
	}
	return all
}

// namesIn gives the names of an export's lines, as far as its journal can be
// read. A blob is known by its hash, and where that was changed too, by its place.
func namesIn(lines [][]byte, x *session.Exported) func(line int) string {
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
	_ = json.Unmarshal(lines[0], &head) // it was read before
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
		_ = json.Unmarshal(lines[line-1], &named) // then it has no hash
		switch {
		case byHash[named.Hash] != "":
			return byHash[named.Hash]
		case whole && state.Head.Hash == x.Head && blob < len(refs):
			return refs[blob].What
		}
		return "a blob"
	}
}

// verification is what was proven, and what could not be.
type verification struct {
	store    *checkedStore                // nil where the store itself was not asked for
	records  *govern.Proof                // nil where they were not asked for, or nobody put any
	playbook *playbookcmd.CheckedPlaybook // nil where it was not asked for, or is empty
	sessions []*checkedSession
	loops    []*checkedLoop
}

// checkedLoop is what was found of one loop.
type checkedLoop struct {
	Name    string  `json:"name"`
	Entries int     `json:"entries"`
	Head    string  `json:"head"`
	Found   []error `json:"-"`
}

// checkedStore is what was found in the store's own file.
type checkedStore struct{ found []error }

func (s *checkedStore) add(err error) {
	if err != nil {
		s.found = append(s.found, err)
	}
}

// checkedSession is what was found of one session.
type checkedSession struct {
	Thread   string `json:"thread_id"`
	File     string `json:"file"` // of an export
	Entries  int    `json:"entries"`
	Blobs    int    `json:"blobs"`
	Versions int    `json:"versions"`
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	// Lint names rules of other programs whose findings were taken as they are.
	Lint     []string `json:"other_lint,omitempty"`
	Reworded int      `json:"reworded,omitzero"` // versions whose reports say the same in other words
	Found    []error  `json:"-"`
}

func (s *checkedSession) add(err error) {
	if err != nil {
		s.Found = append(s.Found, err)
	}
}

func (v *verification) ok() bool {
	if v.store != nil && len(v.store.found) > 0 || v.records != nil && len(v.records.Faults) > 0 || v.playbook != nil && !v.playbook.Ok() {
		return false
	}
	for _, s := range v.sessions {
		if len(s.Found) > 0 {
			return false
		}
	}
	for _, l := range v.loops {
		if len(l.Found) > 0 {
			return false
		}
	}
	return true
}
