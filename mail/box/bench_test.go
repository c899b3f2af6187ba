package box_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner/mail"
	"brenner/mail/boxtest"
)

// in50Goroutines runs b.N operations in fifty goroutines.
func in50Goroutines(b *testing.B, do func(n int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range 50 {
		all.Go(func() {
			for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
				do(n)
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

func BenchmarkSendDurablyFrom50(b *testing.B) {
	box := open(b, b.TempDir())
	people(b, box)
	in50Goroutines(b, func(n int) {
		d := note(n)
		d.Key = fmt.Sprint(n)
		if _, err := box.Send(context.Background(), d); err != nil {
			b.Error(err)
		}
	})
}

func BenchmarkReadInboxFrom50(b *testing.B) {
	box := open(b, b.TempDir())
	people(b, box)
	fill(b, box, 1000)
	in50Goroutines(b, func(int) {
		if all, err := box.Inbox(context.Background(), mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake"}); err != nil || len(all) != 20 {
			b.Error(len(all), err)
		}
	})
}

func fill(b *testing.B, box mail.Box, messages int) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			for n := int(next.Add(1)); n <= messages; n = int(next.Add(1)) {
				if _, err := box.Send(context.Background(), note(n)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkLongThreadPage(b *testing.B) {
	box := open(b, b.TempDir())
	people(b, box)
	fill(b, box, 100_000)
	for name, q := range map[string]mail.ThreadQuery{
		"first": {}, "middle": {After: "50000"}, "last": {Last: true}, "an agent's": {Reader: "BlueLake", After: "50000"},
	} {
		q.Project, q.Thread = boxtest.Project, "RS-20260101-long"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if page, err := box.Thread(context.Background(), q); err != nil || len(page.Messages) != 100 {
					b.Fatal(len(page.Messages), err)
				}
			}
		})
	}
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			if _, err := box.Search(context.Background(), mail.SearchQuery{Project: boxtest.Project, Words: "99999"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWake(b *testing.B) {
	dir := b.TempDir()
	here, there := open(b, dir), open(b, dir)
	people(b, here)
	for name, sender := range map[string]mail.Box{"in this process": here, "from another": there} {
		b.Run(name, func(b *testing.B) {
			var slowest, sum time.Duration
			for b.Loop() {
				last, err := here.Inbox(context.Background(), mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake", Limit: 1})
				if err != nil {
					b.Fatal(err)
				}
				q := mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake", After: "0"}
				if len(last) > 0 {
					q.After = last[0].ID
				}
				woken := make(chan time.Time, 1)
				go func() {
					if _, err := here.Await(context.Background(), q); err != nil {
						b.Error(err)
					}
					woken <- time.Now()
				}()
				untilWaiting(here)
				if _, err := sender.Send(context.Background(), note(1)); err != nil {
					b.Fatal(err)
				}
				sent := time.Now()
				took := (<-woken).Sub(sent)
				slowest, sum = max(slowest, took), sum+took
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
			b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "mean-ms")
		})
	}
}
