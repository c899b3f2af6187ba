package tape

// SetMaxKept sets the size limit of recorded bodies and returns a function that restores it.
func SetMaxKept(n int) (restore func()) {
	before := maxKept
	maxKept = n
	return func() { maxKept = before }
}
