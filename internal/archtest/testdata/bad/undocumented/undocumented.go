//go:build !never

package undocumented // want doc

// A comment below is none.
const a = 1
