package delta_test

import (
	"regexp"
	"slices"
	"strings"
)

// want is what must be true of a planted change.
type want int

const (
	taken     want = iota // it goes to the merge as it was planted
	accounted             // it is taken, or has a row
	refused               // it has a row and is not executed, and its author is asked
	shown                 // it has a row and is not executed: a draft, an example, a quotation
	never                 // it is not executed
	free                  // nothing is known of it
)

// plant is a change in a reply.
type plant struct {
	change
	want     want
	from, to int  // its lines, from 0, without the last
	delta    bool // it is in a sound delta fence
	exact    bool // its text must be kept
	copied   bool // it is an example only as long as it is not changed
	lone     bool // it is a draft only because of a tag or a sentence that follows
	whole    bool // no damage has touched it
	thin     bool // damage leaves hardly anything of it
	prose    bool // it is only announced, in words
	ticks    bool // its fence has backticks
	frail    bool // its body is not well formed: more damage leaves hardly anything of it
	said     bool // its words are on the line that announces it
	behind   bool // it is behind a fence that may not be closed
	led      bool // a sentence before it leaves it open
	held     bool // a sentence behind it takes it back
}

// executable reports whether a reader may take it.
func (p *plant) executable() bool { return p.want == taken || p.want == accounted || p.want == free }

// doc is a reply, or a part of one.
type doc struct {
	lines  []string
	plants []plant
	scope  []int // lines that decide what others are: tags, and the ends of comments and longer fences
	leaks  []int // lines behind which text may seem to be in a fence
	closes []int // lines that may seem to close another fence
}

// leaky reports whether text after it may seem to be inside it.
func (d *doc) leaky() bool { return len(d.leaks) > 0 }

// text returns a part without changes.
func text(s string) doc { return doc{lines: strings.Split(s, "\n")} }

// move returns a part that is n lines further down.
func (d doc) move(n int) doc {
	d.plants = slices.Clone(d.plants)
	d.scope, d.leaks, d.closes = slices.Clone(d.scope), slices.Clone(d.leaks), slices.Clone(d.closes)
	for i := range d.plants {
		d.plants[i].from += n
		d.plants[i].to += n
	}
	for _, lines := range [][]int{d.scope, d.leaks, d.closes} {
		for i := range lines {
			lines[i] += n
		}
	}
	return d
}

// join puts parts below each other.
func join(parts ...doc) doc {
	var all doc
	for _, d := range parts {
		if len(d.plants) > 0 && !d.plants[0].prose || d.leaky() {
			all = all.excuseLast(d.plants)
		}
		if all.leaky() {
			d = d.behindLeak(0)
		}
		if all.leaky() && len(d.scope) > 0 {
			all, d = all.weak(), d.weak() // a tag may be in code
		}
		d = d.move(len(all.lines))
		all.lines = append(all.lines, d.lines...)
		all.plants = append(all.plants, d.plants...)
		all.scope = append(all.scope, d.scope...)
		all.leaks = append(all.leaks, d.leaks...)
		all.closes = append(all.closes, d.closes...)
	}
	return all
}

// excuseLast expects nothing of an announcement right before a block, which may be what it announces,
// nor of those before it for the same section. A block that cannot be read does not say what it is, so the
// reader takes it for the change that is announced above it, and asks for it once.
func (d doc) excuseLast(next []plant) doc {
	d.plants = slices.Clone(d.plants)
	last := len(d.plants) - 1
	for i := last; i >= 0 && d.plants[i].prose; i-- {
		if i == last || slices.ContainsFunc(next, func(q plant) bool { return q.section == d.plants[i].section }) {
			d.plants[i].want = free
		}
	}
	return d
}

// weak expects no more than rows of good blocks.
func (d doc) weak() doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		if p := &d.plants[i]; p.want == taken {
			p.want = accounted
		}
	}
	return d
}

// apart puts parts below each other with blank lines between.
func apart(parts ...doc) doc {
	var all []doc
	for _, d := range parts {
		if len(d.lines) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, text(""))
		}
		all = append(all, d)
	}
	return join(all...)
}

// behindLeak weakens what is expected from a line on, behind a fence that may not be closed: only at
// a sound delta fence a reader finds its way again.
func (d doc) behindLeak(line int) doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		p := &d.plants[i]
		p.behind = p.behind || p.from >= line
		switch {
		case p.from < line:
		case p.prose:
			p.want = free // words in code
		case p.thin && p.want == accounted:
			p.want = free
		case (p.want == taken || p.want == refused) && (!p.delta || !p.ticks):
			p.want = accounted
		case p.want == shown:
			p.want = never
		}
	}
	return d
}

// amidLeaks weakens what is expected of blocks between two fences of which the one may seem to close
// the other.
func (d doc) amidLeaks() doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		p := &d.plants[i]
		before := slices.ContainsFunc(d.leaks, func(l int) bool { return l < p.from })
		after := slices.ContainsFunc(slices.Concat(d.leaks, d.closes), func(l int) bool { return l >= p.to })
		if before && after && p.want == taken {
			p.want = accounted
		}
	}
	return d
}

// summed expects nothing of a heading without words that may sum up another block.
func (d doc) summed() doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		p, blocks := &d.plants[i], 0
		for _, q := range d.plants {
			if !q.prose {
				blocks++
			}
			if p.prose && !p.said && !q.prose && p.section == q.section {
				p.want = free
			}
		}
		if p.prose && !p.said && blocks >= 3 {
			p.want = free // a heading with the number 3
		}
	}
	return d
}

// prefixed puts a text before the first and one before all other lines.
func (d doc) prefixed(first, rest string) doc {
	d.lines = slices.Clone(d.lines)
	for i, l := range d.lines {
		switch {
		case i == 0:
			d.lines[i] = first + l
		case l == "":
			d.lines[i] = strings.TrimRight(rest, " ")
		default:
			d.lines[i] = rest + l
		}
	}
	return d
}

// inside marks everything as a draft, an example or a quotation. What is no sound block in it needs
// no row.
func (d doc) inside() doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		switch p := &d.plants[i]; {
		case p.want == taken && p.delta:
			p.want = shown
		case p.want != free:
			p.want = never
		}
	}
	return d
}

// unsure expects no more than a row.
func (d doc) unsure() doc {
	d.plants = slices.Clone(d.plants)
	for i := range d.plants {
		switch p := &d.plants[i]; {
		case p.prose, p.thin, p.want == shown, p.want == never:
			p.want = free
		case p.want == taken, p.want == refused:
			p.want = accounted
		}
	}
	return d
}

// lone marks everything as a draft because of what follows.
func (d doc) lone() doc {
	d = d.inside()
	for i := range d.plants {
		d.plants[i].lone = true
	}
	return d
}

// scoped marks lines as ones that decide what others are.
func (d doc) scoped(lines ...int) doc {
	d.scope = append(slices.Clone(d.scope), lines...)
	return d
}

// between puts lines around a part that decide what it is.
func between(open string, d doc, end string) doc {
	before := text(open)
	for i := range before.lines {
		before.scope = append(before.scope, i)
	}
	all := join(before, d, text(end))
	return all.scoped(len(all.lines) - 1)
}

// composer writes one reply.
type composer struct {
	source
	tokens  int
	records bool // some changes are records of the project
}

// last is behind every line.
const last = 1 << 30

// longer reports whether a line begins with four marks of a fence.
func longer(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		l = strings.TrimLeft(l, "> \t-")
		return len(l) > 3 && strings.Count(l[:4], l[:1]) == 4
	})
}

// says matches the opening line of a fence that says what is in it.
var says = regexp.MustCompile("^ {0,3}(```+|~~~+|:::) ?(?i)deltas?( \\S+)?$")

// block writes changes into a fence.
func (g *composer) block(f *fence, b *body, changes ...change) doc {
	text := strings.Split(b.write(g, changes), "\n")
	w := max(f.want, b.want)
	d := doc{}
	if b.prose {
		w, d.lines = accounted, text
	} else {
		d.lines = f.write(text)
		if f.leaky || b.leaky {
			d.leaks = []int{0}
		}
		if strings.HasPrefix(d.lines[0], "<pre>") {
			d.scope = []int{0, len(d.lines) - 1}
		}
		if d.leaky() && longer(d.lines) || f.name == "tildes" {
			d.closes = []int{last}
		}
		if !f.delta && !b.plain {
			w = accounted
		}
	}
	if b.vague && (f.leaky || !says.MatchString(d.lines[0])) {
		w = free
	}
	for _, c := range changes {
		p := plant{change: c, want: w, to: len(d.lines), delta: f.delta && !b.leaky && !b.prose, exact: w == taken, whole: true, prose: b.prose, said: b.said, thin: b.vague || f.thin, frail: b.want != taken}
		if strings.Contains(c.text, "```") && p.want == taken { // in other quotation marks, it may seem to end the fence
			p.want = accounted
		}
		p.ticks = strings.HasPrefix(strings.TrimLeft(d.lines[0], " "), "```")
		if f.loose && c.op == "KILL" && !b.prose && w != free {
			p.want = refused
		}
		d.plants = append(d.plants, p)
	}
	return d
}

// changes returns the changes of a body, the first of a kind.
func (g *composer) changes(b *body, kind int) []change {
	all := []change{g.newChange(kind)}
	if g.records && g.IntN(2) == 0 {
		all[0] = g.newRecord()
	}
	for len(all) < b.n {
		all = append(all, g.anyChange())
	}
	return all
}

// good returns a block that must be taken.
func (g *composer) good(c change) doc { return g.block(&fences[0], &bodies[1], c) }

// named returns the one of a list with a name.
func named[T any](list []T, name string, of func(*T) string) *T {
	for i := range list {
		if of(&list[i]) == name {
			return &list[i]
		}
	}
	panic("there is no " + name)
}

func fenceOf(name string) *fence { return named(fences, name, func(f *fence) string { return f.name }) }

func bodyOf(name string) *body { return named(bodies, name, func(b *body) string { return b.name }) }
