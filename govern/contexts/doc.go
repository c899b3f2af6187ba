// Package contexts decides which of a project's records an agent is given, and
// writes them under a hard bound of tokens. What is left out is named with the rule
// that left it out. The package is pure: it must not know how tokens are counted,
// where records are stored, or what becomes of the text.
package contexts
