// Package playbook is what a project learns across sessions: short lessons, called
// bullets, that are put into later kickoffs.
//
// The content of a bullet never changes; counters do, and everything that happens is
// an entry of a hash-chained journal. A Book is the fold of that journal, a Draft is
// where the rules turn something that happened into entries. What is decided depends on
// nothing but the book, the rules and what is asked, so the same journal gives the same
// book everywhere, byte for byte.
//
// The package is pure. It must not know where the journal is kept, what makes vectors,
// or who runs sessions.
package playbook

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
)

// Section is what an insight says of its subject.
type Section string

// The sections.
const (
	Helpful Section = "helpful"
	Harmful Section = "harmful"
	Neutral Section = "neutral"
)

// Sections gives all sections.
func Sections() []Section { return []Section{Helpful, Harmful, Neutral} }

// Stage is how far a bullet has come.
type Stage string

// The stages.
const (
	Shadow      Stage = "SHADOW"      // it is counted, and reaches no prompt
	Staging     Stage = "STAGING"     // it reaches the prompts of some sessions
	Prod        Stage = "PROD"        // it reaches the prompts of all sessions
	Quarantined Stage = "QUARANTINED" // it reaches no prompt until a person says so
)

// Stages gives all stages, in the order in which a bullet rises.
func Stages() []Stage { return []Stage{Shadow, Staging, Prod, Quarantined} }

// rank tells how far up a stage is. No stage is the lowest.
func rank(s Stage) int { return slices.Index(Stages(), s) }

// What became of a bullet's review.
const (
	Waiting  = "waiting"
	Approved = "approved"
	Rejected = "rejected"
)

// Source is where a bullet comes from.
type Source struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Task    string `json:"task"`
}

// Embedding names a bullet's vector: the model that made it, and the SHA-256 of its
// bytes. The zero value is that of a bullet without one.
type Embedding struct {
	Model  string `json:"model"`
	SHA256 string `json:"sha256"`
}

// Bullet is one lesson.
type Bullet struct {
	ID         string    `json:"id"`
	Domain     string    `json:"domain"`
	Section    Section   `json:"section"`
	Content    string    `json:"content"`
	Helpful    int       `json:"helpful_count"`
	Harmful    int       `json:"harmful_count"`
	Neutral    int       `json:"neutral_count"`
	Created    time.Time `json:"created_at"`
	LastSeen   time.Time `json:"last_seen_at"`
	Stage      Stage     `json:"stage"`
	Tags       []string  `json:"tags"`
	Source     Source    `json:"source"`
	Confidence float64   `json:"confidence"`
	Embedding  Embedding `json:"embedding"`
	// Review is empty for a bullet that nobody has to look at.
	Review string `json:"review"`
	// Near are bullets that say nearly the same, and not the same.
	Near []string `json:"near"`
	// Supersedes is the bullet that this one replaces.
	Supersedes string `json:"supersedes"`
}

func (b *Bullet) counter(s Section) *int {
	switch s {
	case Helpful:
		return &b.Helpful
	case Harmful:
		return &b.Harmful
	default:
		return &b.Neutral
	}
}

// Support is how often the bullet was confirmed, and Against how often it was
// contradicted: a bullet that warns is confirmed by harm.
func (b *Bullet) Support() int { return *b.counter(b.confirming()) }

// Against is how often the bullet was contradicted.
func (b *Bullet) Against() int { return *b.counter(b.contradicting()) }

// confirming is the polarity that speaks for the bullet.
func (b *Bullet) confirming() Section {
	if b.Section == Harmful {
		return Harmful
	}
	return Helpful
}

func (b *Bullet) contradicting() Section {
	if b.Section == Harmful {
		return Helpful
	}
	return Harmful
}

// Clone gives a copy that shares nothing that can be written to.
func (b *Bullet) Clone() *Bullet {
	c := *b
	c.Tags, c.Near = slices.Clone(b.Tags), slices.Clone(b.Near)
	return &c
}

// Hash covers the whole bullet: what it says, its counters and its stage. It is the
// SHA-256 of its canonical JSON.
func (b *Bullet) Hash() string {
	sum := b.sum()
	return hex.EncodeToString(sum[:])
}

func (b *Bullet) sum() [sha256.Size]byte {
	return sha256.Sum256(b.appendJSON(make([]byte, 0, 1024)))
}

// appendJSON writes the canonical form: the keys are in their order. It is written by
// hand because verifying a journal writes every bullet once for each of its entries.
func (b *Bullet) appendJSON(to []byte) []byte {
	text := func(key, value string) { to = artifact.AppendString(append(to, key...), value) }
	number := func(key string, n int) { to = strconv.AppendInt(append(to, key...), int64(n), 10) }
	list := func(key string, values []string) {
		to = append(append(to, key...), '[')
		for i, v := range values {
			if i > 0 {
				to = append(to, ',')
			}
			to = artifact.AppendString(to, v)
		}
		to = append(to, ']')
	}
	to = append(to, `{"confidence":`...)
	to = appendShare(to, b.Confidence)
	text(`,"content":`, b.Content)
	text(`,"created_at":`, artifact.FormatInstant(b.Created))
	text(`,"domain":`, b.Domain)
	text(`,"embedding":{"model":`, b.Embedding.Model)
	text(`,"sha256":`, b.Embedding.SHA256)
	number(`},"harmful_count":`, b.Harmful)
	number(`,"helpful_count":`, b.Helpful)
	text(`,"id":`, b.ID)
	text(`,"last_seen_at":`, artifact.FormatInstant(b.LastSeen))
	list(`,"near":`, b.Near)
	number(`,"neutral_count":`, b.Neutral)
	text(`,"review":`, b.Review)
	text(`,"section":`, string(b.Section))
	text(`,"source":{"agent":`, b.Source.Agent)
	text(`,"session":`, b.Source.Session)
	text(`,"task":`, b.Source.Task)
	text(`},"stage":`, string(b.Stage))
	text(`,"supersedes":`, b.Supersedes)
	list(`,"tags":`, b.Tags)
	return append(to, '}')
}

// share rounds a number from 0 to 1 to four digits: sums of such numbers are then the
// same on every machine, and look as people write them.
func share(x float64) float64 { return math.Round(min(1, max(0, x))*1e4) / 1e4 }

// appendShare writes a rounded share as canonical JSON has it.
func appendShare(to []byte, x float64) []byte {
	return strconv.AppendFloat(to, share(x), 'f', -1, 64)
}

// RolePrefix begins the tags that keep a bullet to one role.
const RolePrefix = "role:"

// For tells whether a bullet is for a role: for all, unless its tags name some.
func (b *Bullet) For(role string) bool {
	bound := slices.ContainsFunc(b.Tags, func(t string) bool { return strings.HasPrefix(t, RolePrefix) })
	return role == "" || !bound || slices.Contains(b.Tags, RolePrefix+role)
}

// Credit is what a session has made of a bullet that was cited in it.
type Credit struct {
	Bullet   string
	Polarity Section
}
