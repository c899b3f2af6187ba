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

// Where a server is, where nobody says otherwise.
const (
	DefaultBaseURL = "http://127.0.0.1:8765"
	DefaultPath    = "/mcp/"
)

// The variables of the environment that say where the server is.
const (
	EnvBaseURL = "AGENT_MAIL_BASE_URL"
	EnvPath    = "AGENT_MAIL_PATH"
	EnvToken   = "AGENT_MAIL_BEARER_TOKEN" //nolint:gosec // the name of a variable, not a secret
)

// Options say which server is asked, and how. Only URL is needed.
type Options struct {
	URL     string        // whole, as Address gives it
	Token   string        `json:"-"` // the bearer token; empty sends none
	Keys    *Keyring      // the agents' tokens; nil keeps them in memory
	HTTP    *http.Client  // sends the requests; nil is a plain one
	Timeout time.Duration // of one call; 0 is half a minute
}

// String gives what may be shown of the options.
func (o Options) String() string { return o.URL }

// GoString is String for %#v.
func (o Options) GoString() string { return o.URL }

// Address puts an address together; empty parts are the usual ones.
func Address(base, path string) (string, error) {
	base, path = cmp.Or(base, DefaultBaseURL), cmp.Or(path, DefaultPath)
	u, ok := baseurl.Parse(strings.TrimRight(base, "/") + "/" + strings.TrimLeft(path, "/"))
	if !ok {
		return "", &fault.Error{
			Code: Invalid, Detail: "the address of the mail server is none" + shownAddress(base, path),
			Hint: "write it like " + DefaultBaseURL + ", without a user, a query or a fragment",
		}
	}
	return u.String(), nil
}

// shownAddress shows what was given, unless there may be a password in it.
func shownAddress(base, path string) string {
	if strings.Contains(base+path, "@") {
		return ""
	}
	return ": " + fault.Shown(base) + " with " + fault.Shown(path)
}

// Client speaks to one server. It is safe for concurrent use.
type Client struct {
	url     string
	token   string
	keys    *Keyring
	http    http.Client
	timeout time.Duration
	most    int // bytes of a thread that are read

	mu      sync.Mutex
	hello   sync.Mutex // held by whoever introduces us
	greeted bool
	session string
	version string
	last    int64 // the id of the newest request

	offered map[string]map[string]bool // tools and their arguments; nil where nobody has asked
}

// New makes a client. It sends nothing.
func New(o Options) (*Client, error) {
	if !baseurl.Valid(o.URL) {
		return nil, &fault.Error{Code: Invalid, Detail: "the address of the mail server is none: " + fault.Shown(o.URL), Hint: "write it like " + DefaultBaseURL + DefaultPath}
	}
	c := &Client{url: o.URL, token: o.Token, keys: o.Keys, timeout: o.Timeout, most: mostLetters}
	if c.keys == nil {
		c.keys = &Keyring{}
	}
	if c.timeout <= 0 {
		c.timeout = 30 * time.Second
	}
	if o.HTTP != nil {
		c.http = *o.HTTP
	}
	c.http.CheckRedirect = asItIs
	return c, nil
}

// asItIs lets a request be sent on only as it is, and to the host that it was meant for:
// it carries a token, which goes to no other, and over no line that is open to read
// where its own was not.
func asItIs(r *http.Request, via []*http.Request) error {
	first := via[0]
	if r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host || r.Method != first.Method || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// URL is the address of the server.
func (c *Client) URL() string { return c.url }

// Keys are the tokens of the agents that this client acts for.
func (c *Client) Keys() *Keyring { return c.keys }

// takes tells whether a tool of this server takes an argument that is not in the
// contract. Many servers refuse what they do not know.
func (c *Client) takes(ctx context.Context, tool, argument string) bool {
	takes, err := c.surelyTakes(ctx, tool, argument)
	return takes && err == nil
}

// surelyTakes is takes for arguments that it would be wrong to leave out because
// the server could not be asked for a moment. Its error says that nothing was done.
func (c *Client) surelyTakes(ctx context.Context, tool, argument string) (bool, error) {
	c.mu.Lock()
	offered := c.offered
	c.mu.Unlock()
	if offered == nil {
		var err error
		if offered, err = c.list(ctx); err != nil {
			switch fault.CodeOf(err) {
			case Unreachable, "":
				return false, err // ask again next time
			case Unsure:
				return false, &fault.Error{Code: Unreachable, Op: "ask for the tools", Place: c.url, Cause: err, Hint: fault.HintOf(err)}
			}
			offered = map[string]map[string]bool{}
		}
		c.mu.Lock()
		c.offered = offered
		c.mu.Unlock()
	}
	return offered[tool][argument], nil
}

// Tools gives the names of the tools that the server has.
func (c *Client) Tools(ctx context.Context) ([]string, error) {
	offered, err := c.list(ctx)
	return slices.Sorted(maps.Keys(offered)), err
}

// toolPages is how many pages of tools are read; none of the servers there are has two.
const toolPages = 100

// list asks for the tools of the server and their arguments, page by page, as long as
// there are new ones.
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

// proof says which argument of a call proves for which agent it is.
type proof struct {
	project, agent, argument string
	// inContract says that every server's tool takes the argument; others get it where
	// they say that they do.
	inContract bool
}

// callAs calls a tool for an agent, with its token if one is held. A token that the
// server refuses may be of a mailbox that is gone: then the call is made once more,
// with the token that another process has put in its place, or without any. A call
// that was refused was not done.
func (c *Client) callAs(ctx context.Context, p proof, tool string, arguments map[string]any, into any) error {
	return c.waitAs(ctx, 0, p, tool, arguments, into)
}

// waitAs is callAs for a call that the server may hold back for so long.
func (c *Client) waitAs(ctx context.Context, wait time.Duration, p proof, tool string, arguments map[string]any, into any) error {
	token := c.keys.Token(c.url, p.project, p.agent)
	if token == "" || !p.inContract && !c.takes(ctx, tool, p.argument) {
		return c.wait(ctx, wait, tool, arguments, into)
	}
	arguments[p.argument] = token
	refusal := c.wait(ctx, wait, tool, arguments, into)
	if !unproven(refusal) {
		return refusal
	}
	delete(arguments, p.argument)
	if newer := c.keys.newer(c.url, p.project, p.agent, token); newer != "" {
		arguments[p.argument] = newer
	}
	err := c.wait(ctx, wait, tool, arguments, into)
	if unproven(err) {
		return refusal // it was not the token
	}
	_ = c.keys.Drop(c.url, p.project, p.agent, token) // where the file cannot be written, it is refused again next time
	return err
}

// unproven tells whether a server did not believe who calls. What HTTP refuses is the
// bearer, whatever else a call brings.
func unproven(err error) bool {
	var said *Said
	code := fault.CodeOf(err)
	return (code == NotYours || code == NoAuth) && errors.As(err, &said)
}

// CheckKey asks a server whether it takes the token that is held for an agent. It
// changes nothing, on either side.
func (c *Client) CheckKey(ctx context.Context, project, agent string) error {
	h, err := c.Health(ctx)
	if err != nil {
		return err
	}
	token := c.keys.Token(c.url, project, agent)
	asking := &Client{url: c.url, token: c.token, keys: &Keyring{}, http: c.http, timeout: c.timeout, most: c.most}
	if h.Environment == embedded {
		asking.token, token = token, "" // to whom the operator's bearer is enough for everybody
	} else if err := asking.keys.Keep(c.url, project, agent, agent, token); err != nil {
		return err
	}
	_, err = asking.Inbox(ctx, InboxQuery{Project: project, Agent: agent, Limit: 1, NoBodies: true}, 0)
	if err == nil && token != "" && asking.keys.Token(c.url, project, agent) == "" {
		return &fault.Error{Code: NoAuth, Place: c.url, Detail: "the server does not take the token of " + fault.Shown(agent)}
	}
	return err
}

// embedded is what a server of ours calls its environment.
const embedded = "embedded"
