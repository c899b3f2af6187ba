package playbook

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// Rendered is the part of a prompt that holds bullets.
type Rendered struct {
	Text  string
	Taken []string // ids, in their order
	Left  []string // ids for which there was no room
}

// Render puts bullets into one text under a hard bound of tokens, each in the form that
// line gives it. Bullets are taken whole, in the order given; one that does not fit is
// left out, and a shorter one behind it may still fit.
func Render(bullets []*Bullet, budget int, line func(*Bullet) string, count func(string) int) Rendered {
	var r Rendered
	var lines []string
	used := 0
	for _, b := range bullets {
		one := line(b)
		if cost := count(one); used+cost <= budget {
			used += cost
			lines, r.Taken = append(lines, one), append(r.Taken, b.ID)
		} else {
			r.Left = append(r.Left, b.ID)
		}
	}
	// Counts of parts need not add up to the count of the whole.
	for len(lines) > 0 {
		if r.Text = strings.Join(lines, ""); count(r.Text) <= budget {
			break
		}
		n := len(lines) - 1
		r.Left = append(r.Left, r.Taken[n])
		lines, r.Taken, r.Text = lines[:n], r.Taken[:n], ""
	}
	return r
}

// Reaches tells whether a bullet may stand in the prompts of a session.
func (r Rules) Reaches(b *Bullet, session string) bool {
	return b.Stage == Prod || b.Stage == Staging && r.tries(session)
}

// tries tells whether a session is one of those that get STAGING bullets too. It
// follows from the session's id, so that it can be repeated.
func (r Rules) tries(session string) bool {
	sum := sha256.Sum256([]byte("staging:" + session))
	const all = 1 << 32
	return float64(binary.BigEndian.Uint32(sum[:])) < r.StagingShare*all
}
