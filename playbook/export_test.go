package playbook

import "brenner/store/journal"

// DecodePlain is the quick reader of bodies.
func DecodePlain(data []byte) (b Body, ok bool) {
	ok = decodePlain(data, &b)
	return b, ok
}

// AppendJSON is what a bullet's hash covers.
func (b *Bullet) AppendJSON(to []byte) []byte { return b.appendJSON(to) }

// Diff gives what an entry holds that makes one bullet of another.
func Diff(before, after *Bullet) (was, is Part) {
	was, is, _ = diff(before, after)
	return was, is
}

// Fold gives the book that a journal stands for. It does not follow the chain:
// journal.Check does.
func Fold(entries []journal.Entry) (*Book, error) {
	b := &Book{}
	for i := range entries {
		e, err := Read(&entries[i])
		if err == nil {
			err = b.Apply(&e)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}
