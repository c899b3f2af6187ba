package server

import "time"

// SetGrace sets how long a server waits for requests in flight at shutdown.
func (s *Server) SetGrace(d time.Duration) { s.grace = d }
