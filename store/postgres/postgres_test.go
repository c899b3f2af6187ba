package postgres

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"brenner/store"
	"brenner/store/memory"
	"brenner/store/postgres/postgrestest"
	"brenner/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) } //nolint:forbidigo // a main of the tests

func parse(t testing.TB, text string) Address {
	t.Helper()
	a, err := ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// openAt opens a store that is closed when the test ends.
func openAt(t testing.TB, address string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), parse(t, address), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openNew(t *testing.T) store.Store { return openAt(t, postgrestest.Address(t), Options{}) }

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openNew)
}

// Each history begins with empty tables: to create a schema takes much longer.
func TestAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	const tables = "blobs streams entries records links tags marks statuses tips heads"
	storetest.Agree(t, func(*testing.T) store.Store { return memory.New() }, func(t *testing.T) store.Store {
		s, err := Open(t.Context(), parse(t, address), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var deletes pgx.Batch
		for table := range strings.FieldsSeq(tables) {
			deletes.Queue("DELETE FROM " + pgx.Identifier{s.address.schemaName(), table}.Sanitize())
		}
		if err := s.pool.SendBatch(t.Context(), &deletes).Close(); err != nil {
			t.Fatal(err)
		}
		return s // the history closes it
	})
}

func TestLocks(t *testing.T) {
	t.Parallel()
	storetest.Locks(t, func(t *testing.T) (one, other store.Locks) {
		address := postgrestest.Address(t)
		return openAt(t, address, Options{}), openAt(t, address, Options{})
	})
}
