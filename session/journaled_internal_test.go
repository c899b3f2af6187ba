package session

import (
	"testing"

	"brenner/store/journal/journaltest"
)

// Reports stand in journals by their hashes, and the lines of an export in its checksum.
func TestStoredStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t, Report{}, exportHeader{}, exportBlob{}, exportEnd{})
}
