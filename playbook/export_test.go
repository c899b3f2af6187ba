package playbook

import "brenner/store/journal"

// DecodePlain is the fast decoder of bodies.
func DecodePlain(data []byte) (b Body, ok bool) {
	ok = decodePlain(data, &b)
	return b, ok
}

// AppendJSON appends the JSON that a bullet's hash covers.
func (b *Bullet) AppendJSON(to []byte) []byte { return b.appendJSON(to) }

// Diff returns the parts of an entry that changes one bullet into another.
func Diff(before, after *Bullet) (was, is Part) {
	was, is, _ = diff(before, after)
	return was, is
}

// Fold returns the book of a journal. It does not check the hash chain; journal.Check does.
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
