package tape

// MostKept sets the limit of a body, and returns a function that restores it.
func MostKept(n int) (restore func()) {
	before := mostKept
	mostKept = n
	return func() { mostKept = before }
}
