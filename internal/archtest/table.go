package archtest

import "strings"

// Kind says which promises a package makes.
type Kind int

// The kinds of packages.
const (
	// Shell packages talk to the world.
	Shell Kind = iota
	// Pure packages take values and return values: no clock, no goroutine, no
	// I/O, no logging, no order of a map in a result.
	Pure
	// Support packages serve tests; no package outside a test imports them.
	Support
)

// Row is what one package is and what it may know.
type Row struct {
	Path string // below the module; "" is the module's root
	Kind Kind
	// Needs are the packages of this module that it may import.
	Needs string
	// Outside are the packages of other modules that a pure package may import.
	// Shell and support packages are free in this.
	Outside string
}

// Table is the architecture. A package of the tree without a row is a finding,
// and so is a row without a package.
type Table []Row

func (t Table) row(path string) (Row, bool) {
	for _, r := range t {
		if r.Path == path {
			return r, true
		}
	}
	return Row{}, false
}

func (r Row) may(need string) bool { return contains(r.Needs, need) }

func (r Row) mayOutside(path string) bool { return contains(r.Outside, path) }

func contains(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

// brenner is the table of this module; docs/architecture.md shows it as a
// picture. Needs are what the design allows, not only what is used today.
func brenner() Table {
	const jsontext = "github.com/go-json-experiment/json/jsontext"
	const jsonv2 = "github.com/go-json-experiment/json"
	const uuid = "github.com/google/uuid"
	const yaml = "go.yaml.in/yaml/v3"
	return Table{
		{Path: "fault", Kind: Pure},
		{Path: "suggest", Kind: Pure},
		{Path: "clip", Kind: Pure},
		{Path: "secret", Kind: Pure},
		{Path: "shellword", Kind: Pure},
		{Path: "plainyaml", Kind: Pure, Needs: "fault suggest", Outside: yaml},
		{Path: "baseurl", Kind: Shell},
		{Path: "filelock", Kind: Shell},
		{Path: "wholefile", Kind: Shell},
		{Path: "artifact", Kind: Pure, Needs: "fault plainyaml", Outside: jsontext + " " + yaml},
		{Path: "delta", Kind: Pure, Needs: "fault clip artifact", Outside: jsontext + " " + uuid},
		{Path: "lint", Kind: Pure, Needs: "fault clip artifact"},
		{Path: "policy", Kind: Pure, Needs: "fault artifact record"},
		{Path: "merge", Kind: Pure, Needs: "fault artifact delta policy"},
		{Path: "roster", Kind: Pure, Needs: "fault suggest artifact"},
		{Path: "prompts", Kind: Pure, Needs: "artifact lint policy"},
		{Path: "kickoff", Kind: Pure, Needs: "fault clip artifact delta patch policy prompts roster"},

		{Path: "record", Kind: Pure, Needs: "fault suggest"},
		{Path: "patch", Kind: Pure, Needs: "fault artifact delta", Outside: "golang.org/x/text/unicode/norm"},
		{Path: "view", Kind: Pure, Needs: "fault artifact policy record"},
		{Path: "settle", Kind: Pure, Needs: "fault artifact delta lint merge"},
		{Path: "stalemate", Kind: Pure, Needs: "fault artifact delta merge settle patch"},
		{Path: "journal", Kind: Pure, Needs: "fault artifact", Outside: jsonv2 + " " + jsontext},
		{Path: "flow", Kind: Pure, Needs: "fault artifact policy merge stalemate journal", Outside: jsonv2 + " " + jsontext},
		{Path: "vector", Kind: Pure, Needs: "fault"},
		{Path: "playbook", Kind: Pure, Needs: "fault artifact journal", Outside: jsonv2 + " " + jsontext + " golang.org/x/text/unicode/norm"},
		{Path: "loop", Kind: Pure, Needs: "fault clip suggest plainyaml artifact roster journal flow", Outside: jsonv2 + " " + jsontext + " " + yaml},
		{Path: "loop/report", Kind: Pure, Needs: "fault artifact flow loop"},

		{Path: "config", Kind: Shell, Needs: "fault baseurl suggest plainyaml artifact policy merge roster record view flow playbook"},
		{Path: "tokens", Kind: Shell},
		{Path: "agent", Kind: Shell, Needs: "fault suggest"},
		{Path: "agent/rehearsal", Kind: Shell, Needs: "fault suggest plainyaml roster agent"},
		{Path: "modelhttp", Kind: Shell, Needs: "clip secret"},
		{Path: "agent/openai", Kind: Shell, Needs: "fault baseurl secret agent modelhttp"},
		{Path: "agent/tape", Kind: Shell, Needs: "fault secret agent"},
		{Path: "agent/program/supervisor", Kind: Shell, Needs: "filelock wholefile"},
		{Path: "agent/program", Kind: Shell, Needs: "fault clip baseurl suggest secret agent agent/program/supervisor"},
		{Path: "mail", Kind: Shell, Needs: "fault clip baseurl filelock wholefile"},
		{Path: "mail/box", Kind: Shell, Needs: "fault mail store store/sqlite"},
		{Path: "mail/server", Kind: Shell, Needs: "fault clip baseurl mail"},
		{Path: "agent/mail", Kind: Shell, Needs: "fault agent mail"},
		{Path: "trust", Kind: Shell, Needs: "fault filelock wholefile"},
		{Path: "store", Kind: Shell, Needs: "fault record journal"},
		{Path: "store/memory", Kind: Shell, Needs: "fault record journal store"},
		{Path: "store/sqlite", Kind: Shell, Needs: "fault filelock record journal store artifact"},
		{Path: "govern", Kind: Shell, Needs: "fault suggest artifact policy record patch view stalemate journal agent store"},
		{Path: "embedding", Kind: Shell, Needs: "fault vector"},
		{Path: "embedding/uselite", Kind: Shell, Needs: "fault vector embedding"},
		{Path: "embedding/endpoint", Kind: Shell, Needs: "fault baseurl vector embedding modelhttp"},
		{Path: "playbook/keeper", Kind: Shell, Needs: "fault journal store vector embedding playbook"},
		{Path: "session", Kind: Shell, Needs: "fault clip suggest shellword artifact delta lint policy merge roster kickoff record view settle stalemate journal flow agent store playbook"},
		{Path: "session/memory", Kind: Shell, Needs: "kickoff playbook playbook/keeper vector session"},
		{Path: "loop/runner", Kind: Shell, Needs: "fault clip suggest artifact stalemate journal flow store session loop loop/report"},
		{Path: "internal/schemas", Kind: Shell, Needs: "artifact"},
		{
			Path: "internal/cli", Kind: Shell,
			Needs: "fault suggest shellword baseurl filelock artifact delta lint policy merge roster prompts kickoff record patch view settle stalemate journal flow " +
				"config tokens trust agent agent/rehearsal agent/openai agent/mail agent/tape agent/program mail mail/box mail/server store store/memory store/sqlite govern session session/memory loop loop/report loop/runner internal/schemas " +
				"vector embedding embedding/uselite embedding/endpoint playbook playbook/keeper",
		},
		{Path: "cmd/brenner", Kind: Shell, Needs: "internal/cli"},

		{Path: "artifact/artifacttest", Kind: Support, Needs: "artifact"},
		{Path: "agent/agenttest", Kind: Support, Needs: "agent"},
		{Path: "agent/openai/openaitest", Kind: Support},
		{Path: "agent/program/programtest", Kind: Support, Needs: "agent/agenttest"},
		{Path: "mail/boxtest", Kind: Support, Needs: "fault mail"},
		{Path: "mail/mailtest", Kind: Support, Needs: "mail mail/box mail/server"},
		{Path: "embedding/embeddingtest", Kind: Support, Needs: "fault vector embedding"},
		{Path: "journal/journaltest", Kind: Support},
		{Path: "store/storetest", Kind: Support, Needs: "fault record journal store"},
		{Path: "internal/archtest", Kind: Support},
	}
}
