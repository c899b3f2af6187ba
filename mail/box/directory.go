package box

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"path"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

// EnsureProject implements mail.Directory.
func (b *Box) EnsureProject(ctx context.Context, key string) (mail.Project, error) {
	const op = "ensure the project"
	if strings.TrimSpace(key) == "" || len(key) > 4096 || strings.ContainsRune(key, 0) {
		return mail.Project{}, &fault.Error{Code: mail.Invalid, Op: op, Detail: "not a project: " + fault.Shown(key), Hint: "use the absolute path of its directory"}
	}
	return sqlite.Use(ctx, &b.file, op, func() (mail.Project, error) {
		if there, err := b.projects(ctx, key); err != nil || len(there) > 0 {
			return first(there), err
		}
		err := b.writer.write(ctx, func(ctx context.Context, w *writer) error { return w.makeProject(ctx, key) }, nil)
		if err != nil {
			return mail.Project{}, err
		}
		there, err := b.projects(ctx, key)
		return first(there), err
	})
}

// slugHashes returns the numbers of hash bytes to try in a slug: longer ones are for slugs that are
// already in use as a slug or key.
func slugHashes() []int { return []int{4, 8, 16, sha256.Size} }

// makeProject creates a project, unless another process has done so meanwhile.
func (w *writer) makeProject(ctx context.Context, key string) error {
	var n int
	for _, length := range slugHashes() {
		name := slug(key, length)
		taken, err := w.Row(ctx, []any{&n}, "SELECT 1 FROM projects WHERE (slug = ?1 OR key = ?1) AND key <> ?2", name, key)
		if err != nil {
			return err
		}
		if !taken {
			return w.Exec(ctx, "INSERT INTO projects (key, slug, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", key, name, w.box.now().UnixMicro())
		}
	}
	return &fault.Error{Code: mail.NameTaken, Detail: "no free slug for " + fault.Shown(key), Hint: "move or rename the directory"}
}

func first[T any](list []T) T {
	var none T
	if len(list) == 0 {
		return none
	}
	return list[0]
}

// slug returns a short project name for URLs. The hash distinguishes directories of one name.
func slug(key string, hash int) string {
	var s strings.Builder
	for _, r := range strings.ToLower(path.Base(strings.ReplaceAll(key, `\`, "/"))) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			s.WriteRune(r)
		case s.Len() > 0 && !strings.HasSuffix(s.String(), "-"):
			s.WriteByte('-')
		}
	}
	sum := sha256.Sum256([]byte(key))
	name := strings.Trim(s.String(), "-")
	return strings.TrimLeft(name[:min(len(name), 40)]+"-"+hex.EncodeToString(sum[:hash]), "-")
}

// Projects implements mail.Directory.
func (b *Box) Projects(ctx context.Context, name string) ([]mail.Project, error) {
	return sqlite.Use(ctx, &b.file, "read the projects", func() ([]mail.Project, error) {
		all, err := b.projects(ctx, name)
		if err == nil && name != "" && len(all) == 0 {
			err = noProject(name)
		}
		return all, err
	})
}

func noProject(name string) error {
	return &fault.Error{Code: mail.NotFound, Detail: "no such project: " + fault.Shown(name), Hint: "create it with ensure_project; project_key is the absolute path of its directory, or its slug"}
}

func (b *Box) projects(ctx context.Context, name string) ([]mail.Project, error) {
	return sqlite.List(ctx, b.read, func(rows *sql.Rows) (p mail.Project, err error) {
		var id, created int64
		err = rows.Scan(&id, &p.Key, &p.Slug, &created)
		p.ID, p.Created = mail.Numbered(id), instant(created)
		return p, err
	}, "SELECT id, key, slug, created FROM projects WHERE ?1 = '' OR key = ?1 OR slug = ?1 ORDER BY id", name)
}

// Register implements mail.Directory.
func (b *Box) Register(ctx context.Context, r mail.Registration) (mail.Agent, error) {
	if err := r.Check(); err != nil {
		return mail.Agent{}, err
	}
	return sqlite.Use(ctx, &b.file, "register", func() (mail.Agent, error) {
		err := b.writer.write(ctx, func(ctx context.Context, w *writer) error { return w.register(ctx, &r) }, b.tokens.Clear)
		if err != nil {
			return mail.Agent{}, err
		}
		all, err := b.agents(ctx, r.Project, r.Name)
		return first(all), err
	})
}

func (w *writer) register(ctx context.Context, r *mail.Registration) error {
	defer w.clearCache() // the policy may have changed
	project, err := w.project(ctx, r.Project)
	if err != nil {
		return err
	}
	var id int64
	var registered string
	there, err := w.Row(ctx, []any{&id, &registered}, "SELECT id, name FROM agents WHERE project = ? AND name = ?", project, r.Name)
	if err != nil {
		return err
	}
	now := w.box.now().UnixMicro()
	token := sql.NullString{String: r.TokenHash, Valid: r.TokenHash != ""}
	switch {
	case !there:
		return w.Exec(ctx, "INSERT INTO agents (project, name, program, model, task, policy, token, created, active) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			project, r.Name, r.Program, r.Model, r.Task, cmp.Or(r.Policy, mail.PolicyOpen), token, now, now)
	case !r.Renew || registered != r.Name:
		return &fault.Error{
			Code: mail.NameTaken, Detail: "agent " + registered + " already exists",
			Hint: "register with its token, or use another name",
		}
	}
	return w.Exec(ctx, `UPDATE agents SET program = ifnull(nullif(?, ''), program), model = ifnull(nullif(?, ''), model), task = ifnull(nullif(?, ''), task),
		policy = ifnull(nullif(?, ''), policy), token = ifnull(?, token), active = ? WHERE id = ?`, r.Program, r.Model, r.Task, r.Policy, token, now, id)
}

// Agents implements mail.Directory.
func (b *Box) Agents(ctx context.Context, project, name string) ([]mail.Agent, error) {
	return sqlite.Use(ctx, &b.file, "read the agents", func() ([]mail.Agent, error) {
		all, err := b.agents(ctx, project, name)
		if err == nil && len(all) == 0 {
			err = b.missing(ctx, project, name)
		}
		return all, err
	})
}

// missing returns the error for a missing agent or project.
func (b *Box) missing(ctx context.Context, project, name string) error {
	there, err := b.projects(ctx, project)
	switch {
	case err != nil:
		return err
	case len(there) == 0:
		return noProject(project)
	case name != "":
		return noAgent(name)
	}
	return nil
}

func noAgent(name string) error {
	return &fault.Error{Code: mail.NotFound, Detail: "no such agent: " + fault.Shown(name), Hint: "register it first; resource://agents/… lists the agents"}
}

const agentColumns = "a.id, a.project, a.name, a.program, a.model, a.task, a.policy, a.created, a.active"

func (b *Box) agents(ctx context.Context, project, name string) ([]mail.Agent, error) {
	return sqlite.List(ctx, b.read, scanAgent,
		"SELECT "+agentColumns+" FROM agents a JOIN projects p ON p.id = a.project WHERE (p.key = ?1 OR p.slug = ?1) AND (?2 = '' OR a.name = ?2) ORDER BY a.name", project, name)
}

func scanAgent(rows *sql.Rows) (mail.Agent, error) {
	var a mail.Agent
	var id, project, created, active int64
	err := rows.Scan(&id, &project, &a.Name, &a.Program, &a.Model, &a.Task, &a.Policy, &created, &active)
	a.ID, a.Project, a.Since, a.Active = mail.Numbered(id), mail.Numbered(project), instant(created), instant(active)
	return a, err
}

// Owner implements mail.Directory.
func (b *Box) Owner(ctx context.Context, tokenHash string) (mail.Project, mail.Agent, error) {
	o, err := sqlite.Use(ctx, &b.file, "look up a token", func() (owner, error) {
		if seen, ok := b.tokens.Load(tokenHash); ok && time.Since(seen.(seenToken).at) < tokenTTL {
			return b.owner(ctx, seen.(seenToken).row)
		}
		rows, err := sqlite.List(ctx, b.read, sqlite.One[int64], "SELECT id FROM agents WHERE token = ?", tokenHash)
		if err == nil && len(rows) == 0 {
			err = &fault.Error{Code: mail.NotFound, Op: "look up a token", Detail: "unknown token"}
		}
		if err != nil {
			b.tokens.Delete(tokenHash)
			return owner{}, err
		}
		b.tokens.Store(tokenHash, seenToken{rows[0], time.Now()})
		return b.owner(ctx, rows[0])
	})
	return o.project, o.agent, err
}

// Token is the stored form of an agent's token.
type Token struct{ Agent, Stored string }

// Tokens returns the tokens of all agents.
func (b *Box) Tokens(ctx context.Context) ([]Token, error) {
	return sqlite.Use(ctx, &b.file, "read the tokens", func() ([]Token, error) {
		return sqlite.List(ctx, b.read, func(rows *sql.Rows) (t Token, err error) {
			err = rows.Scan(&t.Agent, &t.Stored)
			return t, err
		}, "SELECT name, token FROM agents WHERE token IS NOT NULL ORDER BY name, id")
	})
}

// ReplaceTokens changes the stored form of tokens; an empty one removes the token.
func (b *Box) ReplaceTokens(ctx context.Context, tokens []Token, form func(stored string) string) error {
	_, err := sqlite.Use(ctx, &b.file, "replace the tokens", func() (struct{}, error) {
		return struct{}{}, b.writer.write(ctx, func(ctx context.Context, w *writer) error {
			for _, t := range tokens {
				if err := w.Exec(ctx, "UPDATE agents SET token = nullif(?, '') WHERE token = ?", form(t.Stored), t.Stored); err != nil {
					return err
				}
			}
			return nil
		}, b.tokens.Clear)
	})
	return err
}

// tokenTTL is how long a verified token is trusted without a lookup, and so how long a replaced
// one stays valid in other processes. A lookup per call would cost a tenth of the call.
const tokenTTL = time.Second

// seenToken is the owner's row of a verified token and the time of the check.
type seenToken struct {
	row int64
	at  time.Time
}

// owner holds the immutable fields of an agent and its project.
type owner struct {
	project mail.Project
	agent   mail.Agent
}

// owner returns the owner of a row. It is cached permanently: tokens change owners, rows do not.
func (b *Box) owner(ctx context.Context, row int64) (owner, error) {
	if known, ok := b.owners.Load(row); ok {
		return known.(owner), nil
	}
	all, err := sqlite.List(ctx, b.read, func(rows *sql.Rows) (o owner, err error) {
		var id, created, since int64
		err = rows.Scan(&o.agent.Name, &since, &id, &o.project.Key, &o.project.Slug, &created)
		o.agent.ID, o.agent.Project, o.agent.Since = mail.Numbered(row), mail.Numbered(id), instant(since)
		o.project.ID, o.project.Created = mail.Numbered(id), instant(created)
		return o, err
	}, "SELECT a.name, a.created, p.id, p.key, p.slug, p.created FROM agents a JOIN projects p ON p.id = a.project WHERE a.id = ?", row)
	if err == nil && len(all) > 0 {
		b.owners.Store(row, all[0])
	}
	return first(all), err
}

func instant(micro int64) mail.Instant { return mail.Instant{Time: time.UnixMicro(micro).UTC()} }
