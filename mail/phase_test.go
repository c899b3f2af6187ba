package mail_test

import (
	"strings"
	"testing"

	"brenner/mail"
)

// parseThread parses a thread in short form: "Operator>A,B KICKOFF: q".
func parseThread(lines ...string) []mail.Message {
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
		if got := mail.Read(parseThread(c.thread...)); got.Phase != c.want {
			t.Errorf("%q: got %s, want %s: %+v", c.thread, got.Phase, c.want, got)
		}
	}
}

// conversation parses a thread with ids: "1 Op>A,B KICKOFF: q", "2<1 A>Op Re: KICKOFF: q".
func conversation(lines ...string) []mail.Message {
	var all []mail.Message
	for _, line := range lines {
		id, rest, _ := strings.Cut(line, " ")
		m := parseThread(rest)[0]
		var to string
		id, to, _ = strings.Cut(id, "<")
		m.ID, m.ReplyTo = mail.ID(id), mail.ID(to)
		all = append(all, m)
	}
	return all
}

func TestThreadNext(t *testing.T) {
	for _, c := range []struct {
		last string // after two rounds; message 5 asks A in the second
		what mail.Meaning
		of   int
	}{
		{"7 A>Op DELTA[x]: mine", mail.Answers, 2},
		{"7<5 A>Op CRITIQUE: of the question", mail.Answers, 2},
		{"7<5 A>Op KICKOFF: q", mail.Answers, 2},
		{"7<1 A>Op Re: KICKOFF: q", mail.Answers, 1},
		{"7<5 A>B my thoughts", mail.Answers, 2},
		{"7 A>Op my thoughts", mail.Answers, 2},
		{"7 A>Op ACK[codex]: got it", mail.Acknowledges, 2},
		{"7 A>A KICKOFF: haha", mail.Other, 2},
		{"7 A>Op COMPILED: v9", mail.Other, 2},
		{"7<5 A>Op QUESTION[x]: what?", mail.Other, 2},
		{"7<4 A>Op Re: COMPILED: v1", mail.Criticises, 2},
		{"7 B>Op CRITIQUE: no", mail.Criticises, 2},
		{"7 C>Op DELTA: not asked", mail.Other, 2},
		{"7 C>A KICKOFF: not the lead", mail.Other, 2},
		{"7 A>Op INFO: closed", mail.Other, 2},
		{"7 Op>A INFO: closed", mail.Closes, 2},
	} {
		var th mail.Thread
		all := append(conversation("1 Op>A,B KICKOFF: q", "2<1 A>Op Re: KICKOFF: q", "3 B>Op DELTA: x", "4 Op>A,B COMPILED: v1", "5 Op>A KICKOFF: q2", "6 Op>B KICKOFF: q2"), conversation(c.last)...)
		var what mail.Meaning
		var of int
		for i := range all {
			what, of = th.Next(&all[i])
		}
		if what != c.what || of != c.of {
			t.Errorf("%s: got %d in round %d, want %d in %d", c.last, what, of, c.what, c.of)
		}
	}
}
