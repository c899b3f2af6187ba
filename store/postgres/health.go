package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"brenner/internal/fault"
	"brenner/store"
)

// Health is what doctor shows about a database.
type Health struct {
	Version  string        // of the server: "15.14"
	User     string        // as whom the store is used
	Database string        // its name
	Encoding string        // of the database
	Latency  time.Duration // of the fastest of three round trips
	// Skew is how far the server's clock is ahead of this machine's, as far as the latency lets see.
	Skew      time.Duration
	Replica   bool // the server is a replica, or in recovery: it cannot be written to
	ReadOnly  bool // default_transaction_read_only is on
	Exists    bool // the project does
	CanCreate bool // the user may create the project, or another one if it exists
	// Missing are the rights that the user lacks to work in the project: "INSERT on blobs".
	Missing   []string
	Encrypted bool  // the connection is
	Durable   bool  // acknowledged data survives a crash of the server
	Size      int64 // of the project, in bytes
	// Refused is why this user cannot write to the project or create it; nil if nothing prevents it.
	Refused error
}

// Ask examines a server, whether or not the project exists there. It creates nothing.
func Ask(ctx context.Context, a Address, o Options) (*Health, error) {
	s, err := connect(ctx, a, o)
	if err != nil {
		return nil, err
	}
	defer s.disconnect()
	return s.Health(ctx)
}

// Health measures the connection and asks the server about itself and the rights of the user.
func (s *Store) Health(ctx context.Context) (*Health, error) {
	const op = "ask the database about itself"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	var h *Health
	err = s.patiently(ctx, op, min(s.wait, openWait), func(ctx context.Context) error {
		h = &Health{}
		return s.ask(ctx, h)
	})
	if err != nil {
		return nil, err
	}
	h.Refused = s.refused(h)
	return h, nil
}

// Holders returns the locks that processes hold, by name.
func (s *Store) Holders(ctx context.Context) ([]store.Holding, error) {
	return ask(ctx, s, "list the locks", func(row pgx.CollectableRow) (one store.Holding, err error) {
		var who string
		err = row.Scan(&one.Name, &who)
		_ = json.Unmarshal([]byte(who), &one.By) // an unknown holder is one, too
		return one, err
	}, "SELECT name, who FROM ~.holders WHERE until > clock_timestamp() ORDER BY name")
}

func (s *Store) ask(ctx context.Context, h *Health) error {
	for n := range 3 {
		var clock time.Time
		sent := s.locks.Now()
		if err := s.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&clock); err != nil {
			return err
		}
		if took := s.locks.Now().Sub(sent); n == 0 || took < h.Latency {
			h.Latency, h.Skew = took, clock.Sub(sent.Add(took/2))
		}
	}
	var commit, fsync string
	err := s.pool.QueryRow(ctx, `SELECT current_setting('server_version'), current_user::text, current_database()::text, current_setting('default_transaction_read_only') = 'on',
			current_setting('server_encoding'), pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('fsync'),
			coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)`).
		Scan(&h.Version, &h.User, &h.Database, &h.ReadOnly, &h.Encoding, &h.Replica, &commit, &fsync, &h.Encrypted)
	if err != nil {
		return err
	}
	h.Durable = commit != "off" && fsync != "off"
	schema := s.address.schemaName()
	// A schema without tables may have been made by an administrator.
	err = s.pool.QueryRow(ctx, `WITH c AS (SELECT c.* FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r')
			SELECT EXISTS (SELECT FROM c), coalesce((SELECT sum(pg_total_relation_size(oid)) FROM c), 0)::bigint,
			coalesce((SELECT has_schema_privilege(n.oid, 'CREATE') AND has_schema_privilege(n.oid, 'USAGE') FROM pg_namespace AS n WHERE n.nspname = $1 AND NOT EXISTS (SELECT FROM c)),
				has_database_privilege(current_database(), 'CREATE'))`, schema).Scan(&h.Exists, &h.Size, &h.CanCreate)
	if err != nil || !h.Exists {
		return err
	}
	rows, err := s.pool.Query(ctx, `SELECT r.right || ' on ' || CASE WHEN count(*) > 3 THEN count(*) || ' tables' ELSE string_agg(c.relname, ', ' ORDER BY c.relname) END
			FROM unnest($2::text[], $3::text[], $4::int[]) AS r (relname, "right", n) JOIN pg_class AS c ON c.relname = r.relname
			JOIN pg_namespace AS s ON s.oid = c.relnamespace AND s.nspname = $1
			WHERE NOT has_table_privilege(c.oid, r.right) GROUP BY r.right, r.n ORDER BY r.n`, append([]any{schema}, neededRights()...)...)
	if err == nil {
		h.Missing, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	return err
}

// neededRights returns the rights that writing needs, as columns: table, right, and the place of the right in a list.
func neededRights() []any {
	var tables, rights []string
	var places []int32
	for place, one := range []struct{ right, tables string }{
		{"SELECT", "meta blobs streams entries records links tags marks statuses tips heads holders"},
		{"INSERT", "blobs streams entries records links tags marks statuses tips heads holders"},
		{"UPDATE", "streams statuses heads holders"},
		{"DELETE", "tips holders"},
	} {
		for table := range strings.FieldsSeq(one.tables) {
			tables, rights, places = append(tables, table), append(rights, one.right), append(places, int32(place)) //nolint:gosec // four places
		}
	}
	return []any{tables, rights, places}
}

// refused returns why the project cannot be written or created, if it cannot.
func (s *Store) refused(h *Health) error {
	user := pgx.Identifier{h.User}.Sanitize()
	f := &fault.Error{Code: store.Denied, Op: opWrite, Place: s.address.shown}
	switch {
	case h.Replica || h.ReadOnly:
		d := s.explain("25006")
		f.Code, f.Detail, f.Hint = d.code, d.detail, d.hint
	case !h.Exists && !h.CanCreate:
		f.Op = "create the store"
		f.Detail = "no store yet, and the user " + h.User + " cannot create it: no right CREATE on the database " + h.Database
		f.Hint = "let its owner run `GRANT CREATE ON DATABASE " + pgx.Identifier{h.Database}.Sanitize() + " TO " + user + "`, or check the project's name in the address"
	case len(h.Missing) > 0:
		schema := s.address.schemaName()
		f.Detail = "the user " + h.User + " can read it, but not write: no right " + strings.Join(h.Missing, ", ")
		f.Hint = "to work in it, let the owner of the schema run `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA " + schema + " TO " + user + "; GRANT DELETE ON " + schema + ".holders, " + schema + ".tips TO " + user + "`"
	default:
		return nil
	}
	return f
}
