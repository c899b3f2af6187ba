package archtest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The measures of the picture, in pixels.
const (
	letter     = 7.3 // width of a letter, generously
	chipHeight = 24.0
	chipGap    = 6.0
	maxRow     = 600.0 // a longer row of chips is broken
	gap        = 10.0
	wall       = 16.0
)

// RoomList lists the rooms of a table from the top down, each with the rooms that its
// packages import.
func RoomList(t Table) string {
	rooms := t.rooms()
	var b strings.Builder
	for _, name := range slices.Backward(rooms) {
		var needs []string
		for _, below := range rooms {
			if below != name && t.imports(name, below) {
				needs = append(needs, below)
			}
		}
		fmt.Fprintf(&b, "%-9s %s\n", name, cmp.Or(strings.Join(needs, " "), "-"))
	}
	return b.String()
}

// imports reports whether a package of one room, not counting those for tests, may
// import one of another.
func (t Table) imports(name, below string) bool {
	return slices.ContainsFunc(t, func(r Row) bool {
		return r.Kind != Support && room(r.Path) == name &&
			slices.ContainsFunc(strings.Fields(r.Needs), func(need string) bool { return room(need) == below })
	})
}

// House draws a table as a house: every room is on a floor above all rooms that it imports,
// with its packages inside. Packages for tests are omitted.
func House(t Table) string {
	floors := floorsOf(t)
	wide, high := 0.0, 3*wall+chipHeight-gap
	for _, f := range floors {
		w, h := f.size()
		wide, high = max(wide, w+2*wall), high+h+gap
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="The rooms, each above all rooms that it imports" `+
		`font-family="ui-monospace, 'DejaVu Sans Mono', monospace" font-size="12">`+"\n", wide, high)
	b.WriteString("  <style>.box { fill: #f8fafc; stroke: #94a3b8 } .title { fill: none } .pure { fill: #dbeafe } .shell { fill: #fef08a } " +
		"text { fill: #0f172a; text-anchor: middle } .title + text { font-weight: bold }</style>\n")
	fmt.Fprintf(&b, `  <rect x="0.5" y="0.5" width="%.0f" height="%.0f" rx="10" fill="#ffffff" stroke="#cbd5e1"/>`+"\n", wide-1, high-1)
	legend := box{{{"pure: values in, values out", "pure"}, {"shell: clocks, files, networks, other programs", "shell"}}}
	legend.draw(&b, wide/2, wall+chipHeight/2)
	y := 2*wall + chipHeight
	for _, f := range slices.Backward(floors) {
		w, h := f.size()
		x, spare := wall, (wide-2*wall-w)/float64(len(f))
		for _, r := range f {
			w := r.width() + spare
			fmt.Fprintf(&b, `  <rect class="box" x="%.1f" y="%.0f" width="%.1f" height="%.0f" rx="6"/>`+"\n", x, y, w, h)
			r.draw(&b, x+w/2, y+h/2)
			x += w + gap
		}
		y += h + gap
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// floor is a row of rooms.
type floor []box

// floorsOf returns the floors, the lowest first. In the table a room comes after every room
// that it imports.
func floorsOf(t Table) []floor {
	var floors []floor
	for _, name := range t.rooms() {
		n := len(floors)
		for n > 0 && !slices.ContainsFunc(floors[n-1], func(below box) bool { return t.imports(name, below.name()) }) {
			n--
		}
		if n == len(floors) {
			floors = append(floors, nil)
		}
		floors[n] = append(floors[n], t.box(name))
	}
	return floors
}

func (f floor) size() (w, h float64) {
	w = -gap
	for _, r := range f {
		w, h = w+r.width()+gap, max(h, r.height()+2*gap)
	}
	return w, h
}

// box is a room: rows of chips, the first of which is its name.
type box [][]chip

// chip is a package, or the name of a room without a package of its own.
type chip struct{ name, class string }

// box returns a room: its name, its pure packages, those of its shell.
func (t Table) box(name string) box {
	rows := box{{{name, "title"}}}
	byKind := func(a, b Row) int { return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Path, b.Path)) }
	for _, r := range slices.SortedFunc(slices.Values(t), byKind) {
		kind := map[Kind]string{Pure: "pure", Shell: "shell"}[r.Kind]
		if room(r.Path) != name || kind == "" {
			continue
		}
		if r.Path == name {
			rows[0][0].class += " " + kind
			continue
		}
		c, last := chip{path.Base(r.Path), kind}, len(rows)-1
		if rowWidth(rows[last])+c.width() > maxRow {
			rows, last = append(rows, nil), last+1
		}
		rows[last] = append(rows[last], c)
	}
	return rows
}

func (r box) name() string { return r[0][0].name }

func (r box) width() float64 {
	w := 0.0
	for _, row := range r {
		w = max(w, rowWidth(row)+2*gap)
	}
	return w
}

func (r box) height() float64 { return float64(len(r))*(chipHeight+chipGap) - chipGap }

// draw draws the chips centred on a point.
func (r box) draw(b *strings.Builder, x, y float64) {
	y -= r.height() / 2
	for _, row := range r {
		x := x - rowWidth(row)/2
		for _, c := range row {
			fmt.Fprintf(b, `  <rect class=%q x="%.1f" y="%.1f" width="%.1f" height="%.0f" rx="4"/><text x="%.1f" y="%.1f">%s</text>`+"\n",
				c.class, x, y, c.width(), chipHeight, x+c.width()/2, y+16, c.name)
			x += c.width() + chipGap
		}
		y += chipHeight + chipGap
	}
}

func (c chip) width() float64 { return float64(len(c.name))*letter + 12 }

func rowWidth(row []chip) float64 {
	w := -chipGap
	for _, c := range row {
		w += c.width() + chipGap
	}
	return w
}
