package openai

import (
	"errors"
	"slices"
	"strings"

	"brenner/secret"
)

const hidden = "[secret]"

// Shorter values are no secrets but words that local servers want as a key; to
// hide them would make messages unreadable. In answers only what cannot be a word
// is hidden: an answer is verbatim, and "lm-studio" may well stand in one.
const (
	shortestInErrors  = 4
	shortestInAnswers = 16
)

// secrets keeps the key, and what else was given to be sent in headers that look
// secret, out of everything that comes back: some endpoints repeat the key that
// they refuse.
type secrets struct {
	errors  secret.Finder
	answers secret.Finder
	longest int // how much of a text that was cut off may be the beginning of a secret
}

func secretsOf(o Options) secrets {
	given := []string{o.Key}
	for name, value := range o.Headers {
		if !secret.Header(name) {
			continue // its value may be a word that every answer has
		}
		given = append(given, value)
		if _, token, ok := strings.Cut(value, " "); ok { // "Bearer …"
			given = append(given, token)
		}
	}
	s := secrets{errors: secret.New(given, shortestInErrors), answers: secret.New(given, shortestInAnswers)}
	for _, g := range given {
		s.longest = max(s.longest, secret.MostPerLetter*len(g))
	}
	return s
}

func (s *secrets) text(t string) string   { return s.errors.Replace(t, inPlace) }
func (s *secrets) answer(t string) string { return s.answers.Replace(t, inPlace) }

func inPlace(int) string { return hidden }

// whole gives the beginning of what was cut off, without what may be the beginning
// of a secret.
func (s *secrets) whole(cut []byte) []byte { return cut[:len(cut)-min(len(cut), s.longest)] }

// cause gives an error that can be shown. Where a secret is anywhere in its chain,
// only the text of it is left, without the secret: whoever unwraps it finds
// nothing.
func (s *secrets) cause(err error) error {
	if err == nil || !s.inside(err) {
		return err
	}
	return errors.New(s.text(err.Error()))
}

func (s *secrets) inside(err error) bool {
	if text := err.Error(); s.text(text) != text {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // every step of the chain is looked at by itself
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && s.inside(inner)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), s.inside)
	}
	return false
}
