package project

// release is the version of the program; a release build sets it.
var release = "0.1.0-dev"

// Release returns the version of the program.
func Release() string { return release }
