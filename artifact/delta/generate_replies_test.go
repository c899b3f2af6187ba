package delta_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"brenner/artifact/delta"
)

// recipe is the choice of what a reply is made of.
type recipe struct {
	wrapper, fence, body, kind, before, after, damage int
	tight                                             int    // 1: no blank lines between the parts
	seed                                              uint64 // of everything else
	records                                           bool   // some changes are records of the project
}

// sizes are the numbers of choices.
func sizes() []int {
	return []int{len(wrappers), len(fences), len(bodies), changeKinds, len(neighbours), len(neighbours), len(damages), 2}
}

// choose draws a recipe. Damage and neighbours are left out in some, so that all combinations of the
// others are tried soon.
func choose(s source, seed uint64) recipe {
	r := recipe{seed: seed}
	for i, to := range []*int{&r.wrapper, &r.fence, &r.body, &r.kind, &r.before, &r.after, &r.damage, &r.tight} {
		*to = s.IntN(sizes()[i])
	}
	if s.IntN(3) == 0 {
		r.wrapper = 0
	}
	if s.IntN(2) == 0 {
		r.damage = 0
	}
	return r
}

// source returns what decides the rest.
func (r recipe) source() source { return rand.New(rand.NewPCG(r.seed, 23)) }

func (r recipe) String() string {
	return fmt.Sprintf("wrapper %q, fence %q, body %q, kind %d, before %q, after %q, damage %q, tight %d, seed %d",
		wrappers[r.wrapper].name, fences[r.fence].name, bodies[r.body].name, r.kind, neighbours[r.before].name, neighbours[r.after].name, damages[r.damage].name, r.tight, r.seed)
}

// reply composes the reply.
func (r recipe) reply() reply {
	g := &composer{source: r.source(), records: r.records}
	f, b := &fences[r.fence], &bodies[r.body]
	put := apart
	if r.tight == 1 && f.delta && !b.prose {
		put = join
	}
	block := g.block(f, b, g.changes(b, r.kind)...)
	d := put(neighbours[r.before].make(g, doc{}), block, neighbours[r.after].make(g, doc{}))
	out := wrappers[r.wrapper].make(g, d).reply()
	out.records = r.records
	damages[r.damage].make(g, &out)
	return out
}

func (r recipe) broken(reader delta.Reader) string { return judge(r.reply(), reader).broken() }

// shrink leaves out what a fault does not need.
func (r recipe) shrink(reader delta.Reader, why string) (recipe, string) {
	kind, _, _ := strings.Cut(why, ":")
	for range 3 {
		for _, simple := range []func(*recipe){
			func(r *recipe) { r.before = 0 }, func(r *recipe) { r.after = 0 }, func(r *recipe) { r.damage = 0 }, func(r *recipe) { r.wrapper = 0 },
			func(r *recipe) { r.tight = 0 }, func(r *recipe) { r.body = 1 }, func(r *recipe) { r.fence = 0 }, func(r *recipe) { r.kind = len(sections) },
		} {
			less := r
			simple(&less)
			if less == r {
				continue
			}
			if still := less.broken(reader); strings.HasPrefix(still, kind+":") {
				r, why = less, still
			}
		}
	}
	return r, why
}

// repliesToTry returns how many replies the test generates. Their number decides what each of them is, so every run of the
// suite has the same ones, and a run of more begins with those. Other ones are left to FuzzReplies.
func repliesToTry(t *testing.T) int {
	n := 20_000
	if s := os.Getenv("BRENNER_TEST_REPLIES"); s != "" {
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

func TestGeneratedRepliesAreMany(t *testing.T) {
	product := 1
	for _, n := range sizes() {
		product *= n
	}
	if product < 1_000_000 {
		t.Errorf("got %d combinations", product)
	}
	t.Logf("%d combinations, each with changes and places of damage of its own", product)
}

// Whatever a person would read as an attempted change is taken or has a row; drafts, examples and
// quotations are not executed; every change means the item that its author meant.
func TestLawRepliesAreAccountedFor(t *testing.T) { tryReplies(t, repliesToTry(t), false) }

// The same holds for records of the project, beside changes of the artifact.
func TestLawRecordsAreAccountedFor(t *testing.T) { tryReplies(t, repliesToTry(t), true) }

func tryReplies(t *testing.T, n int, records bool) {
	faults := &found{T: t, classes: make(map[string]int), records: records}
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && !faults.enough(); i += workers {
				faults.try(uint64(i))
			}
		})
	}
	wg.Wait()
	for class, n := range faults.classes {
		t.Logf("%d of %s", n, class)
	}
}

// The reader and the merge survive replies of which nothing is known.
func TestGarbledRepliesAreRead(t *testing.T) {
	for i := range repliesToTry(t) / 4 {
		rnd := rand.New(rand.NewPCG(2, uint64(i)))
		r := choose(rnd, rnd.Uint64()).reply()
		if r.text == "" {
			continue
		}
		r.garble(rnd)
		judge(r, delta.NewestReader)
	}
}

// found collects faults by class.
type found struct {
	*testing.T
	mu      sync.Mutex
	classes map[string]int
	records bool
}

// enough reports whether there are more faults than a person reads.
func (f *found) enough() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.classes) >= 10 && os.Getenv("BRENNER_TEST_REPLIES") == ""
}

// try generates the reply of a number.
func (f *found) try(number uint64) {
	const seed = 1
	rnd := rand.New(rand.NewPCG(seed, number))
	r := choose(rnd, rnd.Uint64())
	r.records = f.records
	why := r.broken(delta.NewestReader)
	if why == "" {
		return
	}
	r, why = r.shrink(delta.NewestReader, why)
	class := r.class(why)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.classes[class]++; f.classes[class] == 1 {
		f.Errorf("%s: %s\n%s\n%s", class, why, r, r.reply().text)
	}
}

// class names the fault of a reply by what it needs.
func (r recipe) class(why string) string {
	kind, _, _ := strings.Cut(why, ":")
	parts := []string{kind}
	for _, p := range []struct {
		name string
		at   int
		of   string
	}{
		{"wrapper", r.wrapper, wrappers[r.wrapper].name},
		{"fence", r.fence, fences[r.fence].name},
		{"body", r.body - 1, bodies[r.body].name},
		{"before", r.before, neighbours[r.before].name},
		{"after", r.after, neighbours[r.after].name},
		{"damage", r.damage, damages[r.damage].name},
	} {
		if p.at != 0 {
			parts = append(parts, p.name+" "+p.of)
		}
	}
	return strings.Join(parts, ", ")
}

// bytesSource chooses by the bytes of a fuzz target.
type bytesSource struct{ data []byte }

func (s *bytesSource) IntN(n int) int {
	v := 0
	for range 2 {
		if len(s.data) > 0 {
			v, s.data = v<<8|int(s.data[0]), s.data[1:]
		}
	}
	return v % n
}

// FuzzReplies lets the bytes choose what a reply is made of.
func FuzzReplies(f *testing.F) {
	f.Add([]byte("a reply"), uint64(1))
	f.Add([]byte{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7}, uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r := choose(&bytesSource{data}, seed)
		if why := r.broken(delta.NewestReader); why != "" {
			r, why = r.shrink(delta.NewestReader, why)
			t.Fatalf("%s\n%s\n%s", why, r, r.reply().text)
		}
	})
}
