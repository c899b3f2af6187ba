package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"brenner/internal/fault"
	"brenner/store"
)

// migrations returns the steps from an empty schema to the newest one; step n leads to version n.
// Never edit a released step. ~ stands for the schema.
//
// Texts sort as bytes, so names sort as in Go. Instants and bodies are text: the hashes cover their
// characters.
func migrations() []string {
	return []string{`
CREATE TABLE ~.meta (program text COLLATE "C" NOT NULL, version integer NOT NULL);
INSERT INTO ~.meta VALUES ('brenner', 0);
CREATE TABLE ~.blobs (hash bytea NOT NULL PRIMARY KEY CHECK (length(hash) = 32), data bytea NOT NULL);
CREATE TABLE ~.streams (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name    text COLLATE "C" NOT NULL UNIQUE,
	seq     bigint NOT NULL CHECK (seq > 0),
	hash    text COLLATE "C" NOT NULL,
	began   text COLLATE "C" NOT NULL,
	last    text COLLATE "C" NOT NULL,
	summary text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE ~.entries (
	stream bigint NOT NULL,
	seq    bigint NOT NULL CHECK (seq > 0),
	at     text COLLATE "C" NOT NULL,
	kind   text COLLATE "C" NOT NULL,
	body   text COLLATE "C" NOT NULL,
	prev   text COLLATE "C" NOT NULL,
	hash   text COLLATE "C" NOT NULL,
	PRIMARY KEY (stream, seq)
);
CREATE TABLE ~.records (
	id         text COLLATE "C" NOT NULL,
	version    bigint NOT NULL CHECK (version > 0),
	parent     bigint NOT NULL CHECK (parent >= 0 AND parent < version),
	type       text COLLATE "C" NOT NULL,
	status     text COLLATE "C" NOT NULL,
	module     text COLLATE "C" NOT NULL,
	summary    text COLLATE "C" NOT NULL,
	summary_of text COLLATE "C" NOT NULL,
	summary_by text COLLATE "C" NOT NULL,
	content    text COLLATE "C" NOT NULL,
	change     text COLLATE "C" NOT NULL,
	creator    text COLLATE "C" NOT NULL,
	at         text COLLATE "C" NOT NULL,
	tags       text COLLATE "C" NOT NULL,
	links      text COLLATE "C" NOT NULL,
	PRIMARY KEY (id, version)
);
CREATE INDEX records_by_type ON ~.records (type, id, version);
CREATE INDEX records_stale ON ~.records (id, version) WHERE summary_of <> content;
CREATE INDEX records_by_status ON ~.records (status, id, version) WHERE status <> 'draft';
CREATE TABLE ~.links (
	id         text COLLATE "C" NOT NULL,
	version    bigint NOT NULL,
	to_id      text COLLATE "C" NOT NULL,
	to_version bigint NOT NULL,
	relation   text COLLATE "C" NOT NULL,
	PRIMARY KEY (id, version, to_id, to_version, relation)
);
CREATE INDEX links_to ON ~.links (to_id, to_version);
CREATE TABLE ~.tags (tag text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, PRIMARY KEY (tag, id));
CREATE TABLE ~.marks (
	seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	id      text COLLATE "C" NOT NULL,
	version bigint NOT NULL,
	status  text COLLATE "C" NOT NULL,
	was     bigint NOT NULL,
	author  text COLLATE "C" NOT NULL,
	reason  text COLLATE "C" NOT NULL,
	at      text COLLATE "C" NOT NULL
);
CREATE INDEX marks_of ON ~.marks (id, seq);
CREATE TABLE ~.statuses (id text COLLATE "C" NOT NULL, version bigint NOT NULL, status text COLLATE "C" NOT NULL, PRIMARY KEY (id, version));
CREATE INDEX statuses_by_status ON ~.statuses (status, id, version);
CREATE TABLE ~.tips (id text COLLATE "C" NOT NULL, version bigint NOT NULL, PRIMARY KEY (id, version));
CREATE TABLE ~.heads (
	id        text COLLATE "C" NOT NULL PRIMARY KEY,
	latest    bigint NOT NULL,
	canonical bigint NOT NULL,
	type      text COLLATE "C" NOT NULL,
	module    text COLLATE "C" NOT NULL,
	status    text COLLATE "C" NOT NULL,
	summary   text COLLATE "C" NOT NULL,
	tips      bigint NOT NULL,
	at        text COLLATE "C" NOT NULL
);
CREATE INDEX heads_newest ON ~.heads (type, module, at DESC, id);
CREATE INDEX heads_of_module ON ~.heads (module, at DESC, id);
CREATE INDEX heads_of_type ON ~.heads (type, at DESC, id);
CREATE INDEX heads_forked ON ~.heads (id) WHERE tips > 1;
CREATE INDEX heads_census ON ~.heads (type, module, status);
CREATE TABLE ~.holders (
	name  text COLLATE "C" NOT NULL PRIMARY KEY,
	who   text COLLATE "C" NOT NULL,
	owner text COLLATE "C" NOT NULL,
	mark  bigint NOT NULL,
	until timestamptz NOT NULL
);
`}
}

// found is what a schema is before it is used.
type found struct {
	exists  bool // the schema does
	meta    bool // it has a table meta
	objects int  // the number of its tables
}

// prepare checks the server and the schema, and creates or upgrades the schema if allowed.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.checkServer(ctx); err != nil {
		return err
	}
	is, version, err := s.identify(ctx, s.pool)
	switch {
	case err != nil:
		return err
	case is.meta && version == len(s.steps):
		return nil
	case is.meta && s.readOnly:
		return &fault.Error{
			Code: store.Unsupported, Op: "open the store", Place: s.address.shown,
			Detail: fmt.Sprintf("it has the older schema %d; this brenner uses %d", version, len(s.steps)),
			Hint:   "`brenner session list` does not upgrade it, but any command that writes does, such as `brenner store put`; older programs cannot use it then",
		}
	case s.readOnly:
		return s.noStore()
	}
	return s.upgrade(ctx)
}

func (s *Store) noStore() error {
	return &fault.Error{
		Code: store.NoStore, Op: "open the store", Place: s.address.shown, Detail: "no store yet",
		Hint: "check the project's name in the address; the first session creates the store, as does `brenner store put`",
	}
}

// oldestServer is the oldest supported major version of PostgreSQL.
const oldestServer = 13

// checkServer refuses servers that would not keep what they are given.
func (s *Store) checkServer(ctx context.Context) error {
	var version int
	var encoding, commit, fsync string
	err := s.pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
		current_setting('synchronous_commit'), current_setting('fsync')`).Scan(&version, &encoding, &commit, &fsync)
	if err != nil {
		return err
	}
	s.undurable = commit == "off" || fsync == "off"
	refuse := func(detail, hint string) error {
		return &fault.Error{Code: store.Unsupported, Op: "open the store", Place: s.address.shown, Detail: detail, Hint: hint}
	}
	switch {
	case version < oldestServer*10_000:
		return refuse(fmt.Sprintf("the server is PostgreSQL %d", version/10_000), fmt.Sprintf("use PostgreSQL %d or newer", oldestServer))
	case encoding != "UTF8":
		return refuse("the database has the encoding "+encoding+", not UTF8", "create another one: `createdb --encoding=UTF8 --template=template0 NAME`")
	case commit == "off" && !s.address.undurable:
		return refuse("synchronous_commit is off: a crash of the server would lose what was acknowledged", "turn it on for this user or database, or accept it with &durable=no in the address")
	case fsync == "off" && !s.address.undurable:
		return refuse("fsync is off: a crash of the server's machine would damage the store", "turn it on in the server's configuration, or accept it with &durable=no in the address")
	}
	return nil
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// identify returns what the schema is, and its version. It refuses schemas of other programs, and of newer ones.
func (s *Store) identify(ctx context.Context, from querier) (is found, version int, err error) {
	err = from.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1),
		EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'meta' AND c.relkind = 'r'),
		(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)`, s.address.schemaName()).Scan(&is.exists, &is.meta, &is.objects)
	if err != nil {
		return is, 0, err
	}
	if !is.meta && is.objects > 0 {
		return is, 0, s.foreign()
	}
	if !is.meta {
		return is, 0, nil
	}
	var columns int
	err = from.QueryRow(ctx, `SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = 'meta' AND a.attname IN ('program', 'version')`, s.address.schemaName()).Scan(&columns)
	if err == nil && columns != 2 {
		return is, 0, s.foreign()
	}
	var program string
	if err == nil {
		err = from.QueryRow(ctx, s.sql("SELECT program, version FROM ~.meta")).Scan(&program, &version)
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return is, 0, s.changed("open the store", "its table meta is empty")
	case err == nil && program != "brenner":
		return is, 0, s.foreign()
	case err == nil && version > len(s.steps):
		return is, 0, &fault.Error{
			Code: store.Unsupported, Op: "open the store", Place: s.address.shown,
			Detail: fmt.Sprintf("a newer brenner wrote it (schema %d, this one knows %d)", version, len(s.steps)), Hint: "install the newer brenner",
		}
	}
	return is, version, err
}

func (s *Store) foreign() error {
	return &fault.Error{
		Code: store.Unsupported, Op: "open the store", Place: s.address.shown, Detail: "the schema " + s.address.schemaName() + " belongs to another program",
		Hint: "choose another name for project= in the address",
	}
}

// upgrade runs the missing steps in one transaction. Of several processes that do so at the same
// time, one works and the others find nothing to do.
func (s *Store) upgrade(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1::bigint)", lockKey(s.address.schemaName(), "")); err != nil {
			return err
		}
		is, version, err := s.identify(ctx, tx)
		if err != nil || is.meta && version == len(s.steps) {
			return err
		}
		if !is.exists {
			if _, err := tx.Exec(ctx, "CREATE SCHEMA "+s.address.schema()); err != nil {
				return err
			}
		}
		if is.meta { // every write reads it, so none is in flight, and the next one sees the new version
			if _, err := tx.Exec(ctx, s.sql("LOCK TABLE ~.meta IN ACCESS EXCLUSIVE MODE")); err != nil {
				return err
			}
		}
		for _, step := range s.steps[version:] {
			if _, err := tx.Conn().PgConn().Exec(ctx, s.sql(step)).ReadAll(); err != nil { // several statements
				return err
			}
		}
		_, err = tx.Exec(ctx, s.sql("UPDATE ~.meta SET version = $1::int"), len(s.steps))
		return err
	})
}

// lockKey returns the number of an advisory lock. Two names with the same number only wait for each other.
func lockKey(schema, name string) int64 {
	sum := sha256.Sum256([]byte(schema + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:8])) //nolint:gosec // any number will do
}
