package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"brenner/internal/fault"
	"brenner/store"
)

// sqlState returns the SQLSTATE of a server's error, or "".
func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// collided reports whether the server ended a transaction because of others. It can be repeated.
func collided(err error) bool {
	switch sqlState(err) {
	case "40001", "40P01":
		return true
	}
	return false
}

// passing reports whether an error is one of the connection or of a server that restarts, so that
// the same request may succeed later. Nothing was committed by the request, unless it was COMMIT.
func passing(err error) bool {
	var told *fault.Error
	var lost *lostAnswer
	switch {
	case err == nil || errors.As(err, &told):
		return false
	case errors.As(err, &lost):
		return true
	}
	if state := sqlState(err); state != "" {
		switch state {
		case "57P01", "57P02", "57P03", "57P05", "25P03", "53300": // shut down, crashed, starting, idle for too long (also in a transaction), all connections in use
			return true
		}
		return strings.HasPrefix(state, "08")
	}
	var missing *net.DNSError
	if errors.As(err, &missing) && missing.IsNotFound {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err) || pgconn.Timeout(err) || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "unexpected EOF")
}

// The time between attempts doubles from the first to the last.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// collisions is how often a transaction that others disturbed is repeated.
const collisions = 5

// patiently repeats a request while its failure is passing, and returns its last error with code,
// place and hint.
func (s *Store) patiently(ctx context.Context, op string, wait time.Duration, request func(context.Context) error) error {
	p := s.patience(wait)
	for {
		limited, cancel := context.WithTimeout(ctx, wait/2) // a connection may be stalled: the next one may not
		err := request(limited)
		cancel()
		switch {
		case err == nil:
			return nil
		case p.again(ctx, err):
		case ctx.Err() != nil:
			return &fault.Error{Op: op, Cause: ctx.Err()}
		default:
			return s.fault(op, err)
		}
	}
}

// patience bounds the repetitions of a request.
type patience struct {
	store *Store
	end   time.Time
	pause time.Duration
	tries int // because of collisions
}

func (s *Store) patience(wait time.Duration) *patience {
	return &patience{store: s, end: time.Now().Add(wait), pause: firstPause}
}

// again waits and reports whether a request is to be repeated after an error.
func (p *patience) again(ctx context.Context, err error) bool {
	switch {
	case ctx.Err() != nil:
		return false
	case (collided(err) || errors.Is(err, errRefused)) && p.tries < collisions:
		p.tries++
		return true
	case !passing(err) || time.Now().After(p.end):
		return false
	}
	p.store.pool.Reset() // the other connections are dead as well
	pause := time.NewTimer(p.pause)
	defer pause.Stop()
	p.pause = min(2*p.pause, lastPause)
	select {
	case <-ctx.Done():
		return false
	case <-pause.C:
		return true
	}
}

// changed returns the fault for content that is not what was written.
func (s *Store) changed(op, detail string) *fault.Error {
	return &fault.Error{Code: store.Damaged, Op: op, Place: s.address.shown, Detail: detail, Hint: damagedHint}
}

const damagedHint = "run `brenner verify` to see how much of it is intact, then restore the schema from a backup (`pg_restore`)"

// fault adds code, place and hint to an error of the driver or the server. Faults are returned
// unchanged. It does not repeat the details of a server's error, which may contain data.
func (s *Store) fault(op string, err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	}
	d := s.diagnose(err)
	return &fault.Error{Code: d.code, Op: op, Place: s.address.shown, Detail: d.detail, Hint: d.hint, Cause: s.oneLine(err)}
}

// oneLine returns an error with its text in one line, without what the server reports about data. The attempts to
// connect, with and without TLS, may have failed for the same cause: it is named once.
func (s *Store) oneLine(err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return fmt.Errorf("%s (SQLSTATE %s)", strings.Join(strings.Fields(e.Message), " "), e.Code)
	}
	all := []error{err}
	var failed *pgconn.ConnectError
	var attempts interface {
		error
		Unwrap() []error
	}
	if errors.As(err, &failed) && errors.As(failed.Unwrap(), &attempts) {
		all = attempts.Unwrap()
	}
	var causes []string
	for _, one := range all {
		cause := strings.Join(strings.Fields(one.Error()), " ")
		optional := !s.requiresTLS && len(all) > 1 && refusesTLS(one)
		if !optional && !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	return errors.New(strings.Join(causes, "; "))
}

// refusesTLS reports whether a server refused an encrypted connection.
func refusesTLS(err error) bool { return strings.Contains(err.Error(), "server refused TLS") }

// diagnosis explains an error to a user.
type diagnosis struct {
	code         fault.Code
	detail, hint string
}

func (s *Store) diagnose(err error) diagnosis {
	state := sqlState(err)
	if d := s.explain(state); d.code != "" {
		return d
	}
	var certificate *tls.CertificateVerificationError
	var unconnected *pgconn.ConnectError
	switch {
	case errors.As(err, &certificate):
		return diagnosis{store.Denied, "the server's certificate is not valid", "name the host as the certificate does, and add &sslrootcert=FILE to the address for an authority of your own"}
	case s.requiresTLS && refusesTLS(err):
		return diagnosis{store.Denied, "the server has no TLS, which sslmode in the address or PGSSLMODE requires", "turn on ssl in the server's configuration; within a machine, use sslmode=disable"}
	case strings.Contains(err.Error(), "ValidateConnect failed"):
		return diagnosis{store.Denied, "the server is not of the kind that target_session_attrs requires", "run `unset PGTARGETSESSIONATTRS`, or remove target_session_attrs= from the address"}
	case passing(err):
		return diagnosis{store.Unreachable, "the server does not answer", "check host, port and network, and whether the server runs; then run the command again: it continues"}
	case strings.HasPrefix(state, "53"):
		return diagnosis{store.Busy, "the server lacks resources", "run the command again later"}
	case errors.As(err, &unconnected):
		return diagnosis{store.Unreachable, "the server cannot be reached", "check host and port in the address, and the network"}
	case state == "": // the driver cannot read what a row contains
		return diagnosis{store.Damaged, "a row is damaged, or was changed by another program", damagedHint}
	}
	return diagnosis{store.Damaged, "the schema is damaged, or was changed by another program", damagedHint}
}

// explain returns the diagnosis of a state, or none.
func (s *Store) explain(state string) diagnosis {
	switch state {
	case "28P01":
		return diagnosis{store.Denied, "the server refused the login", "set PGPASSWORD or add a line to ~/.pgpass, and check the user in the address"}
	case "28000":
		return diagnosis{store.Denied, "the server refused the login", "check user, database and sslmode in the address (the server may require TLS), and its pg_hba.conf"}
	case "3D000":
		return diagnosis{store.Denied, "no such database", "check the name, or create it: `createdb --encoding=UTF8 --template=template0 NAME`"}
	case "42501":
		return diagnosis{store.Denied, "the user lacks a right", "ask the owner of the schema " + s.address.schemaName() + " for the rights in the table of docs/teams.md; a user who creates a project needs CREATE on the database"}
	case "25006":
		return diagnosis{store.Unwritable, "the server is read-only: a replica, in recovery, or default_transaction_read_only is on", "name the primary server in the address, or set default_transaction_read_only to off for this user"}
	case "53100":
		return diagnosis{store.Full, "no space left on the server's disk", "free some space there and run the command again; nothing was written or lost"}
	case "53200":
		return diagnosis{store.Busy, "the server is out of memory", "run the command again later"}
	case "53300":
		return diagnosis{store.Busy, "all connections of the server, or of this user, are in use", "run the command again later, raise max_connections or the user's limit, or lower connections= in the address"}
	case "54000":
		return diagnosis{store.TooLarge, "a name, a tag or a text is longer than the database can store", "shorten it"}
	case "40001", "40P01", "55P03", "57014":
		return diagnosis{store.Busy, "other processes kept it busy", "run the command again later"}
	case "58030":
		return diagnosis{store.Unwritable, "the server has a disk I/O error", "check the server's disk; earlier data is unchanged"}
	}
	return diagnosis{}
}
