package delta

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
)

// Envelope is what a message says about the deltas in it. Who wrote a delta, and
// when, is never taken from the text.
type Envelope struct {
	Agent     string
	At        time.Time
	MessageID string
	Message   int // order of the message in its thread, from 1
	Shown     int // the version of the artifact that the agent was shown
}

// Stamped gives the deltas of a reply their author, instant, place and id, in the
// order of the text. A block that was refused comes as a Delta with a Problem, so
// that the merge accounts for it; its labels still stand for the item that it
// did not make. Blocks that were only shown are left out.
func (r Reply) Stamped(env Envelope) []Delta {
	deltas := make([]Delta, 0, len(r.Blocks))
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if b.Skipped() {
			continue
		}
		d := b.Delta
		if !b.OK {
			d.Problem = b.problem()
		}
		d.ID = DerivedID(env.MessageID, strconv.Itoa(b.Index), string(d.Content()))
		d.Agent = env.Agent
		d.Timestamp = artifact.FormatInstant(env.At)
		d.Place = &Place{Message: env.Message, Block: b.Index, Shown: env.Shown}
		d.Seal()
		deltas = append(deltas, d)
	}
	return deltas
}

// problem is the first reason why a block was refused, with its place.
func (b *Block) problem() *Problem {
	p := b.Problems[0]
	message := p.Message
	if where := fmt.Sprintf("line %d, column %d", p.Line, p.Column); !strings.Contains(message, where) {
		message = where + ": " + message
	}
	if more := len(b.Problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &Problem{Code: p.Code, Message: message}
}
