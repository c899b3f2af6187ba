package archtest

import (
	"slices"
	"strings"
)

// Kind is the set of rules that a package follows.
type Kind int

// The kinds of packages.
const (
	// Shell packages do I/O.
	Shell Kind = iota
	// Pure packages take values and return values: no clock, no goroutine, no
	// I/O, no logging, no order of a map in a result.
	Pure
	// Support packages serve tests; no package outside a test imports them.
	Support
)

// Row is the kind of a package and what it may import.
type Row struct {
	Path string // below the module; "" is the module's root
	Kind Kind
	// Needs are the packages of this module that it may import.
	Needs string
	// Outside are the packages of other modules that a pure package may import.
	// Shell and support packages may import any.
	Outside string
	// Standard are the impure packages of the standard library that a pure package may import, because it
	// returns the same values with them.
	Standard string
}

// Table is the architecture. A package of the tree without a row is a finding,
// and so is a row without a package. The rows of a room are adjacent, and a room comes after
// every room that it imports: no import leads upward, and rooms have no cycle.
type Table []Row

func (t Table) row(path string) (Row, bool) {
	for _, r := range t {
		if r.Path == path {
			return r, true
		}
	}
	return Row{}, false
}

// room returns the top-level directory of a package.
func room(path string) string {
	top, _, _ := strings.Cut(path, "/")
	return top
}

// rooms returns the rooms in the order of the table.
func (t Table) rooms() []string {
	var all []string
	for _, r := range t {
		if name := room(r.Path); len(all) == 0 || all[len(all)-1] != name {
			all = append(all, name)
		}
	}
	return all
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

// PureList lists the packages in which nothing runs concurrently, one import path per line: the pure ones, except
// those that use package sync.
func PureList(t Table) string {
	var b strings.Builder
	for _, r := range t {
		if r.Kind == Pure && !slices.ContainsFunc(strings.Fields(r.Standard), func(p string) bool { return isBelow(p, impure) }) {
			b.WriteString("./" + r.Path + "\n")
		}
	}
	return b.String()
}

// brenner is the layout of this module: the rooms from the ground floor up, each
// with its packages. docs/architecture.md shows it as a picture.
func brenner() Table {
	const jsontext = "github.com/go-json-experiment/json/jsontext"
	const jsonv2 = "github.com/go-json-experiment/json"
	const uuid = "github.com/google/uuid"
	const yaml = "go.yaml.in/yaml/v3"
	return Table{
		{Path: "internal/baseurl", Kind: Shell, Needs: "internal/secret"},
		{Path: "internal/fault", Kind: Pure},
		{Path: "internal/lazy", Kind: Pure, Standard: "sync"},
		{Path: "internal/markdown", Kind: Pure, Needs: "internal/pattern"},
		{Path: "internal/pattern", Kind: Pure, Standard: "sync sync/atomic"},
		{Path: "internal/remark", Kind: Pure, Needs: "internal/lazy internal/pattern"},
		{Path: "internal/revisit", Kind: Pure, Needs: "internal/markdown internal/pattern"},
		{Path: "internal/secret", Kind: Pure},
		{Path: "internal/text", Kind: Pure},
		{Path: "internal/tokens", Kind: Shell},
		{Path: "internal/webgate", Kind: Shell, Needs: "internal/baseurl"},
		{Path: "internal/files", Kind: Shell, Needs: "internal/fault"},
		{Path: "internal/modelhttp", Kind: Shell, Needs: "internal/secret internal/text"},
		{Path: "internal/yaml", Kind: Pure, Needs: "internal/fault internal/text", Outside: yaml},
		{Path: "internal/trust", Kind: Shell, Needs: "internal/fault internal/files"},
		{Path: "internal/archtest", Kind: Support},

		{Path: "artifact", Kind: Pure, Needs: "internal/fault internal/markdown internal/text internal/yaml", Outside: jsontext},
		{Path: "artifact/delta/nearjson", Kind: Pure, Needs: "internal/markdown internal/pattern artifact", Outside: jsontext},
		{Path: "artifact/delta/recordform", Kind: Pure, Needs: "internal/pattern artifact"},
		{Path: "artifact/delta/schemaform", Kind: Pure, Needs: "internal/markdown internal/pattern", Outside: jsontext},
		{Path: "artifact/delta/synonyms", Kind: Pure, Needs: "artifact"},
		{Path: "artifact/delta/fieldform", Kind: Pure, Needs: "internal/text artifact artifact/delta/synonyms"},
		{Path: "artifact/delta/itemform", Kind: Pure, Needs: "internal/lazy internal/pattern internal/remark artifact artifact/delta/synonyms"},
		{Path: "artifact/delta", Kind: Pure, Needs: "internal/fault internal/markdown internal/pattern internal/remark internal/revisit internal/text artifact artifact/delta/fieldform artifact/delta/itemform artifact/delta/nearjson artifact/delta/recordform artifact/delta/schemaform artifact/delta/synonyms", Outside: jsontext + " " + uuid},
		{Path: "artifact/lint", Kind: Pure, Needs: "internal/text artifact"},
		{Path: "artifact/artifacttest", Kind: Support, Needs: "artifact"},

		{Path: "roster", Kind: Pure, Needs: "internal/fault internal/markdown internal/text artifact"},

		{Path: "merge", Kind: Pure, Needs: "internal/fault internal/text artifact artifact/delta artifact/delta/fieldform roster"},
		{Path: "merge/settle", Kind: Pure, Needs: "internal/fault internal/markdown internal/remark internal/revisit internal/text artifact artifact/delta artifact/lint roster merge"},

		{Path: "prompts", Kind: Pure, Needs: "artifact artifact/lint merge"},

		{Path: "patch", Kind: Pure, Needs: "internal/fault internal/markdown internal/pattern internal/remark internal/text artifact artifact/delta artifact/delta/nearjson", Outside: jsonv2 + " " + jsontext + " golang.org/x/text/unicode/norm"},
		{Path: "patch/files", Kind: Shell, Needs: "internal/fault internal/files artifact artifact/delta patch"},

		{Path: "kickoff", Kind: Pure, Needs: "internal/fault internal/markdown internal/text artifact artifact/delta roster merge merge/settle prompts patch"},

		{Path: "store/journal", Kind: Pure, Needs: "internal/fault artifact", Outside: jsonv2 + " " + jsontext},
		{Path: "store/record", Kind: Pure, Needs: "internal/fault internal/text"},
		{Path: "store", Kind: Shell, Needs: "internal/fault store/journal store/record"},
		{Path: "store/memory", Kind: Shell, Needs: "internal/fault store store/journal store/record"},
		{Path: "store/sqlite", Kind: Shell, Needs: "internal/fault internal/files internal/text artifact store store/journal store/record"},
		{Path: "store/lease", Kind: Shell, Needs: "internal/fault store"},
		{Path: "store/postgres", Kind: Shell, Needs: "internal/fault internal/text artifact store store/journal store/lease store/record"},
		{Path: "store/journal/journaltest", Kind: Support},
		{Path: "store/postgres/postgrestest", Kind: Support},
		{Path: "store/opentest", Kind: Support, Needs: "store store/memory store/postgres store/postgres/postgrestest store/sqlite"},
		{Path: "store/storetest", Kind: Support, Needs: "internal/fault store store/journal store/record"},

		{Path: "playbook", Kind: Pure, Needs: "internal/fault internal/lazy artifact store/journal", Outside: jsonv2 + " " + jsontext + " golang.org/x/text/unicode/norm"},
		{Path: "playbook/vector", Kind: Pure, Needs: "internal/fault"},
		{Path: "playbook/embedding", Kind: Shell, Needs: "internal/fault playbook/vector"},
		{Path: "playbook/embedding/endpoint", Kind: Shell, Needs: "internal/baseurl internal/fault internal/modelhttp playbook/embedding playbook/vector"},
		{Path: "playbook/embedding/uselite", Kind: Shell, Needs: "internal/fault internal/text playbook/embedding playbook/vector"},
		{Path: "playbook/keeper", Kind: Shell, Needs: "internal/fault store store/journal playbook playbook/embedding playbook/vector"},
		{Path: "playbook/embedding/embeddingtest", Kind: Support, Needs: "internal/fault playbook/embedding playbook/vector"},

		{Path: "mail", Kind: Shell, Needs: "internal/baseurl internal/fault internal/files internal/pattern internal/secret internal/text"},
		{Path: "mail/box", Kind: Shell, Needs: "internal/fault store store/sqlite mail"},
		{Path: "mail/server", Kind: Shell, Needs: "internal/baseurl internal/fault internal/text internal/webgate mail"},
		{Path: "mail/access", Kind: Shell, Needs: "internal/fault internal/files internal/trust mail/box mail/server"},
		{Path: "mail/clients", Kind: Shell},
		{Path: "mail/boxtest", Kind: Support, Needs: "internal/fault mail"},
		{Path: "mail/mailtest", Kind: Support, Needs: "mail mail/box mail/server"},

		{Path: "agent", Kind: Shell, Needs: "internal/fault internal/text roster"},
		{Path: "agent/program/supervisor", Kind: Shell, Needs: "internal/files internal/secret"},
		{Path: "agent/mail", Kind: Shell, Needs: "internal/baseurl internal/fault internal/pattern roster mail agent"},
		{Path: "agent/openai", Kind: Shell, Needs: "internal/baseurl internal/fault internal/modelhttp internal/secret internal/text agent"},
		{Path: "agent/program", Kind: Shell, Needs: "internal/baseurl internal/fault internal/secret internal/text internal/yaml agent agent/program/supervisor"},
		{Path: "agent/rehearsal", Kind: Shell, Needs: "internal/fault internal/text internal/yaml roster agent"},
		{Path: "agent/tape", Kind: Shell, Needs: "internal/fault internal/secret internal/text agent"},
		{Path: "agent/openai/openaitest", Kind: Support},
		{Path: "agent/agenttest", Kind: Support, Needs: "roster agent"},
		{Path: "agent/program/programtest", Kind: Support, Needs: "agent/agenttest"},

		{Path: "session/stalemate", Kind: Pure, Needs: "internal/fault internal/markdown internal/text artifact artifact/delta artifact/lint merge merge/settle patch"},
		{Path: "session/view", Kind: Pure, Needs: "internal/fault internal/text artifact"},
		{Path: "session/flow", Kind: Pure, Needs: "internal/fault artifact artifact/delta roster merge store/journal session/stalemate", Outside: jsonv2 + " " + jsontext},
		{Path: "session/letters", Kind: Shell, Needs: "internal/fault artifact artifact/delta merge merge/settle store session/flow"},
		{
			Path: "session", Kind: Shell,
			Needs: "internal/fault internal/text artifact artifact/delta artifact/lint roster merge merge/settle patch kickoff " +
				"store store/journal store/record playbook agent session/flow session/letters session/stalemate session/view",
		},
		{Path: "session/offline", Kind: Pure, Needs: "artifact", Outside: jsonv2},
		{
			Path: "session/audit", Kind: Shell,
			Needs: "internal/fault internal/pattern internal/text artifact artifact/delta merge merge/settle kickoff store store/journal store/record mail " +
				"session session/flow session/letters session/offline session/stalemate session/view",
		},
		{Path: "session/memory", Kind: Shell, Needs: "internal/text kickoff store playbook playbook/keeper playbook/vector session session/flow"},
		{Path: "session/preflight", Kind: Shell, Needs: "internal/fault artifact/delta roster merge kickoff agent session session/flow session/view"},

		{Path: "loop", Kind: Pure, Needs: "internal/fault internal/text internal/yaml artifact roster store/journal session/flow", Outside: jsonv2 + " " + jsontext},
		{Path: "loop/report", Kind: Pure, Needs: "internal/fault internal/pattern internal/text artifact session/flow loop"},
		{
			Path: "loop/runner", Kind: Shell,
			Needs: "internal/fault internal/text artifact roster store store/journal store/record session session/audit session/flow session/stalemate " +
				"loop loop/report",
		},
		{Path: "loop/runner/looptest", Kind: Support, Needs: "agent agent/rehearsal artifact loop loop/runner merge roster session session/flow session/view store"},
		{Path: "loop/runner/placetest", Kind: Support, Needs: "internal/fault agent agent/rehearsal loop loop/runner loop/runner/looptest session store store/journal store/memory"},
		{Path: "loop/simulation", Kind: Support},

		{Path: "govern/policy", Kind: Pure, Needs: "internal/fault store/record"},
		{Path: "govern/brief", Kind: Pure, Needs: "internal/fault internal/markdown internal/text store/record"},
		{Path: "govern/contexts", Kind: Pure, Needs: "internal/fault internal/text artifact patch store/record session/view govern/brief govern/policy"},
		{Path: "govern/blocks", Kind: Pure, Needs: "internal/fault artifact/delta patch store/record"},
		{Path: "govern/claim", Kind: Pure, Needs: "internal/lazy internal/pattern artifact"},
		{Path: "govern/critique", Kind: Pure, Needs: "internal/markdown internal/pattern internal/remark internal/text artifact artifact/delta"},
		{Path: "govern/inset", Kind: Pure, Needs: "internal/markdown"},
		{Path: "govern/digest", Kind: Pure, Needs: "internal/text artifact store/record govern/brief govern/inset"},
		{Path: "govern/memo", Kind: Pure, Needs: "internal/text store/record"},
		{Path: "govern/lineage", Kind: Pure, Needs: "internal/text store/record"},
		{Path: "govern/finding", Kind: Pure, Needs: "store/record"},
		{Path: "govern/ledger", Kind: Shell, Needs: "internal/fault artifact store store/journal store/record"},
		{Path: "govern/graph", Kind: Shell, Needs: "internal/fault store store/record govern/policy"},
		{
			Path: "govern", Kind: Shell,
			Needs: "internal/fault internal/markdown internal/text artifact artifact/delta patch store store/journal store/record agent " +
				"session/stalemate session/view govern/blocks govern/brief govern/claim govern/contexts govern/critique govern/digest govern/finding govern/graph govern/ledger govern/lineage govern/memo govern/policy",
		},
		{
			Path: "govern/shown", Kind: Shell,
			Needs: "internal/fault artifact/delta merge/settle patch store store/journal store/record session session/audit session/flow session/view govern govern/brief govern/contexts govern/policy",
		},

		{
			Path: "config", Kind: Shell,
			Needs: "internal/baseurl internal/fault internal/files internal/pattern internal/text internal/yaml artifact roster merge " +
				"store/record playbook session/flow session/view govern/contexts govern/policy",
		},

		{Path: "project/schemas", Kind: Shell, Needs: "artifact"},
		{Path: "project/storage", Kind: Shell, Needs: "internal/baseurl internal/fault internal/files session store store/journal store/memory store/postgres store/sqlite"},
		{Path: "project/slots", Kind: Shell, Needs: "internal/baseurl internal/fault store agent"},
		{Path: "project/publish", Kind: Shell, Needs: "internal/fault internal/files artifact session loop loop/report store"},
		{
			Path: "project", Kind: Shell,
			Needs: "internal/baseurl internal/fault internal/files internal/modelhttp internal/text internal/tokens internal/trust artifact " +
				"artifact/delta artifact/lint roster merge merge/settle prompts patch patch/files kickoff store " +
				"store/journal store/memory store/record playbook playbook/embedding " +
				"playbook/embedding/endpoint playbook/embedding/uselite playbook/keeper playbook/vector mail mail/access mail/box " +
				"mail/clients mail/server agent agent/mail agent/openai agent/program agent/rehearsal agent/tape session " +
				"session/audit session/flow session/letters session/memory session/preflight session/stalemate session/view loop loop/report " +
				"loop/runner govern govern/graph govern/policy govern/shown config project/publish project/slots project/storage",
		},
		{
			Path: "project/doctor", Kind: Shell,
			Needs: "internal/baseurl internal/fault internal/files internal/text roster kickoff store mail mail/clients agent/openai " +
				"agent/program session session/audit session/flow session/preflight config project project/slots project/storage",
		},
		{Path: "project/launch", Kind: Shell, Needs: "internal/fault internal/text roster kickoff store session config project"},
		{Path: "project/patched", Kind: Shell, Needs: "internal/fault patch patch/files store govern project"},
		{Path: "project/review", Kind: Shell, Needs: "internal/fault artifact store store/record playbook/keeper session session/audit loop/runner govern/ledger project"},
		{Path: "project/post", Kind: Shell, Needs: "internal/fault internal/files internal/text mail agent/mail project"},
		{
			Path: "project/lessons", Kind: Shell,
			Needs: "internal/fault internal/text store/record playbook playbook/keeper store session session/memory govern config project",
		},
		{
			Path: "project/tryout", Kind: Shell,
			Needs: "internal/baseurl internal/fault internal/files internal/text artifact/delta roster merge merge/settle prompts kickoff " +
				"store/memory agent agent/openai session session/audit session/flow session/preflight config project",
		},

		{
			Path: "web", Kind: Shell,
			Needs: "internal/baseurl internal/fault internal/text internal/trust internal/webgate artifact kickoff store store/record session session/audit session/flow " +
				"session/stalemate loop loop/report loop/runner govern playbook playbook/keeper project project/launch project/lessons project/review",
		},
		{Path: "web/webtest", Kind: Support, Needs: "roster kickoff agent/rehearsal config project"},

		{Path: "cmd/brenner/cli/ui", Kind: Shell, Needs: "internal/fault internal/files internal/text artifact roster store session session/audit loop/runner config project"},
		{Path: "cmd/brenner/cli/loopcmd", Kind: Shell, Needs: "internal/fault internal/text artifact store/journal session session/flow loop loop/report config project cmd/brenner/cli/sessioncmd cmd/brenner/cli/ui"},
		{Path: "cmd/brenner/cli/mailcmd", Kind: Shell, Needs: "internal/text mail mail/clients mail/server config project project/post cmd/brenner/cli/ui"},
		{
			Path: "cmd/brenner/cli/mergecmd", Kind: Shell,
			Needs: "internal/fault internal/text artifact artifact/delta artifact/lint merge merge/settle session session/audit config project " +
				"cmd/brenner/cli/ui",
		},
		{Path: "cmd/brenner/cli/playbookcmd", Kind: Shell, Needs: "internal/fault internal/files internal/text artifact playbook playbook/keeper session/memory project/lessons cmd/brenner/cli/ui"},
		{
			Path: "cmd/brenner/cli/storecmd", Kind: Shell,
			Needs: "internal/fault internal/files internal/text store/record govern govern/brief govern/finding govern/policy config project " +
				"project/storage cmd/brenner/cli/ui",
		},
		{
			Path: "cmd/brenner/cli/patchcmd", Kind: Shell,
			Needs: "internal/fault internal/files internal/text patch patch/files project project/patched cmd/brenner/cli/storecmd " +
				"cmd/brenner/cli/ui",
		},
		{
			Path: "cmd/brenner/cli/sessioncmd", Kind: Shell,
			Needs: "internal/fault internal/files internal/text artifact artifact/delta artifact/lint roster " +
				"merge/settle kickoff store store/journal mail agent/rehearsal session session/audit session/flow session/letters " +
				"config project project/doctor project/review project/tryout cmd/brenner/cli/mailcmd cmd/brenner/cli/mergecmd cmd/brenner/cli/ui",
		},
		{Path: "cmd/brenner/cli/servecmd", Kind: Shell, Needs: "web cmd/brenner/cli/ui"},
		{
			Path: "cmd/brenner/cli/verifycmd", Kind: Shell,
			Needs: "internal/fault internal/text artifact/lint govern session project project/review cmd/brenner/cli/playbookcmd " +
				"cmd/brenner/cli/ui",
		},
		{Path: "cmd/brenner/cli/setupcmd", Kind: Shell, Needs: "internal/text artifact config project project/doctor project/schemas cmd/brenner/cli/sessioncmd cmd/brenner/cli/ui"},
		{
			Path: "cmd/brenner/cli/stalematecmd", Kind: Shell,
			Needs: "internal/fault internal/text session session/audit session/stalemate govern project project/patched " +
				"cmd/brenner/cli/sessioncmd cmd/brenner/cli/storecmd cmd/brenner/cli/ui",
		},
		{
			Path: "cmd/brenner/cli", Kind: Shell,
			Needs: "internal/fault internal/text project cmd/brenner/cli/loopcmd cmd/brenner/cli/mailcmd " +
				"cmd/brenner/cli/mergecmd cmd/brenner/cli/patchcmd cmd/brenner/cli/playbookcmd " +
				"cmd/brenner/cli/servecmd cmd/brenner/cli/sessioncmd cmd/brenner/cli/setupcmd cmd/brenner/cli/stalematecmd " +
				"cmd/brenner/cli/storecmd cmd/brenner/cli/ui cmd/brenner/cli/verifycmd",
		},
		{Path: "cmd/brenner", Kind: Shell, Needs: "project cmd/brenner/cli cmd/brenner/cli/ui"},
	}
}
