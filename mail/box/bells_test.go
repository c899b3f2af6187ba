package box

import "testing"

// rang tells whether a bell was rung.
func rang(bell <-chan struct{}) bool {
	select {
	case <-bell:
		return true
	default:
		return false
	}
}

// Mail of another process is not overlooked because this one has sent something since:
// whoever it is for is woken by the next look at the file.
func TestAMessageOfOursHidesNoneOfTheirs(t *testing.T) {
	const ada, ben = 1, 2
	b := &bells{rung: make(map[int64]chan struct{}), halt: make(chan struct{}), known: 9} // nobody looks but this test
	bell, forget := b.listen(ben)
	defer forget()
	b.ring(11, []int64{ada}) // 10 is another process's, for Ben
	b.ringAll(11)
	if !rang(bell) {
		t.Fatal("nobody told Ben of message 10")
	}
	// What follows is all ours: only those it is for are woken.
	bell, forgetToo := b.listen(ben)
	defer forgetToo()
	b.ring(12, []int64{ada})
	b.ringAll(12)
	if rang(bell) {
		t.Error("Ben was woken for what was not his")
	}
	// A message that was sent before, by whomever, is no news.
	again := &sending{message: 13, again: true}
	again.ring(b)
	b.ringAll(13)
	if !rang(bell) {
		t.Error("nobody told Ben of message 13")
	}
}
