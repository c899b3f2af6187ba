package session

import "brenner/internal/text"

// ResolveCommand is the command that decides a conflict. The keys of maps are what
// agents wrote: where a place cannot be shown in a command to be copied, it is the
// one that lists the conflicts.
func ResolveCommand(thread, place string, rest ...string) string {
	const resolve = "brenner session resolve "
	if words, ok := text.ShellCommand(append([]string{thread, place}, rest...)...); ok {
		return resolve + words
	}
	return resolve + thread
}
