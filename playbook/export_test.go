package playbook

// DecodePlain is the quick reader of bodies.
func DecodePlain(data []byte) (b Body, ok bool) {
	ok = decodePlain(data, &b)
	return b, ok
}

// AppendJSON is what a bullet's hash covers.
func (b *Bullet) AppendJSON(to []byte) []byte { return b.appendJSON(to) }
