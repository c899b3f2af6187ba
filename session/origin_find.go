package session

import (
	"context"
	"sort"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/session/flow"
)

// Find finds all occurrences of a text: first in the current version, then in earlier ones, in
// deltas that were not applied, in replies and letters, and in people's notes. It ignores case
// and line breaks.
func (o *Origins) Find(ctx context.Context, text string) ([]Origin, error) {
	s := &search{o: o, want: plain(text), seen: make(map[seen]bool)}
	if s.want == "" {
		return nil, &fault.Error{Code: NothingSaid, Detail: "there is no text to look for", Hint: "give a sentence of the artifact, or a part of one"}
	}
	for _, step := range []func(context.Context) error{s.standing, s.earlier, s.proposed, s.spoken, s.written, s.noted} {
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
	seen  map[seen]bool
}

// seen identifies a text in a field of a delta; an empty text stands for any.
type seen struct{ delta, field, text string }

func (s *search) has(text string) bool { return strings.Contains(plain(text), s.want) }

func (s *search) take(all []Origin) {
	for i := range all {
		key := seen{all[i].Delta, all[i].Field, all[i].Text}
		if !s.seen[key] {
			s.seen[key] = true
			s.seen[all[i].field()] = true
			s.found = append(s.found, all[i])
		}
	}
}

// field returns the field of a delta that a text was in.
func (origin *Origin) field() seen {
	name, _, _ := strings.Cut(origin.Field, ".")
	if origin.Operation == delta.Kill && name != "rationale" {
		name = "reason"
	}
	return seen{delta: origin.Delta, field: name}
}

func (s *search) standing(ctx context.Context) error {
	for _, items := range s.o.current.Sections {
		for _, it := range items {
			all, err := s.inItem(ctx, s.o.Version(), it)
			if err != nil {
				return err
			}
			s.take(all)
		}
	}
	return nil
}

func (s *search) inItem(ctx context.Context, version int, it *artifact.Item) ([]Origin, error) {
	var all []Origin
	for _, p := range partsOf(it) {
		if p.path == "" || !s.has(p.text) {
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

// earlier searches earlier versions, newest first. Unchanged items share a pointer.
func (s *search) earlier(ctx context.Context) error {
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
					all[j].replaced(after)
				}
				s.take(all)
			}
		}
		after = a
	}
	return nil
}

func (origin *Origin) replaced(after *artifact.Artifact) {
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

func (s *search) proposed(ctx context.Context) error {
	for _, w := range s.o.order {
		if w.commit.Version > s.o.Version() {
			break
		}
		for _, f := range w.delta.Payload {
			if f.Value == nil || !s.has(flat(f.Value)) {
				continue
			}
			origin, err := s.o.of(ctx, w)
			if err != nil {
				return err
			}
			s.o.judge(&origin, w, f)
			if !s.seen[origin.field()] {
				s.take([]Origin{origin})
			}
		}
		if !s.has(w.delta.Rationale) {
			continue
		}
		origin, err := s.o.of(ctx, w)
		if err != nil {
			return err
		}
		origin.Fate, origin.Text = FateSaid, w.delta.Rationale
		origin.at(Address{Thread: s.o.h.Thread, Version: origin.Version, Item: w.target(), Field: "rationale"})
		s.take([]Origin{origin})
	}
	return nil
}

// judge sets the fate of one field of a delta. The text of an applied field may differ from the
// written one: labels become ids.
func (o *Origins) judge(origin *Origin, w *written, f delta.Field) {
	name := f.Name
	target, key, isCell := strings.Cut(w.target(), ".")
	if isCell && name == "prediction" {
		name = "predictions." + key
	}
	origin.Text, origin.Fate = flat(f.Value), FateNotTaken
	origin.at(Address{Thread: o.h.Thread, Version: origin.Version, Item: target, Field: name})
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

// spoken searches the agents' answers, if the text is in no delta.
func (s *search) spoken(ctx context.Context) error {
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
				s.found = append(s.found, s.said(leg, c, hash, line))
			}
		}
	}
	return nil
}

// written searches the letters of the thread, if the text is in no delta.
func (s *search) written(ctx context.Context) error {
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
				Address: Address{Thread: s.o.h.Thread}, Text: s.want, Fate: FateSaid, Agent: l.Agent, At: l.At,
				Source: flow.ByThread, Reply: l.Body, Line: line, Base: l.Shown, Letter: l.ID,
			})
		}
	}
	return nil
}

func (s *search) noted(context.Context) error {
	for _, n := range s.o.h.State.Notes {
		if s.has(n.Text) {
			s.found = append(s.found, Origin{
				Address: Address{Thread: s.o.h.Thread}, Text: n.Text, Fate: FateNoted, Agent: n.Author,
				At: artifact.FormatInstant(n.At), Source: flow.ByPerson,
			})
		}
	}
	return nil
}

func (s *search) said(leg *flow.Leg, c *flow.Call, hash string, line int) Origin {
	k := leg.Of(c.Agent)
	return Origin{
		Address: Address{Thread: s.o.h.Thread}, Text: s.want, Fate: FateSaid, Agent: c.Agent,
		At: artifact.FormatInstant(c.Ended), Source: flow.ByRound, Round: c.Round,
		Call: c.ID, Reply: hash, Line: line, Kickoff: k.Body, Template: k.Template, Base: leg.Base, Saw: k.Saw,
	}
}

// lineWith returns the line on which a text begins that may span several lines, or 0.
func lineWith(text, want string) int {
	var b strings.Builder
	var starts []int // offset of each line in b
	for line := range strings.Lines(text) {
		starts = append(starts, b.Len())
		if words := plain(line); words != "" {
			b.WriteString(words + " ")
		}
	}
	at := strings.Index(b.String(), want)
	if at < 0 {
		return 0
	}
	return sort.Search(len(starts), func(i int) bool { return starts[i] > at })
}

// plain normalizes text for comparison: lower case, single spaces.
func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
