package journal_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brenner/store/journal"
)

// follow verifies entries line by line, as stored.
func follow(entries []journal.Entry) error {
	chain := journal.Follow(stream, journal.Head{})
	for i := range entries {
		line := journal.LineOf(&entries[i])
		if err := chain.Next(&line); err != nil {
			return err
		}
		if chain.Head() != entries[i].Head() {
			panic("wrong head")
		}
	}
	return nil
}

// Chain and Check return the same errors.
func TestChainAgreesWithCheck(t *testing.T) {
	changes := map[string]func(*rapid.T, []journal.Entry) []journal.Entry{
		"intact": func(_ *rapid.T, e []journal.Entry) []journal.Entry { return e }, "dropped": dropped, "swapped": swapped, "duplicated": duplicated,
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				entries := change(t, slices.Clone(anyChain(t, 2)))
				want, got := journal.Check(stream, journal.Head{}, entries), follow(entries)
				if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
					t.Fatalf("got %v, want %v", got, want)
				}
			})
		})
	}
}

func TestChainDetectsOneChangedBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := anyChain(t, 1)
		n := rapid.IntRange(0, len(entries)-1).Draw(t, "entry")
		chain := journal.Follow(stream, journal.Head{})
		for i := range n {
			line := journal.LineOf(&entries[i])
			if err := chain.Next(&line); err != nil {
				t.Fatal(err)
			}
		}
		line := journal.LineOf(&entries[n])
		fields := []*[]byte{&line.At, &line.Body, &line.Hash, &line.Kind, &line.Prev}
		fields = slices.DeleteFunc(fields, func(f *[]byte) bool { return len(*f) == 0 })
		f := rapid.SampledFrom(fields).Draw(t, "field")
		*f = slices.Clone(*f)
		at := rapid.IntRange(0, len(*f)-1).Draw(t, "byte")
		(*f)[at] ^= 1 << rapid.IntRange(0, 6).Draw(t, "bit")
		if chain.Next(&line) == nil {
			t.Fatalf("a change of byte %d of %q was not detected", at, *f)
		}
	})
}

func TestLineRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range anyChain(t, 1) {
			line := journal.LineOf(&e)
			got, err := line.Entry(stream)
			if err != nil || string(got.JSON()) != string(e.JSON()) {
				t.Fatalf("%+v, %v", got, err)
			}
			line.At = append(line.At, '0')
			if _, err := line.Entry(stream); err == nil {
				t.Fatal("a time in another form was read")
			}
		}
	})
}
