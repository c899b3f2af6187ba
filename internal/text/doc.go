// Package text prepares text for people and agents: it cleans, shortens and counts, quotes for a
// shell, and finds similar words. It is pure and knows nothing about the content.
package text
