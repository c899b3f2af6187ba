package lint_test

import (
	"fmt"
	"strings"

	"brenner/artifact/lint"
)

const docsHead = `# What lint asks of an artifact

<!-- Generated from lint.Rules() by "go test ./artifact/lint -update". -->

` + "`brenner artifact lint FILE`" + ` judges an artifact by the rules below. An id is a severity letter, a section letter
and a number. Errors (E) make the artifact invalid; warnings (W) and notes (I) do not. Exit codes: 0 valid, 1 invalid, 2 unreadable.

- Counts, and rules about content, look at active items only. Ids count for ever: killed items keep theirs.
- A field in CONFLICT is reported once, as ES-005, and by no other rule.
- One cause gives one finding: nothing is said about the content of a section that is missing or empty.
- Lines are those of the Markdown file, or of the Markdown that the JSON would be rendered to.
`

const docsTail = `
## Where a rule could be read in two ways

- **EM-001** also stands for any key of the metadata that cannot be read and has no error rule of its own: no other command would take the file.
  If the front matter as a whole cannot be read, no other rule speaks of the metadata.
- **ES-002, WT-002** name the first section or test out of place only: moving it puts others into their places.
- **ES-005** leaves killed items and N/A cells alone: no EDIT could reach them.
- **WS-102, WP-101, WT-101** share the references among them: predictions are judged by WP-101, ` + "`discriminates`" + ` by WT-101,
  all others by WS-102, so that none is reported twice. A reference to a killed item resolves. One that named nothing when it was written
  (` + "`unresolved`" + `) does not, even if an item of that id exists by now. A key of ` + "`expected_outcomes`" + ` need not be an id ("control").
- **WH-001, WH-002, WH-003**: no anchors at all is WH-001 alone; a misspelt § or EV anchor is WH-002 alone; words that are no anchor are WH-002,
  and WH-003 too if nothing else in ` + "`anchors` or `labels`" + ` is a source or says inference.
- **EP-003, IP-001**: a row without an outcome for a third alternative is IP-001 only, never an error. An N/A is an outcome.
- **WP-001** compares without regard to case and spaces; "indeterminate" is an outcome like any other.
- **WS-001** says nothing where an id of the section is bad or stands twice: the missing number is most likely that item's.
- **WS-103** looks at active hypotheses only: a killed one comes back by an ADD of the same content.
- **WS-105** looks at artifacts of sessions only, whose metadata say what was given. Whether a § stands in a text that was sent, or a quotation
  in it, is not asked: no artifact holds those texts.
- **WM-002** does not ask for ` + "`updated_at`" + `, but if it is there it has to be a timestamp.
- **IM-001** is the pattern alone; whether the digits are a day of the calendar is not asked.
- **WT-101** does not ask for ` + "`discriminates`" + `: the keys of ` + "`expected_outcomes`" + ` say as much.
- **WC-001** goes by ` + "`real_third_alternative`" + ` alone.
`

// docs gives docs/lint.md.
func docs() string {
	titles := map[byte]string{
		'M': "Metadata", 'S': "Structure", 'R': "Research Thread", 'H': "Hypothesis Slate", 'P': "Predictions Table",
		'T': "Discriminative Tests", 'A': "Assumption Ledger", 'X': "Anomaly Register", 'C': "Adversarial Critique",
	}
	var b strings.Builder
	b.WriteString(docsHead)
	section := byte(0)
	for _, r := range lint.Rules() {
		if r.ID[1] != section {
			section = r.ID[1]
			fmt.Fprintf(&b, "\n## %s\n\n| id | severity | what | why | how to fix |\n|---|---|---|---|---|\n", titles[section])
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.ID, r.Severity, r.Title, r.Why, r.Fix)
	}
	b.WriteString(docsTail)
	return b.String()
}
