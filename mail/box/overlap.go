package box

import (
	"path"
	"strings"

	"brenner/internal/fault"
	"brenner/mail"
)

// claimed is a path or a pattern that somebody has claimed, ready to be compared with
// many others.
type claimed struct {
	path  string
	above string // what the names below it begin with
	glob  string
	fixed string // what glob begins with before it leaves anything open
}

func claimedPath(p string) claimed {
	c := claimed{path: path.Clean(p)}
	c.glob, _, _ = strings.Cut(c.path, "**")
	c.above, c.fixed = strings.TrimSuffix(c.glob, "/")+"/", c.glob
	if i := strings.IndexAny(c.glob, `*?[\`); i >= 0 {
		c.fixed = c.glob[:i]
	}
	return c
}

// overlap tells whether two claims can mean the same file: equal paths, a folder
// above, or a pattern that fits.
func overlap(a, b claimed) bool { return a.path == b.path || a.covers(b.path) || b.covers(a.path) }

func (c *claimed) covers(name string) bool {
	switch {
	case c.glob == "" || strings.HasPrefix(name, c.above):
		return true
	case c.glob == c.fixed:
		return c.glob == name
	case !strings.HasPrefix(name, c.fixed):
		return false
	}
	ok, err := path.Match(c.glob, name)
	return ok && err == nil
}

// effort is about how many characters are looked at to fit a pattern to a name: what is
// behind the first star may have to be tried at every place of the name.
func (c *claimed) effort(name string) int {
	if c.glob == c.fixed || !strings.HasPrefix(name, c.fixed) {
		return 0
	}
	return (len(c.glob) - len(c.fixed)) * len(name)
}

// mostSteps is how long patterns are compared with what others have claimed: nobody
// else writes meanwhile. That is some tenths of a second.
const mostSteps = 1 << 28

// comparison finds out who has claimed what somebody wants.
type comparison struct {
	exclusive bool // it is wanted for nobody else
	others    []mail.Reservation
	paths     []claimed // of others
	steps     int
}

func compare(exclusive bool, others []mail.Reservation) *comparison {
	c := &comparison{exclusive: exclusive, others: others, paths: make([]claimed, len(others))}
	for i := range others {
		c.paths[i] = claimedPath(others[i].Path)
	}
	return c
}

// holders gives the claims that are in the way of one on a path.
func (c *comparison) holders(p string) ([]mail.Reservation, error) {
	var holders []mail.Reservation
	wanted := claimedPath(p)
	for i := range c.others {
		if !c.others[i].Exclusive && !c.exclusive {
			continue
		}
		c.steps += wanted.effort(c.paths[i].path) + c.paths[i].effort(wanted.path)
		if c.steps > mostSteps {
			return nil, &fault.Error{
				Code: mail.Invalid, Detail: "there are too many patterns to compare with what others have claimed",
				Hint: "claim fewer at once, or shorter ones, or folders as folder/**",
			}
		}
		if overlap(wanted, c.paths[i]) {
			holders = append(holders, c.others[i])
		}
	}
	return holders, nil
}
