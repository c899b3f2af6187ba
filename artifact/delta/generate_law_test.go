package delta_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// base is the version that the author of a generated reply was shown.
var base = sync.OnceValue(func() *artifact.Artifact {
	var b strings.Builder
	add := func(section, payload string) {
		fmt.Fprintf(&b, "```delta\n{\"operation\":\"ADD\",\"section\":%q,\"payload\":%s}\n```\n", section, payload)
	}
	for i := range 4 {
		add("hypothesis_slate", fmt.Sprintf(`{"name":"Way %d","claim":"it is way %d","third_alternative":%t}`, i, i, i == 2))
	}
	for i := range 2 {
		add("predictions_table", fmt.Sprintf(`{"condition":"case %d","predictions":{"H1":"a","H2":"b"}}`, i))
		add("discriminative_tests", fmt.Sprintf(`{"name":"Test %d","procedure":"do %d","expected_outcomes":{"H1":"a","H2":"b"}}`, i, i))
		add("anomaly_register", fmt.Sprintf(`{"name":"Odd %d","observation":"seen %d"}`, i, i))
		add("adversarial_critique", fmt.Sprintf(`{"name":"Doubt %d","attack":"what if %d"}`, i, i))
	}
	for i := range 12 {
		add("assumption_ledger", fmt.Sprintf(`{"name":"Given %d","statement":"it holds %d","scale_check":%t}`, i, i, i == 0))
	}
	b.WriteString("```delta\n{\"operation\":\"EDIT\",\"section\":\"research_thread\",\"payload\":{\"statement\":\"how do cells know\"}}\n```\n")
	s := settle.Settle(settle.Input{At: at.Add(-time.Hour), Message: 1, Contributions: []settle.Contribution{{Agent: "B", ID: "m0", Text: []byte(b.String())}}})
	return &s.Artifact
})

var examples = sync.OnceValue(func() delta.Known { return delta.ReadExamples(exampleTexts(), delta.NewestReader) })

// result is what became of a reply.
type result struct {
	reply
	read    delta.Reply
	defects []settle.Defect
	deltas  []delta.Delta
	merged  artifact.Artifact
	report  merge.Report
	taken   map[string]bool // tokens
}

// judge reads and merges a reply.
func judge(r reply, reader delta.Reader) *result {
	c := settle.Contribution{
		Agent: "A", ID: "m1", Text: []byte(r.text), Shown: base().Metadata.Version, Known: examples(), Base: base(), Third: true, Reader: reader, Cut: r.cut,
	}
	if r.records {
		c.Records, c.Known = delta.WithRecords, recordExamples()
	}
	out := &result{reply: r, taken: make(map[string]bool)}
	out.read = delta.Read(c.Text, c.Options())
	c.Read = &out.read
	rules := merge.Rules{}
	out.defects = c.Defects(rules, at)
	// This is settle.Settle without lint, which takes most of its time.
	_, out.deltas = settle.Read(settle.Input{Base: *base(), At: at, Message: 2, Contributions: []settle.Contribution{c}, Rules: rules})
	out.merged, out.report = merge.Merge(*base(), out.deltas, rules)
	return out
}

// broken returns how a reply breaks the law, or "".
func (r *result) broken() string {
	for i := range r.plants {
		// In a cut reply, announced changes may be in the part that is missing, and others may be in the
		// fence in which it ends.
		if p := &r.plants[i]; !strings.Contains(r.text, p.token) || r.cut && (p.prose || p.behind && !p.delta) {
			p.want = free
		}
	}
	r.leaveOpen()
	for _, check := range []func() string{r.executed, r.lost, r.asked, r.bound} {
		if why := check(); why != "" {
			return why
		}
	}
	return ""
}

// leaveOpen changes what is expected of good blocks that others put in doubt. A KILL and an EDIT of one item, or two EDITs of its
// main field, cannot both be meant, so both are asked for. A block right below one that a sentence leaves open may be, and so may all
// blocks above one that a sentence takes back, because the sentence may be about all of them.
func (r *result) leaveOpen() {
	for i := range r.plants {
		p := &r.plants[i]
		isBelow := func(q plant) bool {
			return q.led && q.to <= p.from && r.areOnlyMarks(q.to, p.from)
		}
		if !p.prose && slices.ContainsFunc(r.plants[:i], isBelow) {
			p.led, p.want = true, max(p.want, accounted)
		}
		if isAbove := func(q plant) bool { return q.held && p.to <= q.from }; !p.prose && slices.ContainsFunc(r.plants, isAbove) {
			p.want = max(p.want, accounted)
		}
	}
	wants := make([]want, len(r.plants))
	for i := range r.plants {
		p := &r.plants[i]
		wants[i] = p.want
		for _, q := range r.plants {
			isPair := p.op == delta.Kill && q.op == delta.Edit || p.op == delta.Edit && q.op == delta.Kill || p.op == delta.Edit && q.op == delta.Edit && p.token != q.token
			switch isLater := q.from > p.from; {
			case p.want != taken || !isPair || p.target != q.target:
			case q.want == taken:
				wants[i] = refused
			case q.executable() || q.lone && isLater:
				wants[i] = max(wants[i], accounted)
			}
		}
	}
	for i, w := range wants {
		r.plants[i].want = w
	}
}

// areOnlyMarks reports whether lines have nothing but marks.
func (r *result) areOnlyMarks(from, to int) bool {
	return strings.Trim(strings.Join(r.lines[from:to], ""), "`~ \t") == ""
}

// in returns the changes that a text mentions.
func (r *result) in(text string) (all []*plant) {
	if !strings.Contains(text, "zq") {
		return nil
	}
	for i := range r.plants {
		if p := &r.plants[i]; strings.Contains(text, p.token) && !slices.ContainsFunc(all, func(q *plant) bool { return q.token == p.token }) {
			all = append(all, p)
		}
	}
	return all
}

// executed checks that every change that was taken was planted so, once, and by itself.
func (r *result) executed() string {
	for i := range r.read.Blocks {
		b := &r.read.Blocks[i]
		if !b.OK {
			continue
		}
		of := r.in(string(b.Delta.Content()))
		if len(of) > 1 {
			return fmt.Sprintf("swallowed: line %d has the texts of %s and %s", b.Line, of[0].token, of[1].token)
		}
		if len(of) == 0 {
			of = r.at(b.Line)
			of = slices.DeleteFunc(of, func(p *plant) bool { return p.whole })
			if len(of) == 0 {
				return fmt.Sprintf("executed: line %d, which was not planted: %s", b.Line, b.Delta.Content())
			}
		}
		p := of[0]
		if p.copied {
			of = slices.DeleteFunc(r.at(b.Line), func(q *plant) bool { return !q.copied })
		}
		for _, q := range of {
			if b.Delta.Operation == q.op && b.Delta.Section == q.section && (b.Delta.Target == q.target || b.Delta.Target == "") {
				p = q
			}
		}
		if !p.executable() {
			return fmt.Sprintf("executed: %s at line %d, %s %s", p.token, b.Line, p.op, p.target)
		}
		if d := &b.Delta; p.want != free && (d.Operation != p.op || d.Section != p.section || p.op != "ADD" && d.Target != p.target && d.Target != "") {
			return fmt.Sprintf("bound: %s is read as %s %s %q, was written as %s %s %q", p.token, d.Operation, d.Section, d.Target, p.op, p.section, p.target)
		}
		if p.exact && b.Delta.Payload.Text(p.field) != p.change.text {
			return fmt.Sprintf("changed: %s is %q, was %q", p.token, b.Delta.Payload.Text(p.field), p.change.text)
		}
		if r.taken[p.token] && !r.repeated {
			return "executed: twice: " + p.token
		}
		r.taken[p.token] = true
	}
	return ""
}

// at returns the changes at a line of the text.
func (r *result) at(line int) (all []*plant) {
	for i := range r.plants {
		if p := &r.plants[i]; p.from < line && line <= p.to {
			all = append(all, p)
		}
	}
	return all
}

// near reports whether a line is where a change is, or in the fence in which it may seem to be.
func (r *result) near(p *plant, line int) bool {
	from := p.from
	for _, l := range r.leaks {
		from = min(from, l)
	}
	return from < line && line <= p.to
}

// row reports whether a line that is not taken accounts for a change.
func (r *result) row(p *plant) bool {
	for i := range r.read.Blocks {
		b := &r.read.Blocks[i]
		if b.OK {
			continue
		}
		of := r.in(string(b.Delta.Content()))
		for _, l := range b.Problems {
			of = append(of, r.in(l.Message)...)
		}
		if slices.ContainsFunc(of, func(q *plant) bool { return q.token == p.token }) {
			return true
		}
		if len(of) == 0 && r.near(p, b.Line) {
			return true
		}
	}
	return slices.ContainsFunc(r.read.Problems, func(l delta.Located) bool {
		return r.near(p, l.Line) || strings.Contains(l.Message, p.token)
	})
}

// repeats reports whether a change is announced by a title right below another announcement of the same operation on the
// same item: it is the same change again. Its author is asked for one delta of that item, which can have both texts. A KILL
// is the same anywhere in the reply, since an item is killed once.
func (r *result) repeats(p *plant) bool {
	const beside = 4 // lines
	if p.prose && p.op == delta.Kill && p.section == "hypothesis_slate" && strings.Contains(r.text, "target_id: "+shownTarget) {
		return true // a record shows the KILL of such an item
	}
	return p.prose && !p.said && p.op != delta.Add && slices.ContainsFunc(r.plants, func(q plant) bool {
		return q.prose && q.op == p.op && q.target == p.target && q.from < p.from && (p.op == delta.Kill && r.row(&q) || p.from <= q.from+beside)
	})
}

// lost checks that every change that must be is taken, and every other has a row.
func (r *result) lost() string {
	for i := range r.plants {
		p := &r.plants[i]
		switch {
		case p.want == free || p.want == never || r.taken[p.token] || r.repeats(p):
		case r.cut && p.from < r.read.Open && r.read.Open <= p.to:
		case r.cut && !p.whole:
		case p.want == taken:
			return fmt.Sprintf("lost: %s at line %d is a good block", p.token, p.from+1)
		case !r.row(p):
			return fmt.Sprintf("lost: %s at line %d has no row", p.token, p.from+1)
		}
	}
	return ""
}

// asked checks that the repair turn asks for what its author could correct.
func (r *result) asked() string {
	planted := false
	for i := range r.plants {
		p := &r.plants[i]
		planted = planted || p.want != free
		if p.want != accounted && p.want != refused || r.taken[p.token] {
			continue
		}
		if r.skipped(p) || r.cut || r.repeats(p) {
			continue
		}
		if !slices.ContainsFunc(r.defects, func(d settle.Defect) bool {
			at := d.Line
			if d.Block > 0 {
				at = r.read.Blocks[d.Block-1].Line
			}
			return !d.Final && (r.near(p, at) || strings.Contains(d.Message, p.token))
		}) {
			return fmt.Sprintf("not asked: for %s at line %d", p.token, p.from+1)
		}
	}
	if planted && len(r.taken) == 0 && settle.Correctable(r.defects) == 0 {
		return "not asked: nothing was taken"
	}
	return ""
}

// skipped reports whether a change was taken for a draft, an example or a quotation.
func (r *result) skipped(p *plant) bool {
	return slices.ContainsFunc(r.read.Blocks, func(b delta.Block) bool {
		return b.Skipped() && (p.from < b.Line && b.Line <= p.to || strings.Contains(string(b.Delta.Content()), p.token))
	})
}

// content returns everything that an item says.
func content(it *artifact.Item) string {
	var b strings.Builder
	for _, f := range it.Fields {
		fmt.Fprintf(&b, "%s %s\n", f.Name, artifact.Canonical(f.Value))
	}
	if it.Kill != nil {
		fmt.Fprintf(&b, "killed %s\n", it.Kill.Reason)
	}
	return b.String()
}

// bound checks that every change changed the item that its author meant, and no other.
func (r *result) bound() string {
	meant := make(map[string][]*plant) // by the item that an executed change means
	for i := range r.plants {
		if p := &r.plants[i]; r.taken[p.token] && p.op != "ADD" {
			meant[p.target] = append(meant[p.target], p)
		}
	}
	for s := range artifact.SectionCount {
		for _, it := range r.merged.Items(artifact.Section(s)) {
			was, _, old := base().Find(it.ID)
			if it == was && len(meant[it.ID]) == 0 {
				continue
			}
			of := r.in(content(it))
			var why string
			if old {
				why = r.keptOld(it, was, of, meant[it.ID])
			} else {
				why = r.madeNew(it, of)
			}
			if why != "" {
				return "bound: " + why
			}
		}
	}
	return ""
}

// keptOld checks an item that was there before.
func (r *result) keptOld(it, was *artifact.Item, of, meant []*plant) string {
	if len(meant) == 0 && content(it) != content(was) {
		return it.ID + " has changed, and no change means it"
	}
	for _, p := range of {
		if p.op == "ADD" || p.target != it.ID {
			return fmt.Sprintf("%s has the text of %s, which is %s %s", it.ID, p.token, p.op, p.target)
		}
	}
	kills := slices.ContainsFunc(meant, func(p *plant) bool { return p.op == "KILL" })
	switch {
	case it.Killed() && !kills:
		return it.ID + " was killed, and no KILL means it"
	case kills && !it.Killed() && !r.rejected(it.ID):
		return it.ID + " lives, and its KILL was not refused"
	}
	return ""
}

// rejected reports whether the merge refused a change of an item.
func (r *result) rejected(id string) bool {
	for _, d := range r.deltas {
		if d.Target != id || d.Operation != "KILL" {
			continue
		}
		for _, row := range r.report.Deltas {
			if row.DeltaID == d.ID && row.Disposition == merge.Applied {
				return false
			}
		}
	}
	return true
}

// madeNew checks an item that the reply has created.
func (r *result) madeNew(it *artifact.Item, of []*plant) string {
	var add *plant
	for _, p := range of {
		if p.op == "ADD" && add != nil {
			return fmt.Sprintf("%s is both %s and %s", it.ID, add.token, p.token)
		}
		if p.op == "ADD" {
			add = p
		}
	}
	if add == nil {
		if it.Killed() || len(of) > 0 {
			return it.ID + " is new, and no ADD made it"
		}
		return ""
	}
	for _, p := range of {
		if p != add && (add.label == "" || p.target != add.label) {
			return fmt.Sprintf("%s, the new %s, has the text of %s, which is %s %s", it.ID, add.token, p.token, p.op, p.target)
		}
	}
	if it.Killed() && add.label == "" {
		return it.ID + " was born killed"
	}
	return ""
}
