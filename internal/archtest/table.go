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
		{Path: "internal/fault", Kind: Pure},
		{Path: "internal/text", Kind: Pure},
		{Path: "internal/secret", Kind: Pure},
		{Path: "internal/yaml", Kind: Pure, Needs: "internal/fault internal/text", Outside: yaml},
		{Path: "internal/baseurl", Kind: Shell},
		{Path: "internal/files", Kind: Shell},
		{Path: "artifact", Kind: Pure, Needs: "internal/fault internal/yaml", Outside: jsontext + " " + yaml},
		{Path: "artifact/delta", Kind: Pure, Needs: "internal/fault internal/text artifact", Outside: jsontext + " " + uuid},
		{Path: "artifact/lint", Kind: Pure, Needs: "internal/fault internal/text artifact"},
		{Path: "govern/policy", Kind: Pure, Needs: "internal/fault artifact store/record"},
		{Path: "merge", Kind: Pure, Needs: "internal/fault artifact artifact/delta govern/policy"},
		{Path: "roster", Kind: Pure, Needs: "internal/fault internal/text artifact"},
		{Path: "prompts", Kind: Pure, Needs: "artifact artifact/lint govern/policy"},
		{Path: "kickoff", Kind: Pure, Needs: "internal/fault internal/text artifact artifact/delta patch govern/policy prompts roster"},

		{Path: "store/record", Kind: Pure, Needs: "internal/fault internal/text"},
		{Path: "patch", Kind: Pure, Needs: "internal/fault artifact artifact/delta", Outside: "golang.org/x/text/unicode/norm"},
		{Path: "session/view", Kind: Pure, Needs: "internal/fault artifact govern/policy store/record"},
		{Path: "merge/settle", Kind: Pure, Needs: "internal/fault artifact artifact/delta artifact/lint merge"},
		{Path: "session/stalemate", Kind: Pure, Needs: "internal/fault artifact artifact/delta merge merge/settle patch"},
		{Path: "store/journal", Kind: Pure, Needs: "internal/fault artifact", Outside: jsonv2 + " " + jsontext},
		{Path: "session/flow", Kind: Pure, Needs: "internal/fault artifact govern/policy merge session/stalemate store/journal", Outside: jsonv2 + " " + jsontext},
		{Path: "playbook/vector", Kind: Pure, Needs: "internal/fault"},
		{Path: "playbook", Kind: Pure, Needs: "internal/fault artifact store/journal", Outside: jsonv2 + " " + jsontext + " golang.org/x/text/unicode/norm"},
		{Path: "loop", Kind: Pure, Needs: "internal/fault internal/text internal/yaml artifact roster store/journal session/flow", Outside: jsonv2 + " " + jsontext + " " + yaml},
		{Path: "loop/report", Kind: Pure, Needs: "internal/fault artifact session/flow loop"},

		{Path: "config", Kind: Shell, Needs: "internal/fault internal/baseurl internal/text internal/yaml artifact govern/policy merge roster store/record session/view session/flow playbook"},
		{Path: "internal/tokens", Kind: Shell},
		{Path: "agent", Kind: Shell, Needs: "internal/fault internal/text"},
		{Path: "agent/rehearsal", Kind: Shell, Needs: "internal/fault internal/text internal/yaml roster agent"},
		{Path: "internal/modelhttp", Kind: Shell, Needs: "internal/text internal/secret"},
		{Path: "agent/openai", Kind: Shell, Needs: "internal/fault internal/baseurl internal/secret agent internal/modelhttp"},
		{Path: "agent/tape", Kind: Shell, Needs: "internal/fault internal/secret agent"},
		{Path: "agent/program/supervisor", Kind: Shell, Needs: "internal/files"},
		{Path: "agent/program", Kind: Shell, Needs: "internal/fault internal/text internal/baseurl internal/secret agent agent/program/supervisor"},
		{Path: "mail", Kind: Shell, Needs: "internal/fault internal/text internal/baseurl internal/files"},
		{Path: "mail/box", Kind: Shell, Needs: "internal/fault mail store store/sqlite"},
		{Path: "mail/server", Kind: Shell, Needs: "internal/fault internal/text internal/baseurl mail"},
		{Path: "agent/mail", Kind: Shell, Needs: "internal/fault agent mail"},
		{Path: "internal/trust", Kind: Shell, Needs: "internal/fault internal/files"},
		{Path: "store", Kind: Shell, Needs: "internal/fault store/record store/journal"},
		{Path: "store/memory", Kind: Shell, Needs: "internal/fault store/record store/journal store"},
		{Path: "store/sqlite", Kind: Shell, Needs: "internal/fault internal/files store/record store/journal store artifact"},
		{Path: "govern", Kind: Shell, Needs: "internal/fault internal/text artifact govern/policy store/record patch session/view session/stalemate store/journal agent store"},
		{Path: "playbook/embedding", Kind: Shell, Needs: "internal/fault playbook/vector"},
		{Path: "playbook/embedding/uselite", Kind: Shell, Needs: "internal/fault playbook/vector playbook/embedding"},
		{Path: "playbook/embedding/endpoint", Kind: Shell, Needs: "internal/fault internal/baseurl playbook/vector playbook/embedding internal/modelhttp"},
		{Path: "playbook/keeper", Kind: Shell, Needs: "internal/fault store/journal store playbook/vector playbook/embedding playbook"},
		{Path: "session", Kind: Shell, Needs: "internal/fault internal/text artifact artifact/delta artifact/lint govern/policy merge roster kickoff store/record session/view merge/settle session/stalemate store/journal session/flow agent store playbook"},
		{Path: "session/memory", Kind: Shell, Needs: "kickoff playbook playbook/keeper playbook/vector session"},
		{Path: "loop/runner", Kind: Shell, Needs: "internal/fault internal/text artifact session/stalemate store/journal session/flow store session loop loop/report"},
		{Path: "project/schemas", Kind: Shell, Needs: "artifact"},
		{
			Path: "cmd/brenner/cli", Kind: Shell,
			Needs: "internal/fault internal/text internal/baseurl internal/files artifact artifact/delta artifact/lint govern/policy merge roster prompts kickoff store/record patch session/view merge/settle session/stalemate store/journal session/flow " +
				"config internal/tokens internal/trust agent agent/rehearsal agent/openai agent/mail agent/tape agent/program mail mail/box mail/server store store/memory store/sqlite govern session session/memory loop loop/report loop/runner project/schemas " +
				"playbook/vector playbook/embedding playbook/embedding/uselite playbook/embedding/endpoint playbook playbook/keeper",
		},
		{Path: "cmd/brenner", Kind: Shell, Needs: "cmd/brenner/cli"},

		{Path: "artifact/artifacttest", Kind: Support, Needs: "artifact"},
		{Path: "agent/agenttest", Kind: Support, Needs: "agent"},
		{Path: "agent/openai/openaitest", Kind: Support},
		{Path: "agent/program/programtest", Kind: Support, Needs: "agent/agenttest"},
		{Path: "mail/boxtest", Kind: Support, Needs: "internal/fault mail"},
		{Path: "mail/mailtest", Kind: Support, Needs: "mail mail/box mail/server"},
		{Path: "playbook/embedding/embeddingtest", Kind: Support, Needs: "internal/fault playbook/vector playbook/embedding"},
		{Path: "store/journal/journaltest", Kind: Support},
		{Path: "store/storetest", Kind: Support, Needs: "internal/fault store/record store/journal store"},
		{Path: "internal/archtest", Kind: Support},
	}
}
