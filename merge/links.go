package merge

import "crypto/sha256"

// links lead back to earlier entries of the batch. A pass shortens them as it
// goes, past those that turned out to claim nothing.
type links struct {
	sameID entry // the last one before it with the same id
	echoes entry // the last one before it with the same content
}

// link finds, for the entries that may repeat something, those before them with
// the same id or the same content. A second pass starts from here again.
func (d *docket) link() {
	byID := make(map[string]entry, len(d.repeated))
	byContent := make(map[[sha256.Size]byte]entry, len(d.repeated))
	all := make([]links, len(d.repeated))
	for i, at := range d.repeated {
		e := d.entry(int(at))
		e.needs().links = &all[i]
		all[i] = links{sameID: byID[e.stamp().Delta], echoes: byContent[e.stamp().Hash]}
		byID[e.stamp().Delta], byContent[e.stamp().Hash] = e, e
	}
}

// shorten goes past entries that claim nothing: nobody behind need look at them
// again.
func (l *links) shorten() {
	for !l.sameID.none() && !l.sameID.claimed {
		l.sameID = l.sameID.links().sameID
	}
	for !l.echoes.none() && !l.echoes.claimed {
		l.echoes = l.echoes.links().echoes
	}
}

// waitFor gives the ADD that an earlier delta with the same id or the same
// content waits for.
func (l *links) waitFor() entry {
	for _, other := range [...]entry{l.sameID, l.echoes} {
		if !other.none() && !other.judged && !other.waitsFor().none() {
			return other.waitsFor()
		}
	}
	return entry{}
}
