package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"brenner/agent/openai/openaitest"
)

// BenchmarkRounds runs whole sessions of one round, as processes of their own, with a model that answers after a
// second: "x-slowest" is the time from start to exit, compared with the slowest call.
func BenchmarkRounds(b *testing.B) {
	for _, agents := range []int{3, 30, 100} {
		b.Run(fmt.Sprintf("agents=%d", agents), func(b *testing.B) {
			const takes = time.Second
			server := openaitest.New(b, func(r openaitest.Request) openaitest.Answer {
				time.Sleep(takes)
				const text = "```delta\n" + `{"operation":"ADD","section":"anomaly_register","payload":{"name":"Late %d","observation":"Cell %d divides late."}}` + "\n```\n"
				return openaitest.Answer{Text: fmt.Sprintf(text, r.N, r.N), Usage: &openaitest.Usage{Input: 4000, Output: 50}}
			})
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c := oneRound(b, server.BaseURL(), agents)
				var out bytes.Buffer
				c.Stdout, c.Stderr = &out, &out
				b.StartTimer()
				if err := c.Run(); err != nil {
					b.Fatalf("%v\n%s", err, out.String())
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/takes.Seconds(), "x-slowest")
		})
	}
}

// oneRound returns a session of one round, in a project of its own.
func oneRound(b *testing.B, url string, agents int) *exec.Cmd {
	b.Helper()
	dir := b.TempDir()
	yaml := "question: Why?\nvia: openai\nroster:\n  entries:\n"
	for i := range agents {
		yaml += fmt.Sprintf("    - {agentName: Agent%d, role: hypothesis_generator}\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "brenner.yaml"), []byte(yaml), 0o600); err != nil {
		b.Fatal(err)
	}
	c := exec.Command("brenner", "session", "start", "--rounds", "1", "--model", "good", "--base-url", url, "--budget-tokens", "0", "--quiet")
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OPENAI_API_KEY=none"}
	return c
}
