package prompts

import (
	"crypto/sha256"
	_ "embed" // the templates are files
	"encoding/hex"
	"strconv"
	"strings"
)

// The templates, as they are in the binary.
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
	//go:embed versions.txt
	versions string
)

// UnifiedName is the name of the template for sessions without roles.
const UnifiedName = "unified"

// shortHash is how many digits of a hash are shown: enough that nobody finds
// another text for it by chance.
const shortHash = 16

// Template is what an agent is told, before anything about a session is known.
type Template struct {
	Name    string // the role, or UnifiedName
	Version int
	Text    string // the whole of it: what Hash is about
}

// All gives the templates: those of the roles in the specification's order, then
// the unified one.
func All() []Template {
	return []Template{
		{Name: "hypothesis_generator", Version: 1, Text: hypothesisGenerator + common},
		{Name: "test_designer", Version: 1, Text: testDesigner + common},
		{Name: "adversarial_critic", Version: 1, Text: adversarialCritic + common},
		{Name: UnifiedName, Version: 1, Text: unified + common},
	}
}

// For gives the template of a role.
func For(role string) (Template, bool) {
	for _, t := range All() {
		if t.Name == role && role != UnifiedName {
			return t, true
		}
	}
	return Template{}, false
}

// Unified gives the template for sessions without roles.
func Unified() Template {
	all := All()
	return all[len(all)-1]
}

// ID names the template and its version: "test_designer/1".
func (t Template) ID() string { return t.Name + "/" + strconv.Itoa(t.Version) }

// Hash is the SHA-256 of the template's text, in hexadecimal digits.
func (t Template) Hash() string {
	sum := sha256.Sum256([]byte(t.Text))
	return hex.EncodeToString(sum[:])
}

// Short gives the digits of a hash that are shown to people.
func Short(hash string) string { return hash[:min(len(hash), shortHash)] }

// HashOf gives the hash of any version there ever was, by its ID: also of those
// whose text is no longer in the program.
func HashOf(id string) (string, bool) {
	for line := range strings.Lines(versions) {
		known, hash, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && known == id {
			return hash, true
		}
	}
	return "", false
}
