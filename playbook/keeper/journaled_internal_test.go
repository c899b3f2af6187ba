package keeper

import (
	"testing"

	"brenner/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) { journaltest.Frozen(t, harvest{}) }
