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

// Playbook is a project's playbook, opened to read, to search or to change it.
type Playbook struct {
	*keeper.Keeper
	project *Project
}

// OpenPlaybook opens the playbook to read it. Where there is no store, none is made, and
// the playbook is empty.
func (p *Project) OpenPlaybook(ctx context.Context) (*Playbook, error) {
	return p.openPlaybook(ctx, p.storeOrNone)
}

// SearchPlaybook opens the playbook to search it, which may have to write: with another
// model, bullets are embedded anew. Where there is no store, none is made, and where it
// cannot be written, the new vectors are forgotten.
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

// ChangePlaybook opens the playbook to change it.
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

// storeOrNone opens the project's store to read it, or an empty one in memory.
func (p *Project) storeOrNone(ctx context.Context) (store.Store, error) {
	return emptyIfNone(p.OpenToRead(ctx))
}

// emptyIfNone returns an empty store in memory where there is none.
func emptyIfNone(st *sqlite.Store, err error) (store.Store, error) {
	switch {
	case fault.CodeOf(err) == store.NoStore:
		return memory.New(), nil
	case err != nil:
		return nil, err
	}
	return st, nil
}

// Close ends the playbook's store.
func (b *Playbook) Close() { b.project.CloseStore(b.Store) }

// Act returns who changes the playbook, and why: the operator where no name is given.
// Only the operator and the authorities may: their word is worth more than an agent's.
func (b *Playbook) Act(as, reason string) (playbook.Act, error) {
	cfg := b.project.Config
	as = cmp.Or(as, cfg.Operator)
	if as != cfg.Operator && !slices.Contains(cfg.Authorities, as) {
		return playbook.Act{}, &fault.Error{
			Code: session.NotAllowed, Detail: fault.Shown(as) + " is no authority of this project",
			Hint: "the operator and those under authorities: in " + config.FileName + " decide about the playbook",
		}
	}
	return playbook.Act{Actor: as, Reason: reason}, nil
}

// AddLesson takes a lesson in: a person's, unless an agent is its source. Its domain is
// that of the configuration where it has none.
func (b *Playbook) AddLesson(ctx context.Context, act playbook.Act, i playbook.Insight) (*keeper.Change, error) {
	act.Session = i.Source.Session
	i.Domain = cmp.Or(i.Domain, b.project.Config.Playbook.Domain)
	if i.Person = i.Source.Agent == ""; i.Person {
		i.Source.Agent = act.Actor
	}
	return b.Add(ctx, act, i)
}

// ImportedLines is what an import of bullets came to.
type ImportedLines struct {
	Schema  string `json:"schema"`
	File    string `json:"file"`
	Lines   int    `json:"lines"`
	Added   int    `json:"added"`
	Already int    `json:"already"` // were there before
	Head    string `json:"head"`
}

// ImportLines adds bullets in the line form, all or none. Without a domain they get that
// of the configuration. The file is named in errors.
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
	Left    []string `json:"left"` // for which there was no room
	Tokens  int      `json:"tokens"`
	Budget  int      `json:"budget"`
}

// Render chooses bullets as a session does. Without a bound it is that of the
// configuration.
func (b *Playbook) Render(ctx context.Context, w keeper.Wish, bound *int) (*RenderedLessons, error) {
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

// ProvePlaybook proves the playbook from its journal. A hash that was kept, where one is
// given, has to be in it.
func (p *Project) ProvePlaybook(ctx context.Context, kept string) (*keeper.Proof, error) {
	st, err := emptyIfNone(p.OpenUnchanged(ctx))
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	proof := keeper.Prove(ctx, st, kept)
	return proof, ctx.Err()
}

// toKeepVectors opens a store that was read for writing, or makes one to forget.
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

// embedder gives what makes vectors: the model that is part of the program, or an
// endpoint. A key goes to an address of a file only where the user trusts that file.
func (p *Project) embedder() (embedding.Embedder, error) {
	e := p.Config.Playbook.Embedding
	if e.Model == "" && e.BaseURL == "" {
		return uselite.New(uselite.Options{Lower: true}), nil
	}
	if e.Model == "" || e.BaseURL == "" {
		return nil, &fault.Error{
			Code: embedding.Setup, Place: "playbook.embedding", Detail: "an endpoint needs both model and base_url",
			Hint: "set both, or none for the model that is part of the program",
		}
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
