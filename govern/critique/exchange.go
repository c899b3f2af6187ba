package critique

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/text"
)

// Exchange is a question to a critic, with its answer and, if that had to be corrected, the correction.
type Exchange struct {
	Check string
	By    string // the critic
	Task  string
	Shown int // records that it was shown, of those that it could have been
	Of    int
	Short []string // those that it was shown only as summaries
	Turns []Turn
}

// Turn is an answer.
type Turn struct {
	Call   string
	Text   string // without its reasoning
	Answer Answer
}

// Uncounted is an attempted finding that does not count.
type Uncounted struct {
	Check  string `json:"check"`
	Call   string `json:"call"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Asked  bool   `json:"asked"` // the critic was asked to correct it
}

func (x *Exchange) last() *Answer { return &x.Turns[len(x.Turns)-1].Answer }

// Unread returns what could not be read of the last answer, or "".
func (x *Exchange) Unread() string {
	if x.last().Readable() {
		return ""
	}
	parts := 0
	for _, row := range x.last().Rows {
		if row.Ask {
			parts++
		}
	}
	why := "also after a correction was asked for"
	if len(x.Turns) == 1 {
		why = "and there was no room to ask for a correction"
	}
	return fmt.Sprintf("%s of the answer about %s could not be read as findings, %s", text.Count(parts, "part"), x.Check, why)
}

// Summary returns what the critic was asked and found, in two sentences.
func (x *Exchange) Summary(found int) string {
	said := "It found nothing."
	if len(x.Short) > 0 {
		said = "It found nothing in that."
	}
	switch isRead := x.Unread() == ""; {
	case found > 0 && isRead:
		said = "It found " + text.Count(found, "problem") + "."
	case found > 0:
		said = "It found " + text.Count(found, "problem") + ", and part of its answer could not be read."
	case !isRead:
		said = "Its answer could not be read."
	}
	shown := fmt.Sprintf("%s was asked in %s and shown %d of %s", x.By, x.Task, x.Shown, text.Count(x.Of, "record"))
	if n := len(x.Short); n > 0 {
		shown += fmt.Sprintf("; of these %d only summaries were shown (%s)", n, firstNames(x.Short))
	}
	return shown + ". " + said
}

// Portions divides texts by their costs: as many as fit into the room of a portion, in at most so many portions.
// Left are those that fit into none.
func Portions(costs []int, room, most int) (portions [][]int, left []int) {
	var rooms []int
	for i, cost := range costs {
		at := slices.IndexFunc(rooms, func(free int) bool { return free >= cost })
		if at < 0 && cost <= room && len(rooms) < most {
			at, rooms, portions = len(rooms), append(rooms, room), append(portions, nil)
		}
		if at < 0 {
			left = append(left, i)
			continue
		}
		rooms[at] -= cost
		portions[at] = append(portions[at], i)
	}
	return portions, left
}

// Uncounted returns the attempts in all answers that do not count.
func (x *Exchange) Uncounted() []Uncounted {
	var out []Uncounted
	for i, t := range x.Turns {
		for _, row := range t.Answer.Rows {
			out = append(out, Uncounted{x.Check, t.Call, row.Line, row.Reason, row.Ask && i+1 < len(x.Turns)})
		}
		if t.Answer.More > 0 {
			out = append(out, Uncounted{x.Check, t.Call, 0, fmt.Sprintf("and %d more", t.Answer.More), false})
		}
	}
	return out
}

// maxQuoted bounds the bytes of an unread answer in a review.
const maxQuoted = 20_000

// Rest returns, as Markdown, what does not count, and answers that could not be read.
func (x *Exchange) Rest() string {
	var b strings.Builder
	for _, row := range x.Uncounted() {
		fmt.Fprintf(&b, "\nNot counted, line %d of %s: %s.\n", row.Line, row.Call, row.Reason)
	}
	if x.Unread() == "" {
		return b.String()
	}
	for _, t := range x.Turns {
		quoted := t.Text[:min(len(t.Text), maxQuoted)]
		fmt.Fprintf(&b, "\nThe answer in %s:\n\n", t.Call)
		for line := range strings.SplitSeq(strings.ToValidUTF8(quoted, ""), "\n") {
			b.WriteString(strings.TrimRight("> "+line, " \r") + "\n")
		}
		if len(quoted) < len(t.Text) {
			fmt.Fprintf(&b, "\n%d bytes of it are left out.\n", len(t.Text)-len(quoted))
		}
	}
	return b.String()
}
