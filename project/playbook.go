package project

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/endpoint"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/keeper"
	"brenner/session"
	sessionmemory "brenner/session/memory"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// Playbook is a project's playbook, opened to read, search or change.
type Playbook struct {
	*keeper.Keeper
	project *Project
}

// OpenPlaybook opens the playbook for reading. Without a store it is empty, and none is
// created.
func (p *Project) OpenPlaybook(ctx context.Context) (*Playbook, error) {
	return p.openPlaybook(ctx, p.storeOrNone)
}

// SearchPlaybook opens the playbook for searching. That may write: bullets of another model
// are embedded again. If there is no store or it is read-only, the new vectors are
// discarded.
func (p *Project) SearchPlaybook(ctx context.Context) (*Playbook, error) {
	return p.openPlaybook(ctx, func(ctx context.Context) (store.Store, error) {
		st, err := p.storeOrNone(ctx)
		if _, none := st.(*memory.Store); err != nil || none {
			return st, err
		}
		return &lateStore{Store: st, open: func(ctx context.Context, before store.Store) (store.Store, error) {
			return toKeepVectors(ctx, before, func(ctx context.Context) (store.Store, error) { return p.OpenStore(ctx) })
		}}, nil
	})
}

// ChangePlaybook opens the playbook for changes.
func (p *Project) ChangePlaybook(ctx context.Context) (*Playbook, error) {
	return p.openPlaybook(ctx, p.OpenToWrite)
}

func (p *Project) openPlaybook(ctx context.Context, open func(context.Context) (store.Store, error)) (*Playbook, error) {
	e, err := p.embedder()
	if err != nil {
		return nil, err
	}
	st, err := open(ctx)
	if err != nil {
		return nil, err
	}
	k, err := keeper.Open(ctx, keeper.Options{Store: st, Rules: p.Config.Playbook.Rules, Embedder: e, Now: p.Now})
	if err != nil {
		p.CloseStore(st)
		return nil, err
	}
	return &Playbook{Keeper: k, project: p}, nil
}

// storeOrNone opens the project's store for reading, or an empty one in memory.
func (p *Project) storeOrNone(ctx context.Context) (store.Store, error) {
	return emptyIfNone(p.OpenToRead(ctx))
}

// emptyIfNone returns an empty store in memory if the store does not exist.
func emptyIfNone(st *sqlite.Store, err error) (store.Store, error) {
	switch {
	case fault.CodeOf(err) == store.NoStore:
		return memory.New(), nil
	case err != nil:
		return nil, err
	}
	return st, nil
}

// Close closes the playbook's store.
func (b *Playbook) Close() { b.project.CloseStore(b.Store) }

// Act returns the actor and the reason of a change; the default actor is the operator. Only
// the operator and the authorities may change the playbook.
func (b *Playbook) Act(as, reason string) (playbook.Act, error) {
	cfg := b.project.Config
	as = cmp.Or(as, cfg.Operator)
	if as != cfg.Operator && !slices.Contains(cfg.Authorities, as) {
		return playbook.Act{}, &fault.Error{
			Code: session.NotAllowed, Detail: fault.Shown(as) + " is not an authority of this project",
			Hint: "only the operator and the authorities: in " + config.FileName + " may change the playbook",
		}
	}
	return playbook.Act{Actor: as, Reason: reason}, nil
}

// AddLesson adds a lesson: a person's, unless its source is an agent. The default domain is
// the configured one.
func (b *Playbook) AddLesson(ctx context.Context, act playbook.Act, i playbook.Insight) (*keeper.Change, error) {
	act.Session = i.Source.Session
	i.Domain = cmp.Or(i.Domain, b.project.Config.Playbook.Domain)
	if i.Person = i.Source.Agent == ""; i.Person {
		i.Source.Agent = act.Actor
	}
	return b.Add(ctx, act, i)
}

// ImportedLines is the result of importing bullets.
type ImportedLines struct {
	Schema  string `json:"schema"`
	File    string `json:"file"`
	Lines   int    `json:"lines"`
	Added   int    `json:"added"`
	Already int    `json:"already"` // already existed
	Head    string `json:"head"`
}

// ImportLines adds bullets in the line format, all or none. The default domain is the
// configured one. Errors name the file.
func (b *Playbook) ImportLines(ctx context.Context, act playbook.Act, file, data, domain string) (*ImportedLines, error) {
	lines, err := playbook.ParseLines(data, b.project.Config.Playbook.Rules.Longest)
	if err != nil {
		return nil, fault.InFile("import", file, err)
	}
	into := playbook.Into{Domain: cmp.Or(domain, b.project.Config.Playbook.Domain), Named: domain != ""}
	progress := func(done, of int) { b.project.Log.Debug().Int("done", done).Int("of", of).Msg("embedded") }
	added, err := b.Import(ctx, act, lines, into, progress)
	if fault.CodeOf(err) == playbook.BadLine {
		err = fault.InFile("import", file, err)
	}
	if err != nil {
		return nil, err
	}
	return &ImportedLines{
		Schema: "brenner.playbook.import/v1", File: file, Lines: len(lines), Added: added, Already: len(lines) - added, Head: b.Head().Hash,
	}, nil
}

// RenderedLessons is the part of a prompt that holds bullets.
type RenderedLessons struct {
	Schema  string   `json:"schema"`
	Text    string   `json:"text"`
	Bullets []string `json:"bullets"`
	Left    []string `json:"left"` // bullets that did not fit
	Tokens  int      `json:"tokens"`
	Budget  int      `json:"budget"`
}

// Render chooses bullets as a session does. The default bound is the configured one.
func (b *Playbook) Render(ctx context.Context, w keeper.Selection, bound *int) (*RenderedLessons, error) {
	counter := tokens.New()
	w.Tokens, w.Count, w.Line = b.project.Config.Playbook.Tokens, counter.Count, sessionmemory.Line
	if bound != nil {
		w.Tokens = *bound
	}
	r, err := b.Choose(ctx, w)
	if err != nil {
		return nil, err
	}
	out := &RenderedLessons{Schema: "brenner.playbook.render/v1", Text: r.Text, Bullets: r.Taken, Left: r.Left, Budget: w.Tokens}
	if r.Text != "" {
		out.Tokens = counter.Count(r.Text)
	}
	return out, nil
}

// ProvePlaybook proves the playbook from its journal, which must contain the hash kept, if
// any.
func (p *Project) ProvePlaybook(ctx context.Context, kept string) (*keeper.Proof, error) {
	st, err := emptyIfNone(p.OpenUnchanged(ctx))
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	proof := keeper.Prove(ctx, st, kept)
	return proof, ctx.Err()
}

// toKeepVectors opens a store for writing that was opened for reading, or a scratch store.
func toKeepVectors(ctx context.Context, before store.Store, open func(context.Context) (store.Store, error)) (store.Store, error) {
	st, err := open(ctx)
	if fault.CodeOf(err) == store.Unwritable {
		return scratch(ctx, before, playbook.Stream)
	}
	if err != nil {
		return nil, err
	}
	return st, before.Close()
}

// embedder returns what makes vectors: the built-in model, or an endpoint. A key is sent to
// an address from a file only if the user trusts that file.
func (p *Project) embedder() (embedding.Embedder, error) {
	e := p.Config.Playbook.Embedding
	if e.Model == "" && e.BaseURL == "" {
		return uselite.New(uselite.Options{Lower: true}), nil
	}
	if e.Model == "" || e.BaseURL == "" {
		return nil, &fault.Error{
			Code: embedding.Setup, Place: "playbook.embedding", Detail: "an endpoint requires both model and base_url",
			Hint: "set both, or neither for the built-in model",
		}
	}
	if err := p.CheckHost(e.BaseURL); err != nil {
		return nil, err
	}
	name, key := p.keyOf(config.Model{KeyEnv: e.KeyEnv})
	if key != "" {
		for _, k := range []string{"playbook.embedding.base_url", "playbook.embedding.key_env"} {
			if err := p.mustTrust(p.Config.Origin(k), sendKey(name, e.BaseURL)); err != nil {
				return nil, err
			}
		}
	}
	return endpoint.New(endpoint.Options{
		BaseURL: e.BaseURL, Key: key, KeyName: name, Model: e.Model, Client: &http.Client{Timeout: p.Config.Timeouts.Call},
	})
}
