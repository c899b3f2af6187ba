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

// samplePositions returns the positions to test: all in the first and the last line and around line
// ends, and every 17th of the others. Testing all takes a minute.
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

// A changed byte of an export is detected, wherever it is.
func TestVerifyExportDetectsFlippedBytes(t *testing.T) {
	data := tinyExport(t)
	if !verifies(t, data, "") {
		t.Fatal("the unchanged export does not verify")
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
					t.Errorf("byte %d of %d changed from %q to %q: not detected", i, len(data), data[i], changed[i])
				}
				changed[i] = data[i]
			}
		})
	}
	group.Wait()
	for i := 0; i < len(data); i += 101 {
		if verifies(t, data[:i], "") {
			t.Errorf("cut at %d: not detected", i)
		}
	}
	for _, more := range [][]byte{append([]byte("\xef\xbb\xbf"), data...), append(bytes.Clone(data), '\n'), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))} {
		if verifies(t, more, "") {
			t.Error("added bytes: not detected")
		}
	}
}

// forge appends a valid checksum to changed lines.
func forge(t *testing.T, lines [][]byte) []byte {
	t.Helper()
	body := append(bytes.Join(lines, []byte("\n")), '\n')
	return fmt.Appendf(body, "{\"sha256\":%q}\n", store.Hash(body))
}

// A forged reply with valid checksums is detected by the journal, which has its hash.
func TestVerifyExportNamesForgedReply(t *testing.T) {
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

// A journal without its end is valid in itself: only a known head shows that it is incomplete.
func TestKnownHeadDetectsCutJournal(t *testing.T) {
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
		t.Error("a shorter journal does not verify")
	}
	if verifies(t, forged, head.Hash) {
		t.Error("a missing head was not detected")
	}
}
