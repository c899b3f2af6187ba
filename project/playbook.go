package project

import (
	"context"
	"fmt"
	"net/http"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/endpoint"
	"brenner/playbook/embedding/uselite"
	"brenner/store"
)

// ToKeepVectors opens a store that was read for writing, or makes one to forget.
func ToKeepVectors(ctx context.Context, before store.Store, open func(context.Context) (store.Store, error)) (store.Store, error) {
	st, err := open(ctx)
	if fault.CodeOf(err) == store.Unwritable {
		return scratch(ctx, before, playbook.Stream)
	}
	if err != nil {
		return nil, err
	}
	return st, before.Close()
}

// Embedder gives what makes vectors: the model that is part of the program, or an
// endpoint. A key goes to an address of a file only where the user trusts that file.
func (p *Project) Embedder() (embedding.Embedder, error) {
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
	name := e.KeyEnv
	if name == "" {
		name = EnvKey
	}
	key := p.Variable(name)
	if key != "" {
		m := &Models{Project: p}
		what := fmt.Sprintf("send the key of %s to %s", name, e.BaseURL)
		for _, k := range []string{"playbook.embedding.base_url", "playbook.embedding.key_env"} {
			if err := m.MustTrust(p.Config.Origin(k), what); err != nil {
				return nil, err
			}
		}
	}
	return endpoint.New(endpoint.Options{
		BaseURL: e.BaseURL, Key: key, KeyName: name, Model: e.Model, Client: &http.Client{Timeout: p.Config.Timeouts.Call},
	})
}
