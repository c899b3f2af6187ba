package playbook

import (
	"slices"

	"brenner/internal/fault"
)

// Insight is a newly reported lesson.
type Insight struct {
	Domain  string
	Section Section
	Text    string
	Tags    []string
	Source  Source
	// Person reports whether it comes from a person. Confidence is an agent's own estimate,
	// which counts up to a bound; 0 means none.
	Person     bool
	Confidence float64
}

// Match is a bullet similar to an insight.
type Match struct {
	ID     string  `json:"id"`
	Cosine float64 `json:"cosine"`
}

// Outcome is the result of learning an insight.
type Outcome struct {
	Bullet string  // the new or the counted one
	Added  bool    // it is new
	Again  bool    // the session has reported it before: nothing was counted
	Cosine float64 // of the match
	Near   []Refusal
}

// Refusal is a similar bullet with a different meaning.
type Refusal struct {
	Match
	Why string `json:"why"`
}

// Check returns an error if an insight cannot be a bullet.
func (i *Insight) Check(rules Rules) error {
	if err := CheckWord("domain", i.Domain); err != nil {
		return err
	}
	if !slices.Contains(Sections(), i.Section) {
		return badBullet("use helpful, harmful or neutral", "unknown section %s", fault.Shown(string(i.Section)))
	}
	for _, t := range i.Tags {
		if err := CheckWord("tag", t); err != nil {
			return err
		}
	}
	if !(i.Confidence >= 0 && i.Confidence <= 1) { // rejects NaN, too
		return badBullet("use a number from 0 to 1", "invalid confidence %g", i.Confidence)
	}
	return CheckContent(i.Text, rules.Longest)
}

// Choose returns the first of the matches, most similar first, that has the same meaning as the
// text, and those before it that do not. It compares the words, since cosines are blind to
// polarity.
func (k *Book) Choose(text string, matches []Match) (chosen *Match, refused []Refusal) {
	return choose(text, matches, k.Find)
}

func choose(text string, matches []Match, find func(id string) (*Bullet, error)) (chosen *Match, refused []Refusal) {
	for i, m := range matches {
		b, err := find(m.ID)
		if err != nil {
			continue
		}
		why := Differ(text, b.Content)
		if why == "" {
			return &matches[i], refused
		}
		refused = append(refused, Refusal{Match: m, Why: why})
	}
	return nil, refused
}

// Learn counts an insight for the bullet of the same meaning, in any section, or adds a bullet.
func (d *Draft) Learn(i Insight, matches []Match, e Embedding) (Outcome, error) {
	if err := i.Check(d.rules); err != nil {
		return Outcome{}, err
	}
	if id, ok := d.book.CountedFor(d.act.Session, &i); ok {
		return Outcome{Bullet: d.book.Standing(id), Again: true}, nil
	}
	match, refused := d.book.Choose(i.Text, matches)
	if match != nil {
		counted, err := d.increment(match.ID, i.Section, note{insight: i.Text, cosine: match.Cosine})
		return Outcome{Bullet: d.book.Standing(match.ID), Again: !counted, Cosine: match.Cosine}, err
	}
	b := i.bullet(d.nextID(), d.rules)
	b.Created, b.LastSeen, b.Embedding, b.Near = d.act.At, d.act.At, e, nearIDs(refused)
	d.add(b)
	return Outcome{Bullet: b.ID, Added: true, Near: refused}, nil
}

const maxNear = 3

func nearIDs(refused []Refusal) (ids []string) {
	for _, r := range refused[:min(len(refused), maxNear)] {
		ids = append(ids, r.ID)
	}
	return ids
}

func (i *Insight) bullet(id string, rules Rules) *Bullet {
	b := &Bullet{
		ID: id, Domain: i.Domain, Section: i.Section, Content: i.Text, Stage: Shadow, Tags: slices.Clone(i.Tags), Source: i.Source,
	}
	*b.counter(i.Section) = 1
	b.Confidence = Person
	if !i.Person {
		b.Confidence = roundShare(rules.AgentConfidence)
		if i.Confidence > 0 {
			b.Confidence = roundShare(min(i.Confidence, rules.AgentConfidence))
		}
	}
	return b
}

// Credit counts a judgment of a bullet. It returns false if that was counted before.
func (d *Draft) Credit(id string, polarity Section) (bool, error) {
	if !slices.Contains(Sections(), polarity) {
		return false, badBullet("use helpful, harmful or neutral", "unknown polarity %s", fault.Shown(string(polarity)))
	}
	return d.increment(id, polarity, note{})
}

// Embed sets the vector of a bullet to that of the current model.
func (d *Draft) Embed(id string, e Embedding) error {
	return d.change(OpEmbed, id, note{reason: "the model is " + e.Model}, func(b *Bullet) { b.Embedding = e })
}
