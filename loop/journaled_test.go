package loop_test

import (
	"testing"

	"brenner/loop"
	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t,
		loop.Opened{}, loop.Resumed{}, loop.Left{}, loop.Ended{}, loop.Added{}, loop.Paused{}, loop.Stopping{}, loop.RoundOpened{}, loop.Began{}, loop.Settled{}, loop.Reported{}, loop.Reached{},
	)
}
