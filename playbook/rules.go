package playbook

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// Rules are everything that can be set about a playbook. Default gives the values of
// the specification; the zero value lets everything pass.
type Rules struct {
	Match   float64 // the cosine from which two texts are one lesson
	Longest int     // characters of a bullet; 0 is no limit

	Staging Gate // SHADOW → STAGING
	Prod    Gate // STAGING → PROD

	// AgentConfidence is the most that an agent's own word is worth, PerSession what
	// each further session that confirms a bullet adds to it.
	AgentConfidence float64
	PerSession      float64

	Guardrail Guardrail

	// StagingShare is the share of sessions that get STAGING bullets too.
	StagingShare float64
}

// Gate is what a bullet needs to rise.
type Gate struct {
	Support    int
	Ratio      float64 // of support to what speaks against it
	Confidence float64 // of a gate to PROD; see undecided
}

// Guardrail is how much worse sessions may get before what came in meanwhile is rolled
// back.
type Guardrail struct {
	Success float64 // by how much the rate of success may fall, as a share
	Latency float64 // by how much the 95th percentile of latency may rise, as a share of what it was
	Errors  float64 // the highest rate of errors, as a share
	Window  int     // sessions in a window
}

// DefaultRules gives the values of the specification.
func DefaultRules() Rules {
	return Rules{
		Match: 0.8, Longest: 300,
		Staging:         Gate{Support: 3, Ratio: 3},
		Prod:            Gate{Support: 5, Ratio: 5, Confidence: 0.7},
		AgentConfidence: 0.6, PerSession: 0.02,
		Guardrail:    Guardrail{Success: 0.08, Latency: 0.30, Errors: 0.15, Window: 20},
		StagingShare: 0.1,
	}
}

// passes tells whether a bullet's counters open the gate.
func (g Gate) passes(b *Bullet) bool {
	support, against := b.Support(), b.Against()
	return support >= g.Support && float64(support) >= g.Ratio*float64(against)
}

// Person is the confidence of what a person says, or has approved, and of nothing else.
const Person = 1.0

// mostBySessions is as far as sessions raise a confidence, however many they are: they
// are no person.
const mostBySessions = 0.99

// undecided tells whether a person has to look at a bullet before it goes to PROD: one of
// an agent that nobody has approved, however many sessions confirm it. Otherwise harm
// would be the way around the queue: it keeps a bullet back until enough sessions have
// raised it. Where the gate asks for no more than an agent's own word is worth, nobody
// has to look.
func (r Rules) undecided(b *Bullet) bool {
	if r.Prod.Confidence > r.AgentConfidence && b.Confidence < Person {
		return true
	}
	return b.Confidence < r.Prod.Confidence
}

// condemned tells whether a bullet's counters send it into quarantine.
func condemned(b *Bullet) bool { return b.Against() > 0 && b.Against() >= b.Support() }

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
