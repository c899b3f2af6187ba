package tape

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
)

// The ways in which an exchange breaks. Whoever judges them goes by the type of an
// error, so each is played as an error of the type that it had.
const (
	brokeDial    = "nobody there"
	brokeName    = "name unknown"
	brokeTrust   = "certificate"
	brokeLate    = "timeout"
	brokeShort   = "cut"
	brokeLimit   = "limit"   // our own patience was at its end
	brokeStopped = "stopped" // we went away; on a tape for completeness only
	brokeSecret  = "secret"  // the body is not on the tape: it had a secret in it that no mask fits on
	brokeOther   = "other"
)

// broke is how an exchange broke.
type broke struct {
	How  string `json:"how"`
	Text string `json:"text"`

	// Of a limit of ours.
	Code  fault.Code    `json:"code,omitempty"`
	Hint  string        `json:"hint,omitempty"`
	Retry bool          `json:"retry,omitempty"`
	After time.Duration `json:"after_ns,omitempty"`
}

func brokeBy(ctx context.Context, err error, m mask) *broke {
	b := &broke{How: brokeOther, Text: m.text(err.Error())}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var slow net.Error
	switch {
	case ctx.Err() != nil:
		end := agent.Ended(ctx)
		b.How, b.Text, b.Code, b.Hint, b.Retry, b.After = brokeLimit, end.Detail, end.Code, end.Hint, end.Retry, end.After
		if end.Code == agent.Stopped {
			b.How = brokeStopped
		}
	case errors.As(err, &dns):
		b.How = brokeName
	case errors.Is(err, syscall.ECONNREFUSED):
		b.How = brokeDial
	case errors.As(err, &certificate):
		b.How = brokeTrust
	case errors.As(err, &slow) && slow.Timeout():
		b.How = brokeLate
	case errors.Is(err, io.ErrUnexpectedEOF):
		b.How = brokeShort
	}
	return b
}

// tooMuch is how an exchange broke of which the tape had enough.
func tooMuch() *broke {
	return &broke{
		How: brokeLimit, Code: agent.TooLarge, Text: fmt.Sprintf("the answer has more than %d bytes, which no tape keeps", mostKept),
		Hint: "a model that does not come to an end needs a lower budget.reply_tokens, or another model",
	}
}

// unfit is how an exchange broke of which nothing may be kept.
func unfit() *broke {
	return &broke{How: brokeSecret, Text: "what came had a secret in it, in parts that cannot be masked"}
}

// err gives an error of the type that it had.
func (b *broke) err(host string) error {
	switch b.How {
	case brokeDial:
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case brokeName:
		return &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case brokeTrust:
		return &tls.CertificateVerificationError{Err: errors.New(b.Text)}
	case brokeLate:
		return late(b.Text)
	case brokeShort:
		return io.ErrUnexpectedEOF
	case brokeLimit:
		return &agent.Failure{Code: b.Code, Detail: b.Text, Hint: b.Hint, Retry: b.Retry, After: b.After}
	}
	return errors.New(b.Text)
}

// late is a net.Error.
type late string

func (l late) Error() string { return string(l) }
func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }
