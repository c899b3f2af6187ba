package openai

import (
	"errors"
	"slices"
	"strings"

	"brenner/internal/modelhttp"
	"brenner/internal/secret"
)

// In answers only what cannot be a word is hidden: an answer is verbatim, and
// "lm-studio" may well stand in one.
const shortestInAnswers = 16

// secrets keeps the key, and what else was given to be sent in headers that look
// secret, out of everything that comes back: some endpoints repeat the key that
// they refuse.
type secrets struct {
	modelhttp.Secrets // out of what endpoints say of their "no"
	answers           secret.Finder
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
	return secrets{Secrets: modelhttp.NewSecrets(given...), answers: secret.New(given, shortestInAnswers)}
}

func (s *secrets) answer(t string) string { return modelhttp.Hide(s.answers, t) }

// cause gives an error that can be shown. Where a secret is anywhere in its chain,
// only the text of it is left, without the secret: whoever unwraps it finds
// nothing.
func (s *secrets) cause(err error) error {
	if err == nil || !s.inside(err) {
		return err
	}
	return errors.New(s.Text(err.Error()))
}

func (s *secrets) inside(err error) bool {
	if text := err.Error(); s.Text(text) != text {
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
