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
	total, news := r.known(text)
	for _, line := range news {
		total += r.learn(line)
	}
	return total
}

// known counts the lines that are remembered, and gives the others.
func (r *Remembering) known(text string) (total int, news []string) {
	r.mu.RLock() // once for all of them: a lock for each would cost more than the look
	defer r.mu.RUnlock()
	for text != "" {
		n := cut(text)
		if tokens, ok := r.lines[text[:n]]; ok {
			total += tokens
		} else {
			news = append(news, text[:n])
		}
		text = text[n:]
	}
	return total, news
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

// learn counts a line, and remembers it.
func (r *Remembering) learn(line string) int {
	n := r.counter.Count(line)
	if len(line) > longestLine {
		return n
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) >= mostLines { // what is always the same is soon there again
		clear(r.lines)
	}
	r.lines[strings.Clone(line)] = n // not a part of a text that would be kept for it
	return n
}
