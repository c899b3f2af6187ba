package prompts

import (
	"crypto/sha256"
	_ "embed" // the templates are files
	"encoding/hex"
	"strconv"
	"strings"

	"brenner/artifact"
)

// The embedded templates.
var (
	//go:embed templates/hypothesis_generator.md
	hypothesisGenerator string
	//go:embed templates/test_designer.md
	testDesigner string
	//go:embed templates/adversarial_critic.md
	adversarialCritic string
	//go:embed templates/unified.md
	unified string
	//go:embed templates/common.md
	common string
	//go:embed templates/short/hypothesis_generator.md
	shortHypothesisGenerator string
	//go:embed templates/short/test_designer.md
	shortTestDesigner string
	//go:embed templates/short/adversarial_critic.md
	shortAdversarialCritic string
	//go:embed templates/short/unified.md
	shortUnified string
	//go:embed templates/task.md
	task string
	//go:embed templates/short/task.md
	shortTask string
	//go:embed templates/short/common.md
	shortCommon string
	//go:embed versions.txt
	versions string
)

// UnifiedName is the name of the template for sessions without roles.
const UnifiedName = "unified"

// TaskName is the name of the template for tasks of the project's store.
const TaskName = "task"

// taskVersion is the version of the templates for tasks.
const taskVersion = 2

// shortHash is how many digits of a hash are shown: enough to rule out accidental collisions.
const shortHash = 16

// Template is an agent's instructions, independent of any session.
type Template struct {
	Name    string // the role, UnifiedName or TaskName, of a short template with a suffix
	Version int
	Text    string // the whole text, which Hash covers
}

// Latest is the version of the templates for new sessions. A session keeps the version that it
// began with.
const Latest = 2

// own holds the names of the templates with their own texts: those of the roles in the
// specification's order, then the unified one.
func own() []struct{ name, text, short string } {
	return []struct{ name, text, short string }{
		{"hypothesis_generator", hypothesisGenerator, shortHypothesisGenerator},
		{"test_designer", testDesigner, shortTestDesigner},
		{"adversarial_critic", adversarialCritic, shortAdversarialCritic},
		{UnifiedName, unified, shortUnified},
	}
}

// All returns the templates of a version in that order, and then the short ones, which version 2
// introduced. An unknown version stands for Latest.
func All(version int) []Template {
	var full, short []Template
	for _, o := range own() {
		t := inVersion(version, o.name, o.text)
		full = append(full, t)
		if t.Version > 1 {
			short = append(short, t.Shortened())
		}
	}
	return append(full, short...)
}

const (
	shortSuffix  = "_short" // of the names of short templates
	shortVersion = 1
)

// Task returns the template for a task of the project's store, whatever the role of its agent.
func Task() Template { return Template{Name: TaskName, Version: taskVersion, Text: task} }

// IsTask reports whether a template is one for tasks, by its ID.
func IsTask(id string) bool { return RoleOf(id) == TaskName }

// Known returns all templates whose texts the program has: those of every version, and those for tasks.
func Known() []Template {
	all := []Template{Task(), Task().Shortened()}
	for version := range Latest {
		all = append(all, All(version+1)...)
	}
	return all
}

// Shortened returns the template with the same rules in few words, for a model with a small context.
func (t Template) Shortened() Template {
	if t.Name == TaskName {
		return Template{Name: TaskName + shortSuffix, Version: taskVersion, Text: shortTask}
	}
	for _, o := range own() {
		if o.name == t.Name {
			return Template{Name: t.Name + shortSuffix, Version: shortVersion, Text: o.short + shortCommon}
		}
	}
	return t // it is short already
}

// IsShort reports whether a template is a short one, by its ID.
func IsShort(id string) bool {
	name, _, _ := strings.Cut(id, "/")
	return strings.HasSuffix(name, shortSuffix)
}

// RoleOf returns the role that a template is for, by its ID, or UnifiedName or TaskName.
func RoleOf(id string) string {
	name, _, _ := strings.Cut(id, "/")
	return strings.TrimSuffix(name, shortSuffix)
}

func inVersion(version int, name, text string) Template {
	if version < 1 || version > Latest {
		version = Latest
	}
	nothing, noChanges := wordings(version)
	return Template{
		Name: name, Version: version,
		Text: strings.Replace(text, "{{nothing}}", nothing, 1) + strings.Replace(common, "{{no changes}}", noChanges, 1),
	}
}

// wordings returns the passages in which versions differ: the advice of a role without anything to
// add, and the form of a reply without changes.
func wordings(version int) (nothing, noChanges string) {
	if version == 1 {
		return "If you have nothing to add, say so in one sentence.", ""
	}
	return "If there is nothing to change, say so as described below.",
		"\nIf there is nothing to change, write one line outside of any fence: `NO CHANGES: reason`. A reply with neither a\n" +
			"delta nor this line is not an answer.\n"
}

// For returns the template of a role in a version.
func For(role string, version int) (Template, bool) {
	for _, o := range own() {
		if o.name == role && role != UnifiedName {
			return inVersion(version, o.name, o.text), true
		}
	}
	return Template{}, false
}

// Unified returns the template for sessions without roles in a version.
func Unified(version int) Template { return inVersion(version, UnifiedName, unified) }

// ID returns the template's name and version: "test_designer/1".
func (t Template) ID() string { return t.Name + "/" + strconv.Itoa(t.Version) }

// Hash returns the SHA-256 of the template's text in hexadecimal.
func (t Template) Hash() string {
	sum := sha256.Sum256([]byte(t.Text))
	return hex.EncodeToString(sum[:])
}

// Short returns the leading digits of a hash, for display.
func Short(hash string) string { return hash[:min(len(hash), shortHash)] }

// HashOf returns the hash of a template by its ID, even if its text is no longer included.
func HashOf(id string) (string, bool) {
	for line := range strings.Lines(versions) {
		known, hash, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && known == id {
			return hash, true
		}
	}
	return "", false
}

// Fingerprint returns a hash of all templates that this program has.
func Fingerprint() string {
	sum := sha256.Sum256([]byte(versions))
	return hex.EncodeToString(sum[:])
}

// The parts of a template's text after the role's prompt. Each follows a line <!-- name -->.
const (
	partFirst   = "first round"
	partLater   = "later rounds"
	partSetting = "example setting"
	partExample = "example"
	partGround  = "ground rules"
	partOutputs = "outputs"
	partFormat  = "format"
)

func marker(part string) string { return "<!-- " + part + " -->\n" }

// part returns the text of a part, up to the next marker, without surrounding blank lines.
func (t Template) part(name string) string {
	_, rest, _ := strings.Cut(t.Text, marker(name))
	text, _, _ := strings.Cut(rest, "<!-- ")
	return strings.Trim(text, "\n")
}

// Prompt returns the role's instructions and the ground rules, which are the same in every session.
func (t Template) Prompt() string {
	own, _, _ := strings.Cut(t.Text, "<!-- ")
	return strings.Trim(own, "\n") + "\n\n" + t.part(partGround)
}

// Example returns a sample reply from another session.
func (t Template) Example() string { return t.part(partExample) + "\n" }

// Outputs returns the task of a round, the reader's rights, and the rules for the result.
func (t Template) Outputs(round int, r Rights) string {
	ask := t.part(partFirst)
	if round > 1 {
		ask = t.part(partLater)
	}
	return strings.NewReplacer(
		"{{scopes}}", r.table(),
		"{{rules}}", r.rules(),
		"{{own scopes}}", r.ownTable(),
		"{{errors}}", r.errors(),
		"{{types}}", code(r.Creates),
	).Replace(ask + "\n\n" + t.part(partOutputs))
}

// ExampleHeading is above the example, the last part of a short format.
const ExampleHeading = "### Example"

// Format returns the instructions for writing a reply. A longer fence around the example keeps
// readers of the message from executing it.
func (t Template) Format(r Rights) string {
	fence := strings.Repeat("`", longestRun(t.Example(), '`')+1)
	return strings.NewReplacer(
		"{{reference}}", `{"session": "RS-…", "item": "H1", "relation": "extends"}`,
		"{{relations}}", code(artifact.Relations()),
		"{{fields}}", r.fields(),
		"{{short fields}}", r.shortFields(),
		"{{types}}", code(r.Creates),
		"{{setting}}", strings.ReplaceAll(t.part(partSetting), "\n", " "),
		"{{example}}", fence+"markdown\n"+t.Example()+fence,
	).Replace(t.part(partFormat))
}

func longestRun(text string, c byte) int {
	longest, n := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != c {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

func code(words []string) string {
	return "`" + strings.Join(words, "`, `") + "`"
}
