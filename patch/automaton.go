package patch

import "slices"

// automaton finds any number of words in one pass over a text, overlapping instances included
// (Aho and Corasick). A search per word would take a pass for every operation of a patch, and
// quadratic time on repetitive texts.
type automaton struct {
	nodes []node
	rows  [][256]int32 // of the first nodes: transitions by byte
}

// node is a prefix of words. Nodes are identified by index; 0 is the root, or none.
type node struct {
	label          byte
	child, sibling int32 // the first child, and the next one of the same parent
	fail           int32 // node of the longest proper suffix that is a prefix
	out            int32 // nearest node at or after fail that ends a wanted word
	word           int32 // the word that ends here, from 1; negative if no longer wanted
	visits         int32
}

// denseNodes is the number of nodes with a transition row: those near the root, where nearly
// all of a text is read. It bounds the memory for hostile words.
const denseNodes = 1024

// newAutomaton returns the automaton of words, which must be non-empty and distinct.
func newAutomaton(words []string) *automaton {
	total := 1
	for _, w := range words {
		total += len(w)
	}
	a := &automaton{nodes: make([]node, 1, total)}
	for i, w := range words {
		at := int32(0)
		for j := range len(w) {
			at = a.addChild(at, w[j])
		}
		a.nodes[at].word = int32(i + 1)
	}
	a.renumber(a.link())
	return a
}

// addChild returns the child of a node for a byte, and adds it if it is new.
func (a *automaton) addChild(at int32, c byte) int32 {
	if next := a.childOf(at, c); next != 0 {
		return next
	}
	next := int32(len(a.nodes))
	a.nodes = append(a.nodes, node{label: c, sibling: a.nodes[at].child})
	a.nodes[at].child = next
	return next
}

func (a *automaton) childOf(at int32, c byte) int32 {
	next := a.nodes[at].child
	for next != 0 && a.nodes[next].label != c {
		next = a.nodes[next].sibling
	}
	return next
}

// link sets fail and out, and returns the nodes in breadth-first order.
func (a *automaton) link() []int32 {
	queue := append(make([]int32, 0, len(a.nodes)), 0)
	for at := 0; at < len(queue); at++ {
		parent := queue[at]
		for c := a.nodes[parent].child; c != 0; c = a.nodes[c].sibling {
			n := &a.nodes[c]
			if parent != 0 {
				n.fail = a.step(a.nodes[parent].fail, n.label)
			}
			n.out = a.nodes[n.fail].out
			if a.nodes[n.fail].word != 0 {
				n.out = n.fail
			}
			queue = append(queue, c)
		}
	}
	return queue
}

// renumber makes the nodes near the root adjacent and builds the rows of the first ones.
func (a *automaton) renumber(order []int32) {
	number := make([]int32, len(order))
	for i, at := range order {
		number[at] = int32(i)
	}
	sorted := make([]node, len(order))
	for i, at := range order {
		n := a.nodes[at]
		n.child, n.sibling, n.fail, n.out = number[n.child], number[n.sibling], number[n.fail], number[n.out]
		sorted[i] = n
	}
	a.nodes = sorted
	a.rows = make([][256]int32, min(len(order), denseNodes))
	for at := range a.rows {
		if at > 0 {
			a.rows[at] = a.rows[sorted[at].fail] // nearer to the root, so its row is complete
		}
		for c := sorted[at].child; c != 0; c = sorted[c].sibling {
			a.rows[at][sorted[c].label] = c
		}
	}
}

func (a *automaton) step(at int32, c byte) int32 {
	for {
		if int(at) < len(a.rows) {
			return a.rows[at][c]
		}
		if next := a.childOf(at, c); next != 0 || at == 0 {
			return next
		}
		at = a.nodes[at].fail
	}
}

// scan reads the text and calls found for every instance of a word, ordered by end, until found
// reports that it needs no more of that word.
func (a *automaton) scan(text string, found func(word, end int) (enough bool)) {
	here := int32(0)
	for i := range len(text) {
		here = a.step(here, text[i])
		a.nodes[here].visits++
		at := here
		if a.nodes[at].word <= 0 {
			at = a.nextWanted(at)
		}
		for at != 0 {
			if found(int(a.nodes[at].word-1), i+1) {
				a.nodes[at].word = -a.nodes[at].word
			}
			at = a.nextWanted(at)
		}
	}
}

// nextWanted returns the next node after one that ends a wanted word, and shortens the path to
// it for later calls.
func (a *automaton) nextWanted(at int32) int32 {
	to := a.nodes[at].out
	for to != 0 && a.nodes[to].word < 0 {
		to = a.nodes[to].out
	}
	for at != to {
		next := a.nodes[at].out
		a.nodes[at].out = to
		if next == to || next == 0 {
			break
		}
		at = next
	}
	return to
}

// counts returns the number of instances of each of the n words.
func (a *automaton) counts(n int) []int {
	all := make([]int, n)
	for i := len(a.nodes) - 1; i > 0; i-- { // nodes nearer to the root come first
		at := &a.nodes[i]
		a.nodes[at.fail].visits += at.visits
		if w := max(at.word, -at.word); w > 0 {
			all[w-1] = int(at.visits)
		}
	}
	return all
}

const maxListed = 10

// query is a search for one word of a text, with its result.
type query struct {
	word      string
	instances []int // numbers of the instances whose start is wanted
	ends      []int // ends of the instances whose number is wanted

	count  int
	starts []int       // of the first instances
	at     map[int]int // instance → start, for the wanted instances
	ranks  map[int]int // end → instance, for the wanted ends
}

// search holds the queries about one text, one per word.
type search struct {
	queries []*query
	byWord  map[string]*query
}

// queryFor returns the query for a word, and adds it if it is new.
func (s *search) queryFor(word string) *query {
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

// run answers all queries in one pass over the text.
func (s *search) run(text string) {
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
	a.scan(text, func(w, end int) bool { return asked[w].record(end) })
	for w, n := range a.counts(len(words)) {
		asked[w].count = n
	}
}

// record records the next instance of the word and reports whether it was the last one needed.
func (q *query) record(end int) bool {
	q.count++
	start := end - len(q.word)
	if len(q.starts) < maxListed {
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
	return len(q.instances) == 0 && len(q.ends) == 0 && len(q.starts) == maxListed
}
