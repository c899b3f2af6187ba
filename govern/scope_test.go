package govern_test

import (
	"strings"
	"testing"

	"brenner/govern"
	"brenner/policy"
	"brenner/record"
	"brenner/view"
)

func TestPinAsksForTheRole(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms", record.ManuscriptSection, "secret"))
		_, _, err := k.Pin(k.Context1(), govern.Actor{Name: "Blue", Role: "nonsense"}, govern.TaskDraft{ID: "t", Task: "x"})
		k.refused(err, policy.OutOfScope)
		_, _, err = k.Pin(k.Context1(), reader, govern.TaskDraft{ID: "t", Task: "x", Inputs: []string{"ms"}})
		k.refused(err, policy.OutOfScope)
		if _, _, err := k.Pin(k.Context1(), reader, govern.TaskDraft{ID: "t", Task: "x"}); err != nil {
			k.Error(err)
		}
		k.is("kept", k.status().Refused, 2)
	})
}

func TestChecksSpeakOfWhatTheRoleMayRead(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms-1", record.ManuscriptSection, "Assumes: the secret is out"))
		other := draft("ms-2", record.ManuscriptSection, "Assumes not: the secret is out")
		other.Module = "signal"
		k.put(other)
		for _, role := range []string{policy.Reader, policy.Integrator} {
			found, err := k.Check(k.Context1(), govern.Actor{Name: "Blue", Role: role}, govern.Checks()...)
			if err != nil {
				k.Fatal(err)
			}
			for _, f := range found {
				if strings.Contains(f.String(), "secret") || strings.HasPrefix(f.Ref.ID, "ms-") {
					k.Errorf("%s: %s", role, f.String())
				}
			}
		}
		_, err := k.Check(k.Context1(), govern.Actor{Name: "Blue", Role: "nonsense"}, govern.Checks()...)
		k.refused(err, govern.UnknownRole)
		// A person is told, and the review that the integrator may read does not quote.
		found, err := k.Check(k.Context1(), sydney, govern.CheckAssumptions)
		if err != nil || len(found) != 1 || !strings.Contains(found[0].String(), "the secret is out") {
			k.Fatalf("%v, %v", found, err)
		}
		put, err := k.Review(k.Context1(), sydney, govern.CheckAssumptions, found, nil)
		if err != nil {
			k.Fatal(err)
		}
		content, err := k.Content(k.Context1(), &put.Record)
		if err != nil || strings.Contains(string(content), "secret") || !strings.Contains(string(content), "see ms-1@v1 and ms-2@v1") {
			k.Errorf("%s, %v", content, err)
		}
	})
}

func TestEveryAttemptIsKept(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms", record.ManuscriptSection, "a text"))
		k.put(draft("note", record.PaperNote, "a note"))
		k.put(draft("result", record.AnalysisResult, "a result"))
		k.Rules.Unattended = []string{record.AnalysisResult}
		promote := func(who govern.Actor, id string) error {
			_, err := k.Promote(k.Context1(), who, id, govern.PromoteOptions{Reason: "so"})
			return err
		}
		k.refused(promote(reader, "ms"), policy.OutOfScope)
		k.refused(promote(reader, "result"), policy.OutOfScope)
		k.refused(promote(reader, "note"), policy.Blocked, "no person who may decide")
		_, err := k.DeprecateUnused(k.Context1(), reader)
		k.refused(err, policy.OutOfScope)
		_, err = k.Put(k.Context1(), reader, draft("ms", record.PaperNote, "mine now"))
		k.refused(err, policy.OutOfScope)
		k.is("kept", k.status().Refused, 5)
		if err := promote(designer, "result"); err != nil {
			k.Error(err)
		}
	})
}

func TestARehearsalIsNoGround(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "real"))
		for _, id := range []string{"played-1", "played-2", "played-3", "played-4", "played-5", "played-6"} {
			d := draft(id, record.PaperNote, "played "+id)
			d.Tags = []string{"rehearsal"}
			k.put(d)
		}
		k.Views = map[string]view.ContextSpec{policy.Integrator: {Role: policy.Integrator, MaxTokens: 4000, Types: []view.TypeView{{Type: record.PaperNote, Max: 2}}}}
		g := k.context(govern.Request{Role: policy.Integrator, Modules: []string{"fate"}})
		k.is("shown", shownIDs(g), []string{"note"})
		put, err := k.Consolidate(k.Context1(), sydney, "fate", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.is("taken up", put.Record.Links, []record.Link{{Relation: record.Summarises, ID: "note", Version: 1}})
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=played-1"))
		_, err = k.Promote(k.Context1(), sydney, "memo", govern.PromoteOptions{Reason: "so"})
		k.refused(err, policy.Blocked, "it rests on played-1@v1, which comes from a rehearsal")
	})
}
