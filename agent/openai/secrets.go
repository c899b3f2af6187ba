package openai

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const hidden = "[secret]"

// Shorter values are no secrets but words that local servers want as a key; to
// hide them would make messages unreadable. In answers only what cannot be a word
// is hidden: an answer is verbatim, and "lm-studio" may well stand in one.
const (
	shortestInErrors  = 4
	shortestInAnswers = 16
)

// secrets keeps the key, and what else was given to be sent in headers, out of
// everything that comes back: some endpoints repeat the key that they refuse.
type secrets struct {
	all     []string
	errors  *strings.Replacer
	answers *strings.Replacer
}

func secretsOf(o Options) secrets {
	given := []string{o.Key}
	for _, value := range o.Headers {
		given = append(given, value)
		if _, token, ok := strings.Cut(value, " "); ok { // "Bearer …"
			given = append(given, token)
		}
	}
	return secrets{
		all:     spellings(given, shortestInErrors),
		errors:  hiding(spellings(given, shortestInErrors)),
		answers: hiding(spellings(given, shortestInAnswers)),
	}
}

// spellings gives the ways in which a secret may be written, the longest first, so
// that no part of one is left over when a shorter one was found in it.
func spellings(given []string, shortest int) []string {
	var all []string
	for _, s := range given {
		if len(s) < shortest {
			continue
		}
		quoted := strconv.Quote(s)
		all = append(all, s, quoted[1:len(quoted)-1], url.QueryEscape(s), url.PathEscape(s))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

func hiding(all []string) *strings.Replacer {
	pairs := make([]string, 0, 2*len(all))
	for _, s := range all {
		pairs = append(pairs, s, hidden)
	}
	return strings.NewReplacer(pairs...)
}

func (s *secrets) text(t string) string   { return s.errors.Replace(t) }
func (s *secrets) answer(t string) string { return s.answers.Replace(t) }

// longest is how much of a text that was cut off may be the beginning of a secret.
func (s *secrets) longest() int {
	if len(s.all) == 0 {
		return 0
	}
	return len(s.all[0])
}

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
