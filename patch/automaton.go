package patch

import "slices"

// automaton finds any number of words in one pass over a text, overlapping instances
// included (Aho and Corasick). Looking for each word by itself would take a pass for
// every operation of a patch, and looking again behind every instance would take for
// ever on a text of one letter.
type automaton struct {
	label   []byte
	child   []int32 // the first child of a node; 0: none
	sibling []int32
	fail    []int32 // the node of the longest proper suffix that is one
	out     []int32 // the nearest node at or behind fail that ends a word still wanted; 0: none
	word    []int32 // which word ends at a node, from 1; 0: none
	rows    [][256]int32
	visits  []int32
}

// denseNodes is how many nodes have all their children in a row: those near the
// root, where nearly all of a text is read. It bounds the memory of hostile words.
const denseNodes = 1024

// newAutomaton makes the automaton of words, which are not empty and all different.
func newAutomaton(words []string) *automaton {
	total := 1
	for _, w := range words {
		total += len(w)
	}
	a := &automaton{
		label: make([]byte, 1, total), child: make([]int32, 1, total), sibling: make([]int32, 1, total), word: make([]int32, 1, total),
	}
	for i, w := range words {
		node := int32(0)
		for j := range len(w) {
			node = a.grow(node, w[j])
		}
		a.word[node] = int32(i + 1)
	}
	a.link()
	return a
}

func (a *automaton) grow(node int32, c byte) int32 {
	if next := a.among(node, c); next != 0 {
		return next
	}
	next := int32(len(a.label))
	a.label = append(a.label, c)
	a.child = append(a.child, 0)
	a.sibling = append(a.sibling, a.child[node])
	a.word = append(a.word, 0)
	a.child[node] = next
	return next
}

// among finds a child in the list of them.
func (a *automaton) among(node int32, c byte) int32 {
	next := a.child[node]
	for next != 0 && a.label[next] != c {
		next = a.sibling[next]
	}
	return next
}

// link sets fail and out, node by node from the root.
func (a *automaton) link() {
	n := len(a.label)
	a.fail, a.out, a.visits = make([]int32, n), make([]int32, n), make([]int32, n)
	queue := append(make([]int32, 0, n), 0)
	for at := 0; at < len(queue); at++ {
		node := queue[at]
		for c := a.child[node]; c != 0; c = a.sibling[c] {
			if node != 0 {
				a.fail[c] = a.step(a.fail[node], a.label[c])
			}
			a.out[c] = a.out[a.fail[c]]
			if a.word[a.fail[c]] != 0 {
				a.out[c] = a.fail[c]
			}
			queue = append(queue, c)
		}
	}
	a.renumber(queue)
}

// renumber gives the nodes the numbers of their order, so that those near the root
// are the first, and lie together.
func (a *automaton) renumber(queue []int32) {
	number := make([]int32, len(queue))
	for i, node := range queue {
		number[node] = int32(i)
	}
	moved := func(list []int32, isNode bool) []int32 {
		to := make([]int32, len(list))
		for i, node := range queue {
			v := list[node]
			if isNode {
				v = number[v]
			}
			to[i] = v
		}
		return to
	}
	label := make([]byte, len(queue))
	for i, node := range queue {
		label[i] = a.label[node]
	}
	a.label = label
	a.child, a.sibling, a.fail, a.out = moved(a.child, true), moved(a.sibling, true), moved(a.fail, true), moved(a.out, true)
	a.word = moved(a.word, false)
	a.rows = make([][256]int32, min(len(queue), denseNodes))
	for node := range a.rows {
		if node > 0 {
			a.rows[node] = a.rows[a.fail[node]] // it is nearer to the root: its row is done
		}
		for c := a.child[node]; c != 0; c = a.sibling[c] {
			a.rows[node][a.label[c]] = c
		}
	}
}

// step reads one byte.
func (a *automaton) step(node int32, c byte) int32 {
	for {
		if int(node) < len(a.rows) {
			return a.rows[node][c]
		}
		if next := a.among(node, c); next != 0 || node == 0 {
			return next
		}
		node = a.fail[node]
	}
}

// scan reads the text and calls found for every instance of a word, in the order of
// their ends, until found says that it has seen enough of that word.
func (a *automaton) scan(text string, found func(word, end int) (enough bool)) {
	node := int32(0)
	for i := range len(text) {
		node = a.step(node, text[i])
		a.visits[node]++
		at := node
		if a.word[at] <= 0 {
			at = a.wanted(at)
		}
		for at != 0 {
			if found(int(a.word[at]-1), i+1) {
				a.word[at] = -a.word[at]
			}
			at = a.wanted(at)
		}
	}
}

// wanted gives the next word behind a node that is still wanted, and shortens the
// way to it for those who come later.
func (a *automaton) wanted(node int32) int32 {
	to := a.out[node]
	for to != 0 && a.word[to] < 0 {
		to = a.out[to]
	}
	for node != to {
		next := a.out[node]
		a.out[node] = to
		if next == to || next == 0 {
			break
		}
		node = next
	}
	return to
}

// counts gives how many instances of each of n words a scan went by.
func (a *automaton) counts(n int) []int {
	all := make([]int, n)
	for node := len(a.label) - 1; node > 0; node-- { // those nearer to the root come first
		a.visits[a.fail[node]] += a.visits[node]
		if w := max(a.word[node], -a.word[node]); w > 0 {
			all[w-1] = int(a.visits[node])
		}
	}
	return all
}

// listed is how many places of an ambiguous anchor a message names.
const listed = 10

// query is what is asked about one word of a text, and the answer.
type query struct {
	word      string
	instances []int // wanted starts, by instance
	ends      []int // wanted instances, by end

	count  int
	starts []int       // the first of them
	at     map[int]int // instance → start, for the instances asked for
	ranks  map[int]int // end → instance, for the ends asked for
}

// search is what is asked about one text: each word once.
type search struct {
	queries []*query
	byWord  map[string]*query
}

// ask returns the query about a word.
func (s *search) ask(word string) *query {
	q := s.byWord[word]
	if q == nil {
		q = &query{word: word, at: map[int]int{}, ranks: map[int]int{}}
		if s.byWord == nil {
			s.byWord = map[string]*query{}
		}
		s.byWord[word] = q
		s.queries = append(s.queries, q)
	}
	return q
}

// in answers all queries in one pass over the text.
func (s *search) in(text string) {
	var words []string
	var asked []*query
	for _, q := range s.queries {
		slices.Sort(q.instances)
		slices.Sort(q.ends)
		if len(q.word) <= len(text) {
			words, asked = append(words, q.word), append(asked, q)
		}
	}
	if len(words) == 0 {
		return
	}
	a := newAutomaton(words)
	a.scan(text, func(w, end int) bool { return asked[w].found(end) })
	for w, n := range a.counts(len(words)) {
		asked[w].count = n
	}
}

// found takes the next instance of the word, and reports whether it was the last one needed.
func (q *query) found(end int) bool {
	q.count++
	start := end - len(q.word)
	if len(q.starts) < listed {
		q.starts = append(q.starts, start)
	}
	for len(q.instances) > 0 && q.instances[0] <= q.count {
		if q.instances[0] == q.count {
			q.at[q.count] = start
		}
		q.instances = q.instances[1:]
	}
	for len(q.ends) > 0 && q.ends[0] <= end {
		if q.ends[0] == end {
			q.ranks[end] = q.count
		}
		q.ends = q.ends[1:]
	}
	return len(q.instances) == 0 && len(q.ends) == 0 && len(q.starts) == listed
}
