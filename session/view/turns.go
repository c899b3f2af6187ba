package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
)

// RepairInput is the content of a second turn: what could not be read, and the agent's own answer.
type RepairInput struct {
	Role string
	// Bound is for the turn itself, request and answer together; 0 or less means DefaultMaxTokens. It
	// is not less than RepairRoom. Call is for the entire call, with its opening message.
	Bound, Call int
	Around      int // tokens that the call has besides
	Count       func(string) int
	Opening     string // as sent
	Answer      string // as received
	// Head, Tail and the first problem, or its beginning, are always sent, the others if they fit. More
	// counts further ones. Blocks is a line before Tail that is sent if it fits.
	Head, Tail string
	Blocks     string
	Problems   []string
	More       int
	// Lines are the lines of the answer, from 1, that the problems are about.
	Lines []int
}

// RepairTurn is a second turn within its bounds.
type RepairTurn struct {
	Answer  string // the agent's own text, as far as it fits
	Request string
	Tokens  int // of both
}

// Repair assembles a second turn. The problems have precedence, in order. If the answer does not
// fit beside them, only lines around the problems are shown: its author has the rest. Repair fails
// only if the fixed parts do not fit, before anything is sent.
func Repair(in *RepairInput) (RepairTurn, error) {
	bound := in.Bound
	if bound <= 0 {
		bound = DefaultMaxTokens
	}
	call := in.Call
	if call <= 0 {
		call = DefaultCallTokens
	}
	bound = max(bound, RepairRoom(in.Head, in.Tail, in.Count))
	r := &repair{RepairInput: in, bound: min(bound, call-in.Count(in.Opening)-in.Around), problems: in.Problems, blocks: in.Blocks}
	r.note = answerNote(utf8.RuneCountInString(in.Answer))
	shown := min(len(in.Problems), 1)
	if !r.fits(r.note, r.request(shown)) {
		r.blocks = ""
	}
	if shown > 0 && !r.fits(r.note, r.request(shown)) {
		first, _ := Begin(in.Problems[0], problemTokens-markTokens, in.Count)
		r.problems = slices.Concat([]string{strings.TrimRight(first, "\n") + "\n"}, in.Problems[1:])
	}
	if !r.fits(r.note, r.request(shown)) {
		return RepairTurn{}, &fault.Error{
			Code: TooLarge, Op: "ask " + fault.Shown(in.Role) + " again",
			Detail: fmt.Sprintf("the message has %d tokens; the limit is %d", in.Count(r.note)+in.Count(r.request(shown)), r.bound),
			Hint:   "raise max_tokens of the role's view, or session.context_tokens",
		}
	}
	for shown < len(in.Problems) && r.fits(r.note, r.request(shown+1)) {
		shown++
	}
	out := RepairTurn{Request: r.request(shown)}
	out.Answer = r.answer(out.Request)
	out.Tokens = in.Count(out.Answer) + in.Count(out.Request)
	return out, nil
}

type repair struct {
	*RepairInput
	bound    int
	note     string // in place of the answer
	problems []string
	blocks   string
}

// Tokens of a shortened problem, and those of them for the words that say so and for the number of
// other problems.
const (
	problemTokens = 120
	markTokens    = 40
)

func answerNote(characters int) string {
	return "(your answer, of " + strconv.Itoa(characters) + " characters, is left out: it does not fit)"
}

// RepairRoom returns the tokens that every second turn with a head and a tail can be cut to.
func RepairRoom(head, tail string, count func(string) int) int {
	return count(answerNote(1_000_000)) + count(head+"\n"+tail) + problemTokens
}

func (r *repair) fits(answer, request string) bool {
	if len(answer)+len(request) > BytesPerToken*max(r.bound, 0) {
		return false // not even counted
	}
	return r.Count(answer)+r.Count(request) <= r.bound
}

func (r *repair) request(shown int) string {
	text := r.Head + strings.Join(r.problems[:shown], "")
	if more := len(r.Problems) - shown + r.More; more > 0 {
		text += "- … and " + strconv.Itoa(more) + " more\n"
	}
	return text + "\n" + r.blocks + r.Tail
}

const contextLines = 10

func (r *repair) answer(request string) string {
	if strings.TrimSpace(r.Answer) == "" {
		return "(no text)" // endpoints refuse an empty turn
	}
	if r.fits(r.Answer, request) {
		return r.Answer
	}
	all := strings.Split(strings.TrimRight(r.Answer, "\n"), "\n")
	chosen := make([]bool, len(all))
	best := r.note
	for _, at := range r.Lines {
		if at < 1 || at > len(all) {
			continue
		}
		wider := slices.Clone(chosen)
		for i := max(at-1-contextLines, 0); i < min(at+contextLines, len(all)); i++ {
			wider[i] = true
		}
		if text := excerpt(all, wider); r.fits(text, request) {
			chosen, best = wider, text
		}
	}
	return best
}

// excerpt returns the chosen lines, and the numbers of lines between them.
func excerpt(all []string, chosen []bool) string {
	var b strings.Builder
	skipped := 0
	flush := func() {
		if skipped > 0 {
			fmt.Fprintf(&b, "(%d lines of your answer are left out)\n", skipped)
		}
		skipped = 0
	}
	for i, line := range all {
		if !chosen[i] {
			skipped++
			continue
		}
		flush()
		b.WriteString(line + "\n")
	}
	flush()
	return b.String()
}

// DefaultNudgeTokens is the bound of a reminder, whose reader already has the message.
const DefaultNudgeTokens = 300

// NudgeInput is the content of a reminder.
type NudgeInput struct {
	Role     string
	Bound    int // 0 or less, or more: DefaultNudgeTokens
	Count    func(string) int
	Subject  string   // of the unanswered message
	Question string   // of the session
	Saw      []string // ids of items that the message showed
}

// Nudge returns the reminder for an agent that acknowledged a message and does not answer. The
// question and the ids are included as far as they fit, in this order. Nudge fails only if the
// reminder itself does not fit.
func Nudge(in *NudgeInput) (string, error) {
	bound := in.Bound
	if bound <= 0 {
		bound = DefaultNudgeTokens
	}
	bound = min(bound, DefaultNudgeTokens)
	reminder := func(message string) string {
		return "You have acknowledged " + message + " and not answered it yet. Please reply to that message; what you have is better than nothing.\n"
	}
	text := reminder("the message \"" + cut(in.Subject, maxSummary) + "\"")
	if in.Count(text) > bound {
		text = reminder("a message of this thread")
	}
	if tokens := in.Count(text); tokens > bound {
		return "", &fault.Error{
			Code: TooLarge, Op: "remind " + fault.Shown(in.Role), Detail: fmt.Sprintf("the reminder has %d tokens; the limit is %d", tokens, bound),
			Hint: "raise session.context_tokens",
		}
	}
	fits := func(more string) bool { return in.Count(text+more) <= bound }
	if question := "\nIt is about: " + cut(in.Question, maxSummary) + "\n"; in.Question != "" && fits(question) {
		text += question
	}
	ids := ""
	for n := range in.Saw {
		names := make([]string, n+1)
		for i, id := range in.Saw[:n+1] {
			names[i] = Word(id)
		}
		line := "\nYou were shown " + strings.Join(names, ", ")
		if more := len(in.Saw) - n - 1; more > 0 {
			line += " and " + strconv.Itoa(more) + " more"
		}
		if line += ".\n"; !fits(line) {
			break
		}
		ids = line
	}
	return text + ids, nil
}

// DefaultCallTokens is the default bound of a whole call.
const DefaultCallTokens = 100_000

// CheckOpening returns an error if the tokens of a message that cannot be shortened exceed the bound of the call.
func CheckOpening(role string, bound, tokens int) error {
	if bound <= 0 {
		bound = DefaultCallTokens
	}
	if tokens <= bound {
		return nil
	}
	return &fault.Error{
		Code: TooLarge, Op: "write to " + fault.Shown(role), Detail: fmt.Sprintf("the message has %d tokens; the limit is %d", tokens, bound),
		Hint: "raise session.context_tokens",
	}
}
