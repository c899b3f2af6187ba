package synonyms

import (
	"slices"
	"strings"
	"unicode"
)

// ownKeys are the words of keys under which agents write their own changes.
var ownKeys = strings.Fields("delta deltas change changes operation operations op ops edit edits add adds added kill kills killed addition additions removal removals remove action actions update updates patch patches modification modifications " +
	"proposal proposals proposed suggested suggestion suggestions my own our new final submitted submission all list items item artifact session research project payload payloads response responses result results output outputs answer answers reply data " +
	"contribution contributions content contents message body record records parameters arguments input inputs args function functions call calls tool block blocks json object objects value values params properties commands command " +
	"the of to for round this structured")

// IsOwnKey reports whether a key says that what it holds are the changes of an author, who may be unknown (""): all of its words
// do, or it names a section or the author.
func IsOwnKey(name, author string) bool {
	if _, isSection := Section(name); isSection || author != "" && strings.EqualFold(name, author) {
		return true
	}
	for word := range strings.FieldsFuncSeq(PlainKey(name), func(c rune) bool { return c == '_' || unicode.IsDigit(c) }) {
		if _, isSection := Section(word); !isSection && !slices.Contains(ownKeys, word) {
			return false
		}
	}
	return true
}

// keys are the keys of a delta.
var keys = []Set{
	{"operation", []string{"op", "action"}},
	{"section", []string{"section_id", "target_section"}},
	{"target_id", []string{"target", "item_id", "item"}},
	{"payload", []string{"data", "fields", "content"}},
	{"rationale", []string{"reasoning", "justification"}},
	{Word: "ref"},
	{Word: "id"},
	{Word: "delta_id"},
	{Word: "timestamp"},
	{Word: "agent"},
}

// keyWords are the words for the keys of a delta.
var keyWords = func() map[string]string {
	all := make(map[string]string)
	for _, key := range keys {
		for _, word := range append(key.Also, key.Word) {
			all[word] = key.Word
		}
	}
	return all
}()

// Key returns the key of a delta that a name stands for, or "".
func Key(name string) string { return keyWords[PlainKey(name)] }

// IsKey reports whether a name is a key of a delta as the format writes it.
func IsKey(name string) bool { return Meaning(keys, name) == name }
