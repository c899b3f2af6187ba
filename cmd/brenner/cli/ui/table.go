package ui

import (
	"slices"
	"strings"
)

// Table is Columns for standard output. On a terminal that is too narrow, texts are cut, the
// least important columns are left out, or each row becomes a block of lines; names, ids and
// outcomes stay whole. Words about a state are coloured there.
func (a *App) Table(rows [][]string) string {
	if !a.OutTTY {
		return Columns(rows)
	}
	paint := func(cell string) string { return cell }
	if a.colours() {
		paint = coloured
	}
	if width := a.columns() - 1; width > 0 { // some terminals wrap after the last column
		fitted, ok := fitRows(rows, width)
		if !ok {
			return blocks(rows, width, paint)
		}
		rows = fitted
	}
	var b strings.Builder
	for line := range strings.Lines(Columns(rows)) {
		b.WriteString(paint(line))
	}
	return b.String()
}

func (a *App) columns() int {
	if a.Width == nil {
		return 0
	}
	return a.Width()
}

// fitRows cuts texts and leaves out columns until all rows fit. It reports false if that is
// not enough.
func fitRows(rows [][]string, width int) ([][]string, bool) {
	for _, less := range []string{"", "COST", "TOKENS", "TRIES", "TOOK", "IN", "OUT", "ROLE", "UPDATED"} {
		rows = withoutColumn(rows, less)
		if fitted, ok := cutTexts(rows, width); ok {
			return fitted, true
		}
	}
	return nil, false
}

func withoutColumn(rows [][]string, header string) [][]string {
	at := slices.Index(rows[0], header)
	if at < 0 {
		return rows
	}
	out := make([][]string, len(rows))
	for i, row := range rows {
		if out[i] = slices.Clone(row); at < len(row) {
			out[i] = slices.Delete(out[i], at, at+1)
		}
	}
	return out
}

// isText reports whether the cells of a column may be cut.
func isText(header string) bool {
	return header == "QUESTION" || header == "LAST ROUND" || header == "SHA-256"
}

// leastText is the width to which texts may be cut.
const leastText = 16

// cutTexts cuts the cells with texts until all rows fit.
func cutTexts(rows [][]string, width int) ([][]string, bool) {
	const gap = 2
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			widths[i] = max(widths[i], displayWidth(Clean(row[i])))
		}
	}
	over := gap*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for i, header := range rows[0] {
		if less := min(over, widths[i]-leastText); isText(header) && less > 0 {
			widths[i] -= less
			over -= less
		}
	}
	out := make([][]string, len(rows))
	for n, row := range rows {
		out[n] = slices.Clone(row)
		for i := range row {
			out[n][i] = Fit(Clean(row[i]), widths[i])
		}
	}
	return out, over <= 0
}

// blocks formats rows as lines with labels.
func blocks(rows [][]string, width int, paint func(string) string) string {
	var b strings.Builder
	for n, row := range rows[1:] {
		if n > 0 {
			b.WriteByte('\n')
		}
		for i, cell := range row {
			label := "  " + rows[0][i] + ": "
			if cell = Clean(cell); isText(rows[0][i]) {
				cell = Fit(cell, max(leastText, width-len(label)))
			}
			switch {
			case len(row) == 1:
				label = ""
			case i == 0:
				label = rows[0][i] + ": "
			}
			b.WriteString(label + paint(cell) + "\n")
		}
	}
	return b.String()
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
	return a.OutTTY && !a.Plain
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
