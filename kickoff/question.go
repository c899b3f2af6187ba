package kickoff

import "strings"

// QuestionOf gives the research question that a kickoff asks, whoever composed it:
// the text below its heading, out of the quotation; empty where there is none.
func QuestionOf(message string) string {
	_, text, ok := strings.Cut("\n"+clean(message), "\n"+headQuestion+"\n")
	if !ok {
		return ""
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "#") {
			break
		}
		line = strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
		lines = append(lines, strings.TrimRight(line, " \t"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
