package playbook

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"brenner/internal/fault"
)

// BadBullet is the code of an invalid bullet.
const BadBullet fault.Code = "BAD_BULLET" // Invalid text, id, domain or other field of a bullet.

func badBullet(hint, format string, args ...any) error {
	return &fault.Error{Code: BadBullet, Op: "invalid bullet", Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// CheckContent returns an error for a text that is not one line, or has more than longest
// characters; 0 means no limit. Bullets are quoted in prompts and line files, so they must not
// contain anything like a line end or a direction change.
func CheckContent(text string, longest int) error {
	switch {
	case !utf8.ValidString(text):
		return badBullet("convert it to UTF-8", "the text is not valid UTF-8")
	case strings.TrimSpace(text) == "":
		return badBullet("write what was learned, in one line", "the text is blank")
	case strings.TrimSpace(text) != text:
		return badBullet("remove spaces at both ends", "the text begins or ends with a space")
	}
	for _, r := range text {
		if unfitForLine(r) {
			return badBullet("write one line without invisible characters", "the text contains %U", r)
		}
	}
	if n := utf8.RuneCountInString(text); longest > 0 && n > longest {
		return badBullet("shorten it, or raise playbook.longest", "the text has %d characters; the limit is %d", n, longest)
	}
	return nil
}

// unfitForLine reports whether r is a control character, a line end of any kind, or a mark that
// reorders or hides text.
func unfitForLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c'
}

const maxID = 64

// CheckID returns an error for an invalid id. Ids are written in brackets and cited in replies.
func CheckID(id string) error {
	if id == "" || len(id) > maxID || strings.ContainsFunc(id, unfitForID) {
		return badBullet(fmt.Sprintf("use 1 to %d letters, digits, dots, hyphens and underscores", maxID), "invalid id %s", fault.Shown(id))
	}
	return nil
}

func unfitForID(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}

// CheckWord returns an error for an invalid domain, tag or actor.
func CheckWord(what, word string) error {
	if word == "" || !utf8.ValidString(word) || strings.TrimSpace(word) != word || utf8.RuneCountInString(word) > maxID ||
		strings.ContainsFunc(word, unfitForLine) {
		return badBullet(fmt.Sprintf("use one line of at most %d characters", maxID), "invalid %s %s", what, fault.Shown(word))
	}
	return nil
}

// Normalise removes what does not change the meaning of a text: case, variant encodings,
// blanks, and the final period.
func Normalise(text string) string {
	text = strings.ToLower(norm.NFKC.String(text))
	return strings.TrimRight(strings.Join(strings.Fields(text), " "), ".!;, ")
}
