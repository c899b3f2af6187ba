// Package check tests the files of deploy/: they are read strictly, with the types of the programs that read them, and
// compared with each other and with the program that they start. It is a module of its own, so that brenner does not
// depend on those types.
package check
