package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/loop"
)

// BenchmarkQuestions shows that reading and opening a plan is linear in its questions.
func BenchmarkQuestions(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			plan := []byte("schema: brenner.loop.plan/v1\nrosters: [r]\nquestions:\n" + strings.Repeat("- Why\n", n))
			for b.Loop() {
				p, err := loop.Parse(plan)
				if err != nil {
					b.Fatal(err)
				}
				w := loop.Work{Rosters: []loop.Roster{{ID: "r"}}, Cells: p.Cells()}
				for i := range p.Questions {
					w.Questions = append(w.Questions, loop.Question{ID: p.Questions[i].ID, Question: p.Questions[i].Question})
				}
				if flaw := w.Index(); flaw != "" {
					b.Fatal(flaw)
				}
				for i := range w.Cells {
					if _, ok := w.Question(w.Cells[i].Question); !ok {
						b.Fatal("question not found")
					}
				}
			}
		})
	}
}
