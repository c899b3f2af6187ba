package patch

import (
	"path"
	"strings"
	"unicode"

	"brenner/internal/fault"
)

// CheckPath says what keeps a path from being one of a file below a root; the zero
// value where nothing does. It looks at the words only: links are for those who
// read files.
func CheckPath(p string) (Problem, bool) {
	var why string
	switch {
	case p == "":
		why = "is empty"
	case strings.ContainsFunc(p, unicode.IsControl):
		why = "holds control characters"
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, `\`):
		why = "is absolute"
	case len(p) > 1 && p[1] == ':':
		why = "begins with a drive"
	case strings.ContainsRune(p, '\\'):
		why = "holds a backslash"
	case hasParent(p):
		why = "holds .."
	case path.Clean(p) == "." || strings.HasSuffix(p, "/"):
		why = "names a folder"
	default:
		return Problem{}, true
	}
	return Problem{
		Code: PathUnsafe, Field: "target.path", Message: "the path " + fault.Shown(p) + " " + why,
		Hint: "write the path of a file below the root, with slashes",
	}, false
}

func hasParent(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}
