package server

import "time"

// WaitAtItsEnd says how long a server waits for what is under way when it ends.
func (s *Server) WaitAtItsEnd(d time.Duration) { s.grace = d }
