package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/session"
	"brenner/session/flow"
)

// NotFound is the code of a text or an item that is not in the session.
const NotFound fault.Code = "NOT_FOUND" // No such item, field or text in the session.

// Fate is the current status of a text.
type Fate string

// The fates.
const (
	FateStands     Fate = "stands"
	FateInConflict Fate = "in_conflict" // one of several candidates
	FateReplaced   Fate = "replaced"    // no longer in the artifact
	FateNotTaken   Fate = "not_taken"   // proposed in a delta; the outcome says why it was not applied, or is empty before the merge
	FateSaid       Fate = "said"        // in a reply or a rationale only
	FateNoted      Fate = "noted"       // in a person's note to the agents
)

// Origin is where a piece of an artifact came from: the delta that wrote it, the reply with
// that delta, the message that it answers, and what that message showed.
type Origin struct {
	Address session.Address `json:"address"` // in the newest version that has it
	Item    string          `json:"item"`
	Field   string          `json:"field"`
	Text    string          `json:"text"` // as in the artifact
	Fate    Fate            `json:"fate"`
	// Delta and the following fields are empty for text outside of any delta.
	Delta     string `json:"delta_id"`
	Agent     string `json:"agent"`
	Operation string `json:"operation"`
	Rationale string `json:"rationale"`
	At        string `json:"at"`
	Source    string `json:"source"`           // brief, round, person or thread
	Ruling    string `json:"ruling,omitempty"` // the stalemate, if set by a ruling
	Round     int    `json:"round"`
	Version   int    `json:"version"` // the version that the delta was merged into
	// Outcome is the outcome of the delta, or of its field, in the merge.
	Outcome string     `json:"outcome"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	// TakenFrom is the author of the candidate that a person took to settle a conflict. Its origin follows.
	TakenFrom string `json:"taken_from,omitempty"`
	// By is the delta that replaced this one, and ByAgent its author.
	By      string `json:"replaced_by"`
	ByAgent string `json:"replaced_by_agent"`
	// Call and the fields that belong to it are empty for what people wrote.
	Call     string   `json:"call"`
	Reply    string   `json:"reply"`   // hash
	Block    int      `json:"block"`   // index of the delta in the reply, or in a person's deltas
	Line     int      `json:"line"`    // where the block begins; 0 for JSON
	Kickoff  string   `json:"kickoff"` // hash
	Template string   `json:"template"`
	Base     int      `json:"base_version"` // the version shown to the agent
	Saw      []string `json:"items_shown"`  // items of that version shown to the agent
	Deltas   string   `json:"deltas"`       // hash of a person's deltas
	Letter   string   `json:"letter"`       // the message on the mail server, if it came by mail
	// Asked is what was really asked, such as "llama3 at 127.0.0.1:8080", if the session was opened
	// with that.
	Asked string `json:"asked,omitempty"`
	// Renumbered are the ids behind those that the author assumed for new items, for its own item and
	// where the text mentions one: "BlueLake's H5 is H7".
	Renumbered []string `json:"renumbered,omitempty"`
	// Unresolved says for each reference in the delta of a call that it is bound to nothing.
	Unresolved []string `json:"unresolved,omitempty"`
}

func (origin *Origin) setAddress(a session.Address) {
	origin.Address, origin.Item, origin.Field = a, a.Item, a.Field
}

// Origins finds where parts of a session's artifact came from.
type Origins struct {
	h       *session.History
	all     []session.ReplayedCommit
	current artifact.Artifact
	deltas  map[string]*mergedDelta
	order   []*mergedDelta   // in merge order
	lines   map[string][]int // starting lines of blocks, by the hash of a text

	renumbered artifact.Renumbered // of the newest version
}

type mergedDelta struct {
	delta  *delta.Delta
	commit *flow.Commit
	row    *merge.Row
	by     *mergedDelta // the one of the repair that replaced it before the merge
	record string       // the id of the record that did

	unresolved []string // references that are bound to nothing
}

// OriginsOf replays a session to locate every delta.
func OriginsOf(ctx context.Context, h *session.History) (*Origins, error) {
	all, err := h.Rebuild(ctx)
	if err != nil {
		return nil, err
	}
	empty, err := h.Artifact(ctx, 0)
	if err != nil {
		return nil, err
	}
	o := &Origins{h: h, all: all, current: empty, deltas: make(map[string]*mergedDelta), lines: make(map[string][]int)}
	for i := range all {
		r := &all[i]
		rows := make(map[string]*merge.Row)
		for j := range r.Settlement.Report.Deltas {
			row := &r.Settlement.Report.Deltas[j]
			rows[row.DeltaID] = row
		}
		for j := range r.Settlement.Deltas {
			d := &r.Settlement.Deltas[j]
			w := &mergedDelta{delta: d, commit: &r.Commit, row: rows[d.ID]}
			o.deltas[d.ID] = w
			o.order = append(o.order, w)
		}
		for _, row := range r.Settlement.Report.Unresolved() {
			if w := o.deltas[row.DeltaID]; w != nil {
				w.unresolved = append(w.unresolved, string(row.Code)+": "+row.Message)
			}
		}
		o.addReplaced(r)
		o.current = r.Settlement.Artifact
	}
	o.renumbered = o.current.Renumbered()
	return o, nil
}

// addReplaced adds the deltas that a repair replaced before the merge.
func (o *Origins) addReplaced(r *session.ReplayedCommit) {
	for i := range r.Settlement.Readings {
		for _, old := range r.Settlement.Readings[i].Replaced {
			w := &mergedDelta{delta: &old.Delta, commit: &r.Commit}
			if by := o.deltas[old.By]; by != nil {
				w.by = by
			} else {
				w.record = old.By
			}
			o.order = append(o.order, w)
		}
	}
}

// Select selects the artifact of a version; 0 is the newest.
func (o *Origins) Select(version int) error {
	for i := len(o.all) - 1; i >= 0; i-- {
		if a := &o.all[i].Settlement.Artifact; a.Metadata.Version == version || version == 0 {
			o.current = *a
			return nil
		}
	}
	return o.h.VersionError(version)
}

// Version returns the selected version.
func (o *Origins) Version() int { return o.current.Metadata.Version }

// Blame returns the authors of an item: who added it, wrote each field, and killed it. With a
// field it returns the authors of that field; "killed" is the kill of the item.
func (o *Origins) Blame(ctx context.Context, id, field string) ([]Origin, error) {
	it, section, ok := o.current.Find(id)
	if !ok {
		return nil, &fault.Error{
			Code: NotFound, Detail: fmt.Sprintf("%s has no item %s in version %d", o.h.Thread, fault.Shown(id), o.Version()),
			Hint: "`brenner session show " + o.h.Thread + "` lists its items",
		}
	}
	field = session.CellPath(section, field)
	var all []Origin
	for _, p := range append(partsOf(it), o.cellsOfKilled(it, section)...) {
		if field != "" && p.path != field && !strings.HasPrefix(p.path, field+".") {
			continue
		}
		found, err := o.writers(ctx, o.Version(), it.ID, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, &fault.Error{
			Code: NotFound, Detail: fmt.Sprintf("%s has no field %s in version %d", id, fault.Shown(field), o.Version()),
			Hint: "run `brenner blame` with the item alone to list its fields",
		}
	}
	return all, nil
}

// cellsOfKilled returns the cells of a prediction whose hypothesis was killed.
func (o *Origins) cellsOfKilled(it *artifact.Item, section artifact.Section) []part {
	if section != artifact.PredictionsTable {
		return nil
	}
	var parts []part
	for _, e := range it.Map("predictions") {
		if h, _, ok := o.current.Find(e.Key); ok && h.Kill != nil {
			parts = append(parts, part{path: "predictions." + e.Key, text: notApplicable(h.ID + " was killed: " + h.Kill.Reason), fate: FateStands, by: []*artifact.Stamp{h.Kill.Stamp}})
		}
	}
	return parts
}

func notApplicable(why string) string { return artifact.NotApplicable + ": " + why }

// FromCall returns the origins of the deltas in the answer to a call, in its order.
func (o *Origins) FromCall(ctx context.Context, id string) ([]Origin, error) {
	var all []Origin
	for _, w := range o.order {
		leg := o.h.State.Leg(w.commit.Round, w.commit.Leg)
		if w.commit.Source != flow.ByRound || leg == nil || !strings.HasPrefix(id, flow.CallID(o.h.Thread, leg.Round, leg.Leg, w.delta.Agent, "")) {
			continue
		}
		origin, err := o.trace(ctx, w)
		if err != nil {
			return nil, err
		}
		if origin.Call == id {
			origin.setAddress(session.Address{Thread: o.h.Thread, Version: origin.Version, Item: w.target()})
			origin.Unresolved = w.unresolved
			all = append(all, origin)
		}
	}
	slices.SortStableFunc(all, func(x, y Origin) int { return cmp.Compare(x.Block, y.Block) })
	return all, nil
}

// target returns the id of the item that a delta was about, or "".
func (w *mergedDelta) target() string {
	if w.row != nil && w.row.TargetID != "" {
		return w.row.TargetID
	}
	return w.delta.Target
}

// part is a piece of an item with its own authors.
type part struct {
	path string // "claim", "predictions.H2"; "" for the addition of the item
	text string
	fate Fate
	by   []*artifact.Stamp
	// notes are the ids that the author assumed for the item, if this is its addition.
	notes []string
}

// partsOf splits an item into its addition, its fields, its killed cells, and its kill.
func partsOf(it *artifact.Item) []part {
	var parts []part
	if it.Created != nil {
		parts = append(parts, part{fate: FateStands, by: []*artifact.Stamp{it.Created}, notes: it.LabelNotes()})
	}
	for i := range it.Fields {
		parts = append(parts, partsOfField(&it.Fields[i], it.Marks(i))...)
	}
	for _, c := range it.Cells() {
		parts = append(parts, part{path: "predictions." + c.Key, text: notApplicable(c.Kill.Reason), fate: FateStands, by: []*artifact.Stamp{c.Kill.Stamp}})
	}
	if it.Kill != nil {
		parts = append(parts, part{path: "killed", text: it.Kill.Reason, fate: FateStands, by: []*artifact.Stamp{it.Kill.Stamp}})
	}
	return parts
}

func partsOfField(f *artifact.Field, marks artifact.Marks) []part {
	var parts []part
	whole := marks.By()
	switch v := f.Value.(type) {
	case artifact.Map:
		for i, e := range v {
			parts = append(parts, partsOfValue(f.Name+"."+e.Key, e.Value, marks.Part(i, whole))...)
		}
	case artifact.List:
		for i, e := range v {
			parts = append(parts, partsOfValue(f.Name, e, marks.Part(i, whole))...)
		}
	default:
		return partsOfValue(f.Name, v, whole)
	}
	if len(parts) == 0 { // the field was emptied
		if marks.Parts != nil {
			whole = marks.Floor()
		}
		parts = []part{{path: f.Name, text: session.PlainText(f.Value), fate: FateStands, by: whole}}
	}
	return parts
}

func partsOfValue(path string, v artifact.Value, by []*artifact.Stamp) []part {
	conflict, ok := v.(artifact.Conflict)
	if !ok {
		return []part{{path: path, text: session.PlainText(v), fate: FateStands, by: by}}
	}
	var parts []part
	for _, c := range conflict {
		p := part{path: path, text: session.PlainText(c.Value), fate: FateInConflict}
		for _, s := range by {
			if s != nil && s.Delta == c.Delta {
				p.by = append(p.by, s)
			}
		}
		parts = append(parts, p)
	}
	return parts
}

func (o *Origins) writers(ctx context.Context, version int, id string, p part) ([]Origin, error) {
	var all []Origin
	for _, s := range p.by {
		if s == nil {
			continue
		}
		origin := Origin{Delta: s.Delta, Agent: s.Agent, At: artifact.FormatInstant(s.At), Version: s.Version}
		if w := o.deltas[s.Delta]; w != nil {
			var err error
			if origin, err = o.trace(ctx, w); err != nil {
				return nil, err
			}
		}
		origin.setAddress(session.Address{Thread: o.h.Thread, Version: version, Item: id, Field: p.path})
		origin.Text, origin.Fate = p.text, p.fate
		origin.Renumbered = slices.Concat(p.notes, o.renumbered.PartNotes(id, p.path, p.text, s))
		candidate, err := o.candidate(ctx, &origin)
		if err != nil {
			return nil, err
		}
		all = append(append(all, origin), candidate...)
	}
	return all, nil
}

// candidate returns the origin of the candidate that a person took to settle a conflict, and notes its author.
func (o *Origins) candidate(ctx context.Context, origin *Origin) ([]Origin, error) {
	w := o.deltas[origin.Delta]
	if w == nil || w.commit.Source == flow.ByRound || w.commit.Source == flow.ByThread || origin.Field == "" {
		return nil, nil
	}
	at := slices.IndexFunc(o.all, func(r session.ReplayedCommit) bool { return r.Commit.Version == origin.Version })
	if at < 1 {
		return nil, nil
	}
	candidates, err := session.ConflictAt(&o.all[at-1].Settlement.Artifact, origin.Item+"."+origin.Field)
	if err != nil {
		return nil, nil // there was none
	}
	for _, c := range candidates {
		from := o.deltas[c.Delta]
		if from == nil || session.PlainText(c.Value) != origin.Text {
			continue
		}
		found, err := o.trace(ctx, from)
		if err != nil {
			return nil, err
		}
		origin.TakenFrom = c.Agent
		found.setAddress(origin.Address)
		found.Text, found.Fate = origin.Text, origin.Fate
		return []Origin{found}, nil
	}
	return nil, nil
}

// trace traces a delta back to the message that it answers.
func (o *Origins) trace(ctx context.Context, w *mergedDelta) (Origin, error) {
	d, c := w.delta, w.commit
	origin := Origin{
		Delta: d.ID, Agent: d.Agent, Operation: d.Operation, Rationale: d.Rationale, At: d.Timestamp,
		Source: c.Source, Round: c.Round, Version: c.Version, Deltas: c.Deltas, Ruling: c.Ruling,
	}
	if w.row != nil {
		origin.Outcome, origin.Code, origin.Message = w.row.Disposition.String(), w.row.Code, w.row.Reason()
	}
	if w.record != "" {
		origin.Outcome, origin.Message = string(FateReplaced), "corrected by the record "+w.record
	}
	if w.by != nil {
		origin.Outcome, origin.Message = string(FateReplaced), "corrected by "+w.by.delta.ID
		if row := w.by.row; row != nil && row.Disposition == merge.Rejected {
			origin.Message = "sent again as " + w.by.delta.ID + ", which was rejected"
		}
		origin.By, origin.ByAgent = w.by.delta.ID, w.by.delta.Agent
	}
	if c.Ruling != "" {
		origin.Asked = o.h.State.Ruler(&c.Committed)
	}
	if d.Place == nil {
		return origin, nil
	}
	origin.Block = d.Place.Source()
	if l := o.h.State.LetterOf(c, d.Place.Message); l != nil {
		origin.Source, origin.Reply, origin.Base, origin.Letter = flow.ByThread, l.Body, l.Shown, l.ID
		lines, err := o.linesOf(ctx, l.Body, "", delta.Options{Reader: o.h.State.Opened.Reads()}, false)
		origin.Line = lineOf(lines, origin.Block)
		return origin, err
	}
	if c.Source != flow.ByRound {
		lines, err := o.linesOf(ctx, c.Deltas, "", delta.Options{Reader: o.h.State.Opened.Reads()}, true)
		origin.Line = lineOf(lines, origin.Block)
		return origin, err
	}
	leg := o.h.State.Leg(c.Round, c.Leg)
	i := d.Place.Message - c.Message
	if leg == nil || i < 0 || i >= len(leg.Exchanges) {
		return origin, nil
	}
	x := &leg.Exchanges[i]
	origin.Kickoff, origin.Template, origin.Base, origin.Saw = x.Body, x.Template, leg.Base, x.Saw
	call := &x.Ask
	if repair := x.RepairAnswer(); repair != nil && d.Place.Repair {
		call = repair
	}
	err := o.locateInReply(ctx, &origin, x, call)
	return origin, err
}

// locateInReply locates the block of a delta in the answer to a call.
func (o *Origins) locateInReply(ctx context.Context, origin *Origin, x *flow.Exchange, call *flow.Call) error {
	lines, err := o.linesOf(ctx, call.Answered.Reply, x.Examples, o.h.ReadingOptions(call), false)
	if err != nil {
		return err
	}
	origin.Call, origin.Reply, origin.Line = call.ID, call.Answered.Reply, lineOf(lines, origin.Block)
	origin.Letter, origin.Asked = call.Answered.Letter, o.h.State.Author(call)
	return nil
}

func lineOf(lines []int, block int) int {
	if block < 1 || block > len(lines) {
		return 0
	}
	return lines[block-1]
}

// linesOf returns the line on which each block of a text begins, or none for deltas in JSON.
func (o *Origins) linesOf(ctx context.Context, hash, examples string, opt delta.Options, file bool) ([]int, error) {
	key := hash + examples
	if opt.Cut {
		key += " cut"
	}
	if lines, ok := o.lines[key]; ok {
		return lines, nil
	}
	text, err := o.h.Store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	lines := []int{}
	if !file || !artifact.IsJSON(text) {
		reply, err := o.h.ReadReply(ctx, text, examples, opt)
		if err != nil {
			return nil, err
		}
		for i := range reply.Blocks {
			lines = append(lines, reply.Blocks[i].Line)
		}
	}
	o.lines[key] = lines
	return lines, nil
}
