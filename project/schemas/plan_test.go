package schemas_test

import (
	"testing"

	"brenner/loop"
)

// Plans are YAML, validated like JSON. The reader and the schema must agree.
func TestPlanSchema(t *testing.T) {
	schema := compile(t, "brenner.loop.plan/v1")
	const head = "schema: brenner.loop.plan/v1\nquestions: [Why]\nrosters: [default-3-agent]\n"
	for plan, fits := range map[string]bool{
		"": true,
		"name: night-2\nrounds: 3\nconcurrency: 256\nseeds: [0, 7]\nrotate: true\nfollow: best":                           true,
		"models: [Opus 4.5, {id: small, model_id: 'qwen3:8b', via: openai}]":                                              true,
		"via: rehearsal\nscript: x.yaml":                                                                                  true,
		"sessions: [{id: a, seed: 3}, {after: a, repeat: 2}, {after: RS-20261115-cell-fate}]":                             true,
		"session: {rounds: 2, flow: staged, quorum: 2, when_clean: true, repair: false, reply_tokens: 100, timeout: 45m}": true,
		"session: {quorum: all, quiet_rounds: 0}":                                                                         true,
		"budget: {session_tokens: 10, tokens: 100, session_usd: 0.25, usd: 3}":                                            true,
		"stop: {at: '07:00', quiet_rounds: 2, when_clean: true, failures: 3, when_person_needed: true}":                   true,
		"stop: {after: 8h}":              true,
		"stop: {at: , after: 8h}":        true,
		"failed: {retry: 3, then: stop}": true,
		"failed: {retry: 3, pause: 90s}": true,
		"failed: {pause: 0s}":            true,
		"follow: {from: own, relation: refines, take: [hypothesis_slate, anomaly_register]}": true,
		"name:\nstop:\nbudget: {usd: }": true,
		"tasks: [{id: a, task: Read it., for: reader, inputs: x@v1, agent: Ann, tags: [t]}, {task: y, for: r, results: [a], after: a, cross_module: true, module: m}, {pinned: p}]": true,
		"tasks: [{task: Read it.}]":                     false,
		"tasks: [{task: x, for: r, result: a}]":         false,
		"tasks: [{task: x, for: r, results: [B]}]":      false,
		"tasks: [{task: x, for: r, cross_module: 3}]":   false,
		"tasks: {task: x, for: r}":                      false,
		"name: Night":                                   false,
		"name: a-name-that-is-much-too-long-for-a-loop": false,
		"round: 3":                             false,
		"rounds: 0":                            false,
		"rounds: many":                         false,
		"concurrency: 257":                     false,
		"seeds: [-1]":                          false,
		"seeds: 3":                             false,
		"rotate: 3":                            false,
		"follow: all":                          false,
		"follow: {take: [research_thread]}":    false,
		"models: [{id: x}]":                    false,
		"models: [{model: x, via: rehearsal}]": false,
		"via: magic":                           false,
		"sessions: []":                         false,
		"sessions: [{repeat: 0}]":              false,
		"session: {flow: both}":                false,
		"session: {quorum: most}":              false,
		"session: {quorum: 0}":                 false,
		"session: {timeout: long}":             false,
		"budget: {tokens: 0}":                  false,
		"budget: {usd: -1}":                    false,
		"budget: {usd: 0}":                     false,
		"budget: {session_usd: 0}":             false,
		"budget: {usd: much}":                  false,
		"stop: {at: '25:00'}":                  false,
		"stop: {at: '7:00'}":                   false,
		"stop: {after: soon}":                  false,
		"stop: {at: '07:00', after: 8h}":       false,
		"stop: {when: never}":                  false,
		"failed: {then: cry}":                  false,
		"failed: {pause: a while}":             false,
		"failed: {pause: -1s}":                 false,
		"failed: {pause: 30}":                  false,
	} {
		_, err := loop.Parse([]byte(head + plan + "\n"))
		if (err == nil) != fits {
			t.Errorf("the reader disagrees about %q: %v", plan, err)
		}
		if err := schema.Validate(fromYAML(t, head+plan)); (err == nil) != fits {
			t.Errorf("%q: %v", plan, err)
		}
	}
	for _, plan := range []string{
		"schema: brenner.loop.plan/v2\nquestions: [Why]\nrosters: [x]", "questions: [Why]\nrosters: [x]",
		"schema: brenner.loop.plan/v1\nrosters: [x]", "schema: brenner.loop.plan/v1\nquestions: [Why]",
		"schema: brenner.loop.plan/v1\nquestions: ['']\nrosters: [x]", "schema: brenner.loop.plan/v1\nquestions: [Why]\nrosters: [{id: x}]",
	} {
		if _, err := loop.Parse([]byte(plan)); err == nil {
			t.Errorf("the reader accepts %q", plan)
		}
		if schema.Validate(fromYAML(t, plan)) == nil {
			t.Errorf("the schema accepts %q", plan)
		}
	}
}
