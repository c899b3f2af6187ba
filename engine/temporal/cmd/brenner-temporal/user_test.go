package main

import (
	"strings"
	"syscall"
	"testing"
)

// What a user sees of a loop that waits: its status, what the doctor says of engine and workers, and what its worker says.
func TestOnServerTellsUsers(t *testing.T) {
	f := newFleet(t)
	user := f.machine()
	says := func(m *machine, want []string, args ...string) {
		t.Helper()
		out, _ := m.run(args...)
		for _, one := range want {
			if !strings.Contains(out, one) {
				t.Errorf("%v: no %q in\n%s", args, one, out)
			}
		}
	}
	submit := []string{"submit", user.write("night.yaml", "schema: brenner.loop.plan/v1\nname: night\nvia: openai\nmodels: [{model_id: m}]\nquestions: ['Why?']\n"+
		"rosters: [{id: one, needs: gpu, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\n"), "--run", "k"}
	says(user, []string{"night-k: submitted; `brenner-temporal loop status night-k`", "no worker takes loops of"}, submit...)
	says(user, []string{"submitted to temporal, no machine runs it now", "  brenner-temporal submit night.yaml --run k"}, "loop", "status", "night-k")
	says(user, []string{"paused"}, "loop", "pause", "night-k")
	says(user, []string{"submitted to temporal, paused, no machine runs it now", "loop pause night-k --off"}, "loop", "status", "night-k")
	w := f.machine()
	w.start("night-k: begun", "worker", "--loops")
	says(user, []string{"paused, "}, "loop", "status", "night-k")
	says(user, []string{"night-k: submitted before; a worker runs it"}, submit...)
	says(user, []string{"running, "}, "loop", "status", "night-k")
	says(user, []string{"1 worker asked for sessions of brenner." + f.project + ".", "1 worker asked for loops of", "no worker takes sessions of", ".gpu"}, "doctor", "-q")
	w.signal(syscall.SIGTERM)
	if code, out := w.wait(), w.out.String(); code != 0 || !strings.Contains(out, "night-k: left to another worker (WORKER_DRAINED)") || !strings.Contains(out, " stopped\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
	says(user, []string{"submitted to temporal, no machine runs it now"}, "loop", "status", "night-k")
	w = f.machine()
	w.write("brenner.yaml", "priority: [BlueLake]\n")
	w.work("--tags", "gpu")
	user.start("workers return RS-", "loop", "run", "night.yaml", "--run", "j", "--place", "temporal")
	user.signal(syscall.SIGTERM)
	if code := user.wait(); code != 130 {
		t.Errorf("exit %d\n%s", code, user.out)
	}
	for variable, want := range map[string]string{
		"BRENNER_ENGINE_TEMPORAL_NAMESPACE=elsewhere": "ENGINE_NAMESPACE", "BRENNER_ENGINE_TEMPORAL_ADDRESS=127.0.0.1:1": "ENGINE_UNREACHABLE",
		"BRENNER_ENGINE_TEMPORAL_ADDRESS=": "no address of an engine", "BRENNER_STORE=": "STORE_NOT_SHARED",
	} {
		says(f.machine(variable), []string{want}, "doctor", "--json")
	}
}
