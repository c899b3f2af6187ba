package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/store"
)

// ReplayDiffers is the code of a journal whose replay does not reproduce what was committed.
const ReplayDiffers fault.Code = "REPLAY_DIFFERS" // A version does not follow from the replies in the journal.

// ReplayedCommit is one commit, settled again.
type ReplayedCommit struct {
	Commit     flow.Commit
	Settlement settle.Settlement
	Diff       ReportDiff
}

// ReportDiff describes how a stored report differs from a current one with the same decisions.
// Sessions are often verified by newer programs than wrote them.
type ReportDiff struct {
	// Lint names the rules that judged the version, if they are not the current ones. Their
	// findings were not compared.
	Lint string
	// Reworded reports whether the stored report is worded differently.
	Reworded bool
}

// Replay settles everything again from the empty artifact, and verifies that each version
// equals the committed one to the byte.
func (h *History) Replay(ctx context.Context) ([]ReplayedCommit, error) { return h.replay(ctx, true) }

// Rebuild is Replay for questions about the artifact, without findings of lint. It compares the last
// version only, which has the marks of all deltas.
func (h *History) Rebuild(ctx context.Context) ([]ReplayedCommit, error) { return h.replay(ctx, false) }

func (h *History) replay(ctx context.Context, whole bool) ([]ReplayedCommit, error) {
	var all []ReplayedCommit
	base, items := h.empty(), make(map[string]string)
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		in, err := h.input(ctx, base, &c.Committed, c.Agents, nil)
		if err != nil {
			return all, h.commitError(c, err)
		}
		in.NoLint = !whole
		out := settle.Settle(in)
		what, then := "", ReportDiff{}
		if whole {
			what, then, err = h.findDifference(ctx, &c.Committed, items, &base, &out)
		} else if i+1 == len(h.State.Commits) && store.Hash(out.Artifact.JSON()) != c.Artifact {
			what = "the artifact"
		}
		if err != nil {
			return all, h.commitError(c, err)
		}
		all = append(all, ReplayedCommit{*c, out, then})
		if what != "" {
			return all, &fault.Error{
				Code: ReplayDiffers, Place: fmt.Sprintf("%s, entry %d", h.Thread, c.Seq),
				Detail: fmt.Sprintf("%s of version %d cannot be reproduced from the journaled replies", what, c.Version),
				Hint: "`brenner verify " + h.Thread + "` shows whether stored bytes were changed; if not, " + h.State.Opened.Program +
					", which began the session with " + string(h.State.Opened.Reads()) + ", read a reply by other rules than this program: replay the session with that one",
			}
		}
		for _, p := range c.Changed {
			items[p.ID] = p.Hash
		}
		base = out.Artifact
	}
	return all, nil
}

// findDifference returns what differs between a commit and its settlement. It compares decisions,
// not wording, and lint findings only if rules of the same name found them: both change between
// programs without any forgery.
func (h *History) findDifference(ctx context.Context, c *flow.Committed, items map[string]string, base *artifact.Artifact, out *settle.Settlement) (what string, then ReportDiff, err error) {
	again := *c
	h.complete(&draft{}, &again, items, base, out)
	if again.Version != c.Version || again.Artifact != c.Artifact {
		return "the artifact", then, nil
	}
	if again.Report != c.Report {
		if then, err = h.compareReport(ctx, c, &again, out); err != nil {
			return "", then, err
		}
	}
	switch {
	case again.Report != c.Report:
		return "the report", then, nil
	case !reflect.DeepEqual(again, *c):
		return "the counts", then, nil
	}
	return "", then, nil
}

// compareReport sets the report of again to the stored one, if that has the same decisions as a
// current one.
func (h *History) compareReport(ctx context.Context, c, again *flow.Committed, out *settle.Settlement) (then ReportDiff, err error) {
	stored, err := readReport(ctx, h.Store, c.Report)
	if err != nil {
		return then, err
	}
	now := newReport(out)
	if stored.Lint != lint.Version {
		then.Lint = cmp.Or(stored.Lint, "unnamed rules")
		now.Lint, now.Findings = stored.Lint, stored.Findings
		again.Outcome.Errors, again.Outcome.Warnings = countFindings(stored.Findings)
	}
	if again.Report = store.Hash(now.JSON()); again.Report == c.Report {
		return then, nil
	}
	if bytes.Equal(now.decisions(), stored.decisions()) {
		again.Report, then.Reworded = c.Report, true
	}
	return then, nil
}

// Without settles everything again as if one contributor had never answered. Items are matched by
// the delta that created them, not by id: references by other contributors are renamed. It also
// returns the commits as they are; neither has findings of lint.
func (h *History) Without(ctx context.Context, name string) (was, now []ReplayedCommit, err error) {
	if !h.contributes(name) {
		return nil, nil, &fault.Error{
			Code: merge.UnknownAgent, Detail: fault.Shown(name) + " has contributed nothing to " + h.Thread,
			Hint: "`brenner session status " + h.Thread + "` lists the agents",
		}
	}
	if was, err = h.Rebuild(ctx); err != nil {
		return nil, nil, err
	}
	base, original := h.empty(), h.empty()
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		in, err := h.input(ctx, original, &c.Committed, c.Agents, nil)
		if err != nil {
			return nil, nil, h.commitError(c, err)
		}
		in.Base, in.NoLint = base, true
		for j := range in.Contributions {
			if in.Contributions[j].Agent == name {
				in.Contributions[j].Text, in.Contributions[j].Repair = nil, nil
			}
			in.Contributions[j].Shown = base.Metadata.Version
		}
		in.Renamed = renames(&original, &base)
		out := settle.Settle(in)
		now = append(now, ReplayedCommit{Commit: *c, Settlement: out})
		base, original = out.Artifact, was[i].Settlement.Artifact
	}
	return was, now, nil
}

func (h *History) contributes(name string) bool {
	for _, p := range h.State.Opened.Agents {
		if p.Name == name {
			return true
		}
	}
	for i := range h.State.Commits {
		if h.State.Commits[i].Author == name {
			return true
		}
	}
	return false
}

// renames maps the items of one artifact to those that the same delta made in the other. Items
// missing there map to nothing.
func renames(from, to *artifact.Artifact) map[string]string {
	made := make(map[string]string)
	for _, items := range to.Sections {
		for _, it := range items {
			if it.Created != nil {
				made[it.Created.Delta] = it.ID
			}
		}
	}
	ids := make(map[string]string)
	for s, items := range from.Sections {
		for _, it := range items {
			if artifact.Section(s) == artifact.ResearchThread || it.Created == nil {
				continue
			}
			if id := made[it.Created.Delta]; id != it.ID {
				ids[it.ID] = id
			}
		}
	}
	return ids
}
