package delta_test

import (
	"slices"
	"strings"
)

// damage is what happens to a finished reply.
type damage struct {
	name string
	make func(g *composer, r *reply)
}

// reply is a finished reply.
type reply struct {
	doc
	text     string
	cut      bool // its length reached the limit
	repeated bool // a line is there twice
	records  bool // some changes are records of the project
}

func (d doc) reply() reply {
	d = d.amidLeaks().summed()
	return reply{doc: d, text: strings.Join(d.lines, "\n") + "\n"}
}

var damages = []damage{
	{"none", func(*composer, *reply) {}},
	{"CRLF", func(_ *composer, r *reply) { r.text = strings.ReplaceAll(r.text, "\n", "\r\n") }},
	{"a byte order mark", func(_ *composer, r *reply) { r.text = "\ufeff" + r.text }},
	{"blanks behind every line", func(_ *composer, r *reply) { r.text = strings.ReplaceAll(r.text, "\n", "  \n") }},
	{"no last line break", func(_ *composer, r *reply) { r.text = strings.TrimSuffix(r.text, "\n") }},
	{"truncated", func(g *composer, r *reply) { r.truncate(g.IntN(len(r.text))) }},
	{"truncated at the limit", func(g *composer, r *reply) {
		r.truncate(g.IntN(len(r.text)))
		r.cut = true
	}},
	{"a line is missing", func(g *composer, r *reply) {
		at := g.IntN(len(r.lines))
		r.hit(at)
		r.doc = r.without(at)
		r.text = r.reply().text
	}},
	{"a line is there twice", func(g *composer, r *reply) {
		at := g.IntN(len(r.lines))
		r.hit(at)
		r.doc = r.twice(at)
		r.text, r.repeated = r.reply().text, true
	}},
	{"a fence mark is missing", func(g *composer, r *reply) { r.unmark(g, func(s string) string { return strings.TrimLeft(s, "`~:") }) }},
	{"a fence mark is too short", func(g *composer, r *reply) { r.unmark(g, func(s string) string { return s[1:] }) }},
	{"a fence line is missing", func(g *composer, r *reply) {
		if at := r.anyFence(g); at >= 0 {
			r.hit(at)
			r.doc = r.without(at)
			r.text = r.reply().text
		}
	}},
}

// garble puts parts of the text elsewhere.
func (r *reply) garble(g source) {
	for range 1 + g.IntN(8) {
		from := g.IntN(len(r.text))
		part := r.text[from:min(len(r.text), from+1+g.IntN(12))]
		to := g.IntN(len(r.text))
		r.text = r.text[:to] + part + r.text[to+g.IntN(min(len(r.text)-to, 12)):]
	}
}

// anyFence returns a line that is a fence, or -1.
func (r *reply) anyFence(g *composer) int {
	var all []int
	for i, l := range r.lines {
		if l = strings.TrimLeft(l, "> \t-"); strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") || strings.HasPrefix(l, ":::") {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[g.IntN(len(all))]
}

// unmark takes something from the mark of a fence.
func (r *reply) unmark(g *composer, change func(string) string) {
	at := r.anyFence(g)
	if at < 0 {
		return
	}
	r.hit(at)
	r.lines = slices.Clone(r.lines)
	mark := strings.TrimLeft(r.lines[at], "> \t-")
	r.lines[at] = strings.TrimSuffix(r.lines[at], mark) + change(mark)
	r.text = r.doc.reply().text
}

// hit weakens what is expected when a line is damaged.
func (r *reply) hit(line int) {
	if strings.HasPrefix(r.lines[line], "1.\t") {
		// Without the mark of its list a text behind a tab is indented code, in which examples are written: the
		// deltas in it have rows and are not taken.
		r.doc = r.weak()
	}
	if slices.Contains(r.scope, line) {
		r.doc = r.unsure()
		for i := range r.plants {
			if p := &r.plants[i]; p.from > line && !p.delta {
				p.want = free
			}
		}
	}
	r.plants = slices.Clone(r.plants)
	for i := range r.plants {
		p := &r.plants[i]
		if line < p.from || line >= p.to {
			continue
		}
		p.spoil()
		if longer(r.lines[p.from:p.to]) {
			r.closes = append(slices.Clone(r.closes), last)
		}
		if !p.delta && strings.HasSuffix(r.lines[line], "{") {
			p.want = free // no object is left
		}
	}
	for i := range r.plants {
		switch p := &r.plants[i]; {
		case slices.Max(append(r.scope, -1)) < line: // no tag may be in code now
		case p.lone:
			p.want = free
		case p.want == taken:
			p.want = accounted
		}
	}
	r.leaks = append(slices.Clone(r.leaks), line)
	if mark := strings.TrimLeft(r.lines[line], "> \t-"); longer([]string{mark}) || strings.HasPrefix(mark, "~~~") {
		r.closes = append(slices.Clone(r.closes), last) // another one may close what is left
	}
	r.doc = r.behindLeak(line).amidLeaks()
}

// spoil weakens what is expected of a damaged change.
func (p *plant) spoil() {
	p.exact, p.whole = false, false
	switch {
	case p.copied, p.thin, p.frail, p.behind:
		p.want = free
	case p.want == taken:
		p.want = accounted
	case p.want == shown:
		p.want = never
	}
}

func (d doc) without(line int) doc {
	d.lines = slices.Delete(slices.Clone(d.lines), line, line+1)
	return d.shifted(line, -1)
}

func (d doc) twice(line int) doc {
	d.lines = slices.Insert(slices.Clone(d.lines), line, d.lines[line])
	return d.shifted(line, 1)
}

// shifted moves the places behind a line.
func (d doc) shifted(line, by int) doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		p := &d.plants[i]
		if p.from > line {
			p.from += by
		}
		if p.to > line {
			p.to += by
		}
	}
	return d
}

// truncate ends the text after some bytes.
func (r *reply) truncate(size int) {
	r.text = r.text[:size]
	last := strings.Count(r.text, "\n") // the line in which it ends
	if last < len(r.lines) && len(r.text)-strings.LastIndexByte(r.text, '\n')-1 == len(r.lines[last]) {
		last++ // only its line break is missing
	}
	inTag := strings.Contains(r.text[strings.LastIndexByte(r.text, '\n')+1:], "think>")
	if inTag || slices.ContainsFunc(r.scope, func(l int) bool { return l <= last && last <= l+2 }) {
		r.doc = r.unsure() // a tag may be in code that is not closed, or its code may be missing
	}
	r.plants = slices.Clone(r.plants)
	// A bare line of marks that has lost its partner is a stray one or opens a longer fence, and nothing in a
	// text without an end tells which. Models write stray ones, so the reader takes the deltas below.
	stray := slices.Index(r.lines[:min(last, len(r.lines))], "`````")
	if stray >= 0 && slices.Contains(r.lines[stray+1:min(last, len(r.lines))], "`````") {
		stray = -1
	}
	for i := range r.plants {
		p := &r.plants[i]
		if stray >= 0 && p.from > stray && (p.want == shown || p.want == never) {
			p.want = free
		}
		if p.lone && (len(r.scope) == 0 || slices.Max(r.scope) >= last) {
			p.want = free
		}
		if p.to <= last {
			continue
		}
		p.spoil()
		if p.from > last {
			p.want = free
		}
	}
}
