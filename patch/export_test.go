package patch

// Err returns the problems as an error.
func (r *Report) Err() error { return Err(r.Problems) }
