package config

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/govern/policy"
	"brenner/merge"
	"brenner/playbook"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/view"
)

// kind says what a key holds, and with which Go type.
type kind int

const (
	aText     kind = iota // string
	aWord                 // string, one of the key's words
	aNumber               // int, not negative
	aSwitch               // bool
	aQuorum               // string, one of the key's words or a number from 1
	anAddress             // string, of an endpoint, or empty
	aServer               // string, as anAddress in files; who uses it judges a variable
	aVariable             // string, the name of a variable
	aDollar               // string, a decimal number of dollars, or empty
	aDecimal              // float64, from 0 to 1000
	aTime                 // string, a duration as time.ParseDuration has it, not negative
	texts                 // []string, each one of the key's words where it has any
	models                // []Model
	programs              // []Program
	roles                 // []Role
	presets               // []roster.Preset
	entries               // []roster.Entry
)

// key is one row of the table of everything that can be configured.
type key struct {
	path    string // "roster.defaultPreset"
	kind    kind
	words   []string // what a word or the elements of a list may be
	builtIn any      // of the kind's type
}

// table is the list of all keys.
type table []key

// keyTable gives every key there is. Role and section names are keys here and
// may be, because all of them are in lower case: viper knows no other. Names
// that people choose (agents, models, presets) stand in lists, as values.
func keyTable() table {
	rules := playbook.DefaultRules()
	t := table{
		{path: "question", kind: aText, builtIn: ""},
		{path: "context", kind: aText, builtIn: ""},
		{path: "via", kind: aWord, words: Vias(), builtIn: ""},
		{path: "operator", kind: aText, builtIn: "operator"},
		{path: "agents.base_url", kind: anAddress, builtIn: ""},
		{path: "agents.models", kind: models, builtIn: []Model{}},
		{path: "agents.programs", kind: programs, builtIn: []Program{}},
		{path: "mail.base_url", kind: aServer, builtIn: "http://127.0.0.1:8765"},
		{path: "mail.path", kind: aText, builtIn: "/mcp/"},
		{path: "mail.token_env", kind: aVariable, builtIn: mailVariables + "BEARER_TOKEN"},
		{path: "roster.preset", kind: aText, builtIn: ""},
		{path: "roster.defaultPreset", kind: aText, builtIn: "default-3-agent"},
		{path: "roster.presets", kind: presets, builtIn: roster.BuiltIn()},
		{path: "roster.mode", kind: aText, builtIn: string(roster.RoleSeparated)},
		{path: "roster.name", kind: aText, builtIn: ""},
		{path: "roster.entries", kind: entries, builtIn: []roster.Entry{}},
		{path: "priority", kind: texts, builtIn: []string{}},
		{path: "authorities", kind: texts, builtIn: []string{}},
		{path: "session.rounds", kind: aNumber, builtIn: 3},
		{path: "session.flow", kind: aWord, words: []string{flow.FlowParallel, flow.FlowStaged}, builtIn: flow.FlowParallel},
		{path: "session.quorum", kind: aQuorum, words: []string{flow.QuorumRole, flow.QuorumAll}, builtIn: flow.QuorumRole},
		{path: "session.repair", kind: aSwitch, builtIn: true},
		{path: "session.arbiter", kind: aText, builtIn: ""},
		{path: "session.context_tokens", kind: aNumber, builtIn: view.DefaultCallTokens},
		{path: "stop.quiet_rounds", kind: aNumber, builtIn: 2},
		{path: "stop.when_clean", kind: aSwitch, builtIn: false},
		{path: "budget.tokens", kind: aNumber, builtIn: 500_000},
		{path: "budget.usd", kind: aDollar, builtIn: ""},
		{path: "budget.reply_tokens", kind: aNumber, builtIn: 8_000},
		{path: "timeouts.call", kind: aTime, builtIn: "10m"},
		{path: "timeouts.idle", kind: aTime, builtIn: "2m"},
		{path: "timeouts.agent", kind: aTime, builtIn: "30m"},
		{path: "timeouts.session", kind: aTime, builtIn: "0s"},
		{path: "retry.attempts", kind: aNumber, builtIn: 3},
		{path: "store.types", kind: texts, builtIn: []string{}},
		{path: "store.compression_after", kind: aNumber, builtIn: 10},
		{path: "store.unused_after", kind: aTime, builtIn: "720h"},
		{path: "store.unattended", kind: texts, builtIn: []string{}},
		{path: "store.people", kind: aText, builtIn: policy.Contributor},
		{path: "roles", kind: roles, builtIn: []Role{}},
		{path: "playbook.domain", kind: aText, builtIn: "general"},
		{path: "playbook.match", kind: aDecimal, builtIn: rules.Match},
		{path: "playbook.longest", kind: aNumber, builtIn: rules.Longest},
		{path: "playbook.tokens", kind: aNumber, builtIn: 800},
		{path: "playbook.staging.support", kind: aNumber, builtIn: rules.Staging.Support},
		{path: "playbook.staging.ratio", kind: aDecimal, builtIn: rules.Staging.Ratio},
		{path: "playbook.prod.support", kind: aNumber, builtIn: rules.Prod.Support},
		{path: "playbook.prod.ratio", kind: aDecimal, builtIn: rules.Prod.Ratio},
		{path: "playbook.prod.confidence", kind: aDecimal, builtIn: rules.Prod.Confidence},
		{path: "playbook.confidence.agent", kind: aDecimal, builtIn: rules.AgentConfidence},
		{path: "playbook.confidence.per_session", kind: aDecimal, builtIn: rules.PerSession},
		{path: "playbook.staging_share", kind: aDecimal, builtIn: rules.StagingShare},
		{path: "playbook.guardrail.success", kind: aDecimal, builtIn: rules.Guardrail.Success},
		{path: "playbook.guardrail.latency", kind: aDecimal, builtIn: rules.Guardrail.Latency},
		{path: "playbook.guardrail.errors", kind: aDecimal, builtIn: rules.Guardrail.Errors},
		{path: "playbook.guardrail.window", kind: aNumber, builtIn: rules.Guardrail.Window},
		{path: "playbook.embedding.model", kind: aText, builtIn: ""},
		{path: "playbook.embedding.base_url", kind: anAddress, builtIn: ""},
		{path: "playbook.embedding.key_env", kind: aText, builtIn: ""},
		{path: "report.mail", kind: aSwitch, builtIn: false},
		{path: "report.webhook", kind: anAddress, builtIn: ""},
		{path: "scopes.mode", kind: aWord, words: []string{scopesDefault, scopesStrict}, builtIn: scopesDefault},
	}
	scopes := merge.DefaultScopes()
	for _, g := range scopes.Grants {
		at := "scopes.roles." + g.Role + "."
		t = append(t,
			key{path: at + "write", kind: texts, words: sectionIDs(artifact.Sections()), builtIn: sectionIDs(g.Write)},
			key{path: at + "add", kind: texts, words: sectionIDs(artifact.Sections()), builtIn: sectionIDs(g.Add)},
			key{path: at + "kill_anywhere", kind: aSwitch, builtIn: g.KillAnywhere},
		)
	}
	for _, s := range limited() {
		t = append(t,
			key{path: "limits." + s.String() + ".min", kind: aNumber, builtIn: s.Spec().Min},
			key{path: "limits." + s.String() + ".max", kind: aNumber, builtIn: s.Spec().Max},
		)
	}
	return t
}

// What scopes.mode may be.
const (
	scopesDefault = "default"
	scopesStrict  = "strict"
)

// limited gives the sections whose number of items can be configured: all but
// the research thread, of which there is always one.
func limited() []artifact.Section {
	return slices.DeleteFunc(artifact.Sections(), func(s artifact.Section) bool { return s == artifact.ResearchThread })
}

func sectionIDs(sections []artifact.Section) []string {
	ids := make([]string, len(sections))
	for i, s := range sections {
		ids[i] = s.String()
	}
	return ids
}

// find gives the row of a key.
func (t table) find(path string) (key, bool) {
	i := slices.IndexFunc(t, func(k key) bool { return k.path == path })
	if i < 0 {
		return key{}, false
	}
	return t[i], true
}

// below gives the names that may stand directly below a path ("" is the top);
// none where the path holds a value, or nothing.
func (t table) below(path string) []string {
	prefix := path + "."
	if path == "" {
		prefix = ""
	}
	var names []string
	for _, k := range t {
		rest, ok := strings.CutPrefix(k.path, prefix)
		name, _, _ := strings.Cut(rest, ".")
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// variable gives the environment's name for the key, or "". The roster's are
// those that package roster listens to, and the mail server's those that every
// program that speaks to such a server does.
func (k key) variable() string {
	switch k.path {
	case "mail.base_url":
		return mailVariables + "BASE_URL"
	case "mail.path":
		return mailVariables + "PATH"
	case "roster.mode":
		return roster.EnvMode
	case "roster.name":
		return roster.EnvName
	case "roster.preset":
		return roster.EnvPreset
	case "roster.defaultPreset":
		return "" // BRENNER_ROSTER_PRESET is stronger and says the same
	}
	switch k.kind {
	case models, programs, roles, presets, entries:
		return ""
	default:
		return envPrefix + strings.ToUpper(strings.ReplaceAll(k.path, ".", "_"))
	}
}
