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
	return &fault.Error{Code: BadBullet, Op: "make a bullet", Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// CheckContent returns an error for a text that is not one line, or has more than longest
// characters; 0 means no limit. Bullets are quoted in prompts and line files, so they must not
// contain anything like a line end or a direction change.
func CheckContent(text string, longest int) error {
	switch {
	case !utf8.ValidString(text):
		return badBullet("give it in UTF-8", "the text is not UTF-8")
	case strings.TrimSpace(text) == "":
		return badBullet("say what was learned, in one line", "the text is blank")
	case strings.TrimSpace(text) != text:
		return badBullet("take the blanks at its ends away", "the text begins or ends with a blank")
	}
	for _, r := range text {
		if unfitForLine(r) {
			return badBullet("write it in one line, without characters that cannot be seen", "the text has the character %U", r)
		}
	}
	if n := utf8.RuneCountInString(text); longest > 0 && n > longest {
		return badBullet("say it shorter, or raise playbook.longest", "the text has %d characters; %d are possible", n, longest)
	}
	return nil
}

// unfitForLine reports whether r is a control character, a line end of any kind, or a mark that
// reorders or hides text.
func unfitForLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c'
}

const longestID = 64

// CheckID returns an error for an invalid id. Ids are written in brackets and cited in replies.
func CheckID(id string) error {
	if id == "" || len(id) > longestID || strings.ContainsFunc(id, unfitForID) {
		return badBullet(fmt.Sprintf("ids have 1 to %d letters, digits, dots, hyphens and underscores", longestID), "%s is no id", fault.Shown(id))
	}
	return nil
}

func unfitForID(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}

// CheckWord returns an error for an invalid domain, tag or actor.
func CheckWord(what, word string) error {
	if word == "" || !utf8.ValidString(word) || strings.TrimSpace(word) != word || utf8.RuneCountInString(word) > longestID ||
		strings.ContainsFunc(word, unfitForLine) {
		return badBullet(fmt.Sprintf("write it in one line, with at most %d characters", longestID), "%s is no %s", fault.Shown(word), what)
	}
	return nil
}

// Normalise removes what does not change the meaning of a text: case, variant encodings,
// blanks, and the final period.
func Normalise(text string) string {
	text = strings.ToLower(norm.NFKC.String(text))
	return strings.TrimRight(strings.Join(strings.Fields(text), " "), ".!;, ")
}
