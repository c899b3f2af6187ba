package project

import "testing"

func TestAgentName(t *testing.T) {
	for role, want := range map[string]string{
		"reader": "Reader", "adversarial_critic": "AdversarialCritic", "a-b c": "ABC", "écrivain_été": "ÉcrivainÉté", "ß": "ß", "李": "李", "_": "",
	} {
		if got := agentName(role); got != want {
			t.Errorf("agentName(%q) is %q, want %q", role, got, want)
		}
	}
}
