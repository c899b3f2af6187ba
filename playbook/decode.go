package playbook

import (
	"bytes"
	"strconv"
)

// Nearly all entries of a long journal raise a counter, and all of them have one form,
// byte by byte. Such a body is read by comparing it with that form, which takes a fifth
// of the time of a JSON reader; whatever looks different in any way is left to that.

// decodePlain reads the body of an entry whose parts have counters, a stage and the
// like only. It is false where it cannot tell, and then has read nothing.
func decodePlain(data []byte) (Body, bool) {
	s := plain{rest: data}
	var b Body
	s.text(`{"actor":`, &b.Actor)
	s.part(`,"after":{`, &b.After)
	s.text(`,"after_hash":`, &b.AfterHash)
	s.part(`,"before":{`, &b.Before)
	s.text(`,"before_hash":`, &b.BeforeHash)
	s.text(`,"bullet":`, &b.Bullet)
	s.word(`,"cosine":`)
	b.Cosine = s.number()
	s.text(`,"insight":`, &b.Insight)
	s.text(`,"reason":`, &b.Reason)
	s.text(`,"session":`, &b.Session)
	s.word(`}`)
	if s.other || len(s.rest) > 0 {
		return Body{}, false
	}
	return b, true
}

// plain reads what has one form only.
type plain struct {
	rest  []byte
	other bool // the form is another one
}

// word passes over what has to stand here.
func (s *plain) word(want string) {
	if s.other || !s.begins(want) {
		s.other = true
		return
	}
	s.rest = s.rest[len(want):]
}

func (s *plain) begins(want string) bool {
	return len(s.rest) >= len(want) && string(s.rest[:len(want)]) == want
}

// text reads a key and a text that has no escapes and no character beyond ASCII.
func (s *plain) text(key string, to *string) {
	s.word(key)
	s.word(`"`)
	if s.other {
		return
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 {
		s.other = true
		return
	}
	for _, c := range s.rest[:end] {
		if c == '\\' || c < ' ' || c >= 0x80 {
			s.other = true
			return
		}
	}
	*to = string(s.rest[:end])
	s.rest = s.rest[end+1:]
}

// number reads a number in its one form.
func (s *plain) number() float64 {
	end := 0
	for end < len(s.rest) && (s.rest[end] >= '0' && s.rest[end] <= '9' || s.rest[end] == '.') {
		end++
	}
	if s.other || end == 0 || end > 15 {
		s.other = true
		return 0
	}
	if end == 1 {
		n := float64(s.rest[0] - '0')
		s.other = s.rest[0] == '.'
		s.rest = s.rest[1:]
		return n
	}
	n, err := strconv.ParseFloat(string(s.rest[:end]), 64)
	s.other = err != nil || strconv.FormatFloat(n, 'f', -1, 64) != string(s.rest[:end])
	s.rest = s.rest[end:]
	return n
}

// part reads a key and those fields of a bullet that counting and staging change.
func (s *plain) part(key string, p *Part) {
	s.word(key)
	first := true
	has := func(name string) bool {
		if s.other {
			return false
		}
		if !first && !s.begins(",") {
			return false
		}
		at := s.rest
		if !first {
			at = at[1:]
		}
		if len(at) < len(name) || string(at[:len(name)]) != name {
			return false
		}
		s.rest, first = at[len(name):], false
		return true
	}
	count := func(name string, to **int) {
		if has(name) {
			n := s.number()
			whole := int(n)
			s.other = s.other || float64(whole) != n
			*to = &whole
		}
	}
	if has(`"confidence":`) {
		n := s.number()
		p.Confidence = &n
	}
	count(`"harmful_count":`, &p.Harmful)
	count(`"helpful_count":`, &p.Helpful)
	if has(`"last_seen_at":`) {
		p.LastSeen = new(string)
		s.text("", p.LastSeen)
	}
	count(`"neutral_count":`, &p.Neutral)
	if has(`"review":`) {
		p.Review = new(string)
		s.text("", p.Review)
	}
	if has(`"stage":`) {
		var stage string
		s.text("", &stage)
		p.Stage = (*Stage)(&stage)
	}
	s.word(`}`)
}
