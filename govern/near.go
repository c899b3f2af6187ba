package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/govern/claim"
	"brenner/govern/finding"
	"brenner/internal/text"
	"brenner/store/record"
)

// NearCopy is the cosine, by the built-in encoder, from which records of one type are near copies. They must
// also share at least half of their words, because the encoder sees only the beginning of a text, and agree in
// their numbers and negations. See docs/decisions/0077-checks-that-count.md for how well that works.
const (
	NearCopy    = 0.85
	nearOverlap = 0.5
)

// Bounds of the search for near copies. A note says when one is reached.
const (
	maxNearTexts   = 10_000
	maxComparisons = 1_000_000
	maxEncoded     = 100
	encodedWords   = 60
)

// nearCopies finds records whose text is nearly that of another one of their type, in any module. The records
// are in the order in which they can be originals.
func (c *checking) nearCopies(ctx context.Context, all []record.Record) error {
	if len(all) > maxNearTexts {
		byAge := slices.Clone(all)
		slices.SortStableFunc(byAge, func(a, b record.Record) int { return b.At.Compare(a.At) })
		oldest := byAge[maxNearTexts-1].At
		c.note("near copies were searched only among the %d newest of %d records", maxNearTexts, len(all))
		all = slices.DeleteFunc(slices.Clone(all), func(r record.Record) bool { return r.At.Before(oldest) })
		all = all[:min(len(all), maxNearTexts)]
	}
	byType := make(map[string][]int)
	var types []string
	for i := range all {
		if byType[all[i].Type] == nil {
			types = append(types, all[i].Type)
		}
		byType[all[i].Type] = append(byType[all[i].Type], i)
	}
	for _, kind := range types {
		if err := c.nearCopiesOf(ctx, kind, all, byType[kind]); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) note(format string, args ...any) {
	c.notes = append(c.notes, c.name+": "+fmt.Sprintf(format, args...))
}

// nearCopiesOf finds the near copies among the records of one type.
func (c *checking) nearCopiesOf(ctx context.Context, kind string, all []record.Record, which []int) error {
	texts := make([]claim.Text, len(which))
	for i, at := range which {
		content, err := c.Content(ctx, &all[at])
		if err != nil {
			return err
		}
		texts[i] = claim.Prepare(string(content))
	}
	search := claim.Search{Overlap: nearOverlap, Cosine: NearCopy, Comparisons: maxComparisons, Encoded: maxEncoded, Vector: func(i int) ([]float32, error) {
		content, err := c.Content(ctx, &all[which[i]])
		if err != nil {
			return nil, err
		}
		words := strings.Fields(strings.ToValidUTF8(string(content), "\ufffd"))
		return c.Embed(ctx, strings.Join(words[:min(len(words), encodedWords)], " "))
	}}
	found, unread, skipped, err := search.Copies(texts)
	for _, one := range found {
		of := all[which[one.Of]].Ref()
		c.add(all[which[one.Is]].Ref(), of, "merge the two, or say how they differ", finding.NearCopyOf, of, one.Cosine)
		c.found[len(c.found)-1].Near = true
	}
	if unread > 0 {
		c.note("%d of %d records of the type %s were not compared: their texts have too many words in common", unread, len(which), kind)
	}
	if skipped > 0 {
		c.note("%s of records of the type %s with similar words were not compared: the bound is %d texts", text.Count(skipped, "pair"), kind, maxEncoded)
	}
	return err
}
