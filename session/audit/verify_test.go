package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

func verifies(t *testing.T, data []byte, head string) bool {
	t.Helper()
	checked, _, err := audit.VerifyExport(context.Background(), memory.New(), data, head)
	return err == nil && len(checked.Faults) == 0
}

// samplePositions gives the places that are tried: all of them in the first and the last
// line and around the ends of lines, and every 17th of the others. (All of them
// were, when the test was written; that takes a minute.)
func samplePositions(data []byte) []int {
	first, last := bytes.IndexByte(data, '\n'), bytes.LastIndexByte(data[:len(data)-1], '\n')
	var places []int
	for i := range data {
		edge := data[i] == '\n' || i > 0 && data[i-1] == '\n' || i+1 < len(data) && data[i+1] == '\n'
		if i%17 == 0 || i <= first || i >= last || edge {
			places = append(places, i)
		}
	}
	return places
}

// Every byte of an export counts: one that is another one is found, wherever it is.
func TestEveryFlippedByteOfAnExportIsFound(t *testing.T) {
	data := tinyExport(t)
	if !verifies(t, data, "") {
		t.Fatal("the export itself is not proven")
	}
	workers := runtime.GOMAXPROCS(0)
	places := samplePositions(data)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			changed := bytes.Clone(data)
			for n := w; n < len(places); n += workers {
				i := places[n]
				changed[i] ^= 1 << (i % 8)
				if verifies(t, changed, "") {
					t.Errorf("byte %d of %d, %q made %q: nothing was found", i, len(data), data[i], changed[i])
				}
				changed[i] = data[i]
			}
		})
	}
	group.Wait()
	for i := 0; i < len(data); i += 101 {
		if verifies(t, data[:i], "") {
			t.Errorf("cut at %d: nothing was found", i)
		}
	}
	for _, more := range [][]byte{append([]byte("\xef\xbb\xbf"), data...), append(bytes.Clone(data), '\n'), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))} {
		if verifies(t, more, "") {
			t.Error("bytes were added, and nothing was found")
		}
	}
}

// forge makes the checksum, and the hash of a changed line's blob, true again.
func forge(t *testing.T, lines [][]byte) []byte {
	t.Helper()
	body := append(bytes.Join(lines, []byte("\n")), '\n')
	return fmt.Appendf(body, "{\"sha256\":%q}\n", store.Hash(body))
}

// Who changes a reply and makes all checksums of the file true again is found by
// the journal, which names the reply by its hash.
func TestForgedReplyIsFoundAndNamed(t *testing.T) {
	lines := bytes.Split(tinyExport(t), []byte("\n"))
	lines = lines[:len(lines)-2]
	for i, line := range lines {
		var b struct {
			Hash string `json:"blob"`
			Text string `json:"text"`
		}
		if json.Unmarshal(line, &b) != nil || !strings.HasPrefix(b.Text, "```delta") {
			continue
		}
		b.Text = strings.Replace(b.Text, "Because.", "Perhaps.", 1)
		b.Hash = store.Hash([]byte(b.Text))
		lines[i], _ = json.Marshal(b)
	}
	checked, _, err := audit.VerifyExport(t.Context(), memory.New(), forge(t, lines), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(checked.Faults) != 1 || !strings.Contains(checked.Faults[0].Error(), "the reply of A in round 1 (ask)") {
		t.Errorf("%v", checked.Faults)
	}
}

// A journal without its end is whole in itself: a head that was kept shows it.
func TestCutTailIsFoundByAHead(t *testing.T) {
	data := tinyExport(t)
	x, err := session.ReadExport(data)
	if err != nil {
		t.Fatal(err)
	}
	entries := x.Batch.Appends[0].Entries
	head := journal.HeadOf(entries)
	before := journal.HeadOf(entries[:len(entries)-1]).Hash
	lines := bytes.Split(data, []byte("\n"))
	lines = lines[:len(lines)-2]
	lines[0] = bytes.Replace(lines[0], []byte(head.Hash), []byte(before), 1)
	lines[0] = bytes.Replace(lines[0], fmt.Appendf(nil, `"entries":%d`, head.Seq), fmt.Appendf(nil, `"entries":%d`, head.Seq-1), 1)
	lines = append(lines[:head.Seq:head.Seq], lines[head.Seq+1:]...)
	forged := forge(t, lines)
	if !verifies(t, forged, "") || !verifies(t, forged, before) {
		t.Error("a shorter journal is whole in itself")
	}
	if verifies(t, forged, head.Hash) {
		t.Error("the head is gone, and nothing was found")
	}
}
