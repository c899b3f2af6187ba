package playbook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

// NoBullet is the code of an unknown bullet id.
const NoBullet fault.Code = "NO_BULLET" // No bullet with this id.

// Book is the playbook: the fold of its journal. The zero value is an empty playbook.
type Book struct {
	bullets  []*Bullet           // oldest first
	sums     [][sha256.Size]byte // hashes of the current bullets
	byID     map[string]int
	byText   map[digest][]int    // by domain and normalized text
	counted  map[digest]struct{} // session, bullet and polarity already counted
	insights map[digest]int      // insights of sessions, and the bullet each was counted for
	forced   map[int]Stage       // stages set by a person, whatever the counters
	merges   map[int]merger      // the merged bullets
	lines    map[digest]int      // imported lines, and the bullet each was counted for
	caught   map[int]string      // quarantined bullets, and the session that did it
	words    map[string]string   // interned strings that many bullets share
	next     int                 // number of the next local id
}

type digest [16]byte

func digestOf(parts ...string) digest {
	buffer := make([]byte, 0, 256)
	for _, p := range parts {
		buffer = strconv.AppendInt(buffer, int64(len(p)), 10) // keeps different lists of parts distinct
		buffer = append(append(buffer, ':'), p...)
	}
	sum := sha256.Sum256(buffer)
	return digest(sum[:16])
}

// Len returns the number of bullets.
func (k *Book) Len() int { return len(k.bullets) }

// At returns the n-th bullet by age. It is valid until the next entry is applied.
func (k *Book) At(n int) *Bullet { return k.bullets[n] }

// Find returns a bullet by its id. It is valid until the next entry is applied.
func (k *Book) Find(id string) (*Bullet, error) {
	n, ok := k.byID[id]
	if !ok {
		return nil, &fault.Error{
			Code: NoBullet, Detail: "no such bullet: " + fault.Shown(id), Hint: "`brenner playbook list` lists the bullets",
		}
	}
	return k.bullets[n], nil
}

// SameText returns the bullets of a domain with the same normalized text, oldest first.
func (k *Book) SameText(domain, text string) []int {
	return k.byText[digestOf(domain, Normalise(text))]
}

// sameMeaning returns the oldest other bullet of a domain whose normalized text is equal and
// whose meaning does not differ, or nil.
func (k *Book) sameMeaning(domain, text, but string) *Bullet {
	for _, n := range k.SameText(domain, text) {
		if b := k.bullets[n]; b.ID != but && Differ(text, b.Content) == "" {
			return b
		}
	}
	return nil
}

func (k *Book) successor(id string) *Bullet {
	for _, b := range k.bullets {
		if b.Supersedes == id {
			return b
		}
	}
	return nil
}

// Counted reports whether a session, unless empty, has counted for a bullet with this polarity.
func (k *Book) Counted(session, id string, polarity Section) bool {
	if session == "" {
		return false
	}
	_, ok := k.counted[digestOf(session, id, string(polarity))]
	return ok
}

// CountedFor returns the bullet for which an insight of a session was counted before, even if another
// bullet is more similar by now.
func (k *Book) CountedFor(session string, i *Insight) (id string, ok bool) {
	n, ok := k.insights[digestOf(session, i.Domain, string(i.Section), i.Text)]
	if !ok || session == "" {
		return "", false
	}
	return k.bullets[n].ID, true
}

func (k *Book) recordInsight(session, text string, polarity Section, n int) {
	if session != "" && text != "" {
		k.insights[digestOf(session, k.bullets[n].Domain, string(polarity), text)] = n
	}
}

// Forced returns the stage set by a person since the bullet's last quarantine, or "".
func (k *Book) Forced(id string) Stage {
	if n, ok := k.byID[id]; ok {
		return k.forced[n]
	}
	return ""
}

func ownID(n int) string { return fmt.Sprintf("pb-%05d", n) }

// Apply applies an entry, or returns why it is impossible and leaves the book unchanged.
func (k *Book) Apply(e *Entry) error {
	n, exists := k.byID[e.Bullet]
	switch {
	case e.Op == OpAdd && exists:
		return impossible(e.Seq, e.Op, "bullet %s already exists", fault.Shown(e.Bullet))
	case e.Op == OpAdd:
		return k.applyAdd(e)
	case !exists:
		return impossible(e.Seq, e.Op, "no such bullet: %s", fault.Shown(e.Bullet))
	}
	before := k.bullets[n]
	if !isHash(k.sums[n], e.BeforeHash) {
		return impossible(e.Seq, e.Op, "bullet %s does not match the hash before the entry", fault.Shown(e.Bullet))
	}
	after := *before
	if err := e.After.put(&after); err != nil {
		return impossible(e.Seq, e.Op, "%s", err)
	}
	was, is, touched := diff(before, &after)
	if !was.equal(&e.Before) || !is.equal(&e.After) {
		return impossible(e.Seq, e.Op, "before and after do not match the change")
	}
	detail := e.violation(before, &after, touched)
	if detail == "" {
		detail = k.mergeViolation(e, before, &after)
	}
	if detail != "" {
		return impossible(e.Seq, e.Op, "%s", detail)
	}
	sum := after.sum()
	if !isHash(sum, e.AfterHash) {
		return impossible(e.Seq, e.Op, "bullet %s does not match the hash after the entry", fault.Shown(e.Bullet))
	}
	if e.Op == OpCount {
		k.count(e.Session, e.Bullet, is.polarity())
		k.recordInsight(e.Session, e.Insight, is.polarity(), n)
		if e.With != "" {
			k.lines[digestOf(before.Domain, e.With, e.Insight)] = n
		}
	}
	switch {
	case e.Op == OpForce:
		k.forced[n] = after.Stage
	case after.Stage == Quarantined:
		delete(k.forced, n)
	}
	if before.Stage != after.Stage {
		k.moved(n, before.Stage, after.Stage, e)
	}
	k.intern(&after)
	*before, k.sums[n] = after, sum
	return nil
}

// isHash reports whether text is sum in lower-case hexadecimal.
func isHash(sum [sha256.Size]byte, text string) bool {
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:]) == text
}

func (k *Book) applyAdd(e *Entry) error {
	b := &Bullet{ID: e.Bullet}
	if err := e.After.put(b); err != nil {
		return impossible(e.Seq, e.Op, "%s", err)
	}
	if detail := b.invalidNew(); detail != "" {
		return impossible(e.Seq, e.Op, "%s", detail)
	}
	_, is, _ := diff(&Bullet{ID: e.Bullet}, b)
	if !is.equal(&e.After) || e.Before != (Part{}) || e.BeforeHash != "" {
		return impossible(e.Seq, e.Op, "the parts do not match the added bullet")
	}
	sum := b.sum()
	if !isHash(sum, e.AfterHash) {
		return impossible(e.Seq, e.Op, "bullet %s does not match the hash after the entry", fault.Shown(e.Bullet))
	}
	k.insert(b, sum)
	if e.Session != "" {
		k.count(e.Session, b.ID, b.Section)
		k.recordInsight(e.Session, b.Content, b.Section, len(k.bullets)-1)
	}
	return nil
}

func (k *Book) insert(b *Bullet, sum [sha256.Size]byte) {
	if k.byID == nil {
		k.byID, k.byText, k.counted, k.words = map[string]int{}, map[digest][]int{}, map[digest]struct{}{}, map[string]string{}
		k.insights, k.forced = map[digest]int{}, map[int]Stage{}
		k.merges, k.lines, k.caught = map[int]merger{}, map[digest]int{}, map[int]string{}
	}
	k.intern(b)
	n := len(k.bullets)
	k.bullets, k.sums = append(k.bullets, b), append(k.sums, sum)
	k.byID[b.ID] = n
	text := digestOf(b.Domain, Normalise(b.Content))
	k.byText[text] = append(k.byText[text], n)
	if digits, ok := strings.CutPrefix(b.ID, "pb-"); ok {
		if number, err := strconv.Atoi(digits); err == nil && number < maxNumber {
			k.next = max(k.next, number)
		}
	}
}

// maxNumber keeps an imported id from exhausting the numbers.
const maxNumber = 1 << 40

func (k *Book) count(session, id string, polarity Section) {
	if session != "" {
		k.counted[digestOf(session, id, string(polarity))] = struct{}{}
	}
}

// intern makes bullets share the memory of equal strings.
func (k *Book) intern(b *Bullet) {
	for _, s := range [...]*string{
		&b.Domain, &b.Embedding.Model, &b.Review, &b.Source.Agent, &b.Source.Session, &b.Source.Task, (*string)(&b.Section), (*string)(&b.Stage),
	} {
		if *s == "" {
			continue
		}
		kept, ok := k.words[*s]
		if !ok {
			kept = strings.Clone(*s)
			k.words[kept] = kept
		}
		*s = kept
	}
}

// invalidNew returns why a bullet cannot be added, or "".
func (b *Bullet) invalidNew() string {
	switch {
	case !slices.Contains(Sections(), b.Section):
		return "unknown section " + fault.Shown(string(b.Section))
	case b.Stage != Shadow:
		return "a new bullet must be in SHADOW, not in " + fault.Shown(string(b.Stage))
	case b.Helpful < 0 || b.Harmful < 0 || b.Neutral < 0:
		return "negative counter"
	case b.Confidence != roundShare(b.Confidence):
		return "confidence is not a number from 0 to 1 with four digits"
	case b.Review != "":
		return "a new bullet must not have a review"
	case CheckID(b.ID) != nil:
		return "invalid id"
	case CheckContent(b.Content, 0) != nil:
		return "content is not one line of text"
	case b.Created.IsZero() || b.Domain == "":
		return "missing domain or date"
	}
	return ""
}
