package lint

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
)

func structureRules() []rule {
	return []rule{
		newRule("ES-001", "all seven sections are there",
			"a missing section looks like work that was never requested; an empty one does not",
			"add the heading (Markdown) or the key with `[]` (JSON), even if the section is still empty",
			fromProblems(artifact.MissingSection, missingFix)),
		newRule("ES-002", "sections stand once and in order",
			"an artifact has one form, and readers expect things in their usual place",
			"move the section; `brenner artifact render` writes the order",
			inOrder),
		newRule("ES-003", "ids have the form of their section",
			"an item without an id such as `H1`, the prefix of its section and a number, cannot be referred to; the research thread is `RT`",
			"give the item the next free id of its section, such as `H4`",
			badIDs),
		newRule("ES-004", "ids are unique",
			"an id, once published, permanently means one item",
			"give the second item the next free id of its section",
			fromProblems(artifact.DuplicateID, duplicateFix)),
		newRule("ES-005", "no field is in CONFLICT",
			"agents wrote different things with equal right, and only a decision can settle it",
			"a later EDIT of that field with the value to keep, or merging again with `--priority`",
			conflicts),
		newRule("WS-001", "ids have no gaps",
			"items are killed and keep their ids, never removed: a gap means that something was lost",
			"restore the lost items from an older version and KILL them with a reason",
			gaps),
		newRule("WS-102", "cross-references resolve: `conflicts_with`, `expected_outcomes`, `actual_outcomes`, `references` into the same session",
			"a reference to nothing cannot be checked, and must not come to mean a later item by accident",
			"write ids that exist; replace the entire field with `\"<field>_replace\": true`",
			crossReferences),
		newRule("WS-103", "active hypotheses have different names",
			"people refer to hypotheses by name",
			"EDIT the `name` of one of them, or KILL it if it is the same hypothesis",
			uniqueNames),
		newRule("WS-104", "every kill has a reason",
			"the reason is what the session learned from it",
			"set `{\"reason\": \"…\"}` as the payload of a KILL; for an earlier KILL, add the reason in the file",
			killReasons),
		newRule("WS-105", "anchors to evidence name evidence that the session was given",
			"an invented source is worse than no source",
			"name evidence of the session (`session start --evidence`), or write `inference`",
			evidenceExists),
	}
}

// fromProblems returns the check for a problem that only a reader of files can detect.
func fromProblems(kind artifact.ProblemKind, fix func(artifact.Problem) string) check {
	return func(s *subject, r *report) {
		for _, p := range s.problems {
			if p.Kind == kind {
				r.add(s.inFile(p), safe(p.Message), fix(p))
			}
		}
	}
}

func missingFix(p artifact.Problem) string {
	section, ok := artifact.ParseSection(p.Item)
	if !ok {
		return "add the section, even if nothing stands in it yet"
	}
	return fmt.Sprintf("add the heading ## %d. %s with %s under it; in JSON, %q: []",
		int(section)+1, section.Spec().Title, section.Spec().Empty, section)
}

// inOrder reports only the first section out of order: moving one section can fix many.
func inOrder(s *subject, r *report) {
	at := slices.IndexFunc(s.problems, func(p artifact.Problem) bool { return p.Kind == artifact.SectionOrder })
	if at < 0 {
		return
	}
	var titles []string
	for _, section := range artifact.Sections() {
		titles = append(titles, fmt.Sprintf("%d. %s", int(section)+1, section.Spec().Title))
	}
	r.add(s.inFile(s.problems[at]), safe(s.problems[at].Message),
		"have each section once, in this order: "+strings.Join(titles, ", "))
}

// badIDs names the id that each item without a valid one can have, another one for each.
func badIDs(s *subject, r *report) {
	var last [artifact.SectionCount]int
	fromProblems(artifact.BadID, func(p artifact.Problem) string {
		section, missing := artifact.ParseSection(p.Item)
		if !missing {
			section = s.invalid[p.Item]
		}
		if section == artifact.ResearchThread {
			return "write the id " + artifact.ThreadID
		}
		if last[section] == 0 {
			last[section] = lastNumber(s.artifact, section)
		}
		last[section]++
		return fmt.Sprintf("write the id %s, which is free, or another one of that form", section.ItemID(last[section]))
	})(s, r)
}

// lastNumber returns the highest number of an id in a section, or in texts of it that are kept.
func lastNumber(a *artifact.Artifact, section artifact.Section) int {
	ids := a.Reserved(section)
	for _, it := range a.Items(section) {
		ids = append(ids, it.ID)
	}
	last := 0
	for _, id := range ids {
		if n, ok := section.IDNumber(id); ok {
			last = max(last, n)
		}
	}
	return last
}

func duplicateFix(p artifact.Problem) string {
	section, _ := artifact.SectionOfID(p.Item)
	if section == artifact.ResearchThread {
		return "join the two: an artifact has one research thread, " + artifact.ThreadID
	}
	return fmt.Sprintf("give the second one the next free id of the section: %s and a number that was never used",
		section.Spec().Prefix)
}

// gaps reports missing id numbers, unless an invalid or repeated id explains them.
func gaps(s *subject, r *report) {
	for _, section := range artifact.Sections()[1:] {
		numbers, ok := numbersOf(section, s.artifact.Items(section))
		if !ok {
			continue
		}
		lost, total := lostIDs(section, numbers)
		if total == 0 {
			continue
		}
		r.add(inSection(section),
			fmt.Sprintf("the %s has no %s, but ids after that", section.Spec().Title, enumerate(lost, total)),
			"take the lost items from an older version and KILL them with a reason; if there never were any, leave the gap: ids are not renumbered")
	}
}

func numbersOf(section artifact.Section, items []*artifact.Item) (numbers []int, ok bool) {
	for _, it := range items {
		n, ok := section.IDNumber(it.ID)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers, len(slices.Compact(slices.Clone(numbers))) == len(numbers)
}

// lostIDs returns the first gaps and their number. The cost is independent of their width.
func lostIDs(section artifact.Section, numbers []int) (first []string, total int) {
	next := 1
	for _, n := range numbers {
		if n > next {
			total++
			lost := section.ItemID(next)
			if n-1 > next {
				lost += " to " + section.ItemID(n-1)
			}
			if len(first) < maxShown {
				first = append(first, lost)
			}
		}
		next = n + 1
	}
	return first, total
}

// uniqueNames skips killed hypotheses: one can return by an ADD with the same name.
func uniqueNames(s *subject, r *report) {
	owner := make(map[string]string)
	for _, h := range s.active[artifact.HypothesisSlate] {
		name := normal(h.Text("name"))
		if name == "" {
			continue
		}
		first, taken := owner[name]
		if !taken {
			owner[name] = h.ID
			continue
		}
		r.add(inItem(artifact.HypothesisSlate, h, "name"),
			fmt.Sprintf("%s has the same name as %s: %s", show(h.ID), show(first), quote(h.Text("name"))),
			edit(h, `{"name": "what sets it apart from %s"}, or KILL it if it is the same hypothesis`, show(first)))
	}
}

// killReasons checks killed items and individually killed cells of active predictions. A second
// KILL has no effect, so the fix cannot be a delta.
func killReasons(s *subject, r *report) {
	const fix = "write the reason into the file (**Reason** in Markdown, \"kill_reason\" in JSON): a second KILL would not change it; a KILL takes its reason as {\"reason\": \"…\"}"
	for _, section := range artifact.Sections() {
		for _, it := range s.artifact.Items(section) {
			if it.Killed() {
				if strings.TrimSpace(it.Kill.Reason) == "" {
					r.add(inItem(section, it, ""), show(it.ID)+" was killed"+killedBy(it.Kill)+" without a reason", fix)
				}
				continue
			}
			for _, c := range it.Cells() {
				if strings.TrimSpace(c.Kill.Reason) == "" {
					r.add(inItem(section, it, ""),
						fmt.Sprintf("the cell %s.%s was killed%s without a reason", show(it.ID), show(c.Key), killedBy(&c.Kill)), fix)
				}
			}
		}
	}
}

func killedBy(k *artifact.Kill) string {
	if k.By != "" {
		return " by " + show(k.By)
	}
	return ""
}
