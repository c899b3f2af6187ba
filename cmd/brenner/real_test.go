//go:build realclients

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"brenner/agent/openai/openaitest"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
)

// realKinds returns the programs of the table in docs/programs.md, in its order.
func realKinds() []string {
	var all []string
	for _, kind := range program.Kinds() {
		if program.Tested(kind) != "" {
			all = append(all, kind)
		}
	}
	return all
}

// realTable is what the tests found out about each program: the cells of the table.
type realTable struct {
	mu    sync.Mutex
	cells map[string]map[string]string // by program and column
}

func (r *realTable) set(kind, column, cell string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cells[kind] == nil {
		r.cells[kind] = map[string]string{}
	}
	r.cells[kind][column] = cell
}

// TestRealPrograms runs a session of all programs, and each one that can with the output of `mail connect`.
// The table in docs/programs.md must show the results.
func TestRealPrograms(t *testing.T) {
	table := &realTable{cells: map[string]map[string]string{}}
	t.Run("run", func(t *testing.T) {
		t.Run("session", func(t *testing.T) {
			t.Parallel()
			realSession(t, table)
		})
		for _, c := range byMail {
			t.Run("mail "+c.kind, func(t *testing.T) {
				t.Parallel()
				c.corresponds(t, func(s string) string { return s })
				if !t.Failed() {
					table.set(c.kind, "mail", "reads and answers its mail")
				}
			})
		}
	})
	if t.Failed() {
		return // the table would show less than is true
	}
	table.compare(t)
}

// realSession runs a session in which each program, and a model behind an API, is asked once. The trace
// names the version of each program.
func realSession(t *testing.T, table *realTable) {
	t.Helper()
	const reply = "I add one.\n\n```delta\n" + `{"operation":"ADD","section":"SECTION","payload":{PAYLOAD},"rationale":"r"}` + "\n```\n"
	api := openaitest.New(t, func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "NO CHANGES: nothing to add"}
	})
	// A section takes few items.
	model := programtest.NewModel(t, func(q programtest.Question) programtest.Answer {
		section, payload := "hypothesis_slate", `"name":"N","claim":"a claim"`
		if q.N%2 == 0 {
			section, payload = "assumption_ledger", `"name":"N","statement":"it holds"`
		}
		return programtest.Answer{Text: strings.NewReplacer("SECTION", section, "PAYLOAD", payload).Replace(reply)}
	})
	p := newRealMail(t)
	settings := "question: Why is the sky dark at night?\nretry: {attempts: 3}\nagents:\n  models:\n" + fmt.Sprintf(`    - {model: P, via: program, id: double-model, base_url: '%[1]s/v1'}
    - {model: G, via: program, id: double-model, base_url: '%[1]s'}
    - {model: M, via: openai, id: double-api, base_url: '%[2]s'}
roster:
  entries:
    - {agentName: RedSky, role: hypothesis_generator, model: M}
`, model.URL, api.BaseURL())
	kinds, names := map[string]string{}, strings.Fields("BlueLake GreenValley PurpleMountain WhiteFox BlackBear GrayWolf PinkRiver GoldHill SilverOak")
	for i, kind := range realKinds() {
		kinds[names[i]] = kind
		settings += fmt.Sprintf("    - {agentName: %s, role: hypothesis_generator, program: %s, model: %s}\n", names[i], kind, map[bool]string{true: "G", false: "P"}[kind == program.Gemini])
	}
	put(t, filepath.Join(p.dir, "brenner.yaml"), settings)
	run := func(args ...string) string {
		t.Helper()
		out, errs, code := p.run(t, p.environ(t, "OPENAI_API_KEY=sk-real-0123456789abcdef", "GEMINI_API_KEY=x", "LANG=C.UTF-8"), "", "brenner", args...)
		if code != 0 {
			t.Fatalf("brenner %q: exit %d: %s%s", args, code, out, errs)
		}
		return out
	}
	run("trust")
	const id = "RS-20261115-real"
	run("session", "start", "--rounds", "1", "--thread-id", id)
	var trace struct {
		Calls []struct {
			Agent, Outcome, Version, Detail string
			Guessed                         bool
		}
	}
	text := run("trace", "list", id, "--json")
	if err := json.Unmarshal([]byte(text), &trace); err != nil {
		t.Fatal(err)
	}
	for _, c := range trace.Calls {
		kind := kinds[c.Agent]
		if kind == "" {
			continue
		}
		version := regexp.MustCompile(`[0-9]+(\.[0-9]+)+`).FindString(c.Version)
		if c.Outcome != "contributed" || version != program.Tested(kind) {
			t.Errorf("%s %q: got %s, want it to contribute as version %s: %s", kind, c.Version, c.Outcome, program.Tested(kind), c.Detail)
		}
		cell := "replies, with its count of tokens"
		if c.Guessed {
			cell = "replies; tokens are estimated"
		}
		table.set(kind, "version", version)
		table.set(kind, "program", cell)
	}
	run("verify")
	run("session", "replay", id)
}

// compare compares the table in docs/programs.md with the results, or writes it. Rows of programs that were
// not run, because the tests were chosen, stay.
func (r *realTable) compare(t *testing.T) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "programs.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- written by `sh scripts/real-clients.sh -update` -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(data), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	var b strings.Builder
	b.WriteString("\n| program | command | version | as a program | by mail |\n|---|---|---|---|---|\n")
	for _, kind := range realKinds() {
		cells, start := r.cells[kind], "| `"+kind+"` | `"+program.Executable(kind)+"` |"
		if joinsByMail(kind) != (cells["mail"] != "") || cells["program"] == "" {
			t.Logf("%s was not run completely", kind)
			_, row, _ := strings.Cut(old, "\n"+start)
			row, _, _ = strings.Cut(row, "\n")
			b.WriteString(start + row + "\n")
			continue
		}
		mail := cells["mail"]
		if mail == "" {
			mail = "no: it has no MCP client"
		}
		fmt.Fprintf(&b, "%s %s | %s | %s |\n", start, cells["version"], cells["program"], mail)
	}
	b.WriteString("\n")
	switch want := b.String(); {
	case old == want:
	case *update:
		put(t, path, before+begin+want+end+after)
	default:
		t.Errorf("the table in %s differs from what the programs did; run sh scripts/real-clients.sh -update\ngot %s\nwant %s", path, old, want)
	}
}
