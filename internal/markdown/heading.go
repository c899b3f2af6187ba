package markdown

import "strings"

// DeepestHeading is the highest level of a heading.
const DeepestHeading = 6

// HeadingLevel returns the level of a heading that begins with number signs, or 0. The line has no
// indentation.
func HeadingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	level := len(line) - len(rest)
	if level > DeepestHeading || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return level
}

// UnderlineLevel returns the level of the heading that a line without indentation underlines, or 0.
func UnderlineLevel(line string) int {
	line = strings.TrimRight(line, " \t")
	switch {
	case line == "":
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}
