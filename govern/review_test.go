package govern_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/store/record"
)

// cited returns the ids that a version cites.
func cited(r *record.Record) []string {
	var ids []string
	for _, l := range r.Links {
		if l.Relation == record.Cites {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func TestReviewCitesWhatItsAuthorWasShown(t *testing.T) {
	both(t, func(k *kit) {
		for _, id := range []string{"a", "b"} {
			k.put(draft(id, record.PaperNote, "Assumes: the sky is blue"))
		}
		k.put(draft("c", record.PaperNote, "Assumes not: the sky is blue"))
		k.put(draft("ms", record.ManuscriptSection, "Assumes not: the sky is blue"))
		k.Access = policy.Accesses{{Role: policy.Critic, Read: []string{record.PaperNote, record.Review}, Write: []string{record.Review}}}
		k.Views = map[string]contexts.Spec{policy.Critic: {Role: policy.Critic, MaxTokens: 4000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 9}, {Type: record.Review, Max: 9}}}}
		found, err := k.Check(k.ctx(), sydney, govern.CheckAssumptions)
		if err != nil || len(found) != 2 {
			k.Fatalf("%v, %v", found, err)
		}
		// The program cites the records with findings.
		put, err := k.Review(k.ctx(), sydney, "one", found, nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("the program", cited(&put.Record), []string{"a", "c", "ms"})
		// The agent was shown the notes with findings, but not the manuscript.
		h, _ := helper("Nothing found.")
		if put, err = k.Review(k.ctx(), sydney, "two", found, h); err != nil {
			k.Fatal(err)
		}
		k.equal("the critic", cited(&put.Record), []string{"a", "c"})
		content, err := k.Content(k.ctx(), &put.Record)
		if err != nil || !strings.Contains(string(content), "Ada was not shown: ms@v1.") {
			k.Errorf("%s, %v", content, err)
		}
		if put, err = k.Review(k.ctx(), sydney, "three", nil, h); err != nil {
			k.Fatal(err)
		}
		k.equal("the critic without findings", cited(&put.Record), []string{"a", "b", "c"})
		// A record that depends on a review is not cited by its next version.
		k.put(draft("d", record.PaperNote, "fixed, as the review says", "cites=review-three"))
		h, _ = helper("Still nothing.")
		if put, err = k.Review(k.ctx(), sydney, "three", nil, h); err != nil || put.Record.Version != 2 {
			k.Fatal(err)
		}
		k.equal("the next review", cited(&put.Record), []string{"a", "b", "c"})
	})
}

func TestReviewOfMissingVersions(t *testing.T) {
	both(t, func(k *kit) {
		k.putBySession("broken", record.PaperNote, "it has a dangling link", record.Link{Relation: record.Cites, ID: "gone", Version: 1})
		found, err := k.Check(k.ctx(), sydney, govern.CheckLinks)
		if err != nil || len(found) != 1 {
			k.Fatal(found, err)
		}
		put, err := k.Review(k.ctx(), sydney, govern.CheckLinks, found, nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("cited", cited(&put.Record), []string{"broken"})
	})
}
