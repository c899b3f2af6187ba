package mail

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
)

// Default address of a server.
const (
	DefaultBaseURL = "http://127.0.0.1:8765"
	DefaultPath    = "/mcp/"
)

// DefaultTimeout limits a request.
const DefaultTimeout = 30 * time.Second

// Environment variables with the server's address and token.
const (
	EnvBaseURL = "AGENT_MAIL_BASE_URL"
	EnvPath    = "AGENT_MAIL_PATH"
	EnvToken   = "AGENT_MAIL_BEARER_TOKEN" //nolint:gosec // the name of a variable, not a secret
)

// Options configure a client. Only URL is required.
type Options struct {
	URL     string        // complete, as Address returns it
	Flags   []string      // of the command, for errors: they name another server
	Token   string        `json:"-"` // bearer token; empty sends none
	OwnOnly bool          // send the token only to a server that asks for it as `brenner mail serve` does
	Keys    *Keyring      // agents' tokens; nil keeps them in memory
	HTTP    *http.Client  // nil means a plain client
	Timeout time.Duration // per call; 0 means DefaultTimeout
	// Settle is how long a server may work on a request whose client is gone; 0 means Timeout.
	Settle time.Duration
}

// String returns the options without secrets.
func (o Options) String() string { return baseurl.Shown(o.URL) }

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// Address joins a base URL and a path; empty parts mean the defaults. A base that already ends in the path is taken as it is.
func Address(base, path string) (string, error) {
	base, path = cmp.Or(base, DefaultBaseURL), cmp.Or(path, DefaultPath)
	host := strings.TrimSuffix(strings.TrimRight(base, "/"), "/"+strings.Trim(path, "/"))
	u, ok := baseurl.Parse(host + "/" + strings.TrimLeft(path, "/"))
	if !ok {
		return "", &fault.Error{
			Code: Invalid, Detail: "not a valid mail server URL" + shownAddress(base, path),
			Hint: "write it like " + DefaultBaseURL + ", without a user, a query or a fragment",
		}
	}
	return u.String(), nil
}

// shownAddress returns the address for messages, unless it may contain a password.
func shownAddress(base, path string) string {
	if strings.Contains(base+path, "@") {
		return ""
	}
	return ": " + fault.Shown(baseurl.Shown(base)) + ", path " + fault.Shown(path)
}

// Client talks to one server. It is safe for concurrent use.
type Client struct {
	url            string
	flags          []string
	token          string
	ownOnly        bool
	keys           *Keyring
	http           http.Client
	timeout        time.Duration
	maxThreadBytes int // limit for reading a thread
	settle         time.Duration
	began          time.Time

	mu          sync.Mutex
	initMu      sync.Mutex // held during initialization
	initialized bool
	asked       bool // the server asked for its own token
	session     string
	version     string
	last        int64 // id of the newest request

	bodies   map[ID]string              // texts that lists leave out
	losses   map[string]time.Time       // when the response to a message was lost, by its key
	projects map[string]ID              // ids by key
	offered  map[string]map[string]bool // tools and their arguments; nil if not listed yet
}

// New returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	if !baseurl.Valid(o.URL) {
		return nil, &fault.Error{Code: Invalid, Detail: "not a valid mail server URL: " + fault.Shown(baseurl.Shown(o.URL)), Hint: "write it like " + DefaultBaseURL + DefaultPath}
	}
	c := &Client{url: o.URL, flags: o.Flags, token: o.Token, ownOnly: o.OwnOnly, keys: o.Keys, timeout: o.Timeout, maxThreadBytes: maxThreadBytes, settle: o.Settle, began: time.Now()}
	if c.keys == nil {
		c.keys = &Keyring{}
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.settle <= 0 {
		c.settle = c.timeout
	}
	if o.HTTP != nil {
		c.http = *o.HTTP
	}
	c.http.CheckRedirect = sameTarget
	return c, nil
}

// sameTarget allows a redirect only if it keeps scheme, host and method: the request carries a token.
func sameTarget(r *http.Request, via []*http.Request) error {
	first := via[0]
	if r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host || r.Method != first.Method || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// URL returns the address of the server.
func (c *Client) URL() string { return c.url }

// Keys returns the tokens of the agents that this client acts for.
func (c *Client) Keys() *Keyring { return c.keys }

// SendsToken reports whether requests carry a bearer token.
func (c *Client) SendsToken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token != "" && (!c.ownOnly || c.asked)
}

// accepts reports whether a tool of this server accepts an argument that is not in the contract. Many
// servers refuse unknown arguments.
func (c *Client) accepts(ctx context.Context, tool, argument string) bool {
	ok, err := c.mustAccept(ctx, tool, argument)
	return ok && err == nil
}

// mustAccept is accepts for arguments that must not be omitted because of a temporary failure. After
// an error nothing was done.
func (c *Client) mustAccept(ctx context.Context, tool, argument string) (bool, error) {
	offered, err := c.arguments(ctx)
	return offered[tool][argument], err
}

// lacks reports whether a server lists a tool without an argument of the contract.
func (c *Client) lacks(ctx context.Context, tool, argument string) bool {
	offered, err := c.arguments(ctx)
	arguments, listed := offered[tool]
	return err == nil && listed && len(arguments) > 0 && !arguments[argument]
}

// arguments returns the arguments of the server's tools, which are listed once.
func (c *Client) arguments(ctx context.Context) (map[string]map[string]bool, error) {
	c.mu.Lock()
	offered := c.offered
	c.mu.Unlock()
	if offered == nil {
		var err error
		if offered, err = c.list(ctx); err != nil {
			switch code := fault.CodeOf(err); {
			case code == Unreachable, code == "":
				return nil, err // list them again next time
			case lost(err):
				return nil, &fault.Error{Code: Unreachable, Op: "list the tools", Place: c.url, Cause: err, Hint: fault.HintOf(err)}
			}
			offered = map[string]map[string]bool{}
		}
		c.mu.Lock()
		c.offered = offered
		c.mu.Unlock()
	}
	return offered, nil
}

// Tools returns the names of the server's tools.
func (c *Client) Tools(ctx context.Context) ([]string, error) {
	offered, err := c.list(ctx)
	return slices.Sorted(maps.Keys(offered)), err
}

// toolPages bounds the pages of tools; known servers have one.
const toolPages = 100

// list returns the server's tools and their arguments, page by page until nothing is new.
func (c *Client) list(ctx context.Context) (map[string]map[string]bool, error) {
	offered := make(map[string]map[string]bool)
	params := map[string]any{}
	for range toolPages {
		before := len(offered)
		var page struct {
			Tools []struct {
				Name  string `json:"name"`
				Input struct {
					Properties map[string]any `json:"properties"`
				} `json:"inputSchema"`
			} `json:"tools"`
			Next string `json:"nextCursor"`
		}
		if err := c.rpc(ctx, 0, "tools/list", params, &page); err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			offered[t.Name] = make(map[string]bool)
			for name := range t.Input.Properties {
				offered[t.Name][name] = true
			}
		}
		if page.Next == "" || len(offered) == before {
			break
		}
		params["cursor"] = page.Next
	}
	return offered, nil
}

// proof names the argument of a call that authenticates an agent.
type proof struct {
	project, agent, argument string
	// inContract means that a server that lists no arguments accepts it. If false, servers must list it.
	inContract bool
}

// callAs calls a tool for an agent, with its token if the keyring has one. A refused token may
// belong to a deleted mailbox, and a refused call had no effect. So callAs retries once, with the
// token that another process has stored since, or without one.
func (c *Client) callAs(ctx context.Context, p proof, tool string, arguments map[string]any, into any) error {
	return c.callLongAs(ctx, 0, p, tool, arguments, into)
}

// callLongAs is callAs for a call that the server may hold for up to wait.
func (c *Client) callLongAs(ctx context.Context, wait time.Duration, p proof, tool string, arguments map[string]any, into any) error {
	token := c.keys.Token(c.url, p.project, p.agent)
	if token == "" || p.inContract && c.lacks(ctx, tool, p.argument) || !p.inContract && !c.accepts(ctx, tool, p.argument) {
		return c.callLong(ctx, wait, tool, arguments, into)
	}
	arguments[p.argument] = token
	refusal := c.callLong(ctx, wait, tool, arguments, into)
	if !tokenRefused(refusal) {
		return refusal
	}
	delete(arguments, p.argument)
	if newer := c.keys.newer(c.url, p.project, p.agent, token); newer != "" {
		arguments[p.argument] = newer
	}
	err := c.callLong(ctx, wait, tool, arguments, into)
	if tokenRefused(err) {
		return refusal // the token was not the reason
	}
	_ = c.keys.Drop(c.url, p.project, p.agent, token) // if the file cannot be written, the token is refused again next time
	return err
}

// tokenRefused reports whether a server refused the agent's token, not (by HTTP) the bearer token.
func tokenRefused(err error) bool {
	var refusal *ServerError
	code := fault.CodeOf(err)
	return (code == NotYours || code == NoAuth) && errors.As(err, &refusal)
}

// CheckKey returns an error if the server refuses the keyring's token of an agent. It changes nothing.
func (c *Client) CheckKey(ctx context.Context, project, agent string) error {
	h, err := c.Health(ctx)
	if err != nil {
		return err
	}
	token := c.keys.Token(c.url, project, agent)
	asking := &Client{url: c.url, token: c.token, ownOnly: c.ownOnly, keys: &Keyring{}, http: c.http, timeout: c.timeout, maxThreadBytes: c.maxThreadBytes}
	if h.Environment == embedded {
		asking.token, asking.ownOnly, token = token, false, "" // with the operator's bearer any agent token would pass
	} else if err := asking.keys.Keep(c.url, project, agent, agent, token); err != nil {
		return err
	}
	_, err = asking.Inbox(ctx, InboxQuery{Project: project, Agent: agent, Limit: 1, NoBodies: true}, 0)
	if err == nil && token != "" && asking.keys.Token(c.url, project, agent) == "" {
		return &fault.Error{Code: NoAuth, Place: c.url, Detail: "the server rejects the token of " + fault.Shown(agent)}
	}
	return err
}

// Foreign reports whether the server responds and is not the embedded one.
func (c *Client) Foreign(ctx context.Context) bool {
	h, err := c.Health(ctx)
	return err == nil && h.Environment != embedded
}

// embedded is the environment that the embedded server reports.
const embedded = "embedded"
