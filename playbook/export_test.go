package playbook

// DecodePlain is the quick reader of bodies.
func DecodePlain(data []byte) (Body, bool) { return decodePlain(data) }

// AppendJSON is what a bullet's hash covers.
func (b *Bullet) AppendJSON(to []byte) []byte { return b.appendJSON(to) }
