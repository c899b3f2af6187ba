package program

import (
	"net/url"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/secret"
	"brenner/internal/text"
)

const hidden = "[secret]"

// Shorter values are no secrets but words; to hide them would make messages
// unreadable. In answers only what cannot be a word is hidden: an answer is
// verbatim.
const (
	shortestInErrors  = 4
	shortestInAnswers = 16
)

const (
	longestMessage = 300      // characters of a program's words in a message
	longestPartial = 64 << 10 // bytes of what it wrote that are kept as evidence
)

// secrets keeps the key, and what else a program was trusted with, out of what
// comes back.
type secrets struct {
	errors  secret.Finder
	answers secret.Finder
}

func secretsOf(p *Program) secrets {
	_, key := p.key()
	given := []string{key}
	for _, name := range p.Pass {
		given = append(given, p.lookup(name))
	}
	for _, name := range passed() {
		if u, err := url.Parse(p.lookup(name)); err == nil && u.User != nil {
			password, _ := u.User.Password()
			given = append(given, password)
		}
	}
	return secrets{errors: secret.New(given, shortestInErrors), answers: secret.New(given, shortestInAnswers)}
}

func inPlace(int) string { return hidden }

func (s *secrets) answer(t string) string { return s.answers.Replace(t, inPlace) }

// shown gives a program's words for a message of ours: one line, and not long.
// They are cleaned first: nothing may hide in the middle of a secret.
func (s *secrets) shown(words string) string {
	return text.Clip(s.errors.Replace(strings.Join(strings.Fields(cleaned(words)), " "), inPlace), longestMessage)
}

// evidence gives the end of a program's words, to be kept.
func (s *secrets) evidence(text string) string {
	text = s.errors.Replace(cleaned(text), inPlace)
	if len(text) > longestPartial {
		text = strings.ToValidUTF8(text[len(text)-longestPartial:], "")
	}
	return text
}

// file hides the secrets in a file that stays.
func (s *secrets) file(path string) {
	data, err := os.ReadFile(path)
	if err != nil || !s.answers.In(string(data)) {
		return
	}
	// In one step: half a file beside the status of a run would be half an answer.
	fresh := path + ".masked"
	if os.WriteFile(fresh, []byte(s.answers.Replace(string(data), inPlace)), 0o600) != nil || os.Rename(fresh, path) != nil {
		_ = os.Remove(path) // rather no evidence than a key
	}
}

// tail gives the end of what may be very long.
func tail(data []byte) []byte { return data[max(0, len(data)-longestPartial):] }

// cleaned takes out what deceives a terminal: escape sequences and control
// characters.
func cleaned(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\x1b':
			n = escape(text[i:])
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// escape gives the length of an escape sequence: ESC [ … letter, ESC ] … BEL, or
// ESC and one character.
func escape(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			if text[i] >= '@' && text[i] <= '~' {
				return i + 1
			}
		}
		return len(text)
	case ']':
		if i := strings.IndexByte(text, '\a'); i >= 0 {
			return i + 1
		}
		return 2
	}
	_, n := utf8.DecodeRuneInString(text[1:])
	return 1 + n
}
