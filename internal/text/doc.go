// Package text prepares text for people and agents: cleaned, shortened, counted, as a
// command to copy into a shell, or as the word a user most likely meant. It is pure and
// knows nothing of what the text is about.
package text
