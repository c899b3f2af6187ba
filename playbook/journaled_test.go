package playbook_test

import (
	"testing"

	"brenner/playbook"
	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) { journaltest.Frozen(t, playbook.Body{}) }
