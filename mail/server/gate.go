package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/webgate"
	"brenner/mail"
)

// gate admits requests with a valid host, origin and token.
func (s *Server) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimSuffix(r.URL.Path, "/"); {
		case !webgate.KnownHost(r.Host, s.hosts):
			webgate.Refuse(w, http.StatusForbidden, "unknown host "+fault.Shown(r.Host))
		case !webgate.SameOrigin(r):
			webgate.Refuse(w, http.StatusForbidden, "requests from other origins are not allowed")
		case path != "/mcp" && path != "/api" && path != s.path:
			// This also answers OAuth discovery: clients then continue with their token.
			webgate.Refuse(w, http.StatusNotFound, "not found; the mail server is at "+s.path+"/")
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			webgate.Refuse(w, http.StatusMethodNotAllowed, "no event stream; use POST")
		default:
			s.admit(w, r, next)
		}
	})
}

// admit identifies the caller and adds headers that clients leave out.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, next http.Handler) {
	who, err := s.caller(r.Context(), r.Header.Get("Authorization"))
	if err != nil {
		if fault.CodeOf(err) != mail.NoAuth {
			refuseCall(w, http.StatusInternalServerError, refusalOf(nil, err).Error.Message)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuseCall(w, http.StatusUnauthorized, err.Error()+"; "+fault.HintOf(err))
		return
	}
	if r.ContentLength > MaxRequest {
		// The rest is read first: a client that is still sending would not see the response.
		_, _ = io.CopyN(io.Discard, r.Body, 4*MaxRequest)
		refuseCall(w, http.StatusRequestEntityTooLarge, tooLarge(r.ContentLength))
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, &admittedRequest{who, r.Context()}))
	r.Header = r.Header.Clone()
	r.Header.Set("Accept", "application/json, text/event-stream") // required by the SDK
	if kind := r.Header.Get("Content-Type"); kind == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answerFaults(w, r, next)
}

func tooLarge(n int64) string {
	return fmt.Sprintf("the request has %d bytes or more; the limit is %d", n, MaxRequest)
}

type callerKey struct{}

// admittedRequest is a request that passed the gate.
type admittedRequest struct {
	who     *caller
	request context.Context //nolint:containedctx // it ends when the client disconnects; the SDK's own does not
}

// caller returns the owner of a request's token.
func (s *Server) caller(ctx context.Context, authorization string) (*caller, error) {
	if s.operator == "" {
		return &caller{operator: true}, nil
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil, &fault.Error{Code: mail.NoAuth, Detail: "no token", Hint: "send the header Authorization: Bearer …; `brenner mail connect` prints it"}
	}
	return s.ownerOf(ctx, token)
}

func (s *Server) ownerOf(ctx context.Context, token string) (*caller, error) {
	hash := Hash(token)
	if s.operator != "" && same(hash, s.operator) {
		return &caller{operator: true}, nil
	}
	project, agent, err := s.box.Owner(ctx, s.key.Sign(hash))
	switch {
	case fault.CodeOf(err) == mail.NotFound:
		return nil, &fault.Error{Code: mail.NoAuth, Detail: "unknown token", Hint: "`brenner mail token NAME` makes a new token for an agent"}
	case err != nil:
		return nil, err
	}
	return &caller{project: project, agent: agent}, nil
}

// errNoCaller means that a request bypassed the gate.
var errNoCaller = errors.New("unknown caller")

// caller is the operator or an agent of a project.
type caller struct {
	operator bool
	project  mail.Project
	agent    mail.Agent
}

func (c *caller) is(project, name string) bool {
	return c.agent.Name != "" && strings.EqualFold(c.agent.Name, name) && (c.project.Key == project || c.project.Slug == project)
}

func (c *caller) in(project string) bool {
	return c.operator || c.project.Key == project || c.project.Slug == project
}

// reader returns the name to read as: empty for the operator, who sees everything.
func (c *caller) reader() string { return c.agent.Name }

// authorizeAs checks that a caller may act for an agent: it is the operator or that agent, or has the
// agent's token. A token argument must be the agent's. From the operator it is not checked: it may
// belong to a deleted mailbox.
func (s *Server) authorizeAs(ctx context.Context, c *caller, project, name, token string) error {
	if c.operator {
		return nil
	}
	if token != "" {
		owner, err := s.ownerOf(ctx, token)
		if err != nil && fault.CodeOf(err) != mail.NoAuth {
			return err
		}
		if err == nil && owner.is(project, name) {
			return nil
		}
		return wrongToken(name)
	}
	if c.is(project, name) {
		return nil
	}
	what := "act for " + fault.Shown(name)
	if !c.in(project) {
		what = "act in " + fault.Shown(project)
	}
	return denied(c, what)
}

func wrongToken(name string) error {
	return &fault.Error{Code: mail.NotYours, Detail: "the token does not belong to " + fault.Shown(name), Hint: "use the agent's own token"}
}

func denied(c *caller, what string) error {
	return &fault.Error{
		Code: mail.NotYours, Detail: c.agent.Name + " may not " + what,
		Hint: "an agent acts for itself and reads its own mail; your token belongs to " + c.agent.Name,
	}
}

// Key signs the hashes of agents' tokens. A mailbox may come from elsewhere: its author knows the
// tokens in it, but not the key. An empty key signs nothing.
type Key []byte

// Sign returns the stored form of a token with the given hash. A stored form is not signed again.
func (k Key) Sign(hash string) string {
	if len(k) == 0 || strings.Contains(hash, ".") {
		return hash
	}
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(hash))
	return hash + "." + hex.EncodeToString(mac.Sum(nil))
}

// Signed reports whether a stored token is signed with the key.
func (k Key) Signed(stored string) bool {
	hash, _, _ := strings.Cut(stored, ".")
	return same(stored, k.Sign(hash))
}

// Hash returns the hash of a token.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewToken returns a new random token.
func NewToken() string { return "bm_" + rand.Text() + rand.Text() }

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// randomName returns a random name for an agent without one.
func randomName() string {
	adjectives := strings.Fields("Amber Black Blue Bold Brave Bright Bronze Calm Clear Coral Crimson Dark Deep Fair Fast Frosty Gold Grand Gray Green Ivory Jade Keen Lilac Lone Misty Noble Pale Pink Proud Quick Quiet Red Rose Rust Sage Silent Silver Slate Stone Swift Tall Teal Warm White Wild Wise")
	nouns := strings.Fields("Badger Bay Bear Birch Brook Canyon Castle Cave Cliff Cloud Coast Cove Crane Creek Deer Dune Eagle Elk Falcon Fern Field Finch Forest Fox Glade Grove Harbor Hawk Heron Hill Island Lake Leaf Marsh Meadow Moon Moss Oak Otter Peak Pine Pond Rain Raven Ridge River Sky Snow Spring Star Stone Swan Valley Wave Willow Wind Wolf")
	var pick [2]byte
	_, _ = rand.Read(pick[:]) // never fails
	return adjectives[int(pick[0])%len(adjectives)] + nouns[int(pick[1])%len(nouns)]
}
