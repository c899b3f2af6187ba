package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"brenner/cmd/brenner/cli/ui"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

const stuckThread = "RS-20261115-stuck"

// stuckScript produces many kinds of journal entries: a failed call, a conflict that
// becomes a stalemate, a ruling.
const stuckScript = `schema: brenner.rehearsal/v1
question: Why?
agents:
  - name: A
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation": "ADD", "section": "hypothesis_slate", "payload": {"name": "One", "claim": "Because."}, "rationale": "r"}
          ` + "```" + `
      - reply: |
          ` + "```delta" + `
          {"operation": "EDIT", "section": "hypothesis_slate", "target_id": "H1", "payload": {"claim": "Dust."}, "rationale": "r"}
          ` + "```" + `
      - reply: 'NO CHANGES: nothing to add'
  - name: B
    rounds:
      - reply: 'NO CHANGES: nothing to add'
      - reply: |
          ` + "```delta" + `
          {"operation": "EDIT", "section": "hypothesis_slate", "target_id": "H1", "payload": {"claim": "Age."}, "rationale": "r"}
          ` + "```" + `
      - reply: 'NO CHANGES: nothing to add'
  - name: C
    rounds:
      - fail: {code: AGENT_UNAVAILABLE, message: out of order}
      - fail: {code: AGENT_UNAVAILABLE, message: out of order}
      - fail: {code: AGENT_UNAVAILABLE, message: out of order}
  - name: Judge
    rounds:
      - reply: none
      - reply: none
      - reply: |
          ` + "```json" + `
          {"ruling_for": "B", "root_cause": "Two words.", "reasoning": ["It is old."],
           "rejected": [{"hypothesis": "A", "why": "it glows"}, {"hypothesis": "D1", "why": "no"}, {"hypothesis": "D2", "why": "no"}], "confidence": 0.8}
          ` + "```" + `
`

// runWithCode runs a command and returns its output and exit code.
func runWithCode(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	code := Run(t.Context(), args, ui.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Now: time.Now})
	return out.String(), code
}

// stuckExport runs a session that ends in a stalemate, and exports it.
func stuckExport(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"brenner.yaml": "question: Why?\nretry: {attempts: 1}\n", "script.yaml": stuckScript, "seen.txt": "A look at the sky.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "export.jsonl")
	out, code := runWithCode(t, "session", "start", "-C", dir, "--to", "A,B,C", "--role", "hypothesis_generator", "--quorum", "2",
		"--script", filepath.Join(dir, "script.yaml"), "--evidence", filepath.Join(dir, "seen.txt"), "--rounds", "3", "--thread-id", stuckThread, "--arbiter", "Judge")
	if code != ui.ExitPartial || !strings.Contains(out, "applied by Judge") {
		t.Fatalf("exit %d: %s", code, out)
	}
	run(t, 0, "session", "export", "-C", dir, stuckThread, "--out", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// forgeJournal changes the strings in an export's journal and fixes its chain, seal and
// checksum. It returns false if the result is no longer a valid journal.
func forgeJournal(t *testing.T, export []byte, change func(kind, place, text string) string) ([]byte, bool) {
	t.Helper()
	x, err := session.ReadExport(export)
	if err != nil {
		t.Fatal(err)
	}
	was := x.Batch.Appends[0].Entries
	var now []journal.Entry
	for i := range was {
		var body any
		if err := json.Unmarshal(was[i].Body, &body); err != nil {
			t.Fatal(err)
		}
		body = texts(body, "", func(place, text string) string { return change(was[i].Kind, place, text) })
		data, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		next, err := journal.HeadOf(now).Next(was[i].Stream, was[i].At, was[i].Kind, data)
		if err != nil {
			return nil, false
		}
		now = append(now, next)
	}
	before, err := flow.Fold(was)
	if err != nil {
		t.Fatal(err)
	}
	after, err := flow.Fold(now)
	if err != nil {
		return nil, false
	}
	lines := bytes.Split(export, []byte("\n"))
	lines = lines[:len(lines)-2]
	lines[0] = bytes.Replace(lines[0], []byte(before.Head.Hash), []byte(after.Head.Hash), 1)
	lines[0] = bytes.Replace(lines[0], []byte(before.Seal()), []byte(after.Seal()), 1)
	for i := range now {
		lines[1+i] = now[i].JSON()
	}
	body := append(bytes.Join(lines, []byte("\n")), '\n')
	return fmt.Appendf(body, "{\"sha256\":%q}\n", store.Hash(body)), true
}

// texts returns a JSON value with its strings changed; a place is the path of keys.
func texts(v any, place string, change func(place, text string) string) any {
	switch v := v.(type) {
	case string:
		return change(place, v)
	case []any:
		for i := range v {
			v[i] = texts(v[i], place+"/*", change)
		}
	case map[string]any:
		for key := range v {
			v[key] = texts(v[key], place+"/"+key, change)
		}
	}
	return v
}

// Escape sequences in a forged journal with a valid chain are never printed unchanged,
// whether in all strings at one place or in all equal strings.
func TestForgedJournalsCannotControlTheTerminal(t *testing.T) {
	const escape = "\x1b]0;mine\x07\x1b[2J"
	export := stuckExport(t)
	places, where := make(map[string]bool), make(map[string]map[string]bool)
	forgeJournal(t, export, func(kind, place, text string) string {
		at := kind + " " + place
		if where[text] == nil {
			where[text] = make(map[string]bool)
		}
		places[at], where[text][at] = true, true
		return text
	})
	taken := 0
	try := func(name string, change func(kind, place, text string) string) {
		forged, ok := forgeJournal(t, export, change)
		if !ok {
			return
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "forged.jsonl")
		if err := os.WriteFile(file, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := runWithCode(t, "session", "import", "-C", dir, file); code != 0 {
			if strings.Contains(out, "\x1b") {
				t.Errorf("%s: import: %q", name, out)
			}
			return
		}
		taken++
		for _, args := range readers(t, dir) {
			if out, _ := runWithCode(t, append(args, "-C", dir)...); strings.Contains(out, "\x1b") {
				i := strings.Index(out, "\x1b")
				t.Errorf("%s: %v: %q", name, args, out[max(0, i-80):min(len(out), i+20)])
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(places)) {
		try(at, func(kind, place, text string) string {
			if kind+" "+place == at {
				return text + escape
			}
			return text
		})
	}
	for _, value := range slices.Sorted(maps.Keys(where)) {
		if len(where[value]) == 1 {
			continue // already tried
		}
		try(fmt.Sprintf("%.40q", value), func(_, _, text string) string {
			if text == value {
				return text + escape
			}
			return text
		})
	}
	if taken < 15 {
		t.Errorf("only %d forgeries were accepted; the test needs more", taken)
	}
}

// readers returns the commands that show a session.
func readers(t *testing.T, dir string) [][]string {
	t.Helper()
	all := [][]string{
		{"session", "list"},
		{"session", "status", stuckThread},
		{"session", "show", stuckThread},
		{"session", "replay", stuckThread},
		{"session", "watch", stuckThread},
		{"blame", stuckThread, "H1.claim"},
		{"trace", "list", stuckThread},
		{"trace", "find", "Because", stuckThread},
		{"trace", "find", "Age", stuckThread},
		{"stalemate", "list", "--all"},
		{"verify"},
	}
	calls, _ := runWithCode(t, "trace", "list", stuckThread, "--json", "-C", dir)
	var list struct {
		Calls []struct {
			Call string `json:"call"`
		} `json:"calls"`
	}
	if json.Unmarshal([]byte(calls), &list) == nil {
		for _, c := range list.Calls {
			all = append(all, []string{"trace", "show", c.Call})
		}
	}
	stuck, _ := runWithCode(t, "stalemate", "list", "--all", "--json", "-C", dir)
	var stalemates struct {
		Stalemates []struct {
			ID string `json:"id"`
		} `json:"stalemates"`
	}
	if json.Unmarshal([]byte(stuck), &stalemates) == nil {
		for _, s := range stalemates.Stalemates {
			all = append(all, []string{"stalemate", "show", stuckThread, s.ID})
		}
	}
	return all
}
