package keeper_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/sqlite"
)

// writeHistory creates a store with some history, and returns its directory and the head.
func writeHistory(t *testing.T) (dir, head string) {
	t.Helper()
	dir = t.TempDir()
	st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	k := openKeeper(t, st, &stub{})
	for n := range 4 {
		learn(t, k, playbook.Helpful, fmt.Sprintf("Lesson number %d", n))
		learn(t, k, playbook.Helpful, fmt.Sprintf("lesson number %d", n))
	}
	return dir, k.Head().Hash
}

// Verify names the first altered entry.
func TestVerifyNamesAlteredEntry(t *testing.T) {
	for name, test := range map[string]struct {
		do   string
		code fault.Code
		want string
	}{
		"one byte":            {`UPDATE entries SET body = replace(body, 'Lesson number 1', 'Lesson number 7') WHERE seq = 3`, journal.BrokenChain, "playbook, entry 3 (add): its content does not match its hash"},
		"a counter":           {`UPDATE entries SET body = replace(body, '"helpful_count":2', '"helpful_count":9') WHERE seq = 4`, journal.BrokenChain, "entry 4 (count)"},
		"an operation":        {`UPDATE entries SET kind = 'force' WHERE seq = 2`, journal.BrokenChain, "entry 2 (force)"},
		"a time":              {`UPDATE entries SET at = '2020-01-01T00:00:00Z' WHERE seq = 5`, journal.BrokenChain, "entry 5 (add)"},
		"a hash":              {`UPDATE entries SET hash = CASE WHEN hash LIKE '0%' THEN '1' ELSE '0' END || substr(hash, 2) WHERE seq = 5`, journal.BrokenChain, "entry 5"},
		"dropped":             {`DELETE FROM entries WHERE seq = 3`, journal.BrokenChain, "playbook, entry 3 (count): it has the number 4: an entry is missing"},
		"dropped and closed":  {`DELETE FROM entries WHERE seq = 3; UPDATE entries SET seq = seq - 1 WHERE seq = 4`, journal.BrokenChain, "entry 3 (count): it does not follow"},
		"swapped":             {`UPDATE entries SET seq = 99 WHERE seq = 3; UPDATE entries SET seq = 3 WHERE seq = 4; UPDATE entries SET seq = 4 WHERE seq = 99`, journal.BrokenChain, "entry 3 (count): it does not follow"},
		"the tail":            {`DELETE FROM entries WHERE seq = 8`, journal.BrokenChain, "playbook, entry 8: missing"},
		"the tail, with care": {`DELETE FROM entries WHERE seq = 8; UPDATE streams SET seq = 7, hash = (SELECT hash FROM entries WHERE seq = 7)`, journal.WrongHead, "no entry has this hash; the journal ends with entry 7"},
		"a vector":            {`UPDATE blobs SET data = zeroblob(length(data)) WHERE rowid = 1`, store.Damaged, "do not match its hash"},
		"no vector":           {`DELETE FROM blobs WHERE rowid = 1`, store.NoBlob, "no such blob"},
		"nothing":             {`SELECT 1`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, head := writeHistory(t)
			db, err := sql.Open("sqlite", filepath.Join(dir, sqlite.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), test.do); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			st, err := sqlite.Open(t.Context(), dir, sqlite.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			r, err := keeper.Verify(t.Context(), st, head)
			if fault.CodeOf(err) != test.code || err != nil && (!strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "") {
				t.Fatalf("%+v, %v", r, err)
			}
			if err == nil && (r.Bullets != 4 || r.Vectors != 4 || r.Head != head) {
				t.Errorf("%+v", r)
			}
			if test.code == journal.BrokenChain {
				if _, err := keeper.Open(t.Context(), keeper.Options{Store: st}); fault.CodeOf(err) != journal.BrokenChain {
					t.Errorf("an altered journal was read: %v", err)
				}
			}
		})
	}
}
