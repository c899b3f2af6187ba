package stalemate

import (
	"fmt"
	"time"
)

// Patched is a text that patches are refused for, as it stands.
type Patched struct {
	Name    string // "memo-1@v3"
	Content string
	Patch   string // the one that was refused last
}

// OfPatches tells whether whoever tried last is stuck on a text: the same patch, or
// the same error, for the third time. The tries are those that the text refused as it
// stands, in their order.
func OfPatches(on *Patched, tries []Attempt) (Case, bool) { return ofPatches(on, tries, sameErrors) }

// SaidOfPatches is OfPatches for a person who says so: once is enough.
func SaidOfPatches(on *Patched, tries []Attempt) (Case, bool) {
	c, ok := ofPatches(on, tries, 1)
	if len(c.Log) < sameErrors {
		c.Kind = Person
	}
	return c, ok
}

func ofPatches(on *Patched, tries []Attempt, enough int) (Case, bool) {
	if len(tries) == 0 {
		return Case{}, false
	}
	last := tries[len(tries)-1]
	for _, kind := range []string{Retry, Error} {
		c := Case{Kind: kind, Place: on.Name, ID: caseID(kind, on.Name, last.By, last.Content)}
		if kind == Error {
			c.ID = caseID(kind, on.Name, last.By, string(last.Code))
		}
		for i := range tries {
			a := &tries[i]
			if a.By == last.By && (kind == Retry && a.Content == last.Content || kind == Error && a.Code == last.Code) {
				c.Log = append(c.Log, fmt.Sprintf("%s: %s: %s", a.By, a.Code, a.Message))
			}
		}
		if len(c.Log) < enough {
			continue
		}
		c.Positions = []Position{
			{Party: last.By, Statement: "The patch should apply to " + on.Name + ".", Justification: last.Why},
			{Party: TheRules, Statement: "The patch was refused rightly (" + string(last.Code) + ").", Justification: last.Message},
		}
		return c, true
	}
	return Case{}, false
}

// maxTexts is how large the texts of a request may be: an arbiter has to read them.
const maxTexts = 1 << 20

// PatchRequest asks for a ruling on patches that are refused, with the text and the
// last patch as evidence.
func PatchRequest(on *Patched, at time.Time, c *Case) Request {
	r := NewRequest(on.Name, at, c)
	r.AboutText(on)
	switch c.Kind {
	case Retry:
		r.Summary = fmt.Sprintf("%s: the same patch was refused and sent again unchanged, %d times.", on.Name, len(c.Log))
	case Error:
		r.Summary = fmt.Sprintf("%s: the same error refused patches %d times.", on.Name, len(c.Log))
	default:
		r.Summary = on.Name + ": a patch was refused, and a person asks for a ruling."
	}
	return r
}

// AboutText makes of a request one about patches of a text, with the text and the last
// patch as evidence, and other explanations to go with it.
func (r *Request) AboutText(on *Patched) {
	r.Dissidents = []Hypothesis{
		{Name: "D1", Statement: "The patch was meant for another text, or for another place in it, than the one that it names.", Justification: "An author who is refused in the same way again may be looking at something else than the rules do."},
		{Name: "D2", Statement: "What the author was shown differs from the text as it stands.", Justification: "An older version, or a character that cannot be seen, makes a right patch look wrong and a wrong one right."},
	}
	if len(on.Content)+len(on.Patch) > maxTexts {
		return // the log, and the version that is named
	}
	r.Evidence = append(r.Evidence, Evidence{Type: "file_content", Description: "The text as it stands.", Path: on.Name, Content: on.Content, Hash: HashOf(on.Content)})
	r.add("patch", "The patch that was refused last.", on.Patch)
}
