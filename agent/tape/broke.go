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

// How an exchange can fail. Failures are classified by the type of the error, so each
// is replayed with its original type.
const (
	brokeDial    = "nobody there"
	brokeName    = "name unknown"
	brokeTrust   = "certificate"
	brokeLate    = "timeout"
	brokeShort   = "cut"
	brokeLimit   = "limit"   // a limit of ours was exceeded
	brokeStopped = "stopped" // cancelled by the caller; never replayed
	brokeSecret  = "secret"  // the body contained a secret that cannot be masked
	brokeOther   = "other"
)

// broke is how an exchange failed.
type broke struct {
	How  string `json:"how"`
	Text string `json:"text"`

	// For limits of ours.
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

// tooMuch is the failure for a body over the limit.
func tooMuch() *broke {
	return &broke{
		How: brokeLimit, Code: agent.TooLarge, Text: fmt.Sprintf("response exceeds %d bytes, the limit of a tape", mostKept),
		Hint: "lower budget.reply_tokens, or ask another model",
	}
}

// unmaskable is the failure for a body that must not be kept.
func unmaskable() *broke {
	return &broke{How: brokeSecret, Text: "the response contained a secret in parts that cannot be masked"}
}

// err returns an error of the original type.
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
