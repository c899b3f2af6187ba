package govern_test

import (
	"strings"
	"testing"

	"brenner/govern"
	"brenner/policy"
	"brenner/record"
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
