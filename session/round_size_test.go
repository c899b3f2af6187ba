package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"brenner/session"
	"brenner/store"
	"brenner/store/opentest"
)

// weighingStore is a store that counts the bytes of new content.
type weighingStore struct {
	opentest.Store
	seen  map[string]bool
	bytes int
}

func (w *weighingStore) Write(ctx context.Context, b store.Batch) error {
	for _, blob := range b.Blobs {
		if h := store.Hash(blob); !w.seen[h] {
			w.seen[h] = true
			w.bytes += len(blob)
		}
	}
	for _, a := range b.Appends {
		for i := range a.Entries {
			w.bytes += len(a.Entries[i].JSON())
		}
	}
	for _, r := range b.Records {
		w.bytes += len(fmt.Sprint(r))
	}
	return w.Store.Write(ctx, b)
}

// evenScript returns a script in which replies have the same length in every round.
func evenScript(rounds int) string {
	var b strings.Builder
	b.WriteString("schema: brenner.rehearsal/v1\nquestion: q\nagents:\n")
	for _, part := range []struct{ role, add, section, id, field string }{
		{"hypothesis_generator", `{"claim":"a claim of %02d words"}`, "hypothesis_slate", "H1", "claim"},
		{"test_designer", `{"procedure":"do it %02d times","expected_outcomes":{"H1":"yes"}}`, "discriminative_tests", "T1", "procedure"},
		{"adversarial_critic", `{"attack":"what of case %02d?"}`, "adversarial_critique", "C1", "attack"},
	} {
		fmt.Fprintf(&b, "  - role: %s\n    rounds:\n", part.role)
		for n := 1; n <= rounds; n++ {
			delta := fmt.Sprintf(`{"operation":"ADD","section":%q,"payload":%s}`, part.section, fmt.Sprintf(part.add, n))
			if n > 1 {
				delta = fmt.Sprintf(`{"operation":"EDIT","section":%q,"target_id":%q,"payload":{%q:"the same at length %02d"}}`, part.section, part.id, part.field, n)
			}
			fmt.Fprintf(&b, "      - reply: |\n          ```delta\n          %s\n          ```\n", delta)
		}
	}
	return b.String()
}

// The bytes that a round stores do not grow with the number of earlier rounds.
func TestRoundsStoreConstantBytes(t *testing.T) {
	const rounds = 50
	st := &weighingStore{Store: opentest.New(t), seen: make(map[string]bool)}
	r := runner(st, &actors{script: parse(t, evenScript(rounds))})
	var perRound []int
	first := brief(1)
	if _, err := r.Start(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= rounds; n++ {
		before := st.bytes
		if _, err := r.Resume(t.Context(), thread, setRounds(n)); err != nil {
			t.Fatal(err)
		}
		perRound = append(perRound, st.bytes-before)
	}
	for i, n := range perRound {
		if diff := n - perRound[0]; diff*10 > perRound[0] || -diff*10 > perRound[0] {
			t.Errorf("round %d stores %d bytes, round 2 %d", i+2, n, perRound[0])
		}
	}
	t.Logf("round 2: %d bytes, round %d: %d bytes", perRound[0], rounds, perRound[len(perRound)-1])
	h, err := session.Load(t.Context(), st, thread)
	if err != nil || h.State.Version() != rounds+1 {
		t.Fatal(err, h.State.Version())
	}
}
