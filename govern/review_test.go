package govern_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/govern/contexts"
	"brenner/govern/finding"
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

func TestReviewCitesWhatItsFindingsName(t *testing.T) {
	both(t, func(k *kit) {
		for _, id := range []string{"a", "b"} {
			k.put(draft(id, record.PaperNote, "Assumes: the sky is blue"))
		}
		k.put(draft("c", record.PaperNote, "Assumes not: the sky is blue"))
		k.put(draft("d", record.PaperNote, "Assumes: the sky is wide"))
		k.put(draft("ms", record.ManuscriptSection, "Assumes not: the sky is blue"))
		k.Access = policy.Accesses{{Role: policy.Critic, Read: []string{record.PaperNote, record.Review}, Write: []string{record.Review}}}
		k.Views = map[string]contexts.Spec{policy.Critic: {Role: policy.Critic, MaxTokens: 40000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 9}, {Type: record.Review, Max: 9}}}}
		found, err := k.Check(k.ctx(), sydney, finding.Assumptions)
		if err != nil || len(found) != 2 {
			k.Fatalf("%v, %v", found, err)
		}
		// The program cites the records with findings.
		put, err := k.Review(k.ctx(), sydney, "one", found)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("the program", cited(&put.Record), []string{"a", "c", "ms"})
		// The critic was shown all notes, but not the manuscript; it names one more.
		h, ada := helper("```finding\nrecords: d@v1, c@v1\nwrong: They cannot both hold.\n```")
		res := k.runChecks(h, finding.Assumptions)
		k.equal("findings", len(res.Findings), 3)
		review := k.record(res.Review)
		k.equal("the critic", cited(&review), []string{"a", "c", "d", "ms"})
		if text := ada.calls[0].Turns[0].Text; !strings.Contains(text, "b@v1") || strings.Contains(text, "ms@v1") {
			k.Error(text)
		}
		calls, err := k.Calls(k.ctx())
		if err != nil || len(calls) != 1 || len(calls[0].Context) != 4 {
			k.Errorf("%+v, %v", calls, err)
		}
		// A record that depends on a review is not cited by its next version.
		k.put(draft("e", record.PaperNote, "Assumes: the sky is far, as the review says", "cites=review-assumptions"))
		ada.text = "```finding\nrecords: e@v1\nwrong: It is still wrong.\n```"
		res = k.runChecks(h, finding.Assumptions)
		review = k.record(res.Review)
		k.equal("the next review", []any{review.Version, cited(&review)}, []any{2, []string{"a", "c", "ms"}})
	})
}

func TestReviewOfMissingVersions(t *testing.T) {
	both(t, func(k *kit) {
		k.putBySession("broken", record.PaperNote, "it has a dangling link", record.Link{Relation: record.Cites, ID: "gone", Version: 1})
		found, err := k.Check(k.ctx(), sydney, finding.Links)
		if err != nil || len(found) != 1 {
			k.Fatal(found, err)
		}
		put, err := k.Review(k.ctx(), sydney, finding.Links, found)
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
			found, err := k.Check(k.ctx(), sydney, finding.Names()...)
			if err != nil {
				k.Fatal(err)
			}
			put, err := k.Review(k.ctx(), sydney, "all", found)
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
		k.put(draft("brief", record.ProjectBrief, "## Goal\n\nThe question.\n\n## Out of scope\n\n- plant\n"))
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
