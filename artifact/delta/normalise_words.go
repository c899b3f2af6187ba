package delta

import (
	"strings"

	"brenner/artifact/delta/synonyms"
)

// The keys of a delta.
const (
	keyOperation = "operation"
	keySection   = "section"
	keyTarget    = "target_id"
	keyPayload   = "payload"
	keyRationale = "rationale"
	keyRef       = "ref"
	keyID        = "id"
	keyDeltaID   = "delta_id"
	keyTimestamp = "timestamp"
	keyAgent     = "agent"
)

// deltaKeys are the keys of a delta and their synonyms.
var deltaKeys = []synonyms.Set{
	{Word: keyOperation, Also: []string{"op", "action"}},
	{Word: keySection, Also: []string{"section_id", "target_section"}},
	{Word: keyTarget, Also: []string{"target", "item_id", "item"}},
	{Word: keyPayload, Also: []string{"data", "fields", "content"}},
	{Word: keyRationale, Also: []string{"reasoning", "justification"}},
	{Word: keyRef},
	{Word: keyID},
	{Word: keyDeltaID},
	{Word: keyTimestamp},
	{Word: keyAgent},
}

// topKeys are the words for the keys of a delta.
var topKeys = func() map[string]string {
	all := make(map[string]string)
	for _, key := range deltaKeys {
		for _, word := range append(key.Also, key.Word) {
			all[word] = key.Word
		}
	}
	return all
}()

// topKey returns the key of a delta that a name stands for, or "".
func topKey(name string) string { return topKeys[synonyms.PlainKey(name)] }

// isOperation reports whether a word is an operation, in any case.
func isOperation(word string) bool {
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case Add, Edit, Kill:
		return true
	}
	return false
}
