package program

// Release releases a scratch directory's lock, as the system does if its process is killed.
func (s *Scratch) Release() { s.lock.Release() }
