package flow

import "brenner/journal"

// Body reads the body of an entry, strictly.
func Body[T any](e *journal.Entry) (T, error) { return decode[T](e) }
