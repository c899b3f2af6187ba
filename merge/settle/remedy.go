package settle

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
)

// Final returns why the author of a delta cannot remove the reason for which nothing of it was taken,
// or "" if it can. Every reason has a case here; a test compares them with those of the merge.
func Final(code fault.Code) string {
	switch code {
	case merge.WriteScope:
		return "the role does not allow it"
	case merge.UnknownAgent:
		return "the author does not take part"
	case merge.DuplicateDeltaID, delta.InvalidTimestamp:
		return "the program sets ids and times"
	}
	return ""
}

// correctable reports whether an agent is asked to correct a rejected delta. Sessions of protocol 2
// ask for less.
func (c *Contribution) correctable(code fault.Code) bool {
	if c.Third {
		return Final(code) == ""
	}
	switch code {
	case merge.InvalidTarget, merge.RTEditOnly,
		delta.MissingRequiredField, delta.InvalidField, delta.InvalidOperation, delta.InvalidSection:
		return true
	}
	return false
}

// rejects reports whether nothing of a delta was taken for a reason that its author should know. An
// EDIT of a killed item counts since protocol 3.
func (c *Contribution) rejects(row *merge.Row) bool {
	return row.Disposition == merge.Rejected || c.Third && row.Disposition == merge.Skipped && row.Code == merge.TargetKilled
}

// isUnreadable reports whether a block was refused because it is not JSON.
func isUnreadable(code fault.Code) bool {
	return code == artifact.InvalidJSON || code == artifact.DuplicateKey
}

// remedy returns what the author of a rejected delta can do, as far as it depends on the artifact
// and the rules.
func (c *Contribution) remedy(reply *trialReply, f *flaw, rules merge.Rules) string {
	d := &f.block.Delta
	switch code := f.row.Code; {
	case !c.Third && code == merge.InvalidTarget:
		return targets(c.Base, d.Section)
	case !c.Third:
		return ""
	case len(f.own) > 0:
		return fmt.Sprintf("write the target_id %s: your %s got this id; or leave it out", oneOf(f.own), d.Target)
	case Final(code) != "":
		return "leave it out: it cannot be corrected, since " + Final(code)
	}
	may := func(operation string) []string { return c.left(reply, d, operation, c.targets(d, operation, rules)) }
	switch f.row.Code {
	case merge.InvalidTarget:
		return c.otherTarget(reply, d, append(may(d.Operation), c.newItems(reply, d)...))
	case merge.TargetKilled:
		if ids := slices.DeleteFunc(may(delta.Edit), func(id string) bool { return id == d.Target && c.Reader.Remarks("").Oblique }); len(ids) > 0 {
			return "what is killed stays so: " + delta.Edit + " " + oneOf(ids) + " instead, or leave it out"
		}
		return "what is killed stays so: leave it out"
	case merge.RTEditOnly:
		return threadRemedy(d)
	case merge.SectionLimitExceeded:
		return replaceOne(c.Base, d, may(delta.Kill), may(delta.Edit))
	case merge.NoThirdAlternative:
		return "ADD another hypothesis with third_alternative true, and this KILL stands; or leave it out"
	}
	return ""
}

// threadRemedy says what can replace an ADD or KILL of the research thread.
func threadRemedy(d *delta.Delta) string {
	if d.Operation == delta.Kill {
		return "leave it out, or change its fields with an EDIT of " + artifact.ThreadID
	}
	return "send its fields as an EDIT with the target_id " + artifact.ThreadID
}

// otherTarget says which target a delta can have; ids are those that its author may write.
func (c *Contribution) otherTarget(reply *trialReply, d *delta.Delta, ids []string) string {
	if d.Section == artifact.ResearchThread.String() {
		return "write the target_id " + artifact.ThreadID + ", or none"
	}
	if id := misplacedTarget(d); id != "" && c.Reader != delta.FirstReader && slices.Contains(ids, id) {
		return "write " + id + " as target_id: the key id names a new item"
	}
	if several := c.severalTargets(d.Target, ids); several != "" {
		return several
	}
	if added := c.addedTarget(reply, d, ids); added != "" {
		return added
	}
	if other, ok := artifact.SectionOfID(d.Target); ok && other.String() != d.Section {
		if it, _, found := c.Base.Find(d.Target); found && !it.Killed() {
			return fmt.Sprintf("write the section %s for %s, or a target_id of %s", other, d.Target, d.Section) + inBrackets(ids)
		}
	}
	switch row, cell, isCell := strings.Cut(d.Target, "."); {
	case isCell && d.Section == artifact.PredictionsTable.String():
		return c.otherCell(row, cell, ids)
	case len(ids) > 0:
		return "write the target_id " + c.nearestFirst(reply, d.Target, ids)
	case len(c.Base.Active(section(d))) == 0 && d.Operation == delta.Edit:
		return "the section has no active items: ADD one, or leave it out"
	}
	return "leave it out: there is no item that you may " + d.Operation
}

// addedTarget says what to do with a target that another block of the reply has as the name of its item, or returns "".
func (c *Contribution) addedTarget(reply *trialReply, d *delta.Delta, ids []string) string {
	for i := range reply.Blocks {
		switch b := &reply.Blocks[i]; {
		case !slices.Contains(b.Delta.Labels, d.Target):
		case c.Reader.Since(delta.FourthReader) && b.Delta.Section == d.Section && b.OK && !reply.refused[b.Index]:
			if id, _ := artifact.Spelled(d.Target); slices.Contains(ids, id) {
				return fmt.Sprintf("write %s if you mean the existing item; block %d is taken, but %s does not name its item", id, b.Index, d.Target)
			}
		case b.Delta.Section == d.Section:
			return fmt.Sprintf("correct block %d, which adds %s, and this one stands", b.Index, d.Target)
		default:
			return fmt.Sprintf("write the section of %s, which block %d adds to %s", d.Target, b.Index, b.Delta.Section)
		}
	}
	return ""
}

// severalTargets says what to do with a target that is a list of ids, or returns "".
func (c *Contribution) severalTargets(target string, ids []string) string {
	all := strings.FieldsFunc(strings.ReplaceAll(target, " and ", ","), func(c rune) bool { return strings.ContainsRune(", ;&/+\n", c) })
	isOther := func(id string) bool { return !slices.Contains(ids, id) }
	if len(all) < 2 || slices.ContainsFunc(all, isOther) || !c.Reader.Remarks("").Oblique {
		return ""
	}
	return "write one id in each delta: send one for each of " + strings.Join(all, ", ")
}

// otherCell says which target a change of a cell can have; ids are the rows that its author may write.
func (c *Contribution) otherCell(row, cell string, ids []string) string {
	var hypotheses []string
	for _, it := range c.Base.Active(artifact.HypothesisSlate) {
		hypotheses = append(hypotheses, it.ID)
	}
	switch {
	case len(ids) == 0 || len(hypotheses) == 0:
		return "ADD the row with its predictions instead, or leave it out"
	case slices.Contains(ids, row) && slices.Contains(hypotheses, cell):
		return "change the row " + row + " as a whole"
	}
	return "a cell is a row, a point and a hypothesis: write " + oneOf(ids) + ", then a point, then " + oneOf(hypotheses)
}

// misplacedTarget returns the id that an EDIT or KILL without a target carries under the key id, or "".
func misplacedTarget(d *delta.Delta) string {
	if d.Target != "" || d.Operation == delta.Add {
		return ""
	}
	if len(d.Labels) > 0 {
		return d.Labels[0]
	}
	return d.Payload.Text("id")
}

// replaceOne says how to add to a section that is full.
func replaceOne(base *artifact.Artifact, d *delta.Delta, kill, edit []string) string {
	items := base.Items(section(d))
	noID := slices.ContainsFunc(items, func(it *artifact.Item) bool { return it.ID == section(d).ItemID(artifact.MaxIDNumber) })
	var ways []string
	if len(kill) > 0 && !noID {
		ways = append(ways, "send a KILL of "+oneOf(kill)+", and this ADD stands")
	}
	if len(edit) > 0 {
		ways = append(ways, delta.Edit+" "+oneOf(edit)+" instead")
	}
	return strings.Join(append(ways, "leave it out"), "; or ")
}

// targets returns the active items of a delta's section that its author may edit or kill.
func (c *Contribution) targets(d *delta.Delta, operation string, rules merge.Rules) []string {
	var tries []delta.Delta
	for i, it := range c.Base.Active(section(d)) {
		try := delta.Delta{
			ID: fmt.Sprintf("try-%d", i), Agent: c.Agent, Operation: operation, Section: section(d).String(), Target: it.ID,
			Timestamp: artifact.FormatInstant(Undated()),
		}
		if c.Reader.Since(delta.FourthReader) {
			try.Place = &delta.Place{Message: 1, Block: i + 1, Shown: c.Shown} // an id is what it was shown as
		}
		try.Seal()
		tries = append(tries, try)
	}
	rows := c.trial(tries, rules)
	var ids []string
	for i := range tries {
		if row := rows[tries[i].ID]; row != nil && Final(row.Code) == "" {
			ids = append(ids, tries[i].Target)
		}
	}
	return ids
}

func section(d *delta.Delta) artifact.Section {
	s, _ := artifact.ParseSection(d.Section)
	return s
}

func oneOf(ids []string) string {
	const most = 12
	if n := len(ids); n > most {
		ids = append(slices.Clone(ids[:most]), fmt.Sprintf("another of %d more", n-most))
	}
	if n := len(ids); n > 1 {
		return strings.Join(ids[:n-1], ", ") + " or " + ids[n-1]
	}
	return ids[0]
}

func inBrackets(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (" + oneOf(ids) + ")"
}
