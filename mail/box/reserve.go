package box

import (
	"context"
	"database/sql"
	"fmt"
	"path"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

const (
	defaultTTL = time.Hour
	longestTTL = 7 * 24 * time.Hour
	maxClaims  = 1000 // of one agent
)

// Reserve implements mail.Reservations. It claims free paths and returns holders of the others.
func (b *Box) Reserve(ctx context.Context, c mail.Claim) (mail.Reserved, error) {
	const op = "reserve files"
	if err := c.Check(); err != nil {
		return mail.Reserved{}, &fault.Error{Code: fault.CodeOf(err), Op: op, Cause: err, Hint: fault.HintOf(err)}
	}
	return sqlite.Use(ctx, &b.file, op, func() (result mail.Reserved, err error) {
		wanted := ctx
		err = b.writer.write(ctx, func(ctx context.Context, w *writer) (err error) {
			result, err = w.reserve(ctx, &c, wanted.Err)
			return err
		}, nil)
		return result, err
	})
}

// reserve makes a claim. Other writers wait meanwhile, so it stops once gone returns an error.
func (w *writer) reserve(ctx context.Context, c *mail.Claim, gone func() error) (mail.Reserved, error) {
	result := mail.Reserved{Granted: []mail.Reservation{}, Conflicts: []mail.Conflict{}}
	project, agent, err := w.projectAndAgent(ctx, c.Project, c.Agent)
	if err != nil {
		return result, err
	}
	now := w.box.now()
	if err := w.Exec(ctx, "DELETE FROM reservations WHERE expires <= ?", now.UnixMicro()); err != nil {
		return result, err
	}
	others, err := w.reservations(ctx, "r.project = ? AND r.agent <> ?", project, agent)
	if err != nil {
		return result, err
	}
	mine, err := w.reservations(ctx, "r.agent = ?", agent)
	if err != nil {
		return result, err
	}
	held := make(map[string]bool)
	for _, m := range mine {
		held[m.Path] = true
	}
	expires := now.Add(ttl(c.TTL)).UnixMicro()
	compared := compare(c.Exclusive, others)
	for _, p := range c.Paths {
		if err := gone(); err != nil {
			return result, &fault.Error{Cause: err} // a refusal: other changes of the transaction are kept
		}
		holders, err := compared.holders(p)
		if err != nil {
			return result, err
		}
		if len(holders) > 0 {
			result.Conflicts = append(result.Conflicts, mail.Conflict{Path: p, Holders: holders})
			continue
		}
		if held[p] = true; len(held) > maxClaims {
			return result, &fault.Error{
				Code: mail.Invalid, Detail: fmt.Sprintf("%s would have more than %d claimed paths", c.Agent, maxClaims),
				Hint: "release claims with release_file_reservations, or claim directories as dir/**",
			}
		}
		var id int64
		_, err = w.Row(ctx, []any{&id}, `INSERT INTO reservations (project, agent, path, exclusive, reason, expires) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (agent, path) DO UPDATE SET exclusive = excluded.exclusive, reason = excluded.reason, expires = excluded.expires RETURNING id`,
			project, agent, p, c.Exclusive, c.Reason, expires)
		if err != nil {
			return result, err
		}
		result.Granted = append(result.Granted, mail.Reservation{
			ID: mail.Numbered(id), Agent: c.Agent, Path: p, Exclusive: c.Exclusive, Reason: c.Reason, Expires: instant(expires),
		})
	}
	return result, nil
}

func ttl(d time.Duration) time.Duration {
	if d <= 0 {
		return defaultTTL
	}
	return min(d, longestTTL)
}

// projectAndAgent returns the rows of a project and one of its agents.
func (w *writer) projectAndAgent(ctx context.Context, project, name string) (p, a int64, err error) {
	if p, err = w.project(ctx, project); err != nil {
		return 0, 0, err
	}
	a, _, err = w.agent(ctx, p, &name)
	return p, a, err
}

func (w *writer) reservations(ctx context.Context, where string, args ...any) ([]mail.Reservation, error) {
	return sqlite.List(ctx, w, scanReservation,
		reservationColumns+where+" ORDER BY r.id", args...)
}

func scanReservation(rows *sql.Rows) (r mail.Reservation, err error) {
	var id, expires int64
	err = rows.Scan(&id, &r.Agent, &r.Path, &r.Exclusive, &r.Reason, &expires)
	r.ID, r.Expires = mail.Numbered(id), instant(expires)
	return r, err
}

// Release implements mail.Reservations.
func (b *Box) Release(ctx context.Context, project, agent string, paths []string) (int, error) {
	mine, err := b.claims(ctx, "release files", project, agent, paths, func(ctx context.Context, w *writer, r *mail.Reservation) error {
		n, _ := r.ID.Number()
		return w.Exec(ctx, "DELETE FROM reservations WHERE id = ?", n)
	})
	return len(mine), err
}

// Renew implements mail.Reservations.
func (b *Box) Renew(ctx context.Context, project, agent string, paths []string, long time.Duration) ([]mail.Reservation, error) {
	return b.claims(ctx, "renew reservations", project, agent, paths, func(ctx context.Context, w *writer, r *mail.Reservation) error {
		n, _ := r.ID.Number()
		expires := w.box.now().Add(ttl(long)).UnixMicro()
		r.Expires = instant(expires)
		return w.Exec(ctx, "UPDATE reservations SET expires = ? WHERE id = ?", expires, n)
	})
}

// claims calls do with each of an agent's claims on these paths.
func (b *Box) claims(ctx context.Context, op, project, agent string, paths []string, do func(context.Context, *writer, *mail.Reservation) error) ([]mail.Reservation, error) {
	wanted := make(map[string]bool)
	for _, p := range paths {
		wanted[p] = true
	}
	return sqlite.Use(ctx, &b.file, op, func() ([]mail.Reservation, error) {
		mine := []mail.Reservation{}
		err := b.writer.write(ctx, func(ctx context.Context, w *writer) error {
			mine = mine[:0]
			_, row, err := w.projectAndAgent(ctx, project, agent)
			if err != nil {
				return err
			}
			all, err := w.reservations(ctx, "r.agent = ?", row)
			if err != nil {
				return err
			}
			for i := range all {
				if len(paths) > 0 && !wanted[all[i].Path] {
					continue
				}
				if err := do(ctx, w, &all[i]); err != nil {
					return err
				}
				mine = append(mine, all[i])
			}
			return nil
		}, nil)
		return mine, err
	})
}

// claimPattern is a claimed path or pattern, prepared for comparisons.
type claimPattern struct {
	path  string
	above string // prefix of the names below it
	glob  string
	fixed string // literal prefix of glob
}

func newClaimPattern(p string) claimPattern {
	c := claimPattern{path: path.Clean(p)}
	c.glob, _, _ = strings.Cut(c.path, "**")
	c.above, c.fixed = strings.TrimSuffix(c.glob, "/")+"/", c.glob
	if i := strings.IndexAny(c.glob, `*?[\`); i >= 0 {
		c.fixed = c.glob[:i]
	}
	return c
}

// overlap reports whether two claims can match one file: equal paths, a parent, or a pattern.
func overlap(a, b claimPattern) bool { return a.path == b.path || a.covers(b.path) || b.covers(a.path) }

func (c *claimPattern) covers(name string) bool {
	switch {
	case c.glob == "" || strings.HasPrefix(name, c.above):
		return true
	case c.glob == c.fixed:
		return c.glob == name
	case !strings.HasPrefix(name, c.fixed):
		return false
	}
	ok, err := path.Match(c.glob, name)
	return ok && err == nil
}

// effort estimates the characters compared when matching a pattern: what follows the first star may
// be tried at every position of the name.
func (c *claimPattern) effort(name string) int {
	if c.glob == c.fixed || !strings.HasPrefix(name, c.fixed) {
		return 0
	}
	return (len(c.glob) - len(c.fixed)) * len(name)
}

// maxSteps bounds pattern matching, which blocks other writers, to some tenths of a second.
const maxSteps = 1 << 28

// comparison finds the claims that conflict with a new one.
type comparison struct {
	exclusive bool // the new claim is exclusive
	others    []mail.Reservation
	paths     []claimPattern // of other agents
	steps     int
}

func compare(exclusive bool, others []mail.Reservation) *comparison {
	c := &comparison{exclusive: exclusive, others: others, paths: make([]claimPattern, len(others))}
	for i := range others {
		c.paths[i] = newClaimPattern(others[i].Path)
	}
	return c
}

func (c *comparison) holders(p string) ([]mail.Reservation, error) {
	var holders []mail.Reservation
	wanted := newClaimPattern(p)
	for i := range c.others {
		if !c.others[i].Exclusive && !c.exclusive {
			continue
		}
		c.steps += wanted.effort(c.paths[i].path) + c.paths[i].effort(wanted.path)
		if c.steps > maxSteps {
			return nil, &fault.Error{
				Code: mail.Invalid, Detail: "too many patterns to compare with the claims of other agents",
				Hint: "claim fewer or shorter patterns, or directories as dir/**",
			}
		}
		if overlap(wanted, c.paths[i]) {
			holders = append(holders, c.others[i])
		}
	}
	return holders, nil
}

// reservationColumns selects the reservations r of agents a.
const reservationColumns = "SELECT r.id, a.name, r.path, r.exclusive, r.reason, r.expires FROM reservations r JOIN agents a ON a.id = r.agent WHERE "

// Reserved implements mail.Reservations.
func (b *Box) Reserved(ctx context.Context, project string) ([]mail.Reservation, error) {
	return sqlite.Use(ctx, &b.file, "read the reservations", func() ([]mail.Reservation, error) {
		all, err := sqlite.List(ctx, b.read, scanReservation,
			reservationColumns+"r.project = (SELECT id FROM projects WHERE key = ?1 OR slug = ?1) AND r.expires > ?2 ORDER BY r.id LIMIT 10000", project, b.now().UnixMicro())
		if err == nil && len(all) == 0 {
			err = b.missing(ctx, project, "")
		}
		return all, err
	})
}

// Revoke implements mail.Reservations.
func (b *Box) Revoke(ctx context.Context, r mail.Revocation) (mail.Reservation, error) {
	return sqlite.Use(ctx, &b.file, "release a reservation", func() (claim mail.Reservation, err error) {
		var wake func()
		err = b.writer.write(ctx, func(ctx context.Context, w *writer) (err error) {
			claim, wake, err = w.revoke(ctx, &r)
			return err
		}, func() { wake() })
		return claim, err
	})
}

func (w *writer) revoke(ctx context.Context, r *mail.Revocation) (claim mail.Reservation, wake func(), err error) {
	project, _, err := w.projectAndAgent(ctx, r.Project, r.By)
	if err != nil {
		return claim, nil, err
	}
	id, _ := r.Claim.Number()
	all, err := w.reservations(ctx, "r.id = ? AND r.project = ? AND r.expires > ?", id, project, w.box.now().UnixMicro())
	if err != nil {
		return claim, nil, err
	}
	if len(all) == 0 {
		return claim, nil, &fault.Error{Code: mail.NotFound, Detail: "no such reservation: " + fault.Shown(string(r.Claim)), Hint: "list_file_reservations lists them"}
	}
	if err := w.Exec(ctx, "DELETE FROM reservations WHERE id = ?", id); err != nil {
		return claim, nil, err
	}
	wake, err = w.notify(ctx, r.Project, r.By, all[0].Agent, "INFO: reservation of "+all[0].Path+" released", r.By+" released your reservation of "+all[0].Path+".\n\n"+r.Note)
	return all[0], wake, err
}
