package settle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
)

// TextPatch is the section of defects that are about the change of a text, not about a delta.
const TextPatch = "text"

// Defect is something in a reply that its author can correct.
type Defect struct {
	Block     int // its position in the reply, from 1; 0: the reply as a whole
	Line      int
	Column    int // of unreadable text, else 0
	Operation string
	Section   string
	Target    string
	Field     string // a refused field, else ""
	Cut       bool   // the reply ended at the limit of its length; there is no code
	Final     bool   // it cannot be corrected, and is no reason to ask
	Code      fault.Code
	Message   string
	Hint      string
}

// Defects returns what the author of the reply Text can correct: a cut reply, one with neither deltas
// nor NO CHANGES, unreadable blocks, refused fields, and deltas that a merge into Base rejects. What
// depends on other agents is not among them. What the author may not do is marked as final.
func (c *Contribution) Defects(rules merge.Rules, at time.Time) []Defect {
	reply := c.Read
	if reply == nil {
		read := delta.Read(c.Text, c.Options())
		reply = &read
	}
	var all []Defect
	if c.Cut && reply.NoChanges == nil {
		all = append(all, cutDefect(reply))
	}
	for _, p := range reply.Problems {
		if !c.Cut || p.Code == delta.MessageTooLarge { // a cut reply had no chance to come to its deltas
			all = append(all, located(&delta.Block{}, p))
		}
	}
	flaws := c.flaws(reply, rules, at)
	tried := newTrial(reply, flaws)
	var final []Defect   // named last, since only the first ones may fit
	const withHint = 100 // a request names far fewer
	for i := range reply.Blocks {
		b := &reply.Blocks[i]
		if isRefused(b) && !b.Cut { // the first defect names that
			for _, p := range b.Problems {
				all = append(all, located(b, p))
			}
		}
		if len(flaws) == 0 || flaws[0].block != b {
			continue
		}
		f := &flaws[0]
		flaws = flaws[1:]
		found := c.defectsOf(tried, f, rules, len(all)+len(final) < withHint || !c.Third)
		if f.final() {
			final = append(final, found...)
		} else {
			all = append(all, found...)
		}
	}
	return append(all, final...)
}

// Correctable counts the defects that are a reason to ask for a correction.
func Correctable(defects []Defect) int {
	n := 0
	for i := range defects {
		if !defects[i].Final {
			n++
		}
	}
	return n
}

// cutDefect names the blocks of a cut reply that were read, and the one that was not.
func cutDefect(reply *delta.Reply) Defect {
	const most = 20
	var read []string
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; b.OK {
			read = append(read, fmt.Sprintf("%d (%s %s, line %d)", b.Index, b.Delta.Operation, b.Delta.Section, b.Line))
		}
	}
	const brief = "and be brief: another long reply would be cut, too"
	d := Defect{
		Cut: true, Line: max(reply.Open, 1), Message: "it has no complete block",
		Hint: "send your deltas at once, without any text before them, " + brief,
	}
	if n := len(read); n > most {
		read = append(read[:most], fmt.Sprintf("and %d more", n-most))
	}
	if len(read) > 0 {
		d.Message = "these blocks are complete and were read: " + strings.Join(read, ", ")
		d.Hint = "send the rest, " + brief
	}
	if reply.Open > 0 {
		d.Message += fmt.Sprintf("; the block that begins on line %d is not complete and was not read", reply.Open)
	}
	return d
}

func located(b *delta.Block, p delta.Located) Defect {
	d := defect(b)
	d.Line, d.Column, d.Code, d.Message, d.Hint = p.Line, p.Column, p.Code, p.Message, p.Hint
	return d
}

func defect(b *delta.Block) Defect {
	d := Defect{Block: b.Index, Line: b.Line, Operation: b.Delta.Operation, Section: b.Delta.Section, Target: b.Delta.Target}
	switch record := b.Record(); {
	case record != nil:
		d.Target = record.ID
	case d.Section == delta.RecordSection && d.Target == "" && len(b.Delta.Labels) > 0:
		d.Target = b.Delta.Labels[0] // of a record in another form
	}
	return d
}

// flaw is a readable delta with a defect.
type flaw struct {
	block    *delta.Block
	row      *merge.Row
	rejected bool     // otherwise some of its fields were refused
	own      []string // the author's own items that the target was the name of, if it may not write the one that has this id
}

// flaws merges a reply alone into the artifact that its author saw, and returns the deltas that were
// rejected, entirely or in part. Until protocol 2 it omits those that the author cannot correct.
func (c *Contribution) flaws(reply *delta.Reply, rules merge.Rules, at time.Time) []flaw {
	if c.Base == nil || !slices.ContainsFunc(reply.Blocks, func(b delta.Block) bool { return b.OK }) {
		return nil
	}
	deltas := c.stamp(reply, at, 1)
	rows := c.trial(deltas, rules)
	byBlock := make(map[int]*merge.Row, len(deltas))
	for i := range deltas {
		byBlock[deltas[i].Place.Block] = rows[deltas[i].ID]
	}
	var all []flaw
	for i := range reply.Blocks {
		b := &reply.Blocks[i]
		row := byBlock[b.Index]
		if !b.OK || row == nil {
			continue
		}
		f := flaw{block: b, row: row, rejected: c.rejects(row)}
		if row.Code == merge.WriteScope {
			f.own = c.renumbered(&b.Delta)
		}
		if f.rejected && (c.Third || c.correctable(row.Code)) || !f.rejected && slices.ContainsFunc(row.Fields, isRefusedField) {
			all = append(all, f)
		}
	}
	return all
}

// trial judges deltas alone against the artifact that their author saw, and returns the rows by delta.
func (c *Contribution) trial(deltas []delta.Delta, rules merge.Rules) map[string]*merge.Row {
	judged := merge.Judge(c.Base, deltas, rules)
	rows := make(map[string]*merge.Row, len(judged))
	for i := range judged {
		rows[judged[i].DeltaID] = &judged[i]
	}
	return rows
}

func isRefusedField(f merge.FieldOutcome) bool { return f.Outcome == merge.FieldRefused }

// final reports whether the author cannot correct the delta.
func (f *flaw) final() bool { return f.rejected && Final(f.row.Code) != "" && len(f.own) == 0 }

// refused reports whether a field, or a key of it, was refused.
func (f *flaw) refused(name string) bool {
	return slices.ContainsFunc(f.row.Fields, func(o merge.FieldOutcome) bool {
		base, _, _ := strings.Cut(o.Field, ".")
		return isRefusedField(o) && base == name
	})
}

// withoutRefused returns a delta without the fields that were refused and are corrected.
func (f *flaw) withoutRefused(d *delta.Delta, corrected func(name string) bool) delta.Delta {
	rest := *d
	rest.Payload = nil
	for _, field := range d.Payload {
		if !f.refused(field.Name) || !corrected(field.Name) {
			rest.Payload = append(rest.Payload, field)
			continue
		}
		keys, ok := field.Value.(artifact.Map)
		if !ok {
			if list := f.unrefused(&field); len(list) > 0 {
				field.Value = list
				rest.Payload = append(rest.Payload, field)
			}
			continue
		}
		keys = slices.DeleteFunc(slices.Clone(keys), func(e artifact.Entry) bool {
			return slices.ContainsFunc(f.row.Fields, func(o merge.FieldOutcome) bool { return isRefusedField(o) && o.Field == field.Name+"."+e.Key })
		})
		if len(keys) > 0 {
			field.Value = keys
			rest.Payload = append(rest.Payload, field)
		}
	}
	rest.Seal()
	return rest
}

// unrefused returns the elements of a list that were not refused one by one; none if all of it was.
func (f *flaw) unrefused(field *delta.Field) artifact.List {
	list, _ := field.Value.(artifact.List)
	refused := make(map[string]bool)
	for _, o := range f.row.Fields {
		if isRefusedField(o) {
			refused[o.Field] = true
		}
	}
	if refused[field.Name] {
		return nil
	}
	var rest artifact.List
	for i, v := range list {
		if !refused[field.Name+"."+strconv.Itoa(i+1)] {
			rest = append(rest, v)
		}
	}
	return rest
}

// defectsOf returns the defects of a delta, with a remedy if a request can name them: finding one takes
// a merge.
func (c *Contribution) defectsOf(reply *trialReply, f *flaw, rules merge.Rules, named bool) []Defect {
	var all []Defect
	if f.rejected && (f.row.Code != delta.InvalidField || !slices.ContainsFunc(f.row.Fields, isRefusedField)) {
		d := defect(f.block)
		d.Code, d.Message, d.Final = f.row.Code, f.row.Message, f.final()
		if named {
			d.Hint = c.remedy(reply, f, rules)
		}
		all = append(all, d)
	}
	for _, field := range f.row.Fields {
		if isRefusedField(field) && !f.final() {
			d := defect(f.block)
			d.Field, d.Code, d.Message = field.Field, field.Code(), field.Message
			all = append(all, d)
		}
	}
	return all
}

// targets names the items of a section that a delta can have as its target, for protocol 2.
func targets(base *artifact.Artifact, section string) string {
	const most = 12
	s, ok := artifact.ParseSection(section)
	if !ok {
		return ""
	}
	var ids []string
	for _, it := range base.Active(s) {
		ids = append(ids, it.ID)
	}
	switch n := len(ids); {
	case n == 0:
		return "the section has no items yet: ADD one"
	case n > most:
		ids = append(ids[:most], fmt.Sprintf("or %d more", n-most))
	}
	return "target_id is one of " + strings.Join(ids, ", ")
}
