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

// The same findings make no new version of a review, so reviews keep their wording.
func TestWordingOfReviewsIsStable(t *testing.T) {
	both(t, func(k *kit) {
		review := func() string {
			k.Helper()
			found, err := k.Check(k.ctx(), sydney, govern.Checks()...)
			if err != nil {
				k.Fatal(err)
			}
			put, err := k.Review(k.ctx(), sydney, "all", found, nil)
			if err != nil {
				k.Fatal(err)
			}
			return k.content(put.Record.Ref().String())
		}
		memo := draft("memo", record.IntegratedMemo, "About plants.")
		memo.Summary = "" // extracted
		k.put(memo)
		k.equal("without a brief", review(), `# Check of all

Found by the program, which understands no text: 3.

- alignment: there is no canonical project brief to hold anything against
- links: memo@v1: it says nothing about what it rests on
- summaries: memo@v1: its summary is the beginning of its text, taken by the program
`)
		k.put(draft("brief", record.ProjectBrief, "The question.\n\n## Out of scope\n\n- plant\n"))
		k.promote("brief")
		for _, id := range []string{"note-1", "note-2"} {
			k.put(draft(id, record.PaperNote, "the same"))
		}
		stale := draft("note-2", record.PaperNote, "the  same")
		stale.Summary, stale.KeepSummary = "", true
		k.put(stale)
		k.put(draft("note-3", record.PaperNote, "the same"))
		k.putBySession("broken", record.PaperNote, "it has a dangling link", record.Link{Relation: record.Cites, ID: "gone", Version: 1})
		k.clock.skip(k.Rules.Unused)
		k.Rules.Compression = 4
		k.equal("with a brief", review(), `# Check of all

Found by the program, which understands no text: 13.

- alignment: memo@v1: it is older than the brief: nobody has held it against that
- alignment: memo@v1: it is about "plant", which the brief puts out of scope
- links: broken@v1: it points at gone@v1, which is not in the store
- links: memo@v1: it says nothing about what it rests on
- summaries: memo@v1: its summary is the beginning of its text, taken by the program
- summaries: note-2@v2: its summary was written for another content
- unused: broken@v1: nothing that stands has pointed at it for 720h0m0s
- unused: note-1@v1: nothing that stands has pointed at it for 720h0m0s
- unused: note-2@v2: nothing that stands has pointed at it for 720h0m0s
- unused: note-3@v1: nothing that stands has pointed at it for 720h0m0s
- unused: review-all@v1: nothing that stands has pointed at it for 720h0m0s
- compression: 4 records of fate, as they stand, are in no memo; 4 is the limit
- duplicates: note-3@v1: it says what note-1@v1 says, word for word
`)
	})
}
