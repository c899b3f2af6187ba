// Package playbook holds what a project learns across sessions: short lessons, called
// bullets, that later kickoffs quote.
//
// The content of a bullet never changes; its counters do. Everything that happens is an entry
// of a hash-chained journal. A Book is the fold of that journal; a Draft turns an event into
// entries according to the rules. Decisions depend only on the book, the rules and the request,
// so the same journal always yields the same book, byte for byte.
//
// The package is pure. It must not know where the journal is kept, what makes vectors, or how
// sessions run.
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

// Section is the polarity of an insight.
type Section string

// The sections.
const (
	Helpful Section = "helpful"
	Harmful Section = "harmful"
	Neutral Section = "neutral"
)

// Sections returns all sections.
func Sections() []Section { return []Section{Helpful, Harmful, Neutral} }

// Stage is the release stage of a bullet.
type Stage string

// The stages: see Means.
const (
	Shadow      Stage = "SHADOW"
	Staging     Stage = "STAGING"
	Prod        Stage = "PROD"
	Quarantined Stage = "QUARANTINED"
	Merged      Stage = "MERGED"
)

// Means returns what a stage means for prompts.
func (s Stage) Means() string {
	switch s {
	case Shadow:
		return "counted, in no prompt"
	case Staging:
		return "in the prompts of some sessions"
	case Prod:
		return "in the prompts of all sessions"
	case Quarantined:
		return "in no prompt until a person restores it"
	case Merged:
		return "its counts are part of another bullet"
	}
	return "unknown"
}

// Stages returns all stages in ascending order.
func Stages() []Stage { return []Stage{Shadow, Staging, Prod, Quarantined, Merged} }

// rank returns the position of a stage; -1 for an unknown one.
func rank(s Stage) int { return slices.Index(Stages(), s) }

// States of a bullet's review.
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

// Embedding names a vector by its model and SHA-256. The zero value means no vector.
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
	// Review is empty for a bullet that needs no review.
	Review string `json:"review"`
	// Near are similar bullets with a different meaning.
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

// Support returns how often the bullet was confirmed. Harm confirms a warning.
func (b *Bullet) Support() int { return *b.counter(b.confirming()) }

// Against returns how often the bullet was contradicted.
func (b *Bullet) Against() int { return *b.counter(b.contradicting()) }

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

// Clone returns a deep copy.
func (b *Bullet) Clone() *Bullet {
	c := *b
	c.Tags, c.Near = slices.Clone(b.Tags), slices.Clone(b.Near)
	return &c
}

// Hash returns the SHA-256 of the bullet's canonical JSON: content, counters and stage.
func (b *Bullet) Hash() string {
	sum := b.sum()
	return hex.EncodeToString(sum[:])
}

func (b *Bullet) sum() [sha256.Size]byte {
	return sha256.Sum256(b.appendJSON(make([]byte, 0, 1024)))
}

// appendJSON appends the canonical JSON. It is written by hand because verifying a journal
// encodes a bullet for every entry.
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

// roundShare rounds a number from 0 to 1 to four digits, so that sums are the same on every machine.
func roundShare(x float64) float64 { return math.Round(min(1, max(0, x))*1e4) / 1e4 }

func appendShare(to []byte, x float64) []byte {
	return strconv.AppendFloat(to, roundShare(x), 'f', -1, 64)
}

// RolePrefix is the prefix of tags that restrict a bullet to a role.
const RolePrefix = "role:"

// Live reports whether a bullet is neither quarantined nor merged.
func (b *Bullet) Live() bool { return b.Stage != Quarantined && b.Stage != Merged }

// For reports whether a bullet is for a role. Without role tags it is for all.
func (b *Bullet) For(role string) bool {
	bound := slices.ContainsFunc(b.Tags, func(t string) bool { return strings.HasPrefix(t, RolePrefix) })
	return role == "" || !bound || slices.Contains(b.Tags, RolePrefix+role)
}

// Credit is a session's judgment of a bullet cited in it.
type Credit struct {
	Bullet   string
	Polarity Section
}
