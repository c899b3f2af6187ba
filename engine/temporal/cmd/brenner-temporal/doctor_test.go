package main

import (
	"strings"
	"testing"
)

// The program checks its engine, and which workers are missing.
func TestOnServerDoctor(t *testing.T) {
	f := newFleet(t)
	user := f.machine()
	user.start("", "submit", user.write("night.yaml", "schema: brenner.loop.plan/v1\nname: night\nvia: openai\nmodels: [{model_id: m}]\nquestions: ['Why?']\n"+
		"rosters: [{id: one, needs: gpu, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\n"), "--run", "k")
	if code := user.wait(); code != 0 {
		t.Fatalf("exit %d\n%s", code, user.out)
	}
	f.machine().work("--loops")
	out, _ := user.run("doctor", "-q")
	for _, want := range []string{"1 worker takes sessions of brenner.cells.", "+loops", "no worker takes sessions of", ".gpu"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for variable, want := range map[string]string{
		"BRENNER_ENGINE_TEMPORAL_NAMESPACE=elsewhere": "ENGINE_NAMESPACE", "BRENNER_ENGINE_TEMPORAL_ADDRESS=127.0.0.1:1": "ENGINE_UNREACHABLE",
		"BRENNER_ENGINE_TEMPORAL_ADDRESS=": "no address of an engine", "BRENNER_STORE=": "STORE_NOT_SHARED",
	} {
		if out, _ := f.machine(variable).run("doctor", "--json"); !strings.Contains(out, want) {
			t.Errorf("%s: no %s in\n%s", variable, want, out)
		}
	}
}
