package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"brenner/agent"
	"brenner/internal/baseurl"
	"brenner/internal/secret"
)

// listTimeout is how long to wait for a page of an endpoint.
const listTimeout = 2 * time.Second

// ListModels requests the ids of an endpoint's models.
func ListModels(ctx context.Context, base, key string) (ids []string, status int, err error) {
	data, status, err := getPage(ctx, nil, strings.TrimRight(base, "/")+"/models", key)
	if err != nil {
		return nil, status, err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if status == http.StatusOK && json.Unmarshal(data, &list) != nil {
		return nil, http.StatusNotFound, nil // not an OpenAI-compatible endpoint
	}
	const longest, shortest = 80, 4
	secrets := secret.New([]string{key}, shortest)
	for _, one := range list.Data {
		id := one.ID
		if secrets.In(id) {
			id = "[secret]" // the server sent the key back
		}
		if len(id) > longest {
			id = strings.ToValidUTF8(id[:longest], "") + "…"
		}
		ids = append(ids, id)
	}
	return ids, status, nil
}

// getPage requests a page of an endpoint; a nil transport is the default one.
func getPage(ctx context.Context, transport http.RoundTripper, address, key string) (page []byte, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// A key must not follow a redirect.
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, errors.Unwrap(err) // without the address: the caller adds it
	}
	const most = 1 << 20
	page, err = io.ReadAll(io.LimitReader(resp.Body, most))
	return page, resp.StatusCode, errors.Join(err, resp.Body.Close())
}

// ContextSize returns the context size of a model as its server reports it, or 0: in the list of
// models, or on the page of llama.cpp. It takes no longer than one page may.
func ContextSize(ctx context.Context, transport http.RoundTripper, base, key, model string) int {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	var list struct {
		Data []struct {
			ID      string     `json:"id"`
			Length  windowSize `json:"context_length"` // OpenRouter, LM Studio
			Longest windowSize `json:"max_model_len"`  // vLLM
			Size    windowSize `json:"n_ctx"`
			Meta    struct {
				Size windowSize `json:"n_ctx"`
			} `json:"meta"` // llama.cpp
		} `json:"data"`
	}
	page, status, err := getPage(ctx, transport, strings.TrimRight(base, "/")+"/models", key)
	if err == nil && status == http.StatusOK && json.Unmarshal(page, &list) == nil {
		for _, one := range list.Data {
			if size := cmp.Or(one.Length, one.Longest, one.Size, one.Meta.Size); one.ID == model && size > 0 {
				return int(size)
			}
		}
	}
	u, ok := baseurl.Parse(base)
	if !ok {
		return 0
	}
	var props struct {
		Settings struct {
			Size windowSize `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	page, status, err = getPage(ctx, transport, u.Scheme+"://"+u.Host+strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")+"/props", "")
	if err != nil || status != http.StatusOK || json.Unmarshal(page, &props) != nil {
		return 0
	}
	return int(props.Settings.Size)
}

// windowSize is a number of tokens. Anything else that a server writes there is 0.
type windowSize int

// UnmarshalJSON reads a number, also as a text.
func (w *windowSize) UnmarshalJSON(data []byte) error {
	if n, ok := agent.ParseTokens(bytes.Trim(data, `"`)); ok {
		*w = windowSize(n)
	}
	return nil
}

// NetworkReason returns why an endpoint did not respond, without its address.
func NetworkReason(err error) string {
	var number syscall.Errno
	var unknown *net.DNSError
	switch {
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &unknown):
		return "cannot resolve host " + unknown.Name
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return err.Error()
}
