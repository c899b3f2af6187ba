package prompts

// recordSection is the section of records in replies.
const recordSection = "project_records"

// linkRelations are the relations of links that a record may have.
var linkRelations = []string{"cites", "derives_from", "summarises", "refutes", "replies_to", "supersedes"}

// limitTask sets the bounds of a reply to a task: few records, and longer ones.
func (a *answer) limitTask() {
	const forRecord = 2048 // tokens of a record at ease
	a.limits.deltas, a.limits.paragraphs = 4, 24
	if a.MaxReply > 0 {
		a.limits.deltas = min(a.limits.deltas, max(1, a.MaxReply/forRecord))
	}
}

// shortenRecords reports whether the records of a reply could be made shorter, before other texts are.
func (a *answer) shortenRecords() bool {
	const least = 6 // paragraphs
	switch {
	case len(a.Shown.Creates) == 0:
		return false
	case a.limits.paragraphs > least:
		a.limits.paragraphs = max(least, a.limits.paragraphs*3/4)
		return true
	case a.limits.records > 1 && !a.Task:
		a.limits.records--
		return true
	}
	return false
}

// record returns the schema of a record. Its content is a list of paragraphs: the pattern of a text has no line breaks.
func (a *answer) record() *node {
	const id = "^[a-z][a-z0-9-]{1,59}$"
	payload := []property{
		{"id", &node{object{{"type", "string"}, {"pattern", id}}, 62}},
		{"type", oneOf(a.Shown.Creates...)},
		{"summary", text(a.limits.text)},
		{"content", listOf(text(a.limits.text), 1, a.limits.paragraphs)},
	}
	const most = 150 // words of an enumeration
	var links []string
	for _, address := range a.Records {
		for _, relation := range linkRelations {
			if len(links) < most {
				links = append(links, relation+"="+address)
			}
		}
	}
	if len(links) > 0 {
		payload = append(payload, property{"links", listOf(oneOf(links...), 0, a.limits.list)})
	}
	return objectOf(property{"operation", oneOf("ADD")}, property{"section", oneOf(recordSection)},
		property{"payload", objectOf(payload...)}, property{"rationale", text(a.limits.text)})
}
