package session

import (
	"testing"

	"brenner/store/journal/journaltest"
)

// Journals contain hashes of reports, and an export a checksum of its lines.
func TestStoredStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t, Report{}, exportHeader{}, exportBlob{}, exportEnd{})
}
