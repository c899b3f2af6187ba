package tape

// MostKept changes how much of an exchange is kept, and gives what ends that.
func MostKept(n int) (end func()) {
	before := mostKept
	mostKept = n
	return func() { mostKept = before }
}
