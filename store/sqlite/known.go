package sqlite

// known are hashes of blobs that this connection has stored lately. Blobs are never
// changed nor taken away, so there is no need to write one again: the sessions of a loop
// have many in common. Only whoever has the turn to write touches it.
type known struct{ now, before map[string]bool }

// mostKnown bounds a generation: two of them take about a megabyte.
const mostKnown = 4096

func (k *known) has(hash string) bool {
	if k.before[hash] && !k.now[hash] {
		k.add(hash) // what is asked for again is kept longer
	}
	return k.now[hash]
}

func (k *known) add(hash string) {
	if k.now == nil || len(k.now) >= mostKnown {
		k.now, k.before = make(map[string]bool), k.now
	}
	k.now[hash] = true
}

// learn takes in what was committed.
func (k *known) learn(jobs []*Job[order]) {
	for _, j := range jobs {
		for _, hash := range j.Change.hashes {
			k.add(hash)
		}
	}
}
