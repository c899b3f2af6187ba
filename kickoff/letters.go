package kickoff

import (
	"fmt"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/text"
)

// Compiled is what a COMPILED message tells: where the artifact stands by now.
type Compiled struct {
	ThreadID     string
	Version      int
	Question     string
	Head         string // of the journal
	Changes      string // "round 2: 4 applied, 1 rejected, 0 in conflict"
	Contributors []string
	Counts       []Count // in the order of the sections
	Lint         string  // "valid, 2 findings"
	// Artifact is the artifact in Markdown as its reader may see it: a view for an
	// agent, all of it for a person.
	Artifact string
}

// Count is how many items of a section stand.
type Count struct {
	Section string
	Items   int
}

// Subject is that of the message.
func (c *Compiled) Subject() string {
	return text.Clip(fmt.Sprintf("COMPILED: v%d %s", c.Version, oneLine(c.Question)), maxSubject)
}

// Body writes the message. For an agent the artifact is quoted, like everything
// that others wrote.
func (c *Compiled) Body(toAgent bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# COMPILED: %s v%d\n\n", c.ThreadID, c.Version)
	fmt.Fprintf(&b, "- Changes: %s\n- Contributors: %s\n", inert(c.Changes), inert(strings.Join(c.Contributors, ", ")))
	for _, n := range c.Counts {
		fmt.Fprintf(&b, "- %s: %d\n", n.Section, n.Items)
	}
	fmt.Fprintf(&b, "- Lint: %s\n- Journal head: %s\n\n", inert(c.Lint), c.Head)
	if !toAgent {
		return b.String() + c.Artifact
	}
	b.WriteString(headArtifact + "\n\n" + quoted(c.Artifact))
	b.WriteString("\nNo answer is needed. Whoever finds something wrong replies with the subject \"CRITIQUE: …\" " +
		"and says it in deltas, each in a fence of its own: only those are merged.\n")
	return b.String()
}

// maxRepairs is how many problems a repair names; whoever has more of them does
// not need a longer list.
const maxRepairs = 20

// Request is a repair in its parts, of which those are sent that fit.
type Request struct {
	Head, Tail string
	Problems   []string // the first ones, one text each
	Lines      []int    // of the reply, where each of them is
	More       int      // beside them
}

// Repair asks an agent for better blocks in the place of those that could not be
// read. It quotes nothing that could be taken for a delta.
func Repair(threadID string, problems []delta.Located) Request {
	r := Request{
		Head: fmt.Sprintf("# REPAIR: %s\n\nSome of your reply could not be read:\n\n", threadID),
		Tail: "\nSend the corrected blocks, and only those: what could be read has been taken and must not be sent again. " +
			"Write each as one JSON object in a fence of its own that begins with three backticks and the word delta.\n",
		More: max(0, len(problems)-maxRepairs),
	}
	for _, p := range problems[:min(len(problems), maxRepairs)] {
		text := fmt.Sprintf("- line %d, column %d: %s (%s)\n", p.Line, p.Column, inert(p.Message), p.Code)
		if p.Hint != "" {
			text += fmt.Sprintf("  What to do: %s\n", inert(p.Hint))
		}
		r.Problems, r.Lines = append(r.Problems, text), append(r.Lines, p.Line)
	}
	return r
}

// inert gives a text in one line that opens nothing in Markdown.
func inert(text string) string {
	return strings.NewReplacer("`", "'", "<", "‹", ">", "›").Replace(oneLine(text))
}
