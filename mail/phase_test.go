package mail_test

import (
	"strings"
	"testing"

	"brenner/mail"
)

// said reads a thread in short: "Operator>A,B KICKOFF: q".
func said(lines ...string) []mail.Message {
	var all []mail.Message
	for _, line := range lines {
		who, subject, _ := strings.Cut(line, " ")
		from, to, _ := strings.Cut(who, ">")
		all = append(all, mail.Message{From: from, To: strings.FieldsFunc(to, func(r rune) bool { return r == ',' }), Subject: subject})
	}
	return all
}

func TestPhases(t *testing.T) {
	kick := "Op>A,B KICKOFF: q"
	for _, c := range []struct {
		want   mail.Phase
		thread []string
	}{
		{mail.NotStarted, nil},
		{mail.NotStarted, []string{"A>Op INFO: hello", "A>Op DELTA[gpt]: early", "Op>A COMPILED: v1"}},
		{mail.AwaitingResponses, []string{kick}},
		{mail.AwaitingResponses, []string{"Op>A KICKOFF: q", "Op>B KICKOFF: q", "A>Op ACK: yes", "C>Op DELTA: not asked"}},
		{mail.PartiallyComplete, []string{kick, "A>Op DELTA[opus]: x", "A>Op Re: KICKOFF: q"}},
		{mail.AwaitingCompiling, []string{kick, "A>Op DELTA: x", "b>Op Re: KICKOFF: q"}},
		{mail.CompiledPhase, []string{kick, "A>Op DELTA: x", "Op>A,B COMPILED: v1"}},
		{mail.InCritique, []string{kick, "A>Op DELTA: x", "Op>A,B COMPILED: v1", "B>Op CRITIQUE: no"}},
		{mail.CompiledPhase, []string{kick, "A>Op DELTA: x", "Op>A,B COMPILED: v1", "B>Op CRITIQUE: no", "Op>A,B COMPILED: v2"}},
		{mail.AwaitingResponses, []string{kick, "A>Op DELTA: x", "Op>A,B COMPILED: v1", kick}},
		{mail.PartiallyComplete, []string{kick, "A>Op DELTA: x", "B>Op DELTA: y", kick, "A>Op DELTA: z"}},
		{mail.Closed, []string{kick, "A>Op DELTA: x", "Op>A,B COMPILED: v1", "Op>A,B INFO: closed, thank you"}},
		{mail.AwaitingResponses, []string{kick, "Op>A,B INFO: closed", kick}},
	} {
		if got := mail.Read(said(c.thread...)); got.Phase != c.want {
			t.Errorf("%q: %s, not %s: %+v", c.thread, got.Phase, c.want, got)
		}
	}
}
