package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Error codes of people's actions.
const (
	NoConflict  fault.Code = "NO_CONFLICT"   // The field is not in conflict.
	NoCandidate fault.Code = "NO_CANDIDATE"  // No candidate of the conflict matches, or several do.
	NotAllowed  fault.Code = "NOT_ALLOWED"   // The author of a manual change is not an authority of the session.
	NothingSaid fault.Code = "NOTHING_SAID"  // The note is empty.
	NoteTooLong fault.Code = "NOTE_TOO_LONG" // The note is longer than the agents' messages have room for; nothing was written.
	NameTaken   fault.Code = "NAME_TAKEN"    // An agent has the name of a person with authority.

	VersionMoved fault.Code = "VERSION_MOVED" // The decision was made for an older version of the artifact; nothing was changed.
)

// Classes returns the classes of the package's codes.
func Classes() fault.Classes {
	return fault.Classes{
		NotAllowed:    fault.ClassDenied,
		Diverged:      fault.ClassPerson,
		RoundOpen:     fault.ClassPerson,
		VersionMoved:  fault.ClassPerson,
		ReplayDiffers: fault.ClassFailed,
		ExportChanged: fault.ClassFailed,
	}
}

// Editor makes a person's changes to a session, during a run or after it.
type Editor struct {
	Store store.Store
	Now   func() time.Time
	As    string
	// Authorities are the people that the configuration allows to edit anything, besides those that
	// the session was opened with.
	Authorities []string
	// Project is the project's store; nil if the session has none.
	Project Project
	// Version is the version that the person saw; 0 if it does not matter. Deltas for an older one
	// than the current are refused with VersionMoved, unless that has them already: a form was sent twice.
	Version int
}

// Apply merges a person's deltas into the session's next version. If another process writes
// first, they are merged into the newer version.
func (ed *Editor) Apply(ctx context.Context, thread string, text []byte) (*History, settle.Settlement, error) {
	h, err := ed.loadFor(ctx, thread, text)
	if err != nil {
		return nil, settle.Settlement{}, err
	}
	return ed.apply(ctx, h, constantDeltas(text), nil)
}

// ApplyOnce is Apply for deltas that may be submitted twice by mistake. If the same bytes of
// the same person were merged before, it returns that commit and writes nothing.
func (ed *Editor) ApplyOnce(ctx context.Context, thread string, text []byte) (*History, settle.Settlement, *flow.Commit, error) {
	h, err := ed.loadFor(ctx, thread, text)
	if err != nil {
		return nil, settle.Settlement{}, nil, err
	}
	before := h.appliedBy(ed.As, text)
	if before != nil {
		return h, settle.Settlement{}, before, nil
	}
	h, out, err := ed.apply(ctx, h, func(*artifact.Artifact) ([]byte, error) {
		if before = h.appliedBy(ed.As, text); before != nil { // by another process, meanwhile
			return nil, nil
		}
		return text, nil
	}, nil)
	return h, out, before, err
}

func (h *History) appliedBy(author string, text []byte) *flow.Commit {
	hash := store.Hash(text)
	for i := len(h.State.Commits) - 1; i >= 0; i-- {
		c := &h.State.Commits[i]
		if c.Source == flow.ByPerson && c.Author == author && c.Deltas == hash && c.Outcome.Applied > 0 {
			return c
		}
	}
	return nil
}

// ApplyByHand merges a person's single changes, all or none. Unlike in a file of deltas, an
// unknown item is an error.
func (ed *Editor) ApplyByHand(ctx context.Context, thread string, deltas ...artifact.Value) (*History, settle.Settlement, error) {
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, settle.Settlement{}, err
	}
	return ed.apply(ctx, h, constantDeltas(DeltaFile(deltas...)), h.firstRefusal)
}

func constantDeltas(text []byte) func(*artifact.Artifact) ([]byte, error) {
	return func(*artifact.Artifact) ([]byte, error) { return text, nil }
}

// firstRefusal returns the error of the first change not applied, or nil; no-ops are not errors.
func (h *History) firstRefusal(out *settle.Settlement) error {
	for i := range out.Report.Deltas {
		row := &out.Report.Deltas[i]
		f := &fault.Error{
			Code: row.Code, Detail: row.Message,
			Hint: "nothing was written; `brenner session show " + h.Thread + "` shows the current version",
		}
		switch {
		case row.Disposition == merge.Rejected, row.Disposition == merge.Skipped && row.Code != "":
			return f
		case row.Disposition == merge.Skipped && isKill(out, row.DeltaID):
			f.Code = merge.TargetKilled
			return f
		}
		for _, field := range row.Fields {
			if field.Outcome == merge.FieldRefused || field.Outcome == merge.FieldSkipped {
				f.Code, f.Place, f.Detail = field.Code(), row.TargetID+"."+field.Field, field.Message
				return f
			}
		}
	}
	return nil
}

func isKill(out *settle.Settlement, id string) bool {
	return slices.ContainsFunc(out.Deltas, func(d delta.Delta) bool { return d.ID == id && d.Operation == delta.Kill })
}

// load reads the session and checks that the person may write to it.
func (ed *Editor) load(ctx context.Context, thread string) (*History, error) {
	h, err := Load(ctx, ed.Store, thread)
	if err != nil {
		return nil, err
	}
	h.project = ed.Project
	return h, ed.checkAuthority(h)
}

// loadFor is load for deltas, which it checks, too.
func (ed *Editor) loadFor(ctx context.Context, thread string, text []byte) (*History, error) {
	h, err := Load(ctx, ed.Store, thread)
	if err != nil {
		return nil, err
	}
	h.project = ed.Project
	if err := h.checkDeltas(text); err != nil {
		return nil, err
	}
	return h, ed.checkAuthority(h)
}

// ledger returns a ledger that keeps the history up to date.
func (ed *Editor) ledger(h *History) *ledger {
	wrote := func(e *journal.Entry, _ *flow.State) { h.Entries = append(h.Entries, *e) }
	return newLedger(ed.Store, Prefix+h.Thread, ed.Now, h.State, nil, wrote)
}

// apply settles deltas on the current version and journals them, unless they are empty or check
// refuses them. Check may be nil.
func (ed *Editor) apply(
	ctx context.Context, h *History, deltas func(base *artifact.Artifact) ([]byte, error), check func(*settle.Settlement) error,
) (*History, settle.Settlement, error) {
	var out settle.Settlement
	err := ed.ledger(h).write(ctx, func(state *flow.State) (*draft, error) {
		if len(state.Commits) == 0 {
			return nil, &fault.Error{
				Code: NoVersion, Detail: h.Thread + " has no version yet: it stopped before the brief was merged",
				Hint: "`brenner session resume " + h.Thread + "` continues it",
			}
		}
		if ed.Version > 0 && ed.Version != state.Version() {
			if ed.repeats(ctx, h, deltas) {
				return nil, nil
			}
			return nil, &fault.Error{
				Code: VersionMoved, Detail: fmt.Sprintf("this was decided for version %d; the session is at version %d", ed.Version, state.Version()),
				Hint: "look at the new version and decide again",
			}
		}
		base, err := h.Artifact(ctx, state.Version())
		if err != nil {
			return nil, err
		}
		text, err := deltas(&base)
		if err != nil || text == nil {
			return nil, err
		}
		c := flow.Committed{Source: flow.ByPerson, Author: ed.As, At: state.NextAt(ed.Now())}
		var dr *draft
		dr, out, err = h.draft(ctx, base, &c, [][]byte{text})
		if err == nil && check != nil {
			err = check(&out)
		}
		if err == nil {
			h.expire(dr, &out.Artifact)
		}
		return dr, err
	})
	return h, out, err
}

// repeats reports whether the version after the one that the person saw came from the same deltas of the same
// person, and is still the current one.
func (ed *Editor) repeats(ctx context.Context, h *History, deltas func(base *artifact.Artifact) ([]byte, error)) bool {
	last := &h.State.Commits[len(h.State.Commits)-1]
	if last.Version != ed.Version+1 || last.Source != flow.ByPerson || last.Author != ed.As {
		return false
	}
	base, err := h.Artifact(ctx, ed.Version)
	if err != nil {
		return false
	}
	text, err := deltas(&base)
	return err == nil && last.Deltas == store.Hash(text)
}

// checkDeltas returns an error if a text has no delta that would go to the merge of the session.
func (h *History) checkDeltas(text []byte) error {
	if artifact.IsJSON(text) {
		if _, err := delta.ReadFile(text); err != nil {
			return err
		}
	}
	readings, deltas := settle.Read(settle.Input{At: settle.Undated(), Message: 1, Contributions: []settle.Contribution{h.byPerson("-", "-", text)}})
	if slices.ContainsFunc(deltas, func(d delta.Delta) bool { return d.Problem == nil && d.Operation != "" }) {
		return nil
	}
	none := &fault.Error{Code: delta.NoDeltas, Detail: "no readable delta", Hint: "`brenner delta check FILE` shows what is wrong"}
	if artifact.IsJSON(text) {
		none.Hint = "`brenner schema delta` describes a delta"
	}
	for i := range readings {
		if all := readings[i].Problems; len(all) > 0 && len(deltas) == 0 {
			none.Detail, none.Hint = all[0].Message, all[0].Hint
		}
	}
	return none
}

// byPerson returns the contribution of a person. It is read as the session reads.
func (h *History) byPerson(author, id string, text []byte) settle.Contribution {
	return settle.Contribution{Agent: author, ID: id, Text: text, File: true, Reader: h.State.Opened.Reads()}
}

// Check returns an error if the person may not write to the session.
func (ed *Editor) Check(ctx context.Context, thread string) error {
	_, err := ed.load(ctx, thread)
	return err
}

func (ed *Editor) checkAuthority(h *History) error {
	o := &h.State.Opened
	var all []string
	for _, names := range [][]string{{o.Operator}, o.Rules.Authorities, ed.Authorities} {
		for _, name := range names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	if slices.Contains(all, ed.As) {
		return nil
	}
	return &fault.Error{
		Code: NotAllowed, Detail: fault.Shown(ed.As) + " is not an authority of " + h.Thread,
		Hint: "authorities: " + strings.Join(all, ", ") + "; add others under authorities: in brenner.yaml",
	}
}

// Resolve picks one candidate of a conflict, by its delta, a prefix of that, or its agent.
func (ed *Editor) Resolve(ctx context.Context, thread, place, take, why string) (*History, settle.Settlement, error) {
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, settle.Settlement{}, err
	}
	return ed.apply(ctx, h, func(base *artifact.Artifact) ([]byte, error) { return resolution(base, place, take, why) }, nil)
}

func resolution(a *artifact.Artifact, place, take, why string) ([]byte, error) {
	conflict, err := ConflictAt(a, place)
	if err != nil {
		return nil, err
	}
	p, err := parseFieldPath(place)
	if err != nil {
		return nil, err
	}
	chosen, err := Candidate(conflict, place, take)
	if err != nil {
		return nil, err
	}
	if why == "" {
		why = "conflict resolved: taken from " + chosen.Agent + " (" + chosen.Delta + ")"
	}
	payload := artifact.MapOf(artifact.Entry{Key: p.field, Value: p.wrap(chosen.Value)})
	return DeltaFile(p.delta(delta.Edit, p.item, payload, why)), nil
}

// ConflictAt returns the candidates of an undecided place: "H2.claim", "P1.predictions.H2".
func ConflictAt(a *artifact.Artifact, place string) (artifact.Conflict, error) {
	p, err := parseFieldPath(place)
	if err != nil {
		return nil, err
	}
	it, _, ok := a.Find(p.item)
	if !ok {
		return nil, noConflict(a, place)
	}
	v := it.Get(p.field)
	if p.key != "" {
		v, _ = it.Map(p.field).Get(p.key)
	}
	conflict, ok := v.(artifact.Conflict)
	switch {
	case !ok:
		return nil, noConflict(a, place)
	case it.Killed():
		return nil, &fault.Error{
			Code: NoConflict, Detail: fault.Shown(place) + " needs no decision: " + it.ID + " was killed by " + fault.Shown(it.Kill.By),
			Hint: "killed items do not change",
		}
	}
	return conflict, nil
}

// Candidate returns the candidate named by its agent, its delta, or a unique prefix of that.
func Candidate(conflict artifact.Conflict, place, take string) (*artifact.Candidate, error) {
	var exact, near []*artifact.Candidate
	var names []string
	for i := range conflict {
		c := &conflict[i]
		names = append(names, c.Delta+" ("+c.Agent+`): "`+text.Clip(text.Clean(PlainText(c.Value), text.Words), 60)+`"`)
		switch {
		case take == c.Agent || take == c.Delta:
			exact = append(exact, c)
		case take != "" && strings.HasPrefix(c.Delta, take):
			near = append(near, c)
		}
	}
	if len(exact) == 0 {
		exact = near
	}
	switch len(exact) {
	case 1:
		return exact[0], nil
	case 0:
		return nil, &fault.Error{Code: NoCandidate, Place: place, Detail: fault.Shown(take) + " is not a candidate", Hint: "candidates: " + strings.Join(names, ", ")}
	}
	return nil, &fault.Error{Code: NoCandidate, Place: place, Detail: fault.Shown(take) + " matches more than one candidate", Hint: "candidates: " + strings.Join(names, ", ")}
}

func noConflict(a *artifact.Artifact, place string) error {
	f := &fault.Error{Code: NoConflict, Detail: fault.Shown(place) + " is not in conflict", Hint: "there are no open conflicts"}
	if open := Conflicts(a); len(open) > 0 {
		f.Hint = "open conflicts: " + strings.Join(open, ", ")
	}
	return f
}

// Conflicts returns the undecided places of an artifact, without those of killed items.
func Conflicts(a *artifact.Artifact) []string {
	var open []string
	for _, items := range a.Sections {
		for _, it := range items {
			if it.Killed() {
				continue
			}
			for _, f := range it.Fields {
				switch v := f.Value.(type) {
				case artifact.Conflict:
					open = append(open, it.ID+"."+f.Name)
				case artifact.Map:
					for _, e := range v {
						if _, ok := e.Value.(artifact.Conflict); ok {
							open = append(open, it.ID+"."+f.Name+"."+e.Key)
						}
					}
				}
			}
		}
	}
	return open
}

// Note leaves a note that the agents read in the next round.
func (ed *Editor) Note(ctx context.Context, thread, text string) (*History, error) {
	return ed.NoteOnce(ctx, thread, text, math.MaxInt)
}

// longestNote is the limit of a note, in characters: every agent's next message contains it.
const longestNote = 20_000

// NoteOnce leaves a note, unless the person has left the same one after the first seen notes: a form
// that is sent twice leaves one.
func (ed *Editor) NoteOnce(ctx context.Context, thread, text string, seen int) (*History, error) {
	if delta.Blank(text) {
		return nil, &fault.Error{Code: NothingSaid, Detail: "empty note", Hint: "pass what the agents should know"}
	}
	if n := utf8.RuneCountInString(text); n > longestNote {
		return nil, &fault.Error{
			Code: NoteTooLong, Detail: fmt.Sprintf("the note has %d characters; at most %d are possible", n, longestNote),
			Hint: "nothing was written; every agent's next message contains the note: shorten it, or say where the rest can be read",
		}
	}
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, err
	}
	note := flow.Noted{Author: ed.As, Text: text}
	return h, ed.ledger(h).write(ctx, func(now *flow.State) (*draft, error) {
		if slices.ContainsFunc(now.Notes[min(seen, len(now.Notes)):], func(n flow.Note) bool { return n.Noted == note }) {
			return nil, nil //nolint:nilnil // the same note was left
		}
		return newDraft(flow.KindNoted, note), nil
	})
}
