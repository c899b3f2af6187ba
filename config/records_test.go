package config

import (
	"strings"
	"testing"
	"time"

	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/session/view"
	"brenner/store/record"
)

func TestRecordRules(t *testing.T) {
	c := load(t, Options{Dir: project(t, `
store: {types: [protocol], compression_after: 3, unused_after: 1h, unattended: [protocol]}
roles:
  - role: writer
    write: []
    max_tokens: 99
    views: [{type: integrated_memo, form: full, max: 1, priority: 5}]
  - role: bench
    read: [protocol]
    cross: true
`)})
	same(t, c.Records, Records{Types: []string{"protocol"}, Compression: 3, Unused: time.Hour, Unattended: []string{"protocol"}, People: policy.Contributor})
	access := c.Access()
	for _, test := range []struct {
		role, kind  string
		read, write bool
	}{
		{"writer", record.IntegratedMemo, true, false}, // read stays as built in
		{"writer", record.ManuscriptSection, true, false},
		{"bench", "protocol", true, false},
		{policy.Reader, record.PaperNote, true, true},
	} {
		same(t, []bool{access.MayRead(test.role, test.kind), access.MayWrite(test.role, test.kind)}, []bool{test.read, test.write})
	}
	views := c.ContextViews()
	same(t, views["writer"], contexts.Spec{Role: "writer", MaxTokens: 99, Types: []contexts.TypeView{{Type: record.IntegratedMemo, Form: view.Full, Max: 1, Priority: 5}}})
	if v := views["bench"]; !v.Cross || len(v.Types) != 1 || v.Bound() != contexts.DefaultTokens {
		t.Errorf("%+v", v)
	}
}

func TestInvalidRoles(t *testing.T) {
	for text, says := range map[string]string{
		"store: {people: unknown}":                                     "store.people: unknown role unknown",
		"store: {unattended: [papers]}":                                "unknown type papers",
		"roles: [{role: a, read: [paper_notes]}]":                      "unknown type paper_notes",
		"roles: [{role: a, read: [reply]}]":                            "cannot read or write a reply",
		"roles: [{role: a}, {role: a}]":                                "duplicate entry a",
		"roles: [{read: [paper_note]}]":                                "entry without role",
		"roles: [{role: a, reads: []}]":                                "unknown key roles[].reads",
		"roles: [{role: a, views: [{type: paper_note, form: whole}]}]": `unknown value "whole"`,
		"roles: [{role: a, views: [{type: paper_note, max: -1}]}]":     `"-1" is not a whole number`,
		"roles: [{role: a, views: [{type: nothing}]}]":                 "unknown type nothing",
		"roles: [{role: a, cross: maybe}]":                             "must be true or false",
		"store: {unused_after: soon}":                                  `"soon" is not a duration`,
	} {
		_, err := Load(Options{Dir: project(t, text)})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, got %v", text, says, err)
		}
	}
}
