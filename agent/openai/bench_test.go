package openai_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

// BenchmarkStreams keeps 300 streams open, each with 64 KiB of reply in small
// pieces (twice the default of budget.reply_tokens), and reports the memory in
// use, including the endpoint's.
func BenchmarkStreams(b *testing.B) {
	const streams, pieces, piece = 300, 2048, 32
	text := strings.Repeat(strings.Repeat("x", piece-1)+"\n", pieces)
	for b.Loop() {
		var open, done sync.WaitGroup
		open.Add(streams)
		release := make(chan struct{})
		s := openaitest.New(b, func(openaitest.Request) openaitest.Answer {
			return openaitest.Answer{Text: text, Chunk: piece, Wait: func(n int) {
				if n == pieces-1 {
					open.Done()
					<-release
				}
			}}
		})
		a := at(b, s, openai.Options{})
		for i := range streams {
			done.Go(func() {
				if reply, err := a.Ask(b.Context(), agent.Call{ID: strconv.Itoa(i), Turns: []agent.Turn{{Text: "go"}}}); err != nil || len(reply.Text) != len(text) {
					b.Errorf("%d bytes, %v", len(reply.Text), err)
				}
			})
		}
		open.Wait()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		close(release)
		done.Wait()
		b.ReportMetric(float64(m.Sys-m.HeapReleased)/(1<<20), "MiB-held")
		b.ReportMetric(float64(m.HeapInuse+m.StackInuse)/(1<<20), "MiB-in-use")
	}
}

// BenchmarkRound asks concurrent agents whose model takes a second, and reports
// how long the round takes.
func BenchmarkRound(b *testing.B) {
	for _, agents := range []int{3, 100} {
		b.Run(strconv.Itoa(agents), func(b *testing.B) {
			s := openaitest.New(b, func(openaitest.Request) openaitest.Answer {
				return openaitest.Answer{Text: strings.Repeat("An answer of some length. ", 200), Chunk: 20, Wait: func(n int) {
					if n == 0 {
						// Called twice: before everything, and before the first piece.
						wait(b.Context(), 500*time.Millisecond)
					}
				}}
			})
			question := strings.Repeat("A question of some length. ", 500)
			all := make([]agent.Agent, agents)
			for i := range all {
				all[i] = agent.Limits{PerCall: time.Minute, Idle: time.Minute}.Wrap(agent.Once(agent.Guard(at(b, s, openai.Options{}))))
			}
			var took time.Duration
			rounds := 0
			for b.Loop() {
				rounds++
				begin := time.Now()
				var done sync.WaitGroup
				for i, a := range all {
					done.Go(func() {
						c := agent.Call{ID: strconv.Itoa(rounds) + "/" + strconv.Itoa(i), Turns: []agent.Turn{{Text: question}}}
						if _, err := a.Ask(b.Context(), c); err != nil {
							b.Error(err)
						}
					})
				}
				done.Wait()
				took += time.Since(begin)
			}
			b.ReportMetric(took.Seconds()/float64(rounds), "×-of-a-second")
		})
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
