package lazy_test

import (
	"sync"
	"testing"

	"brenner/internal/lazy"
)

func TestValueIsMadeOnce(t *testing.T) {
	made := 0
	v := lazy.Of(func() int { made++; return made })
	if made != 0 {
		t.Errorf("the value was made %d times before it was needed, want 0", made)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := v.Get(); got != 1 {
				t.Errorf("got %d, want 1", got)
			}
		})
	}
	all.Wait()
}

func TestWordsHas(t *testing.T) {
	words := lazy.WordsOf("not  no\n\tnever")
	for word, want := range map[string]bool{"not": true, "no": true, "never": true, "": false, "nothing": false} {
		if got := words.Has(word); got != want {
			t.Errorf("Has(%q) = %v, want %v", word, got, want)
		}
	}
}
