package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"brenner/config"
	"brenner/kickoff"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/store"
	"brenner/vector"
)

// lessonBook is the playbook as sessions use it: it gives them lessons, and takes in what
// they teach. It is opened when it is first needed.
type lessonBook struct {
	app     *app
	config  *config.Config
	store   store.Store
	counter session.Counter

	mu   sync.Mutex
	kept *keeper.Keeper
	// several says that sessions run at once: then each is named.
	several bool
	begun   map[string]bool // the sessions that were said to teach
}

func (m *lessonBook) keeper(ctx context.Context) (*keeper.Keeper, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept != nil {
		return m.kept, nil
	}
	e, err := m.app.embedder(m.config)
	if err != nil {
		return nil, err
	}
	k, err := keeper.Open(ctx, keeper.Options{Store: m.store, Rules: m.config.Playbook.Rules, Embedder: e, Now: m.app.Now})
	if err == nil {
		m.kept = k
	}
	return k, err
}

// Recall gives the lessons for one agent's message.
func (m *lessonBook) Recall(ctx context.Context, r session.Recall) (session.Recalled, error) {
	k, err := m.keeper(ctx)
	if err != nil {
		return session.Recalled{}, err
	}
	if err := m.begin(ctx, r.Thread); err != nil {
		return session.Recalled{}, err
	}
	chosen, err := k.Choose(ctx, keeper.Wish{
		Session: r.Thread, Role: r.Role, About: r.Question, Tokens: m.config.Playbook.Tokens, Count: m.counter.Count,
	})
	if err != nil {
		return session.Recalled{}, err
	}
	out := session.Recalled{Left: chosen.Left}
	for _, id := range chosen.Taken {
		b, err := k.Find(id)
		if err != nil {
			return session.Recalled{}, err
		}
		text := b.Content
		if b.Section == playbook.Harmful {
			text = "(a warning) " + text
		}
		out.Lessons = append(out.Lessons, kickoff.Bullet{ID: id, Text: text})
	}
	warnings, err := m.resembling(ctx, k, &r)
	m.warn(&out, warnings)
	return out, err
}

// warn puts warnings behind the lessons, as far as the bound of tokens reaches.
func (m *lessonBook) warn(out *session.Recalled, warnings []kickoff.Bullet) {
	left := m.config.Playbook.Tokens
	for _, l := range out.Lessons {
		left -= m.counter.Count(l.Text)
	}
	for _, w := range warnings {
		n := m.counter.Count(w.Text)
		if n > left {
			out.Left = append(out.Left, w.ID)
			continue
		}
		out.Lessons, left = append(out.Lessons, w), left-n
	}
}

// dead is a hypothesis that was killed, here or in an earlier session.
type dead struct {
	id, claim, reason string // the reason is empty where nobody gave one
	here              bool
}

// tells compares what two deaths have to tell to somebody whose hypothesis is like both:
// one with a reason more than one without, and one of this session more than an older one.
// What is left is how alike they are.
func (d *dead) tells(o *dead) int {
	order := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return 1
		default:
			return -1
		}
	}
	return cmp.Or(order(d.reason != "", o.reason != ""), order(d.here, o.here))
}

// resembling tells an agent why hypotheses died that its own are like.
func (m *lessonBook) resembling(ctx context.Context, k *keeper.Keeper, r *session.Recall) ([]kickoff.Bullet, error) {
	var told []kickoff.Bullet
	killed := func(b *playbook.Bullet) bool {
		return slices.Contains(b.Tags, session.TagKilled) && b.Stage != playbook.Quarantined
	}
	if len(r.Own) == 0 || len(r.Died) == 0 && len(k.Bullets(killed)) == 0 {
		return nil, nil
	}
	for _, own := range r.Own {
		var all []dead
		for _, d := range r.Died {
			all = append(all, dead{id: d.Item, claim: d.Text, reason: d.Reason, here: true})
		}
		matches, err := k.Similar(ctx, own.Text, mostDead, killed)
		if err != nil {
			return nil, err
		}
		for _, match := range matches {
			b, err := k.Find(match.ID)
			if err != nil {
				return nil, err
			}
			if d, ok := deadBullet(b); ok && b.Source.Session != r.Thread {
				all = append(all, d)
			}
		}
		d, err := m.nearest(ctx, k, own.Text, all)
		if err != nil {
			return nil, err
		}
		if d != nil {
			told = append(told, kickoff.Bullet{ID: d.id, Text: fmt.Sprintf("Your %s resembles a hypothesis that was killed: “%s”. It died because: %s", own.Item, d.claim, cmp.Or(d.reason, session.NoReason))})
		}
	}
	return told, nil
}

// deadBullet reads what a bullet says of a hypothesis that was killed.
func deadBullet(b *playbook.Bullet) (dead, bool) {
	claim, reason, ok := strings.Cut(b.Content, session.KilledMark)
	reason = strings.TrimSuffix(reason, ")")
	if reason == session.NoReason {
		reason = ""
	}
	return dead{id: b.ID, claim: claim, reason: reason}, ok
}

// mostDead is how many hypotheses that were killed one is compared with.
const mostDead = 10

// nearest gives the dead hypothesis that says the same as a claim, and of several the one
// that has most to tell, or nothing.
func (m *lessonBook) nearest(ctx context.Context, k *keeper.Keeper, claim string, all []dead) (*dead, error) {
	all = slices.DeleteFunc(all, func(d dead) bool { return strings.TrimSpace(d.claim) == "" })
	if len(all) == 0 || strings.TrimSpace(claim) == "" {
		return nil, nil
	}
	texts := []string{claim}
	for _, d := range all {
		texts = append(texts, d.claim)
	}
	vectors, err := k.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	var found *dead
	best := 0.0
	for i, v := range vectors[1:] {
		c := cosine(vectors[0], v)
		if c < m.config.Playbook.Rules.Match || playbook.Differ(claim, all[i].claim) != "" {
			continue
		}
		if found == nil || cmp.Or(all[i].tells(found), cmp.Compare(c, best)) > 0 {
			found, best = &all[i], c
		}
	}
	return found, nil
}

func cosine(v, w vector.Vector) float64 {
	c, _ := v.Cosine(w)
	return c
}

// guard looks at the latest sessions, and rolls back what came in while they got worse.
func (m *lessonBook) guard(ctx context.Context, k *keeper.Keeper) (string, error) {
	g := m.config.Playbook.Rules.Guardrail
	streams, err := sessionStreams(ctx, m.store)
	if err != nil {
		return "", err
	}
	var all []playbook.Observation
	for i := range streams {
		if len(all) >= 2*g.Window {
			break
		}
		h, err := session.Load(ctx, m.store, threadOf(&streams[i]))
		if err != nil {
			continue // a session that is damaged says nothing of how it went; verify names it
		}
		if h.State.Opened.Rehearsal == "" && h.State.Ended != "" {
			all = append(all, h.Observe())
		}
	}
	before, now, since, ok := g.Windows(all)
	if !ok {
		return "", nil
	}
	breach := g.Breach(before, now)
	if breach == "" {
		return "", nil
	}
	var ids []string
	act := playbook.Act{Actor: learner, Reason: "guardrail: " + breach}
	_, err = k.Do(ctx, act, func(d *playbook.Draft) (err error) {
		ids, err = d.Rollback(since, m.app.Now())
		return err
	})
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s rolled back (%s)", plural(len(ids), "lesson", "lessons"), breach), nil
}

// lessons says which bullets a message quotes, and which it has no room for.
func (in *callInput) lessons() string {
	if len(in.Lessons)+len(in.LessonsLeft) == 0 {
		return ""
	}
	text := "none"
	if len(in.Lessons) > 0 {
		text = strings.Join(in.Lessons, ", ")
	}
	if len(in.LessonsLeft) > 0 {
		text += "; no room for " + strings.Join(in.LessonsLeft, ", ")
	}
	return text
}
