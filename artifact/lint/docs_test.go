package lint_test

import (
	"fmt"
	"strings"

	"brenner/artifact/lint"
)

const docsHead = `# Lint rules for artifacts

<!-- Generated from lint.Rules() by "go test ./artifact/lint -update". -->

` + "`brenner artifact lint FILE`" + ` checks an artifact against the rules below. An id is a severity letter, a section letter
and a number. Errors (E) make the artifact invalid; warnings (W) and notes (I) do not. Exit codes: 0 valid, 1 invalid, 2 unreadable.

- Counts and content rules consider active items only. Ids are permanent: killed items keep theirs.
- A field in CONFLICT is reported once, as ES-005, and by no other rule.
- One cause makes one finding: the content of a missing or empty section has none.
- Lines are those of the Markdown file, or of the Markdown that the JSON would be rendered to.
- Every line that cannot be read is listed (` + "`also`" + ` in the JSON), and then what lint says of the others (` + "`result`" + `).

## Files of other tools

` + "`artifact lint`, `render`, `parse` and `merge --base`" + ` also read artifacts that people and other tools wrote. A note
(` + "`notes`" + ` in the JSON of lint, ` + "`reading`" + ` in that of merge, else on standard error) names each deviation; notes do not make
an artifact invalid.

- **variant**: a known form of something, such as ` + "`**RT**: …`" + ` for the statement, the column ` + "`Observation/Condition`" + `,
  ` + "`Evidence-per-week score`" + `, ` + "`LR=3, Cost=2`" + `, ` + "`If H1`" + ` as a key, ` + "`### H3 (Third Alternative): …`" + `, ` + "`Critique 1`" + `, ` + "`**Killed**: true`" + `, a section
  under another name, a table of items, labels as list entries, or a value on several lines.
- **kept**: anything else, verbatim. An unknown label or column becomes a field of the item; text without a label becomes its
  field ` + "`text`" + `, a score on another scale ` + "`score_text`" + `, remarks on marks ` + "`score_notes`" + `. Text outside of items, and
  sections that an artifact does not have, go to ` + "`other_text`" + ` in the metadata. Nothing in a code fence, a comment or ` + "`<pre>`" + ` is read,
  and a heading that names no item ends the item above it. In JSON, unknown keys and sections go to ` + "`other_text`" + ` too. A version that
  is not a whole number goes to ` + "`other_version`" + `, and versions are counted from 0.
- Contradictions are not guessed at: a field twice, a row with too few cells, a struck value of an item that was not killed. Such
  a file is refused, and so is one without front matter or without a section, except by lint.
- Marks of a kill such as ` + "`~~H2: Two~~ (KILLED)`" + `, ` + "`H2: Two — KILLED`" + `, ` + "`H2: ~~Two~~`" + ` or ` + "`**Status**: KILLED`" + ` kill, with a note. What
  only may be one (` + "`H2: Cells killed by heat`" + `) leaves the item active, and a note says so. In a file as this program writes it,
  a name is a name, and a key such as ` + "`If H1`" + ` is kept as it is: it is not a reference to H1, and only WP-101 reports one of ` + "`predictions`" + `.
- **not kept**: a line of this program whose content only JSON can hold, such as ` + "`**Renumbered**: BlueLake's H5 is H7`" + `. What is written from the
  file lacks it.
`

const docsTail = `
## Notes on ambiguous cases

- **EM-001** also reports any unreadable metadata key without its own error rule: no other command would accept the file.
  If the entire front matter is unreadable, no other rule reports on the metadata.
- **ES-002, WT-002** report only the first section or test out of place: moving it may fix the others.
- **ES-005** skips killed items and N/A cells: no EDIT could reach them.
- **WS-102, WP-101, WT-101** split the references between them: WP-101 checks predictions, WT-101 checks ` + "`discriminates`" + `,
  WS-102 checks all others, so that none is reported twice. A reference to a killed item resolves. One to an item that did not exist when it was written
  (` + "`unresolved`" + `) does not, even if an item with that id exists now. A key of ` + "`expected_outcomes`" + ` need not be an id ("control").
- **WH-001, WH-002, WH-003**: no anchors at all is WH-001 only; a misspelt § or EV anchor is WH-002 only; other text is WH-002,
  and WH-003 too if no other entry of ` + "`anchors` or `labels`" + ` is a source or "inference".
- **EP-003, IP-001**: a row without an outcome for a third alternative is IP-001 only, never an error. An N/A is an outcome.
- **WP-001** ignores case and spaces; "indeterminate" is an outcome like any other.
- **WS-001** is silent if the section has an invalid or duplicate id: the missing number is most likely that item's.
- **WS-103** considers active hypotheses only: an ADD of the same content restores a killed one.
- **WS-105** considers only artifacts of sessions, whose metadata lists the evidence. Whether a § or a quotation exists in a text that was
  sent is not checked: no artifact contains those texts.
- **WM-002** does not require ` + "`updated_at`" + `, but if present it must be a timestamp.
- **IM-001** checks the pattern only, not whether the digits are a valid date.
- **WT-101** does not require ` + "`discriminates`" + `: the keys of ` + "`expected_outcomes`" + ` are sufficient.
- **WC-001** considers only ` + "`real_third_alternative`" + `.
`

// docs returns docs/lint.md.
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
