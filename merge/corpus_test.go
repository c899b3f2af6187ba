package merge_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/roster"
)

// The corpora hold journals as each version of the rules merged them. They are frozen: those rules must
// always produce those bytes. -freeze writes the one of the newest version, in which agents reuse ids and
// reply to messages, too.
var freeze = flag.Bool("freeze", false, "rewrite the corpus of "+merge.Version)

// corpusFile returns the file of a version: merge-3.jsonl for merge/3.
func corpusFile(version string) string {
	return "testdata/corpus/" + strings.ReplaceAll(version, "/", "-") + ".jsonl"
}

func TestCorpusReplaysUnchanged(t *testing.T) {
	if *freeze {
		freezeCorpus(t)
	}
	for _, version := range merge.Versions() {
		t.Run(version, func(t *testing.T) { replayCorpus(t, version) })
	}
}

func replayCorpus(t *testing.T, version string) {
	data, err := os.ReadFile(corpusFile(version))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	n := 0
	for lines.Scan() {
		n++
		v, err := artifact.ParseValue(lines.Bytes(), 200)
		if err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		replay(t, n, v.(artifact.Map), version)
	}
	if n < 50 {
		t.Fatalf("the corpus has only %d journals", n)
	}
}

func replay(t *testing.T, line int, journal artifact.Map, version string) {
	t.Helper()
	a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-corpus"}}
	rules := corpusRules(must[artifact.Map](journal, "rules"), version)
	want := must[artifact.List](journal, "versions")
	for i, batch := range must[artifact.List](journal, "batches") {
		deltas, err := delta.ReadFile(artifact.Canonical(batch))
		if err != nil {
			t.Fatalf("line %d: %v", line, err)
		}
		placeDeltas(deltas, a.Metadata.Version, version)
		a, _ = merge.Merge(a, deltas, rules)
		if got := sum(a); artifact.Text(got) != want[i] {
			t.Fatalf("line %d: after batch %d got %s, want %s:\n%s", line, i+1, got, want[i], a.JSON())
		}
	}
}

func must[V artifact.Value](m artifact.Map, key string) V {
	v, _ := m.Get(key)
	return v.(V)
}

func sum(a artifact.Artifact) string {
	s := sha256.Sum256(a.JSON())
	return hex.EncodeToString(s[:])
}

// placeDeltas makes a third of the deltas replies, most of them letters, whose authors were shown this
// version or the one before.
// merge/1 was frozen with delta files alone.
func placeDeltas(deltas []delta.Delta, version int, rules string) {
	if rules == merge.First {
		return
	}
	for i := range deltas {
		if i%3 == 0 {
			deltas[i].Place = &delta.Place{Message: 1 + i/6, Block: i + 1, Shown: max(0, version-i%2), Letter: letterAt(i, rules)}
		}
	}
}

// letterAt makes most replies letters to some of the agents, sent one after the other; since merge/3 after an
// earlier merge of their round.
func letterAt(i int, rules string) *delta.Letter {
	if i%9 == 3 {
		return nil
	}
	l := &delta.Letter{Sent: time.Date(2025, 12, 30, 9, i/6, 0, 0, time.UTC), To: agents[i%2:]}
	if rules != merge.Second {
		l.Before = []time.Time{time.Date(2025, 12, 30, 12, i%4, 0, 0, time.UTC)}
	}
	return l
}

func corpusRules(m artifact.Map, version string) merge.Rules {
	r := merge.Rules{Version: version, Authorities: []string{"Judge"}}
	for _, name := range must[artifact.List](m, "priority") {
		r.Priority = append(r.Priority, string(name.(artifact.Text)))
	}
	if bool(must[artifact.Bool](m, "roster")) {
		r.Agents = []roster.Entry{{Agent: "Amber", Role: "hypothesis_generator"}, {Agent: "Blue", Role: "adversarial_critic"}}
		r.Scopes = merge.DefaultScopes()
	}
	return r
}

func freezeCorpus(t *testing.T) {
	t.Helper()
	var out []byte
	for seed := range 200 {
		rules := artifact.MapOf(
			artifact.Entry{Key: "priority", Value: []artifact.List{{}, {artifact.Text("Blue"), artifact.Text("Amber")}}[seed%2]},
			artifact.Entry{Key: "roster", Value: artifact.Bool(seed%5 == 0)},
		)
		a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-corpus"}}
		var batches, versions artifact.List
		for b := range 3 {
			var list artifact.List
			for _, d := range anyBatch(14).Example(seed*10 + b) {
				list = append(list, fileForm(&d))
			}
			deltas, err := delta.ReadFile(artifact.Canonical(list))
			if err != nil {
				t.Fatal(err)
			}
			placeDeltas(deltas, a.Metadata.Version, merge.Version)
			a, _ = merge.Merge(a, deltas, corpusRules(rules, merge.Version))
			batches, versions = append(batches, list), append(versions, artifact.Text(sum(a)))
		}
		out = artifact.AppendValue(out, artifact.MapOf(
			artifact.Entry{Key: "rules", Value: rules}, artifact.Entry{Key: "batches", Value: batches},
			artifact.Entry{Key: "versions", Value: versions},
		))
		out = append(out, '\n')
	}
	if err := os.MkdirAll("testdata/corpus", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(corpusFile(merge.Version), out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fileForm returns a delta as written in files.
func fileForm(d *delta.Delta) artifact.Value {
	entries := []artifact.Entry{
		{Key: "delta_id", Value: artifact.Text(d.ID)},
		{Key: "timestamp", Value: artifact.Text(d.Timestamp)},
		{Key: "agent", Value: artifact.Text(d.Agent)},
		{Key: "operation", Value: artifact.Text(d.Operation)},
		{Key: "section", Value: artifact.Text(d.Section)},
		{Key: "target_id", Value: artifact.Text(d.Target)},
	}
	for i, label := range d.Labels {
		entries = append(entries, artifact.Entry{Key: []string{"ref", "id"}[i%2], Value: artifact.Text(label)})
	}
	var payload []artifact.Entry
	for _, f := range d.Payload {
		if f.Value != nil {
			payload = append(payload, artifact.Entry{Key: f.Name, Value: f.Value})
		}
	}
	return artifact.MapOf(append(entries, artifact.Entry{Key: "payload", Value: artifact.MapOf(payload...)})...)
}
