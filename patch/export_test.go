package patch

// Err gives the problems as faults.
func (r *Report) Err() error { return Err(r.Problems) }
