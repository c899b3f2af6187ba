package sqlite

// streams are the ids of streams that this connection has written to lately, by name. A
// transaction that was taken back may leave a wrong one here, and another process may have
// moved the stream on: whoever uses an id looks at the head as well.
type streams struct{ ids map[string]int64 }

func (s *streams) id(name string) int64 { return s.ids[name] }

func (s *streams) learn(name string, id int64) {
	if s.ids == nil || len(s.ids) >= mostKnown {
		s.ids = make(map[string]int64)
	}
	s.ids[name] = id
}
