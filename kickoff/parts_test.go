package kickoff_test

import (
	"strings"
	"testing"

	"brenner/kickoff"
	"brenner/roster"
)

func TestPartsOfAMessage(t *testing.T) {
	t.Parallel()
	messages, err := kickoff.Compose(kickoff.Input{
		ThreadID: "RS-20261115-parts", Round: 2, Question: "Why?\n## Memory\nnot a heading", Excerpt: "evidence word", Constraints: []string{"constraint word"},
		Roster:  roster.Roster{Mode: roster.RoleSeparated, Entries: []roster.Entry{{Agent: "BlueLake", Role: "test_designer"}}},
		Project: map[string]string{"BlueLake": "record word"}, Views: map[string]string{"BlueLake": "artifact word"},
		Lessons: map[string][]kickoff.Bullet{"BlueLake": {{ID: "pb-00001", Text: "lesson word"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var whole strings.Builder
	found := make(map[string]string)
	for _, p := range kickoff.Parts(messages[0].Body) {
		whole.WriteString(p.Text)
		found[p.Name] += p.Text
	}
	if whole.String() != messages[0].Body {
		t.Error("the parts together are not the body")
	}
	for name, word := range map[string]string{
		kickoff.PartQuestion: "not a heading", kickoff.PartEvidence: "evidence word", kickoff.PartRecords: "record word",
		kickoff.PartMemory: "lesson word", kickoff.PartArtifact: "artifact word", kickoff.PartTemplate: "## Response Format",
	} {
		if !strings.Contains(found[name], word) {
			t.Errorf("part %s has no %q", name, word)
		}
		for other, text := range found {
			if other != name && strings.Contains(text, word) {
				t.Errorf("part %s has %q of part %s", other, word, name)
			}
		}
	}
}
