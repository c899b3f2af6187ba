package box

import "testing"

// woken reports whether a channel was closed.
func woken(wake <-chan struct{}) bool {
	select {
	case <-wake:
		return true
	default:
		return false
	}
}

// Mail of another process is not missed because this one has sent something since: the
// next poll wakes its recipient.
func TestOwnMailDoesNotHideOthers(t *testing.T) {
	const ada, ben = 1, 2
	b := &notifier{waiters: make(map[int64]chan struct{}), halt: make(chan struct{}), known: 9} // polled only by this test
	wake, forget := b.subscribe(ben)
	defer forget()
	b.wakeAgents(11, []int64{ada}) // 10 is another process's, for Ben
	b.wakeAll(11)
	if !woken(wake) {
		t.Fatal("Ben was not woken for message 10")
	}
	// From here on all mail is ours: only its recipients are woken.
	wake, forgetToo := b.subscribe(ben)
	defer forgetToo()
	b.wakeAgents(12, []int64{ada})
	b.wakeAll(12)
	if woken(wake) {
		t.Error("Ben was woken for mail to another agent")
	}
	// A message that was sent before wakes no recipients by itself.
	again := &sending{message: 13, again: true}
	again.wakeAgents(b)
	b.wakeAll(13)
	if !woken(wake) {
		t.Error("Ben was not woken for message 13")
	}
}
