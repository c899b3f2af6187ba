package kickoff

import "strings"

// Part is a part of a message by origin.
type Part struct{ Name, Text string }

// The names of parts.
const (
	PartTemplate = "template" // roster, prompt, task and answer format
	PartQuestion = "question" // with context, hypotheses and constraints
	PartEvidence = "evidence" // with the excerpt
	PartRecords  = "records"
	PartMemory   = "memory"
	PartArtifact = "artifact"
)

// PartNames returns the names of all parts, in the order of a message.
func PartNames() []string {
	return []string{PartTemplate, PartQuestion, PartEvidence, PartRecords, PartMemory, PartArtifact}
}

// Parts splits the body of a message into its parts; their texts together are the body. A heading in
// a text from outside is quoted and begins no part.
func Parts(body string) []Part {
	names := map[string]string{
		headQuestion: PartQuestion, headTask: PartQuestion, headContext: PartQuestion, headHypotheses: PartQuestion, headConstraints: PartQuestion,
		headExcerpt: PartEvidence, headProject: PartRecords, headMemory: PartMemory, headArtifact: PartArtifact, headLeftOut: PartTemplate,
		headOutputs: PartTemplate,
	}
	parts := []Part{{Name: PartTemplate}}
	started, ended := false, false
	from, at := 0, 0
	for line := range strings.Lines(body) {
		heading := strings.TrimSuffix(line, "\n")
		name, known := names[heading]
		started = started || heading == headQuestion || heading == headTask
		if known && started && !ended {
			parts[len(parts)-1].Text = body[from:at]
			parts = append(parts, Part{Name: name})
			from, ended = at, heading == headOutputs
		}
		at += len(line)
	}
	parts[len(parts)-1].Text = body[from:]
	return parts
}

// LeftOut returns what the body of a message says that it leaves out.
func LeftOut(body string) []string {
	at := strings.LastIndex(body, "\n"+headLeftOut+"\n")
	if at < 0 {
		return nil
	}
	var all []string
	for line := range strings.Lines(body[at+len(headLeftOut)+2:]) {
		if strings.HasPrefix(line, "#") {
			break
		}
		if what, ok := strings.CutPrefix(line, "> - "); ok {
			all = append(all, strings.TrimSuffix(what, "\n"))
		}
	}
	return all
}
