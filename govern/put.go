package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Draft is a version that somebody wants to put.
type Draft struct {
	ID     string // of a new record, or of the one that gets a new version
	Type   string // may be left out for a new version
	Module string // likewise
	// Parent is the version that it goes on from; 0 is the latest, or the canonical
	// one where the latest is on a way that was not taken, or the end of the way that is
	// left. An older one makes a fork.
	Parent  int
	Content []byte
	// Summary is made from the content where it is empty, and that is said; with
	// KeepSummary it is the parent's, and stale if the content is another one.
	Summary     string
	KeepSummary bool
	Change      string // what changed, and why
	Tags        []string
	// Links are the parent's where there are none, and no Task, and NoLinks does not
	// say that it rests on nothing.
	Links   []Link
	NoLinks bool
	// Task is the address of the task spec whose result it is.
	Task string

	summaryBy string // for summaries that the program had made
	summaryOf string // for a summary that was written for another content
	granted   bool   // it was decided elsewhere that it may be written
	ours      bool   // the program made it: a task spec, a stalemate, or a verdict
	rebase    bool   // made from an older version, on purpose
	anew      bool   // there was no version when its author began: it goes on from none, whatever there is by now
}

// Link is a link as people write it.
type Link struct {
	Relation string
	To       string // an address
}

// Put is what came of a draft.
type Put struct {
	Record record.Record
	// Fork are the versions that go different ways now, where there is more than one.
	Fork []int
	// Moved are the inputs of its task that are not what they were, and what it rests
	// on and does not hold any more.
	Moved []Moved
	// LeftOut are the records that a memo was to take up, and that did not fit.
	LeftOut []record.Ref
}

// maxContent is how large a content may be. What is larger is a data set, whose
// place is beside the store.
const maxContent = 16 << 20

// Put puts drafts, all or none of them. Later ones may point at earlier ones.
func (d *Door) Put(ctx context.Context, who Actor, drafts ...Draft) ([]Put, error) {
	if len(drafts) == 0 {
		return nil, &fault.Error{Code: NothingGiven, Detail: "there is nothing to put", Hint: "give a file, or - for standard input"}
	}
	types := make(map[string]string) // of records that begin here
	drafts = slices.Clone(drafts)
	for i := range drafts {
		one := drafts[i]
		if one.Type == "" {
			one.Type = types[one.ID]
		}
		if one.Type == "" { // a new version is meant: its id may be shortened
			h, err := d.Head(ctx, one.ID)
			if err != nil {
				return nil, err
			}
			one.ID, one.Type = h.ID, h.Type
			drafts[i].ID = h.ID
		}
		if err := d.mayPut(ctx, who, &one); err != nil {
			return nil, err
		}
		types[one.ID] = one.Type
	}
	var out []Put
	parents := make(map[int]int) // what each draft goes on from, as its author saw it
	err := d.write(ctx, func() (*change, error) {
		out = nil
		b := d.putting(who)
		b.parents = parents
		for i := range drafts {
			b.nth = i
			p, err := b.put(ctx, &drafts[i])
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		b.c.event = b.event()
		return b.c, nil
	})
	return out, err
}

// putting is a change that puts versions.
type putting struct {
	*Door
	who   Actor
	at    time.Time
	c     *change
	heads map[string]record.Head // as they are after what was put so far
	read  map[string]record.Head // as they were before, of what was looked at
	fresh map[record.Ref]*record.Record
	// parents are those that were chosen when this was first tried: what others put
	// meanwhile is nothing that the author has seen.
	parents map[int]int
	nth     int // of the drafts
}

func (d *Door) putting(who Actor) *putting {
	return &putting{
		Door: d, who: who, at: d.Now().UTC(), c: &change{kind: kindPut}, heads: make(map[string]record.Head), read: make(map[string]record.Head), fresh: make(map[record.Ref]*record.Record),
		parents: make(map[int]int),
	}
}

func (b *putting) event() putEvent {
	e := putEvent{By: b.who.Name, Role: b.who.Role}
	for i := range b.c.records {
		r := &b.c.records[i]
		e.Records = append(e.Records, putEntry{r.ID, r.Version, r.Type, r.Status, hashOf(r)})
	}
	return e
}

// headOf gives the head of a record by its whole id; there may be none.
func (b *putting) headOf(ctx context.Context, id string) (record.Head, error) {
	if h, ok := b.heads[id]; ok {
		return h, nil
	}
	return b.before(ctx, id)
}

// before gives the head of a record as it is before anything of the change.
func (b *putting) before(ctx context.Context, id string) (record.Head, error) {
	if h, ok := b.read[id]; ok {
		return h, nil
	}
	h, err := b.exactly(ctx, id)
	if err == nil {
		b.read[id] = h
	}
	return h, err
}

func (b *putting) put(ctx context.Context, draft *Draft) (Put, error) {
	if err := checkDraft(draft); err != nil {
		return Put{}, err
	}
	h, err := b.headOf(ctx, draft.ID)
	if err != nil {
		return Put{}, err
	}
	r := record.Record{
		ID: draft.ID, Type: draft.Type, Version: h.Latest + 1, Parent: draft.Parent, Status: record.Draft, Module: draft.Module,
		Content: store.Hash(draft.Content), Change: strings.TrimSpace(draft.Change), Creator: b.who.Name, At: b.at, Tags: slices.Clone(draft.Tags),
	}
	if r.Parent == 0 && !(draft.anew && h.Type == r.Type) {
		if r.Parent, err = b.goesOnFrom(ctx, &h); err != nil {
			return Put{}, err
		}
	}
	var parent record.Record
	if h.Latest > 0 && r.Parent > 0 {
		if parent, err = b.parent(ctx, &r, h); err != nil {
			return Put{}, err
		}
	}
	if err := b.complete(&r, &parent, draft); err != nil {
		return Put{}, err
	}
	if r.Links, err = b.links(ctx, &r, &parent, draft); err != nil {
		return Put{}, err
	}
	if parent.Version > 0 && same(&r, &parent) {
		return Put{}, &fault.Error{
			Code: NothingNew, Op: "put " + fault.Shown(r.ID), Detail: "it says what " + parent.Ref().String() + " says, word for word",
			Hint: "nothing was written",
		}
	}
	out := Put{}
	if out.Fork, err = b.fork(ctx, &r, h); err != nil {
		return Put{}, err
	}
	if out.Moved, err = b.moved(ctx, &r, draft.Task == ""); err != nil {
		return Put{}, err
	}
	outdated, err := b.outdated(ctx, &r, b.before)
	if err != nil {
		return Put{}, err
	}
	switch {
	case len(out.Moved) > 0, draft.rebase, b.unmoved(&r, &parent):
		r.Status = record.NeedsRebase
	case len(outdated) > 0:
		r.Status = record.NeedsUpdate
	case len(out.Fork) > 0:
		r.Status = record.Alternative
	}
	out.Moved = append(out.Moved, outdated...)
	b.take(&r, draft.Content, h)
	out.Record = r
	return out, nil
}

// unmoved tells whether an agent says once more, word for word, what was made from
// inputs that have moved: that is not made anew, whatever it is said to rest on.
func (b *putting) unmoved(r, parent *record.Record) bool {
	return !b.who.person() && parent.Status == record.NeedsRebase && parent.Content == r.Content
}

func (b *putting) take(r *record.Record, content []byte, h record.Head) {
	b.c.blob(content)
	b.c.records = append(b.c.records, *r)
	b.fresh[r.Ref()] = r
	h.Latest, h.Tip = r.Version, r.Version
	if h.Canonical == 0 {
		h.Type, h.Module = r.Type, r.Module
	}
	b.heads[r.ID] = h
}

// complete fills in what the parent has and the draft leaves out.
func (b *putting) complete(r, parent *record.Record, draft *Draft) error {
	if r.Type == "" {
		r.Type = parent.Type
	}
	if err := b.Types.Check(r.Type); err != nil {
		return err
	}
	kind, _ := b.Types.Find(r.Type)
	if err := reserved(r, kind, draft.ours); err != nil {
		return err
	}
	switch {
	case r.Module == "" && parent.Module != "":
		r.Module = parent.Module
	case r.Module == "" && kind.Whole:
		r.Module = record.Project
	}
	bad := func(detail, hint string) error {
		return &fault.Error{Code: BadRecord, Op: "put " + fault.Shown(r.ID), Detail: detail, Hint: hint}
	}
	switch {
	case r.Type == record.ResearchArtifact && b.Artifact != nil:
		return bySessions("put", r.ID)
	case parent.Version > 0 && parent.Type != r.Type:
		return bad("it is "+record.A(parent.Type)+", and cannot become "+record.A(r.Type), "put it under another id")
	case r.Module == "":
		return bad("its module is missing", "say which part of the project it belongs to with --module")
	case kind.Whole && r.Module != record.Project:
		return bad(record.A(r.Type)+" belongs to the whole project, not to "+fault.Shown(r.Module), "leave --module out")
	case kind.Core && r.Parent > 0 && r.Change == "":
		return bad("a new version of "+record.A(r.Type)+" must say what changed, and why", "say it with -m")
	}
	tag(r, parent)
	return summarise(r, parent, draft)
}

// tag gives a version without tags those of its parent. What goes on from a rehearsal
// is nobody's thought either.
func tag(r, parent *record.Record) {
	if len(r.Tags) == 0 && parent.Version > 0 {
		r.Tags = slices.Clone(parent.Tags)
	}
	if record.Rehearsed(parent) && !record.Rehearsed(r) {
		r.Tags = append(r.Tags, record.Rehearsal)
	}
}

// summarise gives a version its summary, and says for which content it was written.
func summarise(r, parent *record.Record, draft *Draft) error {
	r.SummaryOf = r.Content
	switch {
	case draft.Summary != "":
		r.Summary, r.SummaryBy = strings.TrimSpace(draft.Summary), record.Given
		if draft.summaryBy != "" {
			r.SummaryBy = draft.summaryBy
		}
		if draft.summaryOf != "" {
			r.SummaryOf = draft.summaryOf
		}
	case parent.Version > 0 && parent.Content == r.Content:
		r.Summary, r.SummaryOf, r.SummaryBy = parent.Summary, parent.SummaryOf, parent.SummaryBy
	case parent.Version > 0 && draft.KeepSummary:
		r.Summary, r.SummaryOf, r.SummaryBy = parent.Summary, parent.SummaryOf, record.Kept
	default:
		r.Summary, r.SummaryBy = record.Extract(draft.Content), record.Extracted
	}
	if err := record.CheckSummary(r.Summary); err != nil {
		return &fault.Error{Code: fault.CodeOf(err), Op: "put " + fault.Shown(r.ID), Cause: err}
	}
	return nil
}

// same tells whether a version would add nothing to its parent.
func same(r, parent *record.Record) bool {
	return r.Content == parent.Content && r.Summary == parent.Summary && r.SummaryOf == parent.SummaryOf && r.SummaryBy == parent.SummaryBy && r.Module == parent.Module &&
		slices.Equal(r.Tags, parent.Tags) && slices.Equal(r.Links, parent.Links)
}

func checkDraft(draft *Draft) error {
	if err := CheckID("id", draft.ID); err != nil {
		return err
	}
	if draft.Module != "" {
		if err := CheckID("module", draft.Module); err != nil {
			return err
		}
	}
	var detail string
	switch {
	case len(strings.TrimSpace(string(draft.Content))) == 0:
		detail = "its content is empty"
	case len(draft.Content) > maxContent:
		detail = fmt.Sprintf("its content has %d bytes; %d are possible", len(draft.Content), maxContent)
	case !utf8.Valid(draft.Content):
		detail = "its content is not UTF-8 text"
	case slices.ContainsFunc(draft.Tags, func(tag string) bool { return strings.TrimSpace(tag) == "" || !utf8.ValidString(tag) }):
		detail = "a tag is empty"
	default:
		return nil
	}
	return &fault.Error{Code: BadRecord, Op: "put " + fault.Shown(draft.ID), Detail: detail, Hint: "nothing was written"}
}

// maxID is how many characters an id may have.
const maxID = 100

// CheckID refuses what cannot be typed, shortened and put before an @.
func CheckID(what, id string) error {
	fits := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r))
	}
	var detail string
	switch {
	case id == "":
		detail = "it is missing"
	case len(id) > maxID:
		detail = fmt.Sprintf("it has %d characters; %d are possible", len(id), maxID)
	case strings.ContainsFunc(id, func(r rune) bool { return !fits(r) }):
		detail = "it has a character that no " + what + " has"
	case !unicode.IsLetter(rune(id[0])) && !unicode.IsDigit(rune(id[0])):
		detail = "it begins with " + id[:1]
	default:
		return nil
	}
	return &fault.Error{
		Code: BadID, Op: what + " " + fault.Shown(id), Detail: detail,
		Hint: "write letters, digits, dots, hyphens and underscores, beginning with a letter or a digit",
	}
}
