package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"brenner/internal/fault"
	"brenner/mail"
)

// caller is who asks: the operator, or an agent of a project.
type caller struct {
	operator bool
	project  mail.Project
	agent    mail.Agent
}

// is tells whether the caller is this agent.
func (c *caller) is(project, name string) bool {
	return c.agent.Name != "" && strings.EqualFold(c.agent.Name, name) && (c.project.Key == project || c.project.Slug == project)
}

// in tells whether the caller has anything to do with a project.
func (c *caller) in(project string) bool {
	return c.operator || c.project.Key == project || c.project.Slug == project
}

// reader is as whom the caller reads: the operator as nobody, and so everything.
func (c *caller) reader() string { return c.agent.Name }

// actsAs checks that a caller may act for an agent: it is the operator, it has the
// agent's token, or it is that agent. Any other caller that shows a token is judged by
// it; what the operator shows may be of a mailbox that is gone, and proves nothing more.
func (s *Server) actsAs(ctx context.Context, c *caller, project, name, token string) error {
	if c.operator {
		return nil
	}
	if token != "" {
		owner, err := s.whose(ctx, token)
		if err != nil && fault.CodeOf(err) != mail.NoAuth {
			return err
		}
		if err == nil && owner.is(project, name) {
			return nil
		}
		return notTheirs(name)
	}
	if c.is(project, name) {
		return nil
	}
	return notYours(c, "act for "+fault.Shown(name))
}

func notTheirs(name string) error {
	return &fault.Error{Code: mail.NotYours, Detail: "the token is not that of " + fault.Shown(name), Hint: "every agent uses its own token"}
}

func notYours(c *caller, what string) error {
	return &fault.Error{
		Code: mail.NotYours, Detail: c.agent.Name + " may not " + what,
		Hint: "an agent acts for itself and reads its own mail; your token is that of " + c.agent.Name,
	}
}

// Hash is what is kept of a token.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewToken makes a token that nobody can guess.
func NewToken() string { return "bm_" + rand.Text() + rand.Text() }

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// madeUp gives a name to an agent that brought none.
func madeUp() string {
	adjectives := strings.Fields("Amber Black Blue Bold Brave Bright Bronze Calm Clear Coral Crimson Dark Deep Fair Fast Frosty Gold Grand Gray Green Ivory Jade Keen Lilac Lone Misty Noble Pale Pink Proud Quick Quiet Red Rose Rust Sage Silent Silver Slate Stone Swift Tall Teal Warm White Wild Wise")
	nouns := strings.Fields("Badger Bay Bear Birch Brook Canyon Castle Cave Cliff Cloud Coast Cove Crane Creek Deer Dune Eagle Elk Falcon Fern Field Finch Forest Fox Glade Grove Harbor Hawk Heron Hill Island Lake Leaf Marsh Meadow Moon Moss Oak Otter Peak Pine Pond Rain Raven Ridge River Sky Snow Spring Star Stone Swan Valley Wave Willow Wind Wolf")
	var pick [2]byte
	_, _ = rand.Read(pick[:]) // it never fails
	return adjectives[int(pick[0])%len(adjectives)] + nouns[int(pick[1])%len(nouns)]
}
