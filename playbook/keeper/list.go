package keeper

import (
	"context"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/playbook"
)

// ListOptions select bullets; empty fields do not restrict, except that merged bullets must be
// named as a stage.
type ListOptions struct {
	Stages  []string
	Section string
	Domain  string
	Tag     string
	Like    string // text; the most similar bullets come first
	Limit   int    // maximum number; 0 means all, or 20 with Like
	Waiting bool   // only those that wait for review
}

// Check returns an error for unknown stages and sections. Stages may be in lower case.
func (o *ListOptions) Check() error {
	for i, s := range o.Stages {
		o.Stages[i] = strings.ToUpper(s)
		if !slices.Contains(playbook.Stages(), playbook.Stage(o.Stages[i])) {
			return &fault.Error{Code: fault.Usage, Detail: "--stage: unknown stage " + fault.Shown(s), Hint: "use SHADOW, STAGING, PROD, QUARANTINED or MERGED"}
		}
	}
	if o.Section != "" && !slices.Contains(playbook.Sections(), playbook.Section(o.Section)) {
		return &fault.Error{Code: fault.Usage, Detail: "--section: unknown section " + fault.Shown(o.Section), Hint: "use helpful, harmful or neutral"}
	}
	return nil
}

func (o *ListOptions) want(b *playbook.Bullet) bool {
	return (len(o.Stages) == 0 && b.Stage != playbook.Merged || slices.Contains(o.Stages, string(b.Stage))) && (o.Section == "" || string(b.Section) == o.Section) &&
		(o.Domain == "" || b.Domain == o.Domain) && (o.Tag == "" || slices.Contains(b.Tags, o.Tag)) && (!o.Waiting || b.Review == playbook.Waiting)
}

// List is a list of bullets.
type List struct {
	Schema  string             `json:"schema"`
	Bullets []*playbook.Bullet `json:"bullets"`
	Cosines []float64          `json:"cosines,omitempty"` // of each bullet, with Like
	Head    string             `json:"head"`
}

// List returns the selected bullets.
func (k *Keeper) List(ctx context.Context, o ListOptions) (*List, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	l := &List{Schema: "brenner.playbook.list/v1", Head: k.Head().Hash}
	if o.Like == "" {
		l.Bullets = k.Bullets(o.want)
		if o.Limit > 0 && len(l.Bullets) > o.Limit {
			l.Bullets = l.Bullets[:o.Limit]
		}
		return l, nil
	}
	most := o.Limit
	if most == 0 {
		most = 20
	}
	matches, err := k.Similar(ctx, o.Like, most, o.want)
	if err != nil {
		return nil, err
	}
	l.Cosines = []float64{}
	for _, m := range matches {
		b, err := k.Find(m.ID)
		if err != nil {
			return nil, err
		}
		l.Bullets, l.Cosines = append(l.Bullets, b), append(l.Cosines, m.Cosine)
	}
	l.Head = k.Head().Hash // a search may have embedded bullets again
	return l, nil
}

// OneBullet is a bullet with its hash.
type OneBullet struct {
	Schema string           `json:"schema"`
	Bullet *playbook.Bullet `json:"bullet"`
	Hash   string           `json:"hash"`
	// MergedInto is the bullet that stands for this one; Merged are those for which it stands.
	MergedInto string             `json:"merged_into,omitempty"`
	Merged     []*playbook.Bullet `json:"merged,omitempty"`
}

// Show returns a bullet with its hash.
func (k *Keeper) Show(id string) (*OneBullet, error) {
	b, err := k.Find(id)
	if err != nil {
		return nil, err
	}
	o := &OneBullet{Schema: "brenner.playbook.bullet/v1", Bullet: b, Hash: b.Hash()}
	if into := k.Standing(id); into != id {
		o.MergedInto = into
	}
	for _, other := range k.mergedInto(id) {
		part, err := k.Find(other)
		if err != nil {
			return nil, err
		}
		o.Merged = append(o.Merged, part)
	}
	return o, nil
}

// HistoryOptions select entries; empty fields do not restrict.
type HistoryOptions struct {
	Bullet  string
	Session string
	Limit   int // only the last ones; 0 means all
}

// History holds entries of the journal, oldest first.
type History struct {
	Schema  string           `json:"schema"`
	Bullet  string           `json:"bullet"` // empty for all
	Entries []playbook.Entry `json:"entries"`
	Head    string           `json:"head"`
}

// History returns the selected entries. The history of a bullet includes that of bullets merged into
// it.
func (k *Keeper) History(ctx context.Context, o HistoryOptions) (*History, error) {
	h := &History{Schema: "brenner.playbook.history/v1", Bullet: o.Bullet, Head: k.Head().Hash}
	if o.Bullet != "" {
		if _, err := k.Find(o.Bullet); err != nil {
			return nil, err
		}
	}
	bullets := append([]string{o.Bullet}, k.mergedInto(o.Bullet)...)
	err := k.Walk(ctx, func(e *playbook.Entry) error {
		if (o.Bullet == "" || slices.Contains(bullets, e.Bullet)) && (o.Session == "" || e.Session == o.Session) {
			h.Entries = append(h.Entries, *e)
			if o.Limit > 0 && len(h.Entries) > 2*o.Limit {
				h.Entries = slices.Clone(h.Entries[len(h.Entries)-o.Limit:])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if o.Limit > 0 && len(h.Entries) > o.Limit {
		h.Entries = h.Entries[len(h.Entries)-o.Limit:]
	}
	return h, nil
}

// Stats are statistics of a playbook.
type Stats struct {
	Schema string `json:"schema"`
	playbook.Stats
	Head string `json:"head"`
}

// Stats counts bullets and entries.
func (k *Keeper) Stats(ctx context.Context) (*Stats, error) {
	var counter playbook.Counter
	if err := k.Walk(ctx, func(e *playbook.Entry) error { counter.Take(e); return nil }); err != nil {
		return nil, err
	}
	return &Stats{Schema: "brenner.playbook.stats/v1", Stats: counter.Stats(k.Bullets(nil)), Head: k.Head().Hash}, nil
}

// Lines holds bullets in the line format of playbook tools.
type Lines struct {
	Schema string   `json:"schema"`
	File   string   `json:"file"` // written file; empty if none
	Lines  []string `json:"lines"`
	Head   string   `json:"head"`
}

// Lines returns bullets as lines, oldest first. An empty domain means any. Quarantined bullets are
// included only if all is set; merged ones never, since their counts are part of others.
func (k *Keeper) Lines(domain string, all bool) *Lines {
	x := &Lines{Schema: "brenner.playbook.export/v1", Head: k.Head().Hash}
	for _, b := range k.Bullets(func(b *playbook.Bullet) bool {
		return (b.Live() || all && b.Stage == playbook.Quarantined) && (domain == "" || b.Domain == domain)
	}) {
		x.Lines = append(x.Lines, playbook.LineOf(b).String())
	}
	return x
}

// Bytes returns the content of the file.
func (x *Lines) Bytes() []byte {
	if len(x.Lines) == 0 {
		return nil
	}
	return []byte(strings.Join(x.Lines, "\n") + "\n")
}

// Selection describes the prompt for which bullets are chosen.
type Selection struct {
	Domain  string
	Session string
	Role    string // empty means any
	About   string // subject of the prompt
	Tokens  int
	Count   func(string) int
	Line    func(*playbook.Bullet) string // format of a bullet in a prompt
	// All includes live bullets of every stage, as a preview.
	All bool
}

const maxChosen = 100

// Choose renders the bullets closest to the subject, within the token limit.
func (k *Keeper) Choose(ctx context.Context, w Selection) (playbook.Rendered, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return playbook.Rendered{}, err
	}
	fits := func(b *playbook.Bullet) bool { return k.fits(b, &w) }
	fitting := []*playbook.Bullet{}
	for n := range k.book.Len() {
		if b := k.book.At(n); fits(b) {
			fitting = append(fitting, b)
		}
	}
	if len(fitting) == 0 {
		return playbook.Rendered{}, nil
	}
	if strings.TrimSpace(w.About) != "" {
		v, err := k.embed(ctx, w.About)
		if err != nil {
			return playbook.Rendered{}, err
		}
		matches, err := k.searchFor(ctx, *v, -1, maxChosen, fits)
		if err != nil {
			return playbook.Rendered{}, err
		}
		fitting = fitting[:0]
		for _, m := range matches {
			b, err := k.book.Find(m.ID)
			if err != nil {
				return playbook.Rendered{}, err
			}
			fitting = append(fitting, b)
		}
	}
	return playbook.Render(fitting, w.Tokens, w.Line, w.Count), nil
}

func (k *Keeper) fits(b *playbook.Bullet, w *Selection) bool {
	reaches := k.Rules.Reaches(b, w.Session) || w.All && b.Live()
	return reaches && b.Domain == w.Domain && b.For(w.Role)
}

// Similar returns the bullets most similar to a text, whatever their meaning.
func (k *Keeper) Similar(ctx context.Context, text string, most int, want func(*playbook.Bullet) bool) ([]playbook.Match, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, err := k.embed(ctx, text)
	if err != nil {
		return nil, err
	}
	return k.searchFor(ctx, *v, -1, most, want)
}
