package playbook_test

import (
	"testing"

	"brenner/journal/journaltest"
	"brenner/playbook"
)

func TestJournaledStructsAreFrozen(t *testing.T) { journaltest.Frozen(t, playbook.Body{}) }
