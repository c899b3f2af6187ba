package box

// Waiting tells how many wait for mail just now.
func (b *Box) Waiting() int {
	b.bells.mu.Lock()
	defer b.bells.mu.Unlock()
	return b.bells.waiting
}
