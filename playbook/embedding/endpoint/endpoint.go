// Package endpoint embeds texts at any OpenAI-compatible endpoint.
//
// It promises one vector for each text, in order, normalized to length 1, or an error with a
// hint for the user. Memory is bounded whatever the endpoint sends. The key goes to the
// configured host only, and is in no result or error. The package must not know what is
// embedded, when to retry, or where the key comes from.
package endpoint

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
	"brenner/playbook/embedding"
	"brenner/playbook/vector"
)

// batch is the number of texts in one request; some servers accept no more than 32.
const batch = 32

// Options select the model and the endpoint.
type Options struct {
	BaseURL string // like http://localhost:11434/v1
	Key     string `json:"-"` // sent as a bearer token, if not empty
	KeyName string // origin of the key, for messages; empty means OPENAI_API_KEY
	Model   string // as named by the endpoint

	// Client sends the requests; nil means a default one. Its redirect policy is replaced.
	Client *http.Client
}

// String returns the options without the key.
func (o Options) String() string { return o.Model + " at " + o.BaseURL }

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// Model is one model at one endpoint.
type Model struct {
	Options
	host   string
	client http.Client
	hide   modelhttp.Secrets
}

// New returns a model at an endpoint. It sends nothing.
func New(o Options) (*Model, error) {
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	m := &Model{Options: o, hide: modelhttp.NewSecrets(o.Key)}
	var l fault.List
	if u, ok := baseurl.Parse(o.BaseURL); ok {
		m.host = u.Host
	} else {
		l.Add(embedding.Setup, "", baseurl.Hint, "base_url is not the URL of an endpoint")
	}
	if strings.TrimSpace(o.Model) == "" {
		l.Add(embedding.Setup, "", "set model to a model of the endpoint", "no embedding model")
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r < ' ' || r > '~' }) {
		l.Add(embedding.Setup, "", "check it for a line break", "the key contains characters that cannot be sent")
	}
	if o.Client != nil {
		m.client = *o.Client
	}
	m.client.CheckRedirect = modelhttp.SameHost
	return m, l.Err()
}

// Model names what makes the vectors. It includes the host, since a model of the same name
// elsewhere may differ.
func (m *Model) Model() string { return m.Options.Model + "@" + m.host }

// Embed returns a vector for each text.
func (m *Model) Embed(ctx context.Context, texts []string) ([]vector.Vector, error) {
	if err := embedding.Check(texts); err != nil {
		return nil, err
	}
	all := make([]vector.Vector, 0, len(texts))
	for len(texts) > 0 {
		n := min(batch, len(texts))
		some, err := m.request(ctx, texts[:n])
		if err != nil {
			return nil, m.fault(ctx, err)
		}
		all, texts = append(all, some...), texts[n:]
	}
	for _, v := range all {
		if len(v.Values) != len(all[0].Values) {
			return nil, m.fault(ctx, &malformed{"vectors of different lengths"})
		}
	}
	return all, nil
}

func (m *Model) request(ctx context.Context, texts []string) ([]vector.Vector, error) {
	config := sdk.DefaultConfig(m.Key)
	config.BaseURL = m.BaseURL
	config.HTTPClient = &bounded{model: m, limit: len(texts)*maxPerText + 64<<10}
	answer, err := sdk.NewClientWithConfig(config).CreateEmbeddings(ctx, sdk.EmbeddingRequestStrings{
		Input: texts, Model: sdk.EmbeddingModel(m.Options.Model), EncodingFormat: sdk.EmbeddingEncodingFormatFloat,
	})
	if err != nil {
		return nil, err
	}
	if len(answer.Data) != len(texts) {
		return nil, &malformed{"the number of vectors differs from the number of texts"}
	}
	all := make([]vector.Vector, len(texts))
	for _, e := range answer.Data {
		if e.Index < 0 || e.Index >= len(all) || all[e.Index].Values != nil {
			return nil, &malformed{"a vector has an invalid or duplicate index"}
		}
		if all[e.Index], err = vector.New(m.Model(), e.Embedding); err != nil {
			return nil, &malformed{"invalid vector in the response"}
		}
	}
	return all, nil
}

func (m *Model) keyName() string { return cmp.Or(m.KeyName, "OPENAI_API_KEY") }
