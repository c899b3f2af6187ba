package postgres

import (
	"flag"
	"os"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/postgres/postgrestest"
	"brenner/store/record"
	"brenner/store/storetest"
)

var update = flag.Bool("update", false, "write schema.txt")

// The expected schema is that of the migrations.
func TestSchemaObjects(t *testing.T) {
	t.Parallel()
	s := openAt(t, postgrestest.Address(t), Options{})
	have, err := s.objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(have, "\n") + "\n"
	if *update {
		err = os.WriteFile("schema.txt", []byte(text), 0o600)
	} else if text != schemaObjects {
		t.Errorf("schema.txt is out of date: run `go test ./store/postgres -run TestSchemaObjects -update`; the schema is\n%s", text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// filled returns a store with some of everything.
func filled(t *testing.T) (*Store, string) {
	t.Helper()
	address := postgrestest.Address(t)
	s := openAt(t, address, Options{})
	linked := storetest.Record("linked", 1)
	linked.Links, linked.Tags = []record.Link{{Relation: record.Cites, ID: "a", Version: 1}}, []string{"tag"}
	fork := storetest.Record("a", 3)
	fork.Parent = 1
	err := s.Write(t.Context(), store.Batch{
		Blobs: [][]byte{[]byte("one"), []byte("two"), nil}, Appends: []store.Append{{Stream: "s", Entries: storetest.Chain(t, "s", journal.Head{}, 5)}},
		Records: []record.Record{storetest.Record("a", 1), storetest.Record("a", 2), fork, linked},
		Marks:   []record.Mark{{ID: "a", Version: 2, Status: record.Canonical, By: "Sydney", Reason: "so", At: storetest.Instant(1)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, address
}

// Verify finds what was changed by hand.
func TestVerify(t *testing.T) {
	t.Parallel()
	s, address := filled(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	schema := postgrestest.Schema(address)
	for _, test := range []struct {
		change, undo string
		want         fault.Code
		text         string
	}{
		{"UPDATE ~.blobs SET data = 'three' WHERE data = 'two'", "UPDATE ~.blobs SET data = 'two' WHERE data = 'three'", store.Damaged, "verify the blob"},
		{`UPDATE ~.entries SET body = '{"i":7}' WHERE seq = 3`, `UPDATE ~.entries SET body = '{"i":2,"of":5}' WHERE seq = 3`, journal.BrokenChain, "entry 3"},
		{"UPDATE ~.streams SET seq = 4", "UPDATE ~.streams SET seq = 5", store.Damaged, "its head is number 4"},
		{"UPDATE ~.streams SET began = last", "UPDATE ~.streams SET began = (SELECT at FROM ~.entries WHERE seq = 1)", store.Damaged, "time of its first entry"},
		{"UPDATE ~.heads SET latest = 9 WHERE id = 'a'", "UPDATE ~.heads SET latest = 3 WHERE id = 'a'", store.Damaged, "latest version"},
		{"UPDATE ~.heads SET tips = 9 WHERE id = 'a'", "UPDATE ~.heads SET tips = 2 WHERE id = 'a'", store.Damaged, "number of branches"},
		{"UPDATE ~.links SET to_version = 2", "UPDATE ~.links SET to_version = 1", store.Damaged, "the record does not have"},
		{"UPDATE ~.statuses SET status = 'draft'", "UPDATE ~.statuses SET status = 'canonical'", store.Damaged, "without a mark"},
		{"DROP INDEX ~.links_to", "CREATE INDEX links_to ON ~.links (to_id, to_version)", store.Damaged, "missing index"},
		{"CREATE RULE lose AS ON INSERT TO ~.entries DO INSTEAD NOTHING", "DROP RULE lose ON ~.entries", store.Damaged, "unexpected rule"},
		{"ALTER TABLE ~.records ADD COLUMN mine text", "ALTER TABLE ~.records DROP COLUMN mine", store.Damaged, "records.mine"},
	} {
		postgrestest.Exec(t, address, strings.ReplaceAll(test.change, "~", schema))
		err := s.Verify(t.Context())
		if fault.CodeOf(err) != test.want || !strings.Contains(err.Error(), test.text) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", test.change, err)
		}
		postgrestest.Exec(t, address, strings.ReplaceAll(test.undo, "~", schema))
		if err := s.Verify(t.Context()); err != nil {
			t.Fatalf("%s: %v", test.undo, err)
		}
	}
	if err := s.QuickCheck(t.Context()); err != nil {
		t.Error(err)
	}
	postgrestest.Exec(t, address, "DROP INDEX "+schema+".links_to")
	err := s.QuickCheck(t.Context())
	_, statement, _ := strings.Cut(fault.HintOf(err), "`")
	statement, _, ok := strings.Cut(statement, "`")
	if fault.CodeOf(err) != store.Damaged || !ok {
		t.Fatalf("%v: the hint is %q", err, fault.HintOf(err))
	}
	postgrestest.Exec(t, address, statement)
	if err := s.QuickCheck(t.Context()); err != nil {
		t.Error(err)
	}
}

// A row that cannot be read is damage, not a server that does not answer.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	s, address := filled(t)
	postgrestest.Exec(t, address, "DELETE FROM "+postgrestest.Schema(address)+".tips WHERE id = 'linked'")
	_, err := s.Heads(t.Context(), store.HeadQuery{ID: "linked"})
	wantFault(t, err, store.Damaged, "a row is damaged")
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s, _ := filled(t)
	if _, err := s.Hold("a", store.Holder{PID: 7}); err != nil {
		t.Fatal(err)
	}
	h, err := s.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h.Version == "" || h.Encoding != "UTF8" || h.Latency <= 0 || h.Skew.Abs() > h.Latency || h.Replica || !h.Exists || h.Refused != nil || !h.CanCreate || !h.Durable || h.Encrypted || h.Size == 0 {
		t.Errorf("%+v", h)
	}
	held, err := s.Holders(t.Context())
	if err != nil || len(held) != 1 || held[0].By.PID != 7 {
		t.Errorf("%+v, %v", held, err)
	}
}

// Relations that the queries name are those of the package record.
func TestDependentRelations(t *testing.T) {
	t.Parallel()
	for _, relation := range record.Relations() {
		if strings.Contains(dependent, "'"+relation+"'") != record.Depends(relation) {
			t.Error(relation)
		}
	}
}
