package lineage

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"

	"brenner/internal/text"
	"brenner/store/record"
)

// maxDrawn is the maximum number of versions in a drawing.
const maxDrawn = 300

// Sizes in a drawing.
const (
	boxWide, boxHigh = 212.0, 79.0
	bendHigh         = 14.0
	gapX, gapY       = 70.0, 16.0
	margin           = 16.0
	textChars        = 31 // that fit into a box
)

// place is something in a column of the drawing: a version, or the bend of a line that passes.
type place struct {
	node *Node
	x, y float64 // of its middle on the left side
	at   float64 // its place in the column
	near [2][]*place
}

func (p *place) high() float64 {
	if p.node == nil {
		return bendHigh
	}
	return boxHigh
}

// route is a line and the places that it leads over, from the dependency on.
type route struct {
	line
	over []*place
}

type drawing struct {
	columns    [][]*place
	routes     []route
	wide, high float64
}

// layout places the versions in columns, each right of what it depends on, with few crossings.
func (g *graph) layout() *drawing {
	d := &drawing{}
	places, ranks := make(map[string]*place), g.ranks()
	put := func(column int, p *place) {
		for len(d.columns) <= column {
			d.columns = append(d.columns, nil)
		}
		d.columns[column] = append(d.columns[column], p)
	}
	for _, n := range g.nodes {
		places[n.key()] = &place{node: n}
		put(ranks[n.key()], places[n.key()])
	}
	for _, one := range g.lines {
		r := route{line: one, over: []*place{places[one.to]}}
		for column := ranks[one.to] + 1; column < ranks[one.from]; column++ {
			bend := &place{}
			put(column, bend)
			r.over = append(r.over, bend)
		}
		r.over = append(r.over, places[one.from])
		for i := 1; i < len(r.over); i++ {
			a, b := r.over[i-1], r.over[i]
			a.near[1], b.near[0] = append(a.near[1], b), append(b.near[0], a)
		}
		d.routes = append(d.routes, r)
	}
	for sweep := range 8 {
		d.order(sweep % 2)
	}
	d.measure()
	return d
}

// order sorts each column by the mean of the places on one side.
func (d *drawing) order(side int) {
	for i := range d.columns {
		column := d.columns[i]
		if side == 1 {
			column = d.columns[len(d.columns)-1-i]
		}
		mean := make(map[*place]float64)
		for n, p := range column {
			mean[p] = float64(n) / float64(len(column))
			if len(p.near[side]) > 0 {
				mean[p] = 0
				for _, other := range p.near[side] {
					mean[p] += other.at / float64(len(p.near[side]))
				}
			}
		}
		slices.SortStableFunc(column, func(a, b *place) int { return cmp.Compare(mean[a], mean[b]) })
		for n, p := range column {
			p.at = (float64(n) + 0.5) / float64(len(column))
		}
	}
}

// measure sets the coordinates: each column is centred.
func (d *drawing) measure() {
	height := func(column []*place) float64 {
		h := -gapY
		for _, p := range column {
			h += p.high() + gapY
		}
		return h
	}
	for _, column := range d.columns {
		d.high = max(d.high, height(column)+2*margin)
	}
	x := margin
	for _, column := range d.columns {
		y := (d.high - height(column)) / 2
		for _, p := range column {
			p.x, p.y = x, y+p.high()/2
			y += p.high() + gapY
		}
		x += boxWide + gapX
	}
	d.wide = x - gapX + margin
}

// SVG returns the lineage as a drawing: dependencies on the left, messages and tasks as dashed
// lines. Of too many versions it only says so.
func (l *Lineage) SVG() string {
	return l.draw(drawingStyle, nil)
}

const drawingStyle = `<style>
svg { font: 12px system-ui, sans-serif; background: #fff } text { fill: #0f172a } .id { font-weight: bold } .by { fill: #1d4ed8 } .about { fill: #475569 }
rect { fill: #f8fafc; stroke: #94a3b8 } .canonical { fill: #ecfdf5; stroke: #059669 } .root { stroke-width: 3 } .warn { fill: #fffbeb; stroke: #b45309 }
path { fill: none; stroke: #64748b; stroke-width: 1.2 } .dashed { stroke-dasharray: 4 4; stroke: #94a3b8 } marker path { fill: #64748b; stroke: none }
</style>
`

// Drawing is SVG without styles, for a page that has its own for the class lineage. With address, each
// version of this store is a link.
func (l *Lineage) Drawing(address func(record.Ref) string) string { return l.draw("", address) }

func (l *Lineage) draw(style string, address func(record.Ref) string) string {
	g := l.graph()
	if len(g.nodes) > maxDrawn {
		return `<svg xmlns="http://www.w3.org/2000/svg" class="lineage" width="400" height="40"><text x="8" y="24">Too many versions for a drawing.</text></svg>` + "\n"
	}
	d := g.layout()
	role := "img" // what is in a picture cannot be a link
	if address != nil {
		role = "group"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" class="lineage" role="%s" aria-label="%s">`+"\n",
		d.wide, d.high, d.wide, d.high, role, escaped("Lineage of "+l.Root))
	b.WriteString(style + `<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>
`)
	for _, r := range d.routes {
		r.draw(&b)
	}
	for _, column := range d.columns {
		for _, p := range column {
			if p.node == nil {
				continue
			}
			linked := address != nil && p.node.Ref.Version > 0 && !p.node.Missing
			if linked {
				fmt.Fprintf(&b, `<a href="%s">`, escaped(address(p.node.Ref)))
			}
			p.draw(&b, p.node.Ref.String() == l.Root)
			if linked {
				b.WriteString("</a>\n")
			}
		}
	}
	return b.String() + "</svg>\n"
}

func (r *route) draw(b *strings.Builder) {
	class := ""
	if r.dashed {
		class = ` class="dashed"`
	}
	fmt.Fprintf(b, `<path%s marker-end="url(#tip)" d="M%.1f %.1f`, class, r.over[0].x, r.over[0].y)
	for i := 1; i < len(r.over); i++ {
		a, to := r.over[i-1], r.over[i]
		x := a.x + boxWide
		middle := (x + to.x) / 2
		fmt.Fprintf(b, ` H%.1f C%.1f %.1f %.1f %.1f %.1f %.1f`, x, middle, a.y, middle, to.y, to.x, to.y)
	}
	fmt.Fprintf(b, `"><title>%s</title></path>`+"\n", escaped(r.from+" "+r.what+" "+r.to))
}

func (p *place) draw(b *strings.Builder, root bool) {
	n := p.node
	class := ""
	switch {
	case n.Status == "canonical":
		class = "canonical"
	case n.Missing || n.Ref.Version == 0 || strings.HasPrefix(n.Status, "needs_"):
		class = "warn"
	}
	if root {
		class += " root"
	}
	fmt.Fprintf(b, `<g><title>%s</title><rect class="%s" x="%.1f" y="%.1f" width="%.0f" height="%.0f" rx="6"/>`, escaped(n.Summary), class, p.x, p.y-boxHigh/2, boxWide, boxHigh)
	rows := [][2]string{{"id", n.shortKey()}, {"what", n.label()}}
	switch {
	case n.Ref.Version == 0:
		rows = [][2]string{{"id", strings.TrimSuffix(n.key(), elsewhereMark)}, {"what", elsewhereText}}
	case n.Creator != "":
		rows = append(rows, [2]string{"by", "by " + n.Author()}, [2]string{"about", n.Summary})
	}
	for i, row := range rows {
		fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`, row[0], p.x+8, p.y-boxHigh/2+19+float64(i)*17, escaped(text.Clip(row[1], textChars)))
	}
	b.WriteString("</g>\n")
}

// shortKey is the key of a version that fits into a box. Of a long id, the version stays.
func (n *Node) shortKey() string {
	key := n.key()
	if version := strings.LastIndexByte(key, '@'); n.Ref.Version > 0 && len([]rune(key)) > textChars {
		return text.Clip(key[:version], textChars-3-(len(key)-version)) + key[version:]
	}
	return key
}

func escaped(s string) string { return html.EscapeString(strings.Map(replaceHidden, s)) }

// replaceHidden replaces invisible and control characters.
func replaceHidden(r rune) rune {
	if r != '\n' && r != '\t' && text.Hidden(r) {
		return '\ufffd'
	}
	return r
}

// HTML returns the lineage as one self-contained page: the drawing, and a table of all versions with
// their authors and links.
func (l *Lineage) HTML() string {
	links := make(map[string][]string)
	for _, e := range l.Edges {
		links[e.From] = append(links[e.From], escaped(e.Relation+" "+e.To))
	}
	for _, e := range l.Elsewhere {
		links[e.From] = append(links[e.From], escaped(e.Relation+" "+e.To+" "+elsewhereText))
	}
	what, more := "What it depends on", ""
	if !l.Up {
		what = "What depends on it"
	}
	if l.Cut {
		more = ", and more that are not shown"
	}
	var rows strings.Builder
	for _, n := range l.Nodes {
		ref := n.Ref.String()
		cells := []string{n.Type, n.Status, n.Author(), n.Summary}
		if n.Missing {
			cells = []string{n.label(), "", "", ""}
		}
		fmt.Fprintf(&rows, `<tr><td class="id">%s</td>`, escaped(ref))
		for _, cell := range cells {
			fmt.Fprintf(&rows, "<td><bdi>%s</bdi></td>", escaped(cell))
		}
		fmt.Fprintf(&rows, "<td>%s</td></tr>\n", strings.Join(links[ref], "<br>"))
	}
	return strings.NewReplacer("TITLE", escaped("Lineage of "+l.Root), "WHAT", what+": "+text.Count(len(l.Nodes), "version")+" with itself"+more,
		"DRAWING\n", l.SVG(), "ROWS\n", rows.String()).Replace(page)
}

// page is the page of a lineage. Words in capitals are replaced.
//
//go:embed lineage.html
var page string
