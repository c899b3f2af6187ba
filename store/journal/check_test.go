package journal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/store/journal"
)

const stream = "session/RS-20260101-cells"

// anyChain draws a chain of at least minimum entries.
func anyChain(t *rapid.T, minimum int) []journal.Entry {
	var entries []journal.Entry
	for range rapid.IntRange(minimum, 8).Draw(t, "length") {
		e, err := journal.HeadOf(entries).Next(stream, anyInstant(t), rapid.String().Draw(t, "kind"), anyBody(t))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

func anyInstant(t *rapid.T) time.Time {
	zone := time.FixedZone("", rapid.IntRange(-12, 12).Draw(t, "hours")*3600)
	return time.Unix(rapid.Int64Range(0, 1<<37).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).In(zone)
}

func anyBody(t *rapid.T) []byte {
	return fmt.Appendf(nil, ` { "n" : %d , "a" : %q } `, rapid.Int32().Draw(t, "n"), rapid.StringMatching(`[ -~é]*`).Draw(t, "text"))
}

func TestCheckAcceptsIntactChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := anyChain(t, 0)
		if err := journal.Check(stream, journal.Head{}, entries); err != nil {
			t.Error(err)
		}
		i := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		if err := journal.Check(stream, journal.HeadOf(entries[:i]), entries[i:]); err != nil {
			t.Error(err)
		}
	})
}

// Every change of a chain is detected, and the error names the first entry that differs.
func TestCheckNamesTheFirstChangedEntry(t *testing.T) {
	changes := map[string]func(*rapid.T, []journal.Entry) []journal.Entry{
		"edited":     edited,
		"dropped":    dropped,
		"swapped":    swapped,
		"duplicated": duplicated,
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				entries := anyChain(t, 2)
				changed := change(t, slices.Clone(entries))
				first := 0
				for first < len(entries) && same(entries[first], changed[first]) {
					first++
				}
				err := journal.Check(stream, journal.Head{}, changed)
				if fault.CodeOf(err) != journal.BrokenChain || !strings.Contains(err.Error(), fmt.Sprintf("%s, entry %d (", stream, first+1)) {
					t.Errorf("not found at %d: %v", first+1, err)
				}
			})
		})
	}
}

func same(a, b journal.Entry) bool { return string(a.JSON()) == string(b.JSON()) }

func edited(t *rapid.T, entries []journal.Entry) []journal.Entry {
	i := rapid.IntRange(0, len(entries)-1).Draw(t, "i")
	e := &entries[i]
	switch rapid.IntRange(0, 6).Draw(t, "field") {
	case 0:
		e.Stream += "x"
	case 1:
		e.Seq += rapid.SampledFrom([]int{-1, 1, 100}).Draw(t, "by")
	case 2:
		e.At = e.At.Add(time.Duration(rapid.IntRange(1, 1<<40).Draw(t, "by")))
	case 3:
		e.Kind += rapid.SampledFrom([]string{"x", "\xff", "\x00", `"`}).Draw(t, "end")
	case 4:
		e.Body = []byte(rapid.SampledFrom([]string{`{}`, ``, `{"n":1}`, `3`, string(e.Body) + " ", `{"a":1},"kind":"x"`}).Draw(t, "body"))
	case 5:
		e.Prev += "0"
	case 6:
		e.Hash = strings.ToUpper(e.Hash) + "0"
	}
	return entries
}

// dropped never removes the last entry: only a saved head reveals that.
func dropped(t *rapid.T, entries []journal.Entry) []journal.Entry {
	i := rapid.IntRange(0, len(entries)-2).Draw(t, "i")
	return slices.Delete(entries, i, i+1)
}

func swapped(t *rapid.T, entries []journal.Entry) []journal.Entry {
	j := rapid.IntRange(1, len(entries)-1).Draw(t, "j")
	i := rapid.IntRange(0, j-1).Draw(t, "i")
	entries[i], entries[j] = entries[j], entries[i]
	return entries
}

func duplicated(t *rapid.T, entries []journal.Entry) []journal.Entry {
	i := rapid.IntRange(0, len(entries)-1).Draw(t, "i")
	j := rapid.IntRange(0, len(entries)).Draw(t, "j")
	return slices.Insert(entries, j, entries[i])
}

// An inserted entry with correct hashes follows the previous one, but the next one does not
// follow it.
func TestInsertedEntryBreaksTheNextOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := anyChain(t, 1)
		i := rapid.IntRange(0, len(entries)-1).Draw(t, "i")
		forged, err := journal.HeadOf(entries[:i]).Next(stream, anyInstant(t), "forged", []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		err = journal.Check(stream, journal.Head{}, slices.Insert(slices.Clone(entries), i, forged))
		if fault.CodeOf(err) != journal.BrokenChain || !strings.Contains(err.Error(), fmt.Sprintf("entry %d (", i+2)) {
			t.Errorf("not found at %d: %v", i+2, err)
		}
	})
}

func TestCheckHeadDetectsACutTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := anyChain(t, 1)
		head := journal.HeadOf(entries).Hash
		for i := range entries {
			if err := journal.CheckHead(entries, entries[i].Hash); err != nil {
				t.Error(err)
			}
			err := journal.CheckHead(entries[:i], head)
			if fault.CodeOf(err) != journal.WrongHead || fault.HintOf(err) == "" {
				t.Errorf("%d of %d entries: %v", i, len(entries), err)
			}
		}
		if err := journal.CheckHead(entries, strings.ToUpper(head)); err != nil {
			t.Error(err)
		}
		if err := journal.CheckHead(entries, ""); fault.CodeOf(err) != journal.WrongHead {
			t.Errorf("empty hash: %v", err)
		}
	})
}
