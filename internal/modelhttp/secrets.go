package modelhttp

import (
	"brenner/internal/secret"
	"brenner/internal/text"
)

const (
	hidden = "[secret]"

	longestMessage = 300 // characters of what an endpoint says that are shown

	// Shorter values are no secrets but words that local servers want as a key; to
	// hide them would make messages unreadable.
	shortestSecret = 4
)

// Secrets keeps what was given to be sent out of what is shown: some endpoints repeat
// the key that they refuse. The zero value hides nothing.
type Secrets struct {
	find    secret.Finder
	longest int // how much of a text that was cut off may be the beginning of a secret
}

// NewSecrets hides these.
func NewSecrets(given ...string) Secrets {
	s := Secrets{find: secret.New(given, shortestSecret)}
	for _, g := range given {
		s.longest = max(s.longest, secret.MostPerLetter*len(g))
	}
	return s
}

// Hide gives a text with something else for secrets.
func Hide(find secret.Finder, text string) string {
	return find.Replace(text, func(int) string { return hidden })
}

// Text gives a text without secrets.
func (s *Secrets) Text(t string) string { return Hide(s.find, t) }

// Shown gives what an endpoint said, for a message of ours.
func (s *Secrets) Shown(message string) string {
	return text.Clip(s.Text(message), longestMessage)
}

// whole gives the beginning of what was cut off, without what may be the beginning
// of a secret.
func (s *Secrets) whole(cut []byte) []byte { return cut[:len(cut)-min(len(cut), s.longest)] }
