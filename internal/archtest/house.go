package archtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The measures of the picture, in pixels.
const (
	boxHeight = 28
	boxGap    = 8
	floorGap  = 12
	letter    = 7.3 // width of a letter, generously
	headRoom  = 44
	wallRoom  = 16
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

// House draws a table as a house: every package stands on a floor above all that it may
// import, the pure ones to the left and those that talk to the world to the right.
// Packages for tests are left out.
func House(t Table) string {
	floors := floorsOf(t)
	var left, right float64
	for _, f := range floors {
		left, right = max(left, width(f.pure)), max(right, width(f.shell))
	}
	middle := wallRoom + left + wallRoom/2
	wide := middle + wallRoom/2 + right + wallRoom
	high := headRoom + float64(len(floors))*(boxHeight+floorGap) + wallRoom - floorGap

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="The packages, each above all that it may import" `+
		`font-family="ui-monospace, 'DejaVu Sans Mono', monospace" font-size="12">`+"\n", wide, high)
	b.WriteString("  <style>.pure { fill: #eff6ff; stroke: #3b82f6 } .shell { fill: #fefce8; stroke: #ca8a04 } " +
		"text { fill: #0f172a; text-anchor: middle } .head { font-family: system-ui, 'DejaVu Sans', sans-serif; font-size: 13px; fill: #475569 }</style>\n")
	fmt.Fprintf(&b, `  <rect x="1" y="1" width="%.0f" height="%.0f" rx="10" fill="#ffffff" stroke="#cbd5e1"/>`+"\n", wide-2, high-2)
	fmt.Fprintf(&b, `  <text class="head" x="%.0f" y="27">pure: values in, values out</text>`+"\n", wallRoom+left/2)
	fmt.Fprintf(&b, `  <text class="head" x="%.0f" y="27">shell: clocks, files, networks, other programs</text>`+"\n", middle+wallRoom/2+right/2)
	fmt.Fprintf(&b, `  <path d="M%.0f 14 V%.0f" stroke="#cbd5e1" stroke-dasharray="3 4"/>`+"\n", middle, high-14)
	for i, f := range floors {
		y := headRoom + float64(len(floors)-1-i)*(boxHeight+floorGap)
		drawFloor(&b, f.pure, "pure", wallRoom+(left-width(f.pure))/2, y)
		drawFloor(&b, f.shell, "shell", middle+wallRoom/2+(right-width(f.shell))/2, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// floor is what stands equally high.
type floor struct{ pure, shell []string }

func floorsOf(t Table) []floor {
	var floors []floor
	known := make(map[string]int)
	for _, row := range t {
		if row.Kind == Support {
			continue
		}
		n := height(t, row, known)
		floors = slices.Grow(floors, max(0, n-len(floors)))[:max(n, len(floors))]
		f := &floors[n-1]
		if row.Kind == Pure {
			f.pure = append(f.pure, row.Path)
		} else {
			f.shell = append(f.shell, row.Path)
		}
	}
	return floors
}

// height is the floor of a package, the lowest being 1. There are no circles: Go allows none.
func height(t Table, row Row, known map[string]int) int {
	if n, ok := known[row.Path]; ok {
		return n
	}
	n := 1
	for need := range strings.FieldsSeq(row.Needs) {
		if below, ok := t.row(need); ok {
			n = max(n, 1+height(t, below, known))
		}
	}
	known[row.Path] = n
	return n
}

func boxWidth(name string) float64 { return float64(len(name))*letter + 16 }

func width(names []string) float64 {
	w := float64(boxGap * max(0, len(names)-1))
	for _, name := range names {
		w += boxWidth(name)
	}
	return w
}

func drawFloor(b *strings.Builder, names []string, class string, x, y float64) {
	for _, name := range names {
		w := boxWidth(name)
		fmt.Fprintf(b, `  <rect class=%q x="%.1f" y="%.0f" width="%.1f" height="%d" rx="5"/><text x="%.1f" y="%.0f">%s</text>`+"\n",
			class, x, y, w, boxHeight, x+w/2, y+18, name)
		x += w + boxGap
	}
}
