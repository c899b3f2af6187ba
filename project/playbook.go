package project

import (
	"context"
	"net/http"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/endpoint"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/keeper"
	"brenner/project/storage"
	"brenner/store"
	"brenner/store/memory"
)

// OpenPlaybook opens the playbook for reading. Without a store it is empty, and none is
// created.
func (p *Project) OpenPlaybook(ctx context.Context) (*keeper.Keeper, error) {
	return p.openPlaybook(ctx, p.storeOrNone)
}

// SearchPlaybook opens the playbook for searching. That may write: bullets of another model
// are embedded again. If there is no store or it is read-only, the new vectors are
// discarded.
func (p *Project) SearchPlaybook(ctx context.Context) (*keeper.Keeper, error) {
	return p.openPlaybook(ctx, func(ctx context.Context) (store.Store, error) {
		st, err := p.storeOrNone(ctx)
		if _, none := st.(*memory.Store); err != nil || none {
			return st, err
		}
		return &storage.Late{Store: st, Open: func(ctx context.Context, before store.Store) (store.Store, error) {
			return toKeepVectors(ctx, before, func(ctx context.Context) (store.Store, error) { return p.OpenStore(ctx) })
		}}, nil
	})
}

// PreviewPlaybook opens the playbook for changes that are discarded.
func (p *Project) PreviewPlaybook(ctx context.Context) (*keeper.Keeper, error) {
	return p.openPlaybook(ctx, func(ctx context.Context) (store.Store, error) {
		st, err := p.storeOrNone(ctx)
		if err != nil {
			return nil, err
		}
		return storage.Scratch(ctx, st, playbook.Stream)
	})
}

// ChangePlaybook opens the playbook for changes.
func (p *Project) ChangePlaybook(ctx context.Context) (*keeper.Keeper, error) {
	return p.openPlaybook(ctx, p.OpenToWrite)
}

func (p *Project) openPlaybook(ctx context.Context, open func(context.Context) (store.Store, error)) (*keeper.Keeper, error) {
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
	return k, nil
}

// storeOrNone opens the project's store for reading, or an empty one in memory.
func (p *Project) storeOrNone(ctx context.Context) (store.Store, error) {
	return emptyIfNone(p.OpenToRead(ctx))
}

// emptyIfNone returns an empty store in memory if the store does not exist.
func emptyIfNone(st storage.Store, err error) (store.Store, error) {
	switch {
	case fault.CodeOf(err) == store.NoStore:
		return memory.New(), nil
	case err != nil:
		return nil, err
	}
	return st, nil
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
		return storage.Scratch(ctx, before, playbook.Stream)
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
