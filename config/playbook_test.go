package config

import (
	"fmt"
	"strings"
	"testing"

	"brenner/internal/fault"
)

func TestInvalidPlaybookValues(t *testing.T) {
	for text, says := range map[string]string{
		"playbook: {match: 1.5}":                     "playbook.match: 1.5 is above 1",
		"playbook: {match: -0.5}":                    `playbook.match: "-0.5" is not a number from 0`,
		"playbook: {match: .nan}":                    `playbook.match: ".nan" is not a number from 0`,
		"playbook: {match: \"0.8\"}":                 "playbook.match must be a number, not a string",
		"playbook: {prod: {ratio: 1e9}}":             `playbook.prod.ratio: "1e9" is not a number from 0`,
		"playbook: {prod: {confidence: 2}}":          "playbook.prod.confidence: 2 is above 1",
		"playbook: {domain: \"\"}":                   "playbook.domain: invalid value",
		"playbook: {guardrail: {succes: 1}}":         "succes",
		"playbook: {embedding: {base_url: \"x:y\"}}": "not a valid http or https URL",
	} {
		_, err := Load(Options{Dir: project(t, text+"\n")})
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(fmt.Sprint(err), "line 1") || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
	c := load(t, Options{Dir: project(t, ""), Environ: []string{"BRENNER_PLAYBOOK_PROD_CONFIDENCE=0.55", "BRENNER_PLAYBOOK_STAGING_SUPPORT=7"}})
	if r := c.Playbook.Rules; r.Prod.Confidence != 0.55 || r.Staging.Support != 7 {
		t.Errorf("%+v", r)
	}
}
