package ui

import (
	"slices"
	"strings"
)

// Table is Columns for standard output. On a terminal the longest cells are cut until the rows
// fit its width, and words about a state are coloured.
func (a *App) Table(rows [][]string) string {
	if !a.OutTTY {
		return Columns(rows)
	}
	if width := a.columns(); width > 0 {
		fitRows(rows, width-1) // some terminals wrap after the last column
	}
	out := Columns(rows)
	if !a.colours() {
		return out
	}
	var b strings.Builder
	for line := range strings.Lines(out) {
		b.WriteString(coloured(line))
	}
	return b.String()
}

func (a *App) columns() int {
	if a.Width == nil {
		return 0
	}
	return a.Width()
}

// fitRows cuts the cells of the widest columns until all rows fit. The first column, which
// names the row, is cut last.
func fitRows(rows [][]string, width int) {
	const gap = 2
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = Clean(row[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displayWidth(row[i]))
		}
	}
	total := gap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for _, pass := range []struct{ from, least int }{{1, 8}, {0, 8}, {1, 4}, {0, 4}} {
		some := widths[min(pass.from, len(widths)):]
		for total > width && len(some) > 0 && slices.Max(some) > pass.least {
			some[slices.Index(some, slices.Max(some))]--
			total--
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = Fit(row[i], widths[i])
		}
	}
}

func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// colours reports whether standard output is a terminal that shows colours to a person who
// wants them.
func (a *App) colours() bool {
	for _, v := range a.Environ {
		name, value, _ := strings.Cut(v, "=")
		if name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb" {
			return false
		}
	}
	return a.OutTTY
}

// coloured colours the cells of a row that are words about a state.
func coloured(line string) string {
	const reset = "\x1b[0m"
	cells := strings.SplitAfter(line, "  ")
	for i, cell := range cells {
		word := strings.TrimSpace(cell)
		if code := stateColour(word); code != "" {
			at := strings.Index(cell, word)
			cells[i] = cell[:at] + code + word + reset + cell[at+len(word):]
		}
	}
	return strings.Join(cells, "")
}

func stateColour(word string) string {
	const red, green, yellow = "\x1b[31m", "\x1b[32m", "\x1b[33m"
	switch word {
	case "done", "ok", "answered", "replied", "contributed", "ended":
		return green
	case "failed", "damaged", "differs", "refused", "unreadable":
		return red
	case "running", "waiting", "asked", "cut", "prose only", "interrupted", "left", "paused":
		return yellow
	}
	return ""
}
