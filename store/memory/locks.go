package memory

import "brenner/store"

// Hold takes a name, or says who has it. As nothing here outlives the process,
// neither do its locks.
func (s *Store) Hold(name string, who store.Holder) (release func() error, err error) {
	if err := store.CheckLockName(name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if has, ok := s.held[name]; ok {
		return nil, store.Taken(name, has)
	}
	s.held[name] = who
	released := false
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		// A second release must not end the lock of whoever came after.
		if !released {
			released = true
			delete(s.held, name)
		}
		return nil
	}, nil
}

// HolderOf says who holds a name now.
func (s *Store) HolderOf(name string) (store.Holder, bool, error) {
	if err := store.CheckLockName(name); err != nil {
		return store.Holder{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	who, ok := s.held[name]
	return who, ok, nil
}
