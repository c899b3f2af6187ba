package lineage

import (
	"maps"
	"slices"
	"strings"

	"brenner/store/record"
)

// line is a link between two drawn versions. Dashed, it leads over versions that are not drawn.
type line struct {
	from, to string
	what     string // the relations
	dashed   bool
}

// graph is what is drawn of a lineage: messages, the artifacts that only they derive from, and tasks are
// not. What rests on another version over them has a dashed line to it.
type graph struct {
	nodes []*Node // in the order of the lineage
	lines []line
	next  map[string][]int // the lines of each version
}

// drawn returns the versions that are boxes of the drawing.
func (l *Lineage) drawn() map[string]bool {
	boxes, kinds := make(map[string]bool), make(map[string]string)
	for i := range l.Nodes {
		n := &l.Nodes[i]
		ref := n.Ref.String()
		kinds[ref] = n.Type
		boxes[ref] = ref == l.Root || !record.IsRaw(n.Type) && n.Type != record.TaskSpec && n.Type != record.ResearchArtifact
	}
	for _, e := range l.Edges {
		if kinds[e.To] == record.ResearchArtifact && (kinds[e.From] != record.Kickoff || e.Relation != record.DerivesFrom) {
			boxes[e.To] = true
		}
	}
	return boxes
}

func (l *Lineage) graph() *graph {
	g := &graph{next: make(map[string][]int)}
	boxes, links := l.drawn(), make(map[string][]Edge)
	for i := range l.Nodes {
		if n := &l.Nodes[i]; boxes[n.Ref.String()] {
			g.nodes = append(g.nodes, n)
		}
	}
	for _, e := range l.Edges {
		links[e.From] = append(links[e.From], e)
	}
	for _, e := range l.Elsewhere {
		links[e.From] = append(links[e.From], Edge{e.From, e.Relation, e.To + elsewhereMark})
	}
	for _, ref := range l.elsewhereRefs() {
		g.nodes = append(g.nodes, &Node{Ref: record.Ref{ID: ref + elsewhereMark}, Type: elsewhereText})
		boxes[ref+elsewhereMark] = true
	}
	for _, n := range g.nodes {
		g.connect(n.key(), boxes, links)
	}
	g.reduce()
	return g
}

// key is the name of a node in a graph.
func (n *Node) key() string {
	if n.Ref.Version == 0 {
		return n.Ref.ID
	}
	return n.Ref.String()
}

// connect adds the lines of a version: those of its links, and those over what is not drawn.
func (g *graph) connect(from string, boxes map[string]bool, links map[string][]Edge) {
	direct, over := make(map[string][]string), make(map[string]bool)
	seen := make(map[string]bool)
	level := []string{from}
	for len(level) > 0 {
		var hidden []string
		for _, ref := range level {
			for _, e := range links[ref] {
				switch {
				case boxes[e.To] && ref == from:
					direct[e.To] = append(direct[e.To], e.Relation)
				case boxes[e.To]:
					over[e.To] = true
				case !seen[e.To]:
					seen[e.To] = true
					hidden = append(hidden, e.To)
				}
			}
		}
		level = hidden
	}
	for _, to := range slices.Sorted(maps.Keys(direct)) {
		slices.Sort(direct[to])
		g.add(line{from: from, to: to, what: strings.Join(slices.Compact(direct[to]), ", ")})
	}
	for _, to := range slices.Sorted(maps.Keys(over)) {
		if direct[to] == nil && to != from {
			g.add(line{from: from, to: to, what: "over messages and tasks", dashed: true})
		}
	}
}

func (g *graph) add(one line) {
	g.next[one.from] = append(g.next[one.from], len(g.lines))
	g.lines = append(g.lines, one)
}

// reduce removes the dashed lines that a longer path makes needless.
func (g *graph) reduce() {
	reach := make(map[string]map[string]bool)
	for _, n := range g.nodes {
		reach[n.key()] = g.reachable(n.key())
	}
	all := g.lines
	g.lines, g.next = nil, make(map[string][]int)
	for _, one := range all {
		longer := one.dashed && slices.ContainsFunc(all, func(first line) bool {
			return first.from == one.from && first.to != one.to && reach[first.to][one.to] && !reach[first.to][one.from]
		})
		if !longer {
			g.add(one)
		}
	}
}

func (g *graph) reachable(from string) map[string]bool {
	seen := make(map[string]bool)
	level := []string{from}
	for len(level) > 0 {
		ref := level[0]
		level = level[1:]
		for _, i := range g.next[ref] {
			if to := g.lines[i].to; !seen[to] {
				seen[to] = true
				level = append(level, to)
			}
		}
	}
	return seen
}

// ranks returns the column of each version: one after the last of those that it depends on. A line
// that closes a cycle, which only an import can have, does not count.
func (g *graph) ranks() map[string]int {
	ranks, open := make(map[string]int), make(map[string]bool)
	var rank func(ref string) int
	rank = func(ref string) int {
		if r, known := ranks[ref]; known {
			return r
		}
		open[ref] = true
		r := 0
		for _, i := range g.next[ref] {
			if to := g.lines[i].to; !open[to] {
				r = max(r, rank(to)+1)
			}
		}
		open[ref] = false
		ranks[ref] = r
		return r
	}
	for _, n := range g.nodes {
		rank(n.key())
	}
	return ranks
}
