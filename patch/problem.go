package patch

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"brenner/internal/fault"
)

// Error codes of patches, besides INVALID_JSON of package artifact and INVALID_FIELD and
// MISSING_REQUIRED_FIELD of package delta, which mean the same here.
const (
	BadProtocol      fault.Code = "BAD_PROTOCOL"       // The `protocol_id` of a patch is not `anchor_diff_v2.1`.
	InvalidUTF8      fault.Code = "INVALID_UTF8"       // A patch or its base text is not valid UTF-8.
	BadHashFormat    fault.Code = "BAD_HASH_FORMAT"    // A hash in a patch is not 64 hexadecimal digits.
	PathUnsafe       fault.Code = "PATH_UNSAFE"        // The path of a patch leads outside the root, or could.
	BaseMissing      fault.Code = "BASE_MISSING"       // The file to patch does not exist, or the agent was not shown that text in full.
	BaseMismatch     fault.Code = "BASE_MISMATCH"      // The patch was made for a different text; the hint says what is known about it.
	EmptyAnchor      fault.Code = "EMPTY_ANCHOR"       // A patch has an empty or blank anchor, which would match everywhere.
	AnchorNotFound   fault.Code = "ANCHOR_NOT_FOUND"   // The text has too few occurrences of an anchor; the message names a near match, if any.
	BlockNotAdjacent fault.Code = "BLOCK_NOT_ADJACENT" // The `old_block` of a patch does not follow its anchor; the message says what does.
	Overlap          fault.Code = "OVERLAP"            // Two operations of a patch change the same text.
	NoOps            fault.Code = "NO_OPS"             // A patch without operations, or two identical texts.
	BlockShown       fault.Code = "BLOCK_SHOWN"        // A search/replace block is in a comment, a quotation, an example or reasoning, and is not applied.
	ResultMismatch   fault.Code = "RESULT_MISMATCH"    // The patched text does not match `result_sha256`; nothing was written.
	// AmbiguousAnchor is a warning: the anchor occurs in several places, and no index selects one.
	AmbiguousAnchor fault.Code = "AMBIGUOUS_ANCHOR" // Warning: an anchor occurs several times and has no `match_index`; the first was used.
)

// Problem is an error or a warning about a patch.
type Problem struct {
	Code      fault.Code `json:"code"`
	Operation int        `json:"operation"` // from 1, over all groups; 0: the whole patch
	Field     string     `json:"field"`     // "op_groups[0].anchor.text"
	Line      int        `json:"line"`      // in the base, from 1; 0: none
	Message   string     `json:"message"`
	Hint      string     `json:"hint"`

	Found   int    `json:"found"`   // ANCHOR_NOT_FOUND: number of instances
	Wanted  int    `json:"wanted"`  // ANCHOR_NOT_FOUND: the wanted instance
	Nearest int    `json:"nearest"` // BLOCK_NOT_ADJACENT: line of the next instance of the block; 0: none
	Gap     int    `json:"gap"`     // BLOCK_NOT_ADJACENT: distance to it in characters; -1: none
	Expects string `json:"expects"` // BLOCK_NOT_ADJACENT: the block; clipped
	Actual  string `json:"stands"`  // BLOCK_NOT_ADJACENT: the actual text; clipped
	Near    []Near `json:"near"`    // near misses
	Behind  int    `json:"behind"`  // BASE_MISMATCH: how many versions the base is behind
}

// Place returns where in a patch a problem is.
func (p *Problem) Place() string {
	switch {
	case p.Operation > 0 && p.Field != "":
		return fmt.Sprintf("operation %d, %s", p.Operation, p.Field)
	case p.Operation > 0:
		return fmt.Sprintf("operation %d", p.Operation)
	}
	return p.Field
}

// Err returns problems as an error, or nil.
func Err(problems []Problem) error {
	var list fault.List
	for i := range problems {
		p := &problems[i]
		list = append(list, &fault.Error{Code: p.Code, Place: p.Place(), Detail: p.Message, Hint: p.Hint})
	}
	return list.Err()
}

// CheckPath returns a problem if p is not the path of a file below a root. It checks the path
// lexically; callers that read files check links.
func CheckPath(p string) (Problem, bool) {
	var why string
	switch {
	case p == "":
		why = "is empty"
	case strings.ContainsFunc(p, unicode.IsControl):
		why = "contains control characters"
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, `\`):
		why = "is absolute"
	case len(p) > 1 && p[1] == ':':
		why = "begins with a drive"
	case strings.ContainsRune(p, '\\'):
		why = "contains a backslash"
	case slices.Contains(strings.Split(p, "/"), ".."):
		why = "contains .."
	case path.Clean(p) == "." || strings.HasSuffix(p, "/"):
		why = "names a directory"
	default:
		return Problem{}, true
	}
	return Problem{
		Code: PathUnsafe, Field: "target.path", Message: "the path " + fault.Shown(p) + " " + why,
		Hint: "use the path of a file below the root, with slashes",
	}, false
}
