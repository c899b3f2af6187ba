package playbook

import (
	"slices"

	"brenner/internal/fault"
)

// Insight is something that somebody has learned.
type Insight struct {
	Domain  string
	Section Section
	Text    string
	Tags    []string
	Source  Source
	// Person tells whether a person says so; Confidence is what an agent says of its
	// own, which counts only up to a bound. 0 is not said.
	Person     bool
	Confidence float64
}

// Match is a bullet that an insight may be about.
type Match struct {
	ID     string  `json:"id"`
	Cosine float64 `json:"cosine"`
}

// Outcome is what became of an insight.
type Outcome struct {
	Bullet string  // the new one, or the one that was counted
	Added  bool    // it is new
	Again  bool    // the session has said so before: nothing was counted
	Cosine float64 // of the match
	Near   []Refusal
}

// Refusal is a bullet that an insight is like, and does not say the same as.
type Refusal struct {
	Match
	Why string `json:"why"`
}

// Check refuses an insight that cannot be a bullet.
func (i *Insight) Check(rules Rules) error {
	if err := CheckWord("domain", i.Domain); err != nil {
		return err
	}
	if !slices.Contains(Sections(), i.Section) {
		return badBullet("helpful, harmful or neutral", "there is no section %s", fault.Shown(string(i.Section)))
	}
	for _, t := range i.Tags {
		if err := CheckWord("tag", t); err != nil {
			return err
		}
	}
	if !(i.Confidence >= 0 && i.Confidence <= 1) { // so that what is no number is refused, too
		return badBullet("a number from 0 to 1", "the confidence cannot be %g", i.Confidence)
	}
	return CheckContent(i.Text, rules.Longest)
}

// Choose takes the first of the matches, the most alike first, that says the same as
// the text, and gives those before it that do not. Cosine cannot see polarity, so the
// words are looked at.
func (k *Book) Choose(text string, matches []Match) (chosen *Match, refused []Refusal) {
	for i, m := range matches {
		b, err := k.Find(m.ID)
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

// Learn takes an insight in: it counts for the bullet that says the same already,
// whatever section that is in, or becomes a bullet of its own.
func (d *Draft) Learn(i Insight, matches []Match, e Embedding) (Outcome, error) {
	if err := i.Check(d.rules); err != nil {
		return Outcome{}, err
	}
	if id, ok := d.book.Took(d.act.Session, &i); ok {
		return Outcome{Bullet: id, Again: true}, nil
	}
	match, refused := d.book.Choose(i.Text, matches)
	if match != nil {
		counted, err := d.count(match.ID, i.Section, note{insight: i.Text, cosine: match.Cosine})
		return Outcome{Bullet: match.ID, Again: !counted, Cosine: match.Cosine}, err
	}
	b := i.bullet(d.nextID(), d.rules)
	b.Created, b.LastSeen, b.Embedding = d.act.At, d.act.At, e
	for _, r := range refused[:min(len(refused), mostNear)] {
		b.Near = append(b.Near, r.ID)
	}
	d.add(b, note{})
	return Outcome{Bullet: b.ID, Added: true, Near: refused}, nil
}

// mostNear is how many bullets a new one is linked to.
const mostNear = 3

func (i *Insight) bullet(id string, rules Rules) *Bullet {
	b := &Bullet{
		ID: id, Domain: i.Domain, Section: i.Section, Content: i.Text, Stage: Shadow, Tags: slices.Clone(i.Tags), Source: i.Source,
	}
	*b.counter(i.Section) = 1
	b.Confidence = Person
	if !i.Person {
		b.Confidence = share(rules.AgentConfidence)
		if i.Confidence > 0 {
			b.Confidence = share(min(i.Confidence, rules.AgentConfidence))
		}
	}
	return b
}

// Credit counts what a session has made of a bullet, or what a person says of it. It
// is false where that was counted before.
func (d *Draft) Credit(id string, polarity Section) (bool, error) {
	if !slices.Contains(Sections(), polarity) {
		return false, badBullet("helpful, harmful or neutral", "there is no polarity %s", fault.Shown(string(polarity)))
	}
	return d.count(id, polarity, note{})
}

// Embed gives a bullet the vector of the model that is in use now.
func (d *Draft) Embed(id string, e Embedding) error {
	return d.change(OpEmbed, id, note{reason: "the model is " + e.Model}, func(b *Bullet) { b.Embedding = e })
}
