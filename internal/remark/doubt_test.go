package remark

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Sentences made of the words that the signals know are all judged, whatever their order.
func TestSignalsJudgeAnySentence(t *testing.T) {
	t.Parallel()
	words := strings.Fields("RedSky RedSky's H2 T1 lewis@v1 I I'd we my the a an , ; : ( ) . ? — so and but which who what how if that's it's not can't round 1 2 § ä")
	for word := range vocabulary.Get() {
		words = append(words, word, word+"s", word+"ed")
	}
	slices.Sort(words)
	rnd := rand.New(rand.NewPCG(1, 2))
	rules := Rules{Author: "BlueLake", Oblique: true}
	judged := make(map[bool]int)
	for range 20_000 {
		sentence := ""
		for range 1 + rnd.IntN(7) {
			sentence += words[rnd.IntN(len(words))] + " "
		}
		sentence = strings.TrimSpace(sentence) + [...]string{":", ".", "?", ""}[rnd.IntN(4)]
		_, isBefore := rules.Before([]byte("Text.\n\n"+sentence+"\n\n"), []byte(kill))
		_, isBehind := rules.Behind([]byte("\n\n"+sentence+"\n"), []byte(kill))
		judged[isBefore || isBehind]++
	}
	if judged[true] == 0 || judged[false] == 0 {
		t.Errorf("doubted and not: %v", judged)
	}
}

// Each signal holds for its own example, or a part of it.
func TestSignalsHoldForTheirExamples(t *testing.T) {
	t.Parallel()
	rules := Rules{Author: "BlueLake", Oblique: true}
	for _, s := range doubts {
		for lead := range strings.SplitAfterSeq(s.example, ": ") {
			if _, ok := rules.Before([]byte("Text.\n\n"+strings.TrimSpace(lead)+"\n\n"), []byte(kill)); !ok {
				t.Errorf("%q is clear", lead)
			}
		}
	}
	for _, s := range slices.Concat(ownActs, ordinary) {
		if strings.Contains(s.example, "it should") {
			continue // it needs the clause before it
		}
		for lead := range strings.SplitAfterSeq(s.example, ": ") {
			if _, ok := rules.Before([]byte("Text.\n\n"+strings.TrimSpace(lead)+"\n\n"), []byte(kill)); ok {
				t.Errorf("%q is in doubt", lead)
			}
		}
	}
	for _, s := range behindSignals {
		block := kill
		if strings.Contains(s.example, "claim") || strings.Contains(s.example, "wording") {
			block = strings.Replace(kill, "KILL", "EDIT", 1)
		}
		for sentence := range strings.SplitAfterSeq(s.example, ". ") {
			if _, ok := rules.Behind([]byte("\n\n"+strings.TrimSpace(sentence)+"\n"), []byte(block)); !ok {
				t.Errorf("%q is clear", sentence)
			}
		}
	}
}

// What opens the next block, without the marks of its fence, says nothing of the block above.
func TestOpeningsOfBlocksAreNotRemarks(t *testing.T) {
	t.Parallel()
	rules := Rules{Author: "BlueLake", Oblique: true}
	const body = "\n{\"operation\": \"ADD\"}\n```\n"
	for _, opening := range []string{
		"json", "It is the strongest case that I know.\njson", "BEGIN DELTA\njson", `json title="delta 1"`, "delta {#one .json}",
	} {
		if said, ok := rules.Behind([]byte("\n\n"+opening+body), []byte(kill)); ok {
			t.Errorf("%q is read as the remark %q", opening, said.Line)
		}
	}
	if said, ok := rules.Behind([]byte("\n\n[TOOL_CALLS]{'operation': 'ADD', 'payload': {'ids': 'none'}}\n"), []byte(kill)); ok {
		t.Errorf("a call is read as the remark %q", said.Line)
	}
	said, ok := rules.Before([]byte("You will find this in the archives under bad ideas:\n\n"), []byte(kill))
	if !ok || said.Several {
		t.Errorf("got %+v, %t", said, ok)
	}
	if said, ok := rules.Before([]byte("You will find these in the archives under bad ideas:\n\n"), []byte(kill)); !ok || !said.Several {
		t.Errorf("got %+v, %t", said, ok)
	}
}
