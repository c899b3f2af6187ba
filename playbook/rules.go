package playbook

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// Rules are the settings of a playbook. DefaultRules returns the values of the specification;
// the zero value lets everything pass.
type Rules struct {
	Match   float64 // minimum cosine of two texts that are one lesson
	Longest int     // in characters; 0 means no limit

	Staging Gate // SHADOW → STAGING
	Prod    Gate // STAGING → PROD

	// AgentConfidence bounds an agent's own confidence; each further session adds PerSession.
	AgentConfidence float64
	PerSession      float64

	Guardrail Guardrail

	// StagingShare is the share of sessions that also get STAGING bullets.
	StagingShare float64
}

// Gate is the condition for a promotion.
type Gate struct {
	Support    int
	Ratio      float64 // of support to contradiction
	Confidence float64 // for PROD; see needsReview
}

// Guardrail limits how much worse sessions may get before recent bullets are rolled back.
type Guardrail struct {
	Success float64 // maximum drop of the success rate, as a share
	Latency float64 // maximum rise of the 95th percentile of latency, relative
	Errors  float64 // maximum error rate, as a share
	Window  int     // sessions in a window
}

// DefaultRules returns the values of the specification.
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

func (g Gate) passes(b *Bullet) bool {
	support, against := b.Support(), b.Against()
	return support >= g.Support && float64(support) >= g.Ratio*float64(against)
}

// Person is the confidence of bullets written or approved by a person, and of no others.
const Person = 1.0

// maxBySessions bounds the confidence from sessions, below that of a person.
const maxBySessions = 0.99

// needsReview reports whether a bullet needs a review before PROD. That is an agent's bullet
// without approval, however many sessions confirm it: otherwise a harmful count could delay the
// promotion until sessions have raised the confidence, and the bullet would bypass the queue. No review is needed if the
// gate requires no more than AgentConfidence.
func (r Rules) needsReview(b *Bullet) bool {
	if r.Prod.Confidence > r.AgentConfidence && b.Confidence < Person {
		return true
	}
	return b.Confidence < r.Prod.Confidence
}

func contradicted(b *Bullet) bool { return b.Against() > 0 && b.Against() >= b.Support() }

// Rendered is the part of a prompt that quotes bullets.
type Rendered struct {
	Text  string
	Taken []string // ids, in order
	Left  []string // ids of those that did not fit
}

// Render renders bullets as one text within a budget of tokens, each formatted by line. Bullets
// are taken whole, in the given order; one that does not fit is skipped, and a shorter one
// after it may still fit.
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
	// The counts of the parts need not add up to the count of the whole.
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

// Reaches reports whether a bullet may be in the prompts of a session.
func (r Rules) Reaches(b *Bullet, session string) bool {
	return b.Stage == Prod || b.Stage == Staging && r.inTrial(session)
}

// inTrial reports whether a session also gets STAGING bullets. It depends only on the session's
// id, so that it is repeatable.
func (r Rules) inTrial(session string) bool {
	sum := sha256.Sum256([]byte("staging:" + session))
	const all = 1 << 32
	return float64(binary.BigEndian.Uint32(sum[:])) < r.StagingShare*all
}
