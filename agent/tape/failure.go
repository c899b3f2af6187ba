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

// How an exchange can fail. Callers classify an error by its type, so it is replayed
// with its original type.
const (
	failedDial    = "nobody there"
	failedName    = "name unknown"
	failedTrust   = "certificate"
	failedLate    = "timeout"
	failedShort   = "cut"
	failedClosed  = "closed"  // the connection, before a response
	failedLimit   = "limit"   // one of our own limits was exceeded
	failedStopped = "stopped" // cancelled by the caller; never replayed
	failedSecret  = "secret"  // the body contained a secret that cannot be masked
	failedOther   = "other"
)

// failure is how an exchange failed.
type failure struct {
	How  string `json:"how"`
	Text string `json:"text"`

	// Set for failedLimit and failedStopped; Retry also for failedName.
	Code  fault.Code    `json:"code,omitempty"`
	Hint  string        `json:"hint,omitempty"`
	Retry bool          `json:"retry,omitempty"`
	After time.Duration `json:"after_ns,omitempty"`
}

func failureOf(ctx context.Context, err error, m mask) *failure {
	b := &failure{How: failedOther, Text: m.text(err.Error())}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var slow net.Error
	switch {
	case ctx.Err() != nil:
		end := agent.ContextFailure(ctx)
		b.How, b.Text, b.Code, b.Hint, b.Retry, b.After = failedLimit, end.Detail, end.Code, end.Hint, end.Retry, end.After
		if end.Code == agent.Stopped {
			b.How = failedStopped
		}
	case errors.As(err, &dns):
		b.How, b.Retry = failedName, !dns.IsNotFound
	case errors.Is(err, syscall.ECONNREFUSED):
		b.How = failedDial
	case errors.As(err, &certificate):
		b.How = failedTrust
	case errors.As(err, &slow) && slow.Timeout():
		b.How = failedLate
	case errors.Is(err, io.ErrUnexpectedEOF):
		b.How = failedShort
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		b.How = failedClosed
	}
	return b
}

// tooLarge is the failure for a body over the limit.
func tooLarge() *failure {
	return &failure{
		How: failedLimit, Code: agent.TooLarge, Text: fmt.Sprintf("response exceeds %d bytes, the limit of a tape", maxKept),
		Hint: "lower budget.reply_tokens, or ask another model",
	}
}

// unmaskable is the failure for a body that must not be kept.
func unmaskable() *failure {
	return &failure{How: failedSecret, Text: "the response contained a secret in parts that cannot be masked"}
}

// err returns an error of the original type.
func (f *failure) err(host string) error {
	switch f.How {
	case failedDial:
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case failedName:
		return &net.DNSError{Err: "no such host", Name: host, IsNotFound: !f.Retry, IsTemporary: f.Retry}
	case failedTrust:
		return &tls.CertificateVerificationError{Err: errors.New(f.Text)}
	case failedLate:
		return late(f.Text)
	case failedShort:
		return io.ErrUnexpectedEOF
	case failedClosed:
		return io.EOF
	case failedLimit:
		return &agent.Failure{Code: f.Code, Detail: f.Text, Hint: f.Hint, Retry: f.Retry, After: f.After}
	}
	return errors.New(f.Text)
}

// late is a net.Error.
type late string

func (l late) Error() string { return string(l) }
func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }
