package tokens

import (
	"strings"
	"sync"
	"unicode"
)

// Remembering is a Counter for who counts texts of which most lines are the same
// each time, as the messages of many sessions are: it counts a line once. Its
// counts are those of the Counter. The zero value does not work: see Remember.
type Remembering struct {
	counter *Counter
	mu      sync.RWMutex
	lines   map[string]int
}

// What is remembered is bounded: so many lines, none longer than that.
const (
	mostLines   = 1 << 13
	longestLine = 1 << 11
)

// Remember makes a Remembering of a Counter.
func Remember(c *Counter) *Remembering {
	return &Remembering{counter: c, lines: make(map[string]int)}
}

// Count gives the number of tokens in a text.
func (r *Remembering) Count(text string) int {
	total := 0
	for text != "" {
		n := cut(text)
		total += r.line(text[:n])
		text = text[n:]
	}
	return total
}

// cut gives the end of the first lines of a text that can be counted by themselves.
// The encoding never joins what stands before a line end with what stands after it,
// but for white space (a blank line belongs to the line end before it) and slashes.
func cut(text string) int {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
		next, _, _ := strings.Cut(text[at:], "\n")
		if next != "" && next[0] != '/' && strings.ContainsFunc(next, isInk) {
			return at
		}
	}
}

func isInk(r rune) bool { return !unicode.IsSpace(r) }

func (r *Remembering) line(line string) int {
	if len(line) > longestLine {
		return r.counter.Count(line)
	}
	r.mu.RLock()
	n, known := r.lines[line]
	r.mu.RUnlock()
	if known {
		return n
	}
	n = r.counter.Count(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) >= mostLines { // what is always the same is soon there again
		clear(r.lines)
	}
	r.lines[strings.Clone(line)] = n // not a part of a text that would be kept for it
	return n
}
