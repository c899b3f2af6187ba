package openai

import (
	"fmt"
	"net/http"
	"time"

	"brenner/internal/modelhttp"
)

// longestPartial is how many bytes of an answer without an end are kept.
const longestPartial = 1 << 20

// refusal is an endpoint's "no".
type refusal struct {
	status int // 0 where it came in the middle of an answer
	said   modelhttp.Said
	after  time.Duration
}

func (r *refusal) Error() string {
	if r.status == 0 {
		return "the endpoint broke off: " + r.said.Message
	}
	return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
}

func (x *exchange) refused(resp *http.Response) *refusal {
	return &refusal{status: resp.StatusCode, said: x.hide.ReadSaid(resp.Body), after: later(resp, time.Now())}
}
