package audit

import (
	"context"
	"sort"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/session"
	"brenner/session/flow"
)

// Find finds all occurrences of a text: first in the current version, then in earlier ones, in
// deltas that were not applied, in replies and letters, and in people's notes. It ignores case
// and line breaks.
func (o *Origins) Find(ctx context.Context, text string) ([]Origin, error) {
	s := &search{o: o, want: normalize(text), seen: make(map[occurrence]bool)}
	if s.want == "" {
		return nil, &fault.Error{Code: session.NothingSaid, Detail: "empty search text", Hint: "pass a sentence of the artifact, or part of one"}
	}
	for _, step := range []func(context.Context) error{s.searchCurrent, s.searchEarlier, s.searchDeltas, s.searchReplies, s.searchLetters, s.searchNotes} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return s.found, nil
}

type search struct {
	o     *Origins
	want  string
	found []Origin
	seen  map[occurrence]bool
}

// occurrence identifies a text in a field of a delta; an empty text matches any.
type occurrence struct{ delta, field, text string }

func (s *search) matches(text string) bool { return strings.Contains(normalize(text), s.want) }

func (s *search) add(all []Origin) {
	for i := range all {
		key := occurrence{all[i].Delta, all[i].Field, all[i].Text}
		if !s.seen[key] {
			s.seen[key] = true
			s.seen[all[i].occurrence()] = true
			s.found = append(s.found, all[i])
		}
	}
}

// occurrence returns the field of a delta that a text was in.
func (origin *Origin) occurrence() occurrence {
	name, _, _ := strings.Cut(origin.Field, ".")
	if origin.Operation == delta.Kill && name != "rationale" {
		name = "reason"
	}
	return occurrence{delta: origin.Delta, field: name}
}

func (s *search) searchCurrent(ctx context.Context) error {
	for _, items := range s.o.current.Sections {
		for _, it := range items {
			all, err := s.inItem(ctx, s.o.Version(), it)
			if err != nil {
				return err
			}
			s.add(all)
		}
	}
	return nil
}

func (s *search) inItem(ctx context.Context, version int, it *artifact.Item) ([]Origin, error) {
	var all []Origin
	for _, p := range partsOf(it) {
		if p.path == "" || !s.matches(p.text) {
			continue
		}
		found, err := s.o.writers(ctx, version, it.ID, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// searchEarlier searches earlier versions, newest first. Unchanged items share a pointer.
func (s *search) searchEarlier(ctx context.Context) error {
	known := make(map[*artifact.Item]bool)
	after := &s.o.current
	for i := len(s.o.all) - 1; i >= 0; i-- {
		a := &s.o.all[i].Settlement.Artifact
		if a.Metadata.Version > s.o.Version() {
			continue
		}
		for _, items := range a.Sections {
			for _, it := range items {
				if known[it] {
					continue
				}
				known[it] = true
				if a.Metadata.Version == s.o.Version() {
					continue
				}
				all, err := s.inItem(ctx, a.Metadata.Version, it)
				if err != nil {
					return err
				}
				for j := range all {
					all[j].setReplaced(after)
				}
				s.add(all)
			}
		}
		after = a
	}
	return nil
}

func (origin *Origin) setReplaced(after *artifact.Artifact) {
	origin.Fate = FateReplaced
	it, _, ok := after.Find(origin.Item)
	if !ok {
		return
	}
	for _, p := range partsOf(it) {
		for _, s := range p.by {
			if s != nil && p.path == origin.Field && s.Version == after.Metadata.Version {
				origin.By, origin.ByAgent = s.Delta, s.Agent
				return
			}
		}
	}
}

func (s *search) searchDeltas(ctx context.Context) error {
	for _, w := range s.o.order {
		if w.commit.Version > s.o.Version() {
			break
		}
		for _, f := range w.delta.Payload {
			if f.Value == nil || !s.matches(session.PlainText(f.Value)) {
				continue
			}
			origin, err := s.o.trace(ctx, w)
			if err != nil {
				return err
			}
			s.o.setFate(&origin, w, f)
			if !s.seen[origin.occurrence()] {
				s.add([]Origin{origin})
			}
		}
		if !s.matches(w.delta.Rationale) {
			continue
		}
		origin, err := s.o.trace(ctx, w)
		if err != nil {
			return err
		}
		origin.Fate, origin.Text = FateSaid, w.delta.Rationale
		origin.setAddress(session.Address{Thread: s.o.h.Thread, Version: origin.Version, Item: w.target(), Field: "rationale"})
		s.add([]Origin{origin})
	}
	return nil
}

// setFate sets the fate of one field of a delta. The text of an applied field may differ from the
// written one: labels become ids.
func (o *Origins) setFate(origin *Origin, w *mergedDelta, f delta.Field) {
	name := f.Name
	target, key, isCell := strings.Cut(w.target(), ".")
	if isCell && name == "prediction" {
		name = "predictions." + key
	}
	origin.Text, origin.Fate = session.PlainText(f.Value), FateNotTaken
	origin.setAddress(session.Address{Thread: o.h.Thread, Version: origin.Version, Item: target, Field: name})
	if w.row == nil || origin.Outcome == merge.Rejected.String() || origin.Outcome == merge.Duplicate.String() {
		return
	}
	for _, out := range w.row.Fields {
		base, _, _ := strings.Cut(out.Field, ".")
		if out.Field != name && base != f.Name || out.Outcome == merge.FieldApplied || out.Outcome == merge.FieldUnchanged {
			continue
		}
		origin.Outcome, origin.Code, origin.Message = out.Outcome.String(), out.Code(), out.Message
		return
	}
	if origin.Outcome != merge.Applied.String() && origin.Outcome != merge.Conflicted.String() {
		return
	}
	origin.Fate = FateReplaced
	it, _, ok := o.current.Find(target)
	if !ok {
		return
	}
	for _, p := range partsOf(it) {
		base, _, _ := strings.Cut(p.path, ".")
		for _, s := range p.by {
			if s != nil && s.Delta == origin.Delta && (base == f.Name || p.path == name) {
				origin.Fate, origin.Address.Version = p.fate, o.Version()
				return
			}
		}
	}
}

// searchReplies searches the agents' replies, unless the text was already found.
func (s *search) searchReplies(ctx context.Context) error {
	if len(s.found) > 0 {
		return nil
	}
	for i := range s.o.h.State.Legs {
		leg := &s.o.h.State.Legs[i]
		for c := range leg.Calls() {
			for _, hash := range []string{c.Answered.Reply, c.Failed.Partial} {
				if hash == "" {
					continue
				}
				text, err := s.o.h.Store.Blob(ctx, hash)
				if err != nil {
					return err
				}
				line := lineWith(string(text), s.want)
				if line == 0 {
					continue
				}
				origin := s.replyOrigin(leg, c, hash, line)
				origin.Text = passage(string(text), s.want)
				if err := s.setWaiting(ctx, &origin, leg, c); err != nil {
					return err
				}
				s.found = append(s.found, origin)
			}
		}
	}
	return nil
}

// searchLetters searches the letters of the thread, unless the text was already found.
func (s *search) searchLetters(ctx context.Context) error {
	if len(s.found) > 0 {
		return nil
	}
	for i := range s.o.h.State.Commits {
		c := &s.o.h.State.Commits[i]
		for _, l := range c.Letters {
			text, err := s.o.h.Store.Blob(ctx, l.Body)
			if err != nil {
				return err
			}
			line := lineWith(string(text), s.want)
			if line == 0 {
				continue
			}
			s.found = append(s.found, Origin{
				Address: session.Address{Thread: s.o.h.Thread}, Text: passage(string(text), s.want), Fate: FateSaid, Agent: l.Agent, At: l.At,
				Source: flow.ByThread, Reply: l.Body, Line: line, Base: l.Shown, Letter: l.ID,
			})
		}
	}
	return nil
}

func (s *search) searchNotes(context.Context) error {
	for _, n := range s.o.h.State.Notes {
		if s.matches(n.Text) {
			s.found = append(s.found, Origin{
				Address: session.Address{Thread: s.o.h.Thread}, Text: n.Text, Fate: FateNoted, Agent: n.Author,
				At: artifact.FormatInstant(n.At), Source: flow.ByPerson,
			})
		}
	}
	return nil
}

func (s *search) replyOrigin(leg *flow.Leg, c *flow.Call, hash string, line int) Origin {
	k := leg.Of(c.Agent)
	return Origin{
		Address: session.Address{Thread: s.o.h.Thread}, Fate: FateSaid, Agent: c.Agent,
		At: artifact.FormatInstant(c.Ended), Source: flow.ByRound, Round: c.Round,
		Call: c.ID, Reply: hash, Line: line, Kickoff: k.Body, Template: k.Template, Base: leg.Base, Saw: k.Saw, Asked: s.o.h.State.Author(c),
	}
}

// setWaiting says that the text is in a delta whose round is not merged yet, if it is.
func (s *search) setWaiting(ctx context.Context, origin *Origin, leg *flow.Leg, c *flow.Call) error {
	if leg.Settled || c.Status != flow.Replied {
		return nil
	}
	reply, err := s.o.h.Reading(ctx, c)
	if err != nil {
		return err
	}
	for i := range reply.Blocks {
		b := &reply.Blocks[i]
		if !b.OK {
			continue
		}
		texts := delta.Payload{{Name: "rationale", Value: artifact.Text(b.Delta.Rationale)}}
		for _, f := range append(texts, b.Delta.Payload...) {
			if f.Value == nil || !s.matches(session.PlainText(f.Value)) {
				continue
			}
			origin.Text, origin.Fate, origin.Operation, origin.Line = session.PlainText(f.Value), FateNotTaken, b.Delta.Operation, b.Line
			if b.Delta.Target != "" {
				origin.setAddress(session.Address{Thread: s.o.h.Thread, Item: b.Delta.Target, Field: f.Name})
			}
			return nil
		}
	}
	return nil
}

// passage returns the words of a text that have the wanted text, as they are written.
func passage(text, want string) string {
	words := strings.Fields(text)
	before, _, _ := strings.Cut(normalize(text), want)
	from := strings.Count(before, " ")
	return strings.Join(words[from:min(len(words), from+len(strings.Fields(want)))], " ")
}

// lineWith returns the line on which the wanted text begins, or 0. It may span several lines.
func lineWith(text, want string) int {
	var b strings.Builder
	var starts []int // offset of each line in b
	for line := range strings.Lines(text) {
		starts = append(starts, b.Len())
		if words := normalize(line); words != "" {
			b.WriteString(words + " ")
		}
	}
	at := strings.Index(b.String(), want)
	if at < 0 {
		return 0
	}
	return sort.Search(len(starts), func(i int) bool { return starts[i] > at })
}

// normalize normalizes text for comparison: lower case, single spaces.
func normalize(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
