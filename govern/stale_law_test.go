package govern_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/record"
	"brenner/store/sqlite"
)

// historiesToTry returns how many histories the law of staleness is tested with.
func historiesToTry(t *testing.T) int {
	n := 200
	if s := os.Getenv("BRENNER_TEST_HISTORIES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		n /= 10
	}
	return n
}

// The law of staleness, over random histories: after every step, each relevant version that rests
// on what no longer holds is marked needs_update or needs_rebase, or deprecated, and nothing else
// is marked needs_update; and no stale version was promoted unless its promoter said so.
func TestLawStalenessIsNotLost(t *testing.T) {
	n := historiesToTry(t)
	var mu sync.Mutex
	done := make(map[string]int)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && !t.Failed(); i += workers {
				for _, kind := range []string{"memory", "sqlite"} {
					counts := tryHistory(t, kind, uint64(i))
					mu.Lock()
					for what, n := range counts {
						done[what] += n
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d histories in two stores: %v", n, done)
	for _, what := range []string{"put", "put on stale", "result", "promoted", "promoted, stale", "refused, stale", "deprecated", "reverted", "merged", "merged records", "kept stale", "round", "hand edit", "ruling", "marked"} {
		if n >= 200 && done[what] < n/20 && !t.Failed() {
			t.Errorf("only %d times: %s", done[what], what)
		}
	}
}

func tryHistory(t *testing.T, kind string, number uint64) map[string]int {
	var st store.Store = memory.New()
	if kind == "sqlite" {
		dir, err := os.MkdirTemp("", "law")
		if err != nil {
			t.Error(err)
			return nil
		}
		defer func() { _ = os.RemoveAll(dir) }()
		s, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
		if err != nil {
			t.Error(err)
			return nil
		}
		defer s.Close()
		st = s
	}
	h := &staleHistory{kit: newKit(t, st), rnd: rand.New(rand.NewPCG(25, number)), done: make(map[string]int), sessions: make(map[string]*lawSession), bySession: make(map[record.Ref]bool)}
	h.Rules.Compression = 0
	h.Artifact = func(context.Context, record.Ref) ([]byte, []string, error) { return []byte("an artifact"), nil, nil }
	h.Vouched = func(_ context.Context, ref record.Ref) (bool, error) { return h.bySession[ref], nil }
	for range 12 + h.rnd.IntN(24) {
		if why := h.step(); why != "" {
			t.Errorf("history %d, %s: %s\n  %s", number, kind, why, strings.Join(h.log, "\n  "))
			return h.done
		}
	}
	if p, err := h.Verify(h.ctx()); err != nil || len(p.Faults) > 0 {
		t.Errorf("history %d, %s: %v, %v", number, kind, err, p)
	}
	return h.done
}

type staleHistory struct {
	*kit
	rnd       *rand.Rand
	log       []string
	done      map[string]int
	sessions  map[string]*lawSession
	bySession map[record.Ref]bool
}

// lawSession is a session, with what it was shown.
type lawSession struct {
	version, kickoffs, replies, rulings int
	shown, open                         []record.Ref // open: of the round that runs
}

func (h *staleHistory) pick(all ...string) string { return all[h.rnd.IntN(len(all))] }

func (h *staleHistory) say(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// step does something, and returns what of the law is broken then.
func (h *staleHistory) step() string {
	before := h.naive()
	switch h.rnd.IntN(17) {
	case 0, 1, 2, 3:
		return h.putSome(before)
	case 4:
		return h.pinned(before)
	case 5, 6, 7, 8:
		return h.promoteSome(before)
	case 9:
		return h.deprecateSome(before)
	case 10:
		ref := h.anyRef(before)
		_, err := h.Revert(h.ctx(), sydney, ref, "back")
		return h.after(before, "reverted", err, "revert %s", ref)
	case 11, 12:
		return h.mergeSome(before)
	case 13, 14:
		return h.sessionRound(before)
	case 15:
		return h.sessionEdit(before, false)
	default:
		return h.sessionEdit(before, true)
	}
}

// after checks the law after a step.
func (h *staleHistory) after(before *naive, what string, err error, format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	switch fault.CodeOf(err) {
	case "":
		if err != nil {
			return text + ": " + err.Error()
		}
		h.done[what]++
	case govern.LinkCycle, govern.BadLink, govern.NothingNew, govern.BadRecord, govern.NoFork, govern.StillUsed, policy.Blocked, store.NoRecord:
		text += ": " + err.Error()
	default:
		return text + ": " + err.Error()
	}
	h.say("%s", text)
	now := h.naive()
	for _, v := range now.all {
		if faulty := now.check(before, v); faulty != "" {
			return faulty
		}
		if was := before.at(v.ref); was != nil && !isStaleStatus(was.status) && isStaleStatus(v.status) {
			h.done["marked"]++
		}
	}
	return ""
}

func (h *staleHistory) anyRef(n *naive) string {
	var all []string
	for _, v := range n.all {
		if !record.IsRaw(v.kind) {
			all = append(all, v.ref.String())
		}
	}
	if len(all) == 0 {
		return "n0"
	}
	return h.pick(all...)
}

// anyTarget returns the address of a version, rather a recent one.
func (h *staleHistory) anyTarget(n *naive) string {
	ref := h.anyRef(n)
	id, _, _ := strings.Cut(ref, "@")
	return h.pick(ref, ref, id, id+"@latest")
}

func (h *staleHistory) draft(n *naive) govern.Draft {
	id := h.pick("n0", "n0", "n1", "n2", "m0", "m1", "x0", "x1", "a0", "a1", "rv")
	kind := map[byte]string{'n': record.PaperNote, 'm': record.IntegratedMemo, 'x': record.ManuscriptSection, 'a': record.AnalysisResult, 'r': record.Review}[id[0]]
	d := draft(id, kind, fmt.Sprint("text ", h.rnd.Uint64()))
	if versions := n.versions(id); versions > 0 && h.rnd.IntN(4) == 0 {
		d.Parent = 1 + h.rnd.IntN(versions)
	}
	if len(n.all) == 0 {
		return d
	}
	if last := n.at(record.Ref{ID: id, Version: n.versions(id)}); last != nil && h.rnd.IntN(5) == 0 { // the same text
		if d.Content, _ = h.Store.Blob(h.ctx(), last.content); d.Parent > 0 {
			d.Parent = last.ref.Version
		}
		d.Summary = "once more"
	}
	switch h.rnd.IntN(6) {
	case 0: // inherits its links
	case 1:
		d.NoLinks = true
	default:
		for range 1 + h.rnd.IntN(3) {
			d.Links = append(d.Links, govern.Link{Relation: h.pick(record.Cites, record.Cites, record.DerivesFrom, record.Summarises, record.Refutes, record.RepliesTo, record.Supersedes), To: h.anyTarget(n)})
		}
	}
	return d
}

func (h *staleHistory) putSome(before *naive) string {
	drafts := []govern.Draft{h.draft(before)}
	if h.rnd.IntN(5) == 0 { // the second one is on the first
		second := h.draft(before)
		second.Links = append(second.Links, govern.Link{Relation: record.Cites, To: drafts[0].ID + "@latest"})
		drafts = append(drafts, second)
	}
	return h.putAll(before, "put", drafts...)
}

// putAll puts drafts. What is put on something stale must be stale at once.
func (h *staleHistory) putAll(before *naive, what string, drafts ...govern.Draft) string {
	put, err := h.Put(h.ctx(), sydney, drafts...)
	var text []string
	for _, d := range drafts {
		text = append(text, fmt.Sprintf("%s, parent %d, links %v, task %q", d.ID, d.Parent, d.Links, d.Task))
	}
	if faulty := h.after(before, what, err, "put %s", strings.Join(text, "; ")); faulty != "" || err != nil {
		return faulty
	}
	now := h.naive()
	for i, p := range put {
		v := now.at(p.Record.Ref())
		if parent := now.at(record.Ref{ID: v.ref.ID, Version: v.parent}); now.launders(&drafts[i], v, parent) {
			h.done["kept stale"]++
			if !isStaleStatus(v.status) {
				return fmt.Sprintf("%s is %s, but continues %s, which is stale", v.ref, v.status, parent.ref)
			}
		}
		h.say("  it is %s, %s", v.ref, v.status)
		on := now.onStale(v)
		if on != "" {
			h.done["put on stale"]++
		}
		if on != "" && !isStaleStatus(v.status) {
			return fmt.Sprintf("%s is %s, but was put on %s", v.ref, v.status, on)
		}
	}
	return ""
}

func (h *staleHistory) pinned(before *naive) string {
	id := "t" + strconv.Itoa(h.rnd.IntN(3))
	if before.versions(id) == 0 || h.rnd.IntN(2) == 0 {
		var inputs []string
		for range 1 + h.rnd.IntN(2) {
			inputs = append(inputs, h.anyTarget(before))
		}
		_, _, err := h.Pin(h.ctx(), sydney, govern.TaskDraft{ID: id, Task: fmt.Sprint("Write ", h.rnd.Uint64()), Module: "fate", Cross: true, Inputs: inputs})
		return h.after(before, "pinned", err, "pin %s on %v", id, inputs)
	}
	d := h.draft(before)
	d.Task, d.Links, d.NoLinks = id, nil, false
	return h.putAll(before, "result", d)
}

func (h *staleHistory) promoteSome(before *naive) string {
	return h.promoteThis(before, h.anyRef(before))
}

func (h *staleHistory) promoteThis(before *naive, address string) string {
	o := govern.PromoteOptions{Reason: "so", Replace: h.rnd.IntN(3) > 0, Stale: h.rnd.IntN(3) == 0}
	ref := before.parse(address)
	v := before.at(ref)
	if v == nil {
		return ""
	}
	stale := before.isStale(v)
	p, err := h.Promote(h.ctx(), sydney, address, o)
	what := "promoted"
	if stale != "" && err == nil {
		what = "promoted, stale"
	}
	if faulty := h.after(before, what, err, "promote %s, %+v", address, o); faulty != "" {
		return faulty
	}
	now := h.naive()
	refused := err != nil && strings.Contains(err.Error(), "gate rebase")
	switch {
	case err == nil && stale != "" && !o.Stale:
		return fmt.Sprintf("%s was promoted, but %s", ref, stale)
	case err == nil && (now.canonical(ref.ID) != ref.Version || (stale != "" || len(p.Despite) > 0) != isStaleStatus(now.at(ref).status)):
		return fmt.Sprintf("%s: canonical %d, %s, despite %v, %s", ref, now.canonical(ref.ID), now.at(ref).status, p.Despite, stale)
	case err == nil && now.keepsSuperseded(v) != "":
		return fmt.Sprintf("%s was promoted, and supersedes %s, which is still canonical", ref, now.keepsSuperseded(v))
	case refused && o.Stale:
		return "a person may promote a stale version: " + err.Error()
	case refused && stale == "" && !before.restsOnHolder(v):
		return "nothing is stale: " + err.Error()
	case refused:
		h.done["refused, stale"]++
	}
	return ""
}

func (h *staleHistory) deprecateSome(before *naive) string {
	address := h.anyRef(before)
	if h.rnd.IntN(3) == 0 {
		address, _, _ = strings.Cut(address, "@")
	}
	_, err := h.Deprecate(h.ctx(), sydney, address, "withdrawn", true)
	return h.after(before, "deprecated", err, "deprecate %s", address)
}

func (h *staleHistory) mergeSome(before *naive) string {
	if h.rnd.IntN(3) == 0 {
		return h.mergeRecords(before)
	}
	forks, err := h.Forks(h.ctx())
	forks = slices.DeleteFunc(forks, func(f govern.Fork) bool { return len(f.Tips) < 2 })
	if err != nil || len(forks) == 0 { // make one, of which a tip may be the result of a task
		d := h.draft(before)
		second := h.draft(before)
		for second.ID != d.ID {
			second = h.draft(before)
		}
		third := second
		third.Content = append(slices.Clone(second.Content), '!')
		second.Parent = max(1, before.versions(d.ID))
		third.Parent = second.Parent
		if task := h.pick("t0", "t1", "t2"); before.versions(task) > 0 {
			third.Task, third.Links, third.NoLinks = task, nil, false
		}
		if before.versions(d.ID) > 0 {
			return h.putAll(before, "put", second, third)
		}
		return h.putAll(before, "put", d, second, third)
	}
	f := forks[h.rnd.IntN(len(forks))]
	m := govern.MergeDraft{ID: f.ID, Change: "merged", Summary: "both"}
	if h.rnd.IntN(2) == 0 {
		m.Take = f.Tips[h.rnd.IntN(len(f.Tips))]
	} else {
		m.Content = []byte(fmt.Sprint("merged ", h.rnd.Uint64()))
	}
	put, err := h.Merge(h.ctx(), sydney, m)
	if faulty := h.after(before, "merged", err, "merge %s, %v, take %d", f.ID, f.Tips, m.Take); faulty != "" || err != nil {
		return faulty
	}
	// A text that merges a stale tip is stale.
	now := h.naive()
	for _, tip := range f.Tips {
		if why := now.reach(record.Ref{ID: f.ID, Version: tip}); m.Take == 0 && why != "" && !isExempt(f.Type) && !isStaleStatus(put.Record.Status) {
			return fmt.Sprintf("the merge %s is %s, but its tip v%d %s", put.Record.Ref(), put.Record.Status, tip, why)
		}
	}
	return ""
}

// mergeRecords merges a record into another one.
func (h *staleHistory) mergeRecords(before *naive) string {
	pair := strings.Fields(h.pick("n0 n1", "n1 n0", "n2 n0", "m0 m1", "m1 m0", "x0 x1", "a1 a0"))
	m := govern.MergeDraft{ID: pair[0], Others: pair[1:], Change: "merged", Summary: "both"}
	if h.rnd.IntN(2) == 0 {
		m.TakeFrom = pair[1]
	} else {
		m.Content = []byte(fmt.Sprint("merged ", h.rnd.Uint64()))
	}
	put, err := h.Merge(h.ctx(), sydney, m)
	if faulty := h.after(before, "merged records", err, "merge %v, take %q", pair, m.TakeFrom); faulty != "" || err != nil {
		return faulty
	}
	return h.promoteThis(h.naive(), put.Record.Ref().String())
}

// The sessions write as package session does: kickoffs, replies and versions, in a journal of their
// own, with the status that the records shown so far call for.

func (h *staleHistory) write(r record.Record) string {
	text := []byte(fmt.Sprint(r.ID, r.Version, h.rnd.Uint64()))
	r.Module, r.Summary, r.SummaryBy, r.Creator, r.At = "fate", "of a session", record.Extracted, "BlueLake", h.clock.Now()
	r.Content = store.Hash(text)
	r.SummaryOf, r.Parent = r.Content, r.Version-1
	if r.Status == "" {
		r.Status = record.Draft
	}
	h.bySession[r.Ref()] = true
	if err := h.Store.Write(h.ctx(), store.Batch{Blobs: [][]byte{text}, Records: []record.Record{r}}); err != nil {
		return err.Error()
	}
	return ""
}

func (h *staleHistory) session() (string, *lawSession) {
	id := h.pick("S0", "S1")
	if h.sessions[id] == nil {
		h.sessions[id] = &lawSession{}
	}
	return id, h.sessions[id]
}

// commit writes the next version of a session's artifact.
func (h *staleHistory) commit(id string, s *lawSession, links ...record.Link) string {
	var shown []contexts.ShownRecord
	for _, ref := range s.shown {
		shown = append(shown, contexts.ShownRecord{Ref: ref})
	}
	moved, _, err := h.NoLongerHold(h.ctx(), id, shown)
	if err != nil {
		return err.Error()
	}
	s.version++
	r := record.Record{ID: id, Type: record.ResearchArtifact, Version: s.version, Links: links}
	if len(moved) > 0 {
		r.Status = record.NeedsRebase
	}
	return h.write(r)
}

// sessionRound shows promoted records to an agent, or settles the round that was begun.
func (h *staleHistory) sessionRound(before *naive) string {
	id, s := h.session()
	if s.open == nil {
		s.kickoffs++
		r := record.Record{ID: id + "-kickoff", Type: record.Kickoff, Version: s.kickoffs}
		if s.version > 0 {
			r.Links = append(r.Links, record.Link{Relation: record.DerivesFrom, ID: id, Version: s.version})
		}
		s.open = []record.Ref{}
		for _, shown := range before.canonicals() {
			if shown.ID != id && h.rnd.IntN(2) == 0 {
				r.Links = append(r.Links, record.Link{Relation: record.Cites, ID: shown.ID, Version: shown.Version})
				s.open = append(s.open, shown)
			}
		}
		if why := h.write(r); why != "" {
			return why
		}
		return h.after(before, "kickoff", nil, "kickoff %d of %s, with %v", s.kickoffs, id, s.open)
	}
	s.replies++
	reply := record.Record{ID: id + "-reply", Type: record.Reply, Version: s.replies, Links: []record.Link{{Relation: record.RepliesTo, ID: id + "-kickoff", Version: s.kickoffs}}}
	if why := h.write(reply); why != "" {
		return why
	}
	s.shown, s.open = append(s.shown, s.open...), nil
	if why := h.commit(id, s, record.Link{Relation: record.DerivesFrom, ID: reply.ID, Version: s.replies}); why != "" {
		return why
	}
	return h.after(before, "round", nil, "round %d of %s: v%d", s.replies, id, s.version)
}

// sessionEdit is a person's change of an artifact, or a ruling that is carried out.
func (h *staleHistory) sessionEdit(before *naive, ruling bool) string {
	id, s := h.session()
	if s.version == 0 || !ruling {
		if why := h.commit(id, s); why != "" {
			return why
		}
		return h.after(before, "hand edit", nil, "hand edit of %s: v%d", id, s.version)
	}
	s.rulings++
	name := fmt.Sprint(id, "-stalemate-", s.rulings)
	request := record.Record{ID: name, Type: record.StalemateRequest, Version: 1, Links: []record.Link{{Relation: record.Cites, ID: id, Version: s.version}}}
	verdict := record.Record{ID: name + "-verdict", Type: record.StalemateVerdict, Version: 1, Links: []record.Link{{Relation: record.RepliesTo, ID: name, Version: 1}}}
	for _, r := range []record.Record{request, verdict} {
		if why := h.write(r); why != "" {
			return why
		}
	}
	if why := h.commit(id, s, record.Link{Relation: record.DerivesFrom, ID: verdict.ID, Version: 1}); why != "" {
		return why
	}
	return h.after(before, "ruling", nil, "ruling in %s: v%d", id, s.version)
}

// naive is a model of staleness, computed from all versions, links and marks after each step. It
// shares nothing with the program.
type naive struct {
	all   []*naiveVersion
	marks []record.Mark
	tips  map[string][]int
}

type naiveVersion struct {
	ref           record.Ref
	kind          string
	first, status string
	parent        int
	links         []record.Link
	content       string
}

func (h *staleHistory) naive() *naive {
	n := &naive{tips: make(map[string][]int)}
	first, err := h.Store.Records(h.ctx(), store.Query{Initial: true})
	if err != nil {
		panic(err)
	}
	now, err := h.Store.Records(h.ctx(), store.Query{})
	if err != nil {
		panic(err)
	}
	for i := range now {
		r := &now[i]
		n.all = append(n.all, &naiveVersion{r.Ref(), r.Type, first[i].Status, r.Status, r.Parent, r.Links, r.Content})
		if n.tips[r.ID] == nil {
			if n.tips[r.ID], err = h.Store.Tips(h.ctx(), r.ID); err != nil {
				panic(err)
			}
		}
	}
	if n.marks, err = h.Store.Marks(h.ctx(), ""); err != nil {
		panic(err)
	}
	return n
}

func isStaleStatus(status string) bool { return strings.HasPrefix(status, "needs_") }

func (n *naive) at(ref record.Ref) *naiveVersion {
	for _, v := range n.all {
		if v.ref == ref {
			return v
		}
	}
	return nil
}

func (n *naive) parse(address string) record.Ref {
	for _, v := range n.all {
		if v.ref.String() == address {
			return v.ref
		}
	}
	return record.Ref{}
}

func (n *naive) versions(id string) int {
	count := 0
	for _, v := range n.all {
		if v.ref.ID == id {
			count++
		}
	}
	return count
}

func (n *naive) canonical(id string) int {
	at := 0
	for _, m := range n.marks {
		switch {
		case m.ID != id:
		case m.Status == "canonical":
			at = m.Version
		case m.Version == at && !isStaleStatus(m.Status):
			at = 0
		}
	}
	return at
}

// keepsSuperseded returns a canonical version that a version supersedes, or "".
func (n *naive) keepsSuperseded(v *naiveVersion) string {
	for _, l := range v.links {
		if l.Relation != record.Supersedes || l.ID == v.ref.ID || isExempt(n.at(l.Ref()).kind) {
			continue
		}
		for at := l.Version; at > 0; at = n.at(record.Ref{ID: l.ID, Version: at}).parent {
			if n.canonical(l.ID) == at {
				return fmt.Sprintf("%s@v%d", l.ID, at)
			}
		}
	}
	return ""
}

func (n *naive) canonicals() []record.Ref {
	var all []record.Ref
	for _, v := range n.all {
		if n.canonical(v.ref.ID) == v.ref.Version {
			all = append(all, v.ref)
		}
	}
	return all
}

// decision returns what was decided about a version last, apart from its being stale.
func (n *naive) decision(v *naiveVersion) (string, bool) {
	status, marked := "draft", false
	if !isStaleStatus(v.first) {
		status = v.first
	}
	for _, m := range n.marks {
		if m.ID == v.ref.ID && m.Version == v.ref.Version && !isStaleStatus(m.Status) {
			status, marked = m.Status, true
		}
	}
	return status, marked
}

// marked reports whether a version was ever marked as stale, since its last promotion.
func (n *naive) marked(v *naiveVersion) bool {
	is := isStaleStatus(v.first)
	for _, m := range n.marks {
		if m.ID == v.ref.ID && m.Version == v.ref.Version && (isStaleStatus(m.Status) || m.Status == "canonical") {
			is = m.Status != "canonical"
		}
	}
	return is
}

func (n *naive) lapsed(v *naiveVersion) bool {
	canonical := n.canonical(v.ref.ID)
	if canonical == v.ref.Version || isExempt(v.kind) && v.kind != record.Review {
		return false
	}
	status, marked := n.decision(v)
	if canonical > v.ref.Version || status == "deprecated" || status == "alternative" && (marked || canonical > 0) {
		return true
	}
	for _, m := range n.marks { // a version that continues it was canonical
		if m.ID == v.ref.ID && m.Status == "canonical" {
			for one := n.at(m.Ref()); one != nil; one = n.at(record.Ref{ID: v.ref.ID, Version: one.parent}) {
				if one.parent == v.ref.Version {
					return true
				}
			}
		}
	}
	if canonical > 0 {
		return false
	}
	for _, tip := range n.tips[v.ref.ID] {
		if status, _ := n.decision(n.at(record.Ref{ID: v.ref.ID, Version: tip})); status != "deprecated" {
			return false
		}
	}
	return true // all of it was withdrawn
}

// on returns what a version rests on directly.
func (n *naive) on(v *naiveVersion) []*naiveVersion {
	var all []*naiveVersion
	if v.kind == record.ResearchArtifact && v.parent > 0 {
		all = append(all, n.at(record.Ref{ID: v.ref.ID, Version: v.parent}))
	}
	raw := v.kind == record.Kickoff || v.kind == record.Reply
	for _, l := range v.links {
		if l.Relation == record.Supersedes || l.Relation == record.RepliesTo && !raw {
			continue
		}
		to := n.at(l.Ref())
		if to.kind != record.TaskSpec {
			all = append(all, to)
			continue
		}
		for _, input := range n.on(to) {
			if input.ref.ID != v.ref.ID {
				all = append(all, input)
			}
		}
	}
	return all
}

// sources returns the records of which a version rests on a lapsed version, without a way through
// another version of that record.
func (n *naive) sources(v *naiveVersion) []string {
	var all []string
	for _, lapsed := range n.all {
		id := lapsed.ref.ID
		if id == v.ref.ID || slices.Contains(all, id) || !n.lapsed(lapsed) {
			continue
		}
		seen := make(map[record.Ref]bool)
		var leads func(at *naiveVersion) bool
		leads = func(at *naiveVersion) bool {
			if seen[at.ref] {
				return false
			}
			seen[at.ref] = true
			return slices.ContainsFunc(n.on(at), func(to *naiveVersion) bool { return to.ref == lapsed.ref || to.ref.ID != id && leads(to) })
		}
		if leads(v) {
			all = append(all, id)
		}
	}
	return all
}

func (n *naive) reach(ref record.Ref) string {
	if all := n.sources(n.at(ref)); len(all) > 0 {
		return fmt.Sprintf("rests on lapsed versions of %v", all)
	}
	return ""
}

// onStale returns a direct dependency of a version that is marked as stale, unless only the
// version's own record is the cause.
func (n *naive) onStale(v *naiveVersion) string {
	if isExempt(v.kind) {
		return ""
	}
	for _, to := range n.on(v) {
		if to.ref.ID == v.ref.ID || !isStaleStatus(to.status) {
			continue
		}
		causes := n.sources(to)
		if own := len(causes) == 1 && causes[0] == v.ref.ID; !own || to.status == record.NeedsRebase {
			return to.ref.String() + ", " + to.status
		}
	}
	return ""
}

func (n *naive) isStale(v *naiveVersion) string {
	switch why := n.reach(v.ref); {
	case n.marked(v):
		return "it is marked"
	case isExempt(v.kind):
		return ""
	case why != "":
		return "it " + why
	}
	if on := n.onStale(v); on != "" {
		return "it rests on " + on
	}
	return ""
}

// above returns whether anything that a version rests on is lapsed or marked.
func (n *naive) above(v *naiveVersion, seen map[record.Ref]bool) bool {
	if seen[v.ref] {
		return false
	}
	seen[v.ref] = true
	return slices.ContainsFunc(n.on(v), func(to *naiveVersion) bool { return n.lapsed(to) || n.marked(to) || n.above(to, seen) })
}

// restsOnHolder reports whether a version rests on a canonical one of its type, which it would
// displace, or on a record that it supersedes.
func (n *naive) restsOnHolder(v *naiveVersion) bool {
	ended := make(map[string]bool)
	for at := v; at != nil; at = n.at(record.Ref{ID: at.ref.ID, Version: at.parent}) {
		for _, l := range at.links {
			if l.Relation == record.Supersedes {
				ended[l.ID] = true
			}
		}
	}
	seen := make(map[record.Ref]bool)
	var leads func(at *naiveVersion) bool
	leads = func(at *naiveVersion) bool {
		if seen[at.ref] {
			return false
		}
		seen[at.ref] = true
		return slices.ContainsFunc(n.on(at), func(to *naiveVersion) bool {
			return v.kind == record.IntegratedMemo && to.kind == v.kind && n.canonical(to.ref.ID) == to.ref.Version || ended[to.ref.ID] || leads(to)
		})
	}
	return leads(v)
}

func isExempt(kind string) bool {
	switch kind {
	case record.Review, record.TaskSpec, record.Kickoff, record.Reply, record.StalemateRequest, record.StalemateVerdict:
		return true
	}
	return false
}

// inherits reports whether a version may have a mark from the one that it continues or repeats.
func (n *naive) inherits(v *naiveVersion) bool {
	return slices.ContainsFunc(n.all, func(o *naiveVersion) bool {
		return o.ref.ID == v.ref.ID && o.ref.Version < v.ref.Version && n.marked(o) && (o.ref.Version == v.parent || o.content == v.content)
	})
}

// launders reports whether a draft would end the mark of its parent without a reason.
func (n *naive) launders(d *govern.Draft, v, parent *naiveVersion) bool {
	if parent == nil || !n.marked(parent) || d.Task != "" {
		return false
	}
	same := v.content == parent.content
	switch {
	case len(d.Links) == 0 && d.NoLinks:
		return same
	case len(d.Links) == 0:
		return parent.status == record.NeedsRebase
	case !same:
		return false
	}
	for _, was := range parent.links { // the same text names the same records
		if was.Relation != record.Supersedes && was.Relation != record.RepliesTo && !slices.ContainsFunc(v.links, func(l record.Link) bool {
			return l.ID == was.ID && l.Relation != record.Supersedes && l.Relation != record.RepliesTo
		}) {
			return true
		}
	}
	return false
}

// check returns what of the law a version breaks.
func (n *naive) check(before *naive, v *naiveVersion) string {
	if isExempt(v.kind) {
		if v.status == record.NeedsUpdate {
			return fmt.Sprintf("%s, %s, is %s", v.ref, v.kind, v.status)
		}
		return ""
	}
	relevant := v.ref.Version == n.versions(v.ref.ID) || v.ref.Version == n.canonical(v.ref.ID) || slices.Contains(n.tips[v.ref.ID], v.ref.Version)
	if why := n.reach(v.ref); relevant && why != "" && !isStaleStatus(v.status) && v.status != record.Deprecated {
		return fmt.Sprintf("%s is %s, but %s", v.ref, v.status, why)
	}
	was := before.at(v.ref)
	if v.status == record.NeedsUpdate && (was == nil || !before.marked(was)) && !n.inherits(v) && !n.above(v, make(map[record.Ref]bool)) {
		return fmt.Sprintf("%s is %s, but everything that it rests on holds", v.ref, v.status)
	}
	return ""
}
