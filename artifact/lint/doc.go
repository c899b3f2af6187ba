// Package lint judges a research artifact by a table of small rules. Each finding
// says which rule, how grave, about what, on which line of the rendered file, and
// what to write to be rid of it.
//
// An id is a severity letter (E, W, I), a section letter and a number; errors make
// the artifact invalid. Three habits hold for all rules. Counts and rules about
// content look at active items only; ids count for ever. A field in CONFLICT is
// present but undecided: it is reported once, as ES-005, and by no other rule. One
// cause gives one finding: nothing is said about the content of a section that is
// missing or empty, only that it is.
//
// The package is pure. It judges what an artifact says and never whether that is
// true; it knows nothing of merging, of agents or of how a finding is printed. The
// same artifact gives the same findings from its JSON and from its Markdown.
package lint
