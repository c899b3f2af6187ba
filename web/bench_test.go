package web_test

import (
	"net/http"
	"testing"
	"time"

	"brenner/web/webtest"
)

// BenchmarkFirstByte measures the first byte of each page of a session with 50 rounds and 500 items.
func BenchmarkFirstByte(b *testing.B) {
	s := serve(b, webtest.WithManyRounds(b), false)
	const base = "/sessions/" + webtest.Long
	for _, page := range []string{
		"/", base, base + "?part=live", base + "/artifact", base + "/artifact/A300.statement", base + "/diff?from=1", base + "/conflicts", base + "/predictions", base + "/without/BlueLake",
		base + "/trace", base + "/trace/r25.1/BlueLake/ask", "/store", "/store/" + webtest.Long, "/playbook", "/stalemates",
	} {
		b.Run(page, func(b *testing.B) {
			for b.Loop() {
				r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.base+page, nil)
				if err != nil {
					b.Fatal(err)
				}
				begin := time.Now()
				got, err := s.Do(r)
				if err != nil || got.StatusCode != http.StatusOK {
					b.Fatal(page, got, err)
				}
				b.ReportMetric(float64(time.Since(begin).Microseconds())/1000, "ms-first-byte")
				_ = got.Body.Close() // not read to its end
			}
		})
	}
}
