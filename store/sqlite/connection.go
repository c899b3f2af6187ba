package sqlite

import (
	"context"
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	driversqlite "modernc.org/sqlite"
)

// slice is how long SQLite itself waits for a lock before we look at the
// context again, in milliseconds.
const slice = "50"

// cacheOf gives the size of a connection's page cache, in SQLite's words. The one that
// writes finds its place in the indexes of a large store again and again: 32 MB. Those that
// read are several, and forget everything whenever something was written: 8 MB.
func cacheOf(mode string) string {
	if mode == "ro" {
		return "-8192"
	}
	return "-32768"
}

// newConnector makes connections with everything set that decides about
// durability: each commit is on the disk before it returns (synchronous=FULL,
// and fullfsync on macOS, where fsync alone leaves it in the drive's cache).
func newConnector(file, mode string) (driver.Connector, error) {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	q := url.Values{
		"mode":       {mode},
		"_dqs":       {"0"},
		"_defensive": {"1"},
		"_error_rc":  {"1"},
		"_pragma": {
			"busy_timeout(" + slice + ")",
			"synchronous(FULL)", "fullfsync(1)", "checkpoint_fullfsync(1)",
			"foreign_keys(1)", "trusted_schema(0)",
			"cache_size(" + cacheOf(mode) + ")",
			"wal_autocheckpoint(4000)",     // 16 MB: each time the WAL is moved into the file costs several writes' time
			"journal_size_limit(16777216)", // a large blob must not leave a large WAL for good
		},
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	return driversqlite.NewConnector(name.String())
}

// pause is between two attempts at something that is busy and does not wait by itself.
const pause = 5 * time.Millisecond

// Waiting repeats do while others are busy, for as long as the limit and the
// context allow. SQLite's own waiting knows no context.
func Waiting(ctx context.Context, limit time.Duration, do func() error) error {
	end := time.Now().Add(limit)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		err := do()
		if !isBusy(err) {
			return err
		}
		if !time.Now().Before(end) {
			return err
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
}
