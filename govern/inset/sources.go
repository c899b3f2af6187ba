package inset

import "strings"

// QuoteSources makes quotations of the lines of a text that look like the sources of our page.
func QuoteSources(text string) string {
	all := lines(text)
	var f fences
	for i, one := range all {
		line, code := f.next(one)
		if width, bare := indent(line); !code && width <= 3 && isSource(bare) {
			line = "> " + bare
			f.leave()
		}
		all[i] = line
	}
	return strings.Join(all, "\n")
}

func isSource(line string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimLeft(line, "*_\\ ")), "source")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, "*_\\ "), ":")
}
