package keeper

import (
	"testing"

	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) { journaltest.Frozen(t, harvest{}) }
