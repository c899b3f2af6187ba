package session

import (
	"context"

	"brenner/artifact/delta"
	"brenner/session/flow"
)

// readings are what the reader made of answers of the open leg: they are looked at
// when they come, and again when the leg is settled.
type readings map[string]delta.Reply // by the hashes of the answer and of the examples

// read reads an answer to a kickoff, once.
func (s *run) read(ctx context.Context, k *flow.Kickoff, hash string, text []byte) (delta.Reply, error) {
	key := readingKey(k, hash)
	if reply, ok := s.readings[key]; ok {
		return reply, nil
	}
	known, err := s.common.examples(ctx, s.Store, k.Examples)
	if err != nil {
		return delta.Reply{}, err
	}
	reply := delta.Read(text, delta.Options{Known: known})
	if s.readings == nil {
		s.readings = make(readings)
	}
	s.readings[key] = reply
	return reply, nil
}

func readingKey(k *flow.Kickoff, hash string) string { return k.Examples + " " + hash }
