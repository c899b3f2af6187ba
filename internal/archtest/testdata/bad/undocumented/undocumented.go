//go:build !never

package undocumented // want doc

// This is not a package comment.
const a = 1
