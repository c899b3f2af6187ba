package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

const opWrite = "write to the store"

// Write implements store.Store. A batch is sent in one round trip; unless it is one statement, another
// round trip commits it.
func (s *Store) Write(ctx context.Context, b store.Batch) error {
	leave, err := s.enter(ctx, opWrite)
	if err != nil {
		return err
	}
	defer leave()
	if s.readOnly {
		return &fault.Error{
			Code: store.Unwritable, Op: opWrite, Place: s.address.shown, Detail: "the store was opened for reading only",
			Hint: "this is a mistake in the program: please report it",
		}
	}
	if err := b.Check(); err != nil {
		return err
	}
	w, err := s.compose(&b)
	if err != nil {
		return err
	}
	attempt := s.attempt
	if w.single {
		attempt = s.attemptSingle
	}
	doubt := &lostAnswer{} // the last one; it may still be written while it is being resolved
	for p := s.patience(s.wait); ; {
		err := attempt(ctx, w)
		if err == nil {
			return nil
		}
		if errors.As(err, &doubt) || errors.Is(err, errRefused) && doubt.cause != nil {
			if done, e := s.resolve(context.WithoutCancel(ctx), &b, doubt); done || e != nil {
				return e
			}
		}
		if errors.Is(err, errRefused) {
			if e := s.refusal(ctx, &b); e != nil {
				return e
			}
		}
		switch { // another writer was faster, and has undone its write: try again
		case p.again(ctx, err):
		case ctx.Err() != nil:
			return &fault.Error{Op: opWrite, Cause: ctx.Err()}
		default:
			return s.fault(opWrite, err)
		}
	}
}

// errRefused reports that a statement did not find what it expected.
var errRefused = &fault.Error{
	Code: store.Busy, Op: opWrite, Detail: "other processes kept changing what it depends on", Hint: "run the command again later",
}

// lostAnswer reports that the answer to COMMIT did not arrive.
type lostAnswer struct {
	transaction string // its number on the server; empty for a single statement
	cause       error
}

func (l *lostAnswer) Error() string { return "the answer to COMMIT was lost: " + l.cause.Error() }

func (l *lostAnswer) Unwrap() error { return l.cause }

// statement is one of a batch.
type statement struct {
	sql  string
	args []any
	rows int // that it must change or return; anyRows accepts all
}

const anyRows = -1

// batch is a batch as statements.
type batch struct {
	statements []statement
	bytes      int // of its blobs
	// single is set if one statement is the whole transaction. It needs one round trip.
	single bool
}

func (w *batch) add(rows int, sql string, args ...any) {
	w.statements = append(w.statements, statement{sql, args, rows})
}

// compose returns the statements of a batch. Rows are locked in one order: blobs by hash, streams
// by name, records by id. So batches do not wait for each other in a circle.
func (s *Store) compose(b *store.Batch) (*batch, error) {
	w := &batch{}
	if s.composeSingle(w, b) {
		return w, nil
	}
	w.addBlobs(b.Blobs)
	appends := slices.Clone(b.Appends)
	slices.SortStableFunc(appends, func(a, b store.Append) int { return strings.Compare(a.Stream, b.Stream) })
	for i := range appends {
		w.addAppend(s.address.schemaName(), &appends[i])
	}
	if err := w.addRecords(b); err != nil {
		return nil, err
	}
	for i := range w.statements {
		w.statements[i].sql = s.sql(w.statements[i].sql)
	}
	return w, nil
}

// composeSingle composes the most frequent batch, entries of one existing stream and blobs, as one
// statement. It reports whether the batch is such a one.
func (s *Store) composeSingle(w *batch, b *store.Batch) bool {
	if len(b.Appends) != 1 || len(b.Records) > 0 || len(b.Marks) > 0 || len(b.Appends[0].Entries) == 0 || b.Appends[0].After == (journal.Head{}) {
		return false
	}
	var blobs batch
	if blobs.addBlobs(b.Blobs); len(blobs.statements) > 1 {
		return false
	}
	w.addAppend(s.address.schemaName(), &b.Appends[0])
	one := &w.statements[0]
	one.args = append(one.args, len(s.steps))
	version := "WHERE (SELECT version FROM ~.meta) = $" + strconv.Itoa(len(one.args)) + "::int AND name = "
	one.sql = strings.Replace(one.sql, "WHERE name = ", version, 1)
	if len(blobs.statements) > 0 {
		n := len(one.args)
		one.args = append(one.args, blobs.statements[0].args...)
		insert := fmt.Sprintf(`, b AS (INSERT INTO ~.blobs (hash, data) SELECT n.hash, n.data FROM s, unnest($%d::bytea[], $%d::bytea[]) AS n (hash, data)
			ON CONFLICT (hash) DO NOTHING) INSERT INTO ~.entries`, n+1, n+2)
		one.sql = strings.Replace(one.sql, " INSERT INTO ~.entries", insert, 1)
	}
	one.sql = s.sql(one.sql)
	w.bytes, w.single = blobs.bytes, true
	return true
}

// attemptSingle writes a batch of one statement. It is not ended with the context: it would not be
// known whether it was written.
func (s *Store) attemptSingle(ctx context.Context, w *batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limit(w))
	defer cancel()
	one := &w.statements[0]
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tag, err := conn.Exec(limited, one.sql, one.args...)
	switch {
	case err == nil && tag.RowsAffected() == int64(one.rows):
		return nil
	case err == nil:
		return cmp.Or(s.checkVersion(ctx, conn), error(errRefused))
	case sqlState(err) != "" && !passing(err) || pgconn.SafeToRetry(err):
		return err
	}
	return &lostAnswer{cause: err}
}

// checkVersion returns why a statement did not find the schema's version.
func (s *Store) checkVersion(ctx context.Context, conn *pgxpool.Conn) error {
	var version int
	if err := conn.QueryRow(ctx, s.sql("SELECT version FROM ~.meta")).Scan(&version); err != nil {
		return err
	}
	return s.newer(version)
}

// newer returns the error for another version of the schema than that of the program.
func (s *Store) newer(version int) error {
	if version == len(s.steps) {
		return nil
	}
	return &fault.Error{
		Code: store.Unsupported, Op: opWrite, Place: s.address.shown,
		Detail: fmt.Sprintf("another process has upgraded the store to schema %d meanwhile", version),
		Hint:   "end this process, and continue with the newer brenner",
	}
}

// limit returns how long an attempt may take: a slow line needs time for large blobs.
func (s *Store) limit(w *batch) time.Duration {
	return s.wait/2 + time.Duration(w.bytes/slowestLine)*time.Second
}

// largeBlob is the size from which a blob has a statement of its own.
const largeBlob = 1 << 20

func (w *batch) addBlobs(blobs [][]byte) {
	byHash := make(map[string][]byte, len(blobs))
	for _, blob := range blobs {
		if blob == nil {
			blob = []byte{} // nil would be NULL
		}
		byHash[store.Hash(blob)] = blob
		w.bytes += len(blob)
	}
	var hashes, data [][]byte
	size := 0
	flush := func() {
		if len(hashes) > 0 {
			w.add(anyRows, "INSERT INTO ~.blobs (hash, data) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT (hash) DO NOTHING", hashes, data)
		}
		hashes, data, size = nil, nil, 0
	}
	for _, hash := range sortedKeys(byHash) {
		blob := byHash[hash]
		if size += len(blob); size > largeBlob {
			flush()
		}
		hashes, data = append(hashes, blobKey(hash)), append(data, blob)
	}
	flush()
}

// addAppend adds the statement that moves a stream's head, if it is the expected one, and adds the entries.
func (w *batch) addAppend(schema string, a *store.Append) {
	missing := a.After == journal.Head{}
	if len(a.Entries) == 0 {
		if missing {
			w.add(anyRows, "SELECT pg_advisory_xact_lock_shared($1::bigint)", lockKey(schema, a.Stream))
			w.add(0, "SELECT FROM ~.streams WHERE name = $1", a.Stream)
			return
		}
		w.add(1, "SELECT FROM ~.streams WHERE name = $1 AND seq = $2 AND hash = $3 FOR SHARE", a.Stream, a.After.Seq, a.After.Hash)
		return
	}
	n := len(a.Entries)
	if n == 1 && !missing {
		e := &a.Entries[0]
		w.add(1, `WITH s AS (UPDATE ~.streams SET seq = $2, hash = $7, last = $3, summary = $8 WHERE name = $1 AND seq = $9 AND hash = $6 RETURNING id)
			 INSERT INTO ~.entries (stream, seq, at, kind, body, prev, hash) SELECT id, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text FROM s`,
			a.Stream, e.Seq, artifact.FormatInstant(e.At), e.Kind, string(e.Body), e.Prev, e.Hash, a.Summary, a.After.Seq)
		return
	}
	seqs, columns := make([]int64, n), make([][]string, 5)
	for i := range a.Entries {
		e := &a.Entries[i]
		seqs[i] = int64(e.Seq)
		for k, text := range []string{artifact.FormatInstant(e.At), e.Kind, string(e.Body), e.Prev, e.Hash} {
			columns[k] = append(columns[k], text)
		}
	}
	const entries = `) INSERT INTO ~.entries (stream, seq, at, kind, body, prev, hash)
		SELECT s.id, e.* FROM s, unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS e`
	args := []any{seqs, columns[0], columns[1], columns[2], columns[3], columns[4], a.Stream, a.Entries[n-1].Seq, a.Entries[n-1].Hash, columns[0][n-1], a.Summary}
	if missing {
		w.add(anyRows, "SELECT pg_advisory_xact_lock($1::bigint)", lockKey(schema, a.Stream))
		w.add(n, `WITH s AS (INSERT INTO ~.streams (name, seq, hash, began, last, summary) VALUES ($7, $8, $9, ($2::text[])[1], $10, $11)
			ON CONFLICT (name) DO NOTHING RETURNING id`+entries, args...)
		return
	}
	w.add(n, `WITH s AS (UPDATE ~.streams SET seq = $8, hash = $9, last = $10, summary = $11 WHERE name = $7 AND seq = $12 AND hash = $13 RETURNING id`+entries,
		append(args, a.After.Seq, a.After.Hash)...)
}

// attempt writes a batch in one transaction.
func (s *Store) attempt(ctx context.Context, w *batch) error {
	if len(w.statements) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, s.limit(w))
	defer cancel()
	conn, err := s.pool.Acquire(limited)
	if err != nil {
		return err
	}
	defer conn.Release()
	transaction, err := s.send(limited, conn, w)
	if err == nil {
		err = ctx.Err()
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), s.wait/2)
	defer stop()
	if err != nil {
		if !conn.Conn().IsClosed() {
			_, _ = conn.Exec(end, "ROLLBACK") // the error is the reason; a broken connection is thrown away
		}
		return err
	}
	tag, err := conn.Exec(end, "COMMIT") // not ended with the context: it would not be known whether it was written
	switch {
	case err == nil && tag.String() == "COMMIT":
		return nil
	case err == nil:
		return s.changed(opWrite, "the server answered COMMIT with "+fault.Shown(tag.String()))
	case sqlState(err) != "" && !passing(err):
		return err
	}
	return &lostAnswer{transaction, err}
}

// slowestLine is the number of bytes per second that a connection must carry.
const slowestLine = 256 << 10

// send sends the statements of a transaction in one round trip, and returns its number on the server.
func (s *Store) send(ctx context.Context, conn *pgxpool.Conn, w *batch) (transaction string, err error) {
	var all pgx.Batch
	all.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	// A machine that is cut off before it commits must not keep the locks of its rows: another one takes its sessions over.
	all.Queue(s.sql("SELECT version, pg_current_xact_id()::text, set_config('idle_in_transaction_session_timeout', '15s', true) FROM ~.meta"))
	for i := range w.statements {
		all.Queue(w.statements[i].sql, w.statements[i].args...)
	}
	answers := conn.SendBatch(ctx, &all)
	transaction, err = s.answers(answers, w)
	if e := answers.Close(); err == nil {
		err = e
	}
	return transaction, err
}

func (s *Store) answers(answers pgx.BatchResults, w *batch) (transaction string, err error) {
	if _, err := answers.Exec(); err != nil {
		return "", err
	}
	var version int
	if err := answers.QueryRow().Scan(&version, &transaction, nil); err != nil {
		return "", err
	}
	if err := s.newer(version); err != nil {
		return "", err
	}
	for i := range w.statements {
		tag, err := answers.Exec()
		switch {
		case err != nil:
			return "", err
		case w.statements[i].rows != anyRows && tag.RowsAffected() != int64(w.statements[i].rows):
			return "", errRefused
		}
	}
	return transaction, nil
}
