package kickoff

import (
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/roster"
)

const headTask = "## Task"

// validate checks a roster. The role of a task's agent is one of the project's store, or none.
func validate(r roster.Roster, ofTask bool) error {
	if ofTask {
		r.Entries = slices.Clone(r.Entries)
		for i := range r.Entries {
			r.Entries[i].Role = roster.HypothesisGenerator // any
		}
	}
	return r.Validate()
}

// aboutTask introduces the text of a task.
func (in *Input) aboutTask() string {
	return "The task `" + inert(in.Task.Address) + "` of the project, for the role `" + inert(in.Task.Role) + "`:"
}

// creatable describes how to create records beside changes of the artifact.
func (in *Input) creatable(to string) string {
	types := in.Creates[to]
	if len(types) == 0 || in.Task != nil {
		return ""
	}
	var names []string
	for _, name := range types {
		names = append(names, "`"+inert(name)+"`")
	}
	return "You may also create records of the project, " + typesMark + strings.Join(names, ", ") + ". Do so where something should be " +
		"kept beyond this session. A record is a delta of the section `" + delta.RecordSection + "`, beside your other deltas:\n\n" +
		"````markdown\n" + recordExample(types[0]) + "\n````\n\n" +
		"The id is new and short. The content is the whole text, in Markdown. Each link is RELATION=ADDRESS, with the address of a record that this " +
		"message shows, copied to the letter, or the id of a record in your own reply; the relations are `cites`, `derives_from`, `summarises`, " +
		"`refutes`, `replies_to` and `supersedes`. The id of a record that is shown in full makes its next version. A record becomes a draft: there is no EDIT or " +
		"KILL of records, and you give them no status. The example is from another project; do not repeat it."
}

// typesMark stands before the types of records that an agent may create.
const typesMark = "of these types: "

// CreatesIn returns the types of records that an agent may create, as its message says.
func CreatesIn(body string) []string {
	for line := range strings.Lines(body) {
		_, list, ok := strings.Cut(line, typesMark+"`")
		if ok && !strings.HasPrefix(line, ">") {
			list, _, _ = strings.Cut(list, "`.")
			return strings.Split(list, "`, `")
		}
	}
	return nil
}

// recordExample returns a record of a type. A reply that repeats it does not create it.
func recordExample(kind string) string {
	return "```delta\n" + `{"operation": "ADD", "section": "` + delta.RecordSection + `", "payload": {"id": "note-count-1931", "type": "` + inert(kind) + `",
 "summary": "The count of 1931 has no count before it, and shows no increase.",
 "content": "# The count of 1931\n\n240 bodies lay on the shore on one morning [count-1931@v1].",
 "links": ["cites=count-1931@v1"], "tags": []}, "rationale": "Later sessions need it"}` + "\n```"
}

// recordsAsJSON tells an agent how to write records in a reply that is held to a schema.
func (in *Input) recordsAsJSON(to string) string {
	const content = "The `content` of a record is a list of paragraphs then.\n"
	switch {
	case in.Task != nil:
		return content
	case len(in.Creates[to]) > 0:
		return "Records go into the list `records`. " + content
	}
	return ""
}
