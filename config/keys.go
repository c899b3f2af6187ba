package config

import (
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/govern/policy"
	"brenner/internal/text"
	"brenner/merge"
	"brenner/playbook"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/view"
)

// key is one row of the table of configuration keys: its name in files, its form, its default and
// its setter. Reading, environment, origins and output follow from the row.
type key struct {
	path    string // "roster.defaultPreset"
	form    form
	builtIn any       // of the form's Go type
	set     func(any) // sets the effective value in the configuration
	env     string    // the variable, if not derived from the path; noVariable for none
	bound   bound     // of the effective value
	flag    RunFlag   // of commands that run sessions
}

// StoreAddress is the key of the store's database, and EnvStore its variable.
const (
	StoreAddress = "store.address"
	EnvStore     = envPrefix + "STORE"
)

// EngineAddress is the key of the engine's address.
const EngineAddress = "engine.temporal.address"

// noVariable is the env of a key that the environment cannot set.
const noVariable = "-"

// bound is a rule for the effective value of a number. A weaker layer may violate it.
type bound int

const (
	unbounded bound = iota
	positive        // from 1
	share           // at most 1
)

// RunFlag is a flag of all commands that run sessions; it sets a key.
type RunFlag struct{ Key, Name, Usage string }

// RunFlags returns the flags of all commands that run sessions.
func RunFlags() []RunFlag {
	var flags []RunFlag
	for _, k := range keyTable(&Config{}) {
		if k.flag.Name != "" {
			flags = append(flags, RunFlag{k.path, k.flag.Name, k.flag.Usage})
		}
	}
	return flags
}

// row returns a key whose value is stored in a field unchanged.
func row[T any](path string, f form, to *T, builtIn T) key {
	return key{path: path, form: f, builtIn: builtIn, set: into(to)}
}

func into[T any](to *T) func(any) {
	return func(v any) { *to, _ = v.(T) }
}

func timeRow(path string, to *time.Duration, builtIn string) key {
	set := func(v any) {
		s, _ := v.(string)
		*to, _ = time.ParseDuration(s)
	}
	return key{path: path, form: durationForm(), builtIn: builtIn, set: set}
}

// fileRow returns a key that only files can set; see rosterLayers.
func fileRow(path string, f form, env string, builtIn any) key {
	return key{path: path, form: f, env: env, builtIn: builtIn, set: func(any) {}}
}

func (k key) from(env string) key { k.env = env; return k }
func (k key) bounded(b bound) key { k.bound = b; return k }
func (k key) by(flag, usage string) key {
	k.flag = RunFlag{Name: flag, Usage: usage}
	return k
}

type table []key

// keyTable returns every key; their setters change c. Role and section names can be keys because
// they are lower case, as viper requires. Names that users choose are values in lists.
func keyTable(c *Config) table {
	s, p, rules := &c.Session, &c.Playbook, playbook.DefaultRules()
	t := table{
		row("question", textForm(), &c.Question, ""),
		row("context", textForm(), &c.Context, ""),
		row("via", word(Vias()...), &c.Via, ""),
		row("operator", textForm(), &c.Operator, "operator"),
		row("agents.base_url", addressForm(), &c.BaseURL, ""),
		row("agents.models", objects(modelList), &c.Models, []Model{}),
		// A variable could be set by what is to be restricted.
		row(allowedHosts, list{hosts: true}, &c.Endpoints.Hosts, []string{}).from(noVariable),
		row(localOnly, boolForm(), &c.Endpoints.LocalOnly, false).from(noVariable),
		row("agents.programs", objects(programList), &c.Programs, []Program{}),
		row("mail.base_url", serverForm(), &c.Mail.BaseURL, "http://127.0.0.1:8765").from(mailVariables + "BASE_URL"),
		row("mail.path", textForm(), &c.Mail.Path, "/mcp/").from(mailVariables + "PATH"),
		row("mail.token_env", variableForm(tokenHint), &c.Mail.TokenEnv, mailVariables+"BEARER_TOKEN"),
		fileRow("roster.preset", textForm(), roster.EnvPreset, ""),
		// BRENNER_ROSTER_PRESET already means the same and takes precedence.
		row("roster.defaultPreset", textForm(), &c.DefaultPreset, "default-3-agent").from(noVariable),
		row("roster.presets", objects(presetList), &c.Presets, roster.BuiltIn()),
		fileRow("roster.mode", textForm(), roster.EnvMode, string(roster.RoleSeparated)),
		fileRow("roster.name", textForm(), roster.EnvName, ""),
		fileRow("roster.entries", objects(entryList), "", []roster.Entry{}),
		row("priority", list{alone: roster.OwnOrder}, &c.Priority, []string{}),
		row("authorities", list{}, &c.Authorities, []string{}),
		row("session.rounds", intUpTo(mostRounds), &s.Rounds, 3).bounded(positive).by("rounds", "number of rounds (default: brenner.yaml, else 3)"),
		row("session.flow", word(flow.FlowParallel, flow.FlowStaged), &s.Flow, flow.FlowParallel).by("flow", "parallel, or staged: agents with nothing to work on yet wait"),
		row("session.quorum", quorum(flow.QuorumRole, flow.QuorumAll), &s.Quorum, flow.QuorumRole).by("quorum", "replies required per round: role or all; or a number"),
		row("session.repair", boolForm(), &s.Repair, true),
		row("session.arbiter", textForm(), &c.Arbiter, ""),
		row("session.hypotheses", intUpTo(flow.MaxHypotheses), &s.Hypotheses, flow.MaxHypotheses),
		row("session.context_tokens", tokenForm(), &s.Context, view.DefaultCallTokens).bounded(positive),
		row("stop.quiet_rounds", intForm(), &s.QuietAfter, 2),
		row("stop.when_clean", boolForm(), &s.WhenClean, false),
		row("budget.tokens", tokenForm(), &s.Budget, 500_000).by("budget-tokens", "token budget of the session; 0 means no limit"),
		key{path: "budget.usd", form: dollarForm(), builtIn: "", set: setDollars(&s.BudgetUSD)}.by("budget-usd", "budget of the session in dollars; every model needs a price"),
		row("budget.reply_tokens", tokenForm(), &s.Reply, 8_000),
		timeRow("timeouts.call", &c.Timeouts.Call, "10m").by("timeout", "time limit of one call, such as 10m"),
		timeRow("timeouts.idle", &c.Timeouts.Idle, "2m"),
		timeRow("timeouts.agent", &c.Timeouts.Agent, "30m"),
		timeRow("timeouts.session", &c.Timeouts.Session, "0s"),
		row("retry.attempts", intForm(), &c.Attempts, 3).bounded(positive),
		row(StoreAddress, databaseForm(), &c.StoreAddress, "").from(EnvStore),
		row("store.types", list{}, &c.Records.Types, []string{}),
		row("store.compression_after", intForm(), &c.Records.Compression, 10),
		timeRow("store.unused_after", &c.Records.Unused, "720h"),
		row("store.unattended", list{}, &c.Records.Unattended, []string{}),
		row("store.people", textForm(), &c.Records.People, policy.Contributor),
		row("roles", objects(roleList), &c.Roles, []Role{}),
		row("playbook.domain", textForm(), &p.Domain, "general"),
		row("playbook.match", decimalForm(), &p.Rules.Match, rules.Match).bounded(share),
		row("playbook.longest", intForm(), &p.Rules.Longest, rules.Longest),
		row("playbook.tokens", tokenForm(), &p.Tokens, 800),
		row("playbook.staging.support", intForm(), &p.Rules.Staging.Support, rules.Staging.Support),
		row("playbook.staging.ratio", decimalForm(), &p.Rules.Staging.Ratio, rules.Staging.Ratio),
		row("playbook.prod.support", intForm(), &p.Rules.Prod.Support, rules.Prod.Support),
		row("playbook.prod.ratio", decimalForm(), &p.Rules.Prod.Ratio, rules.Prod.Ratio),
		row("playbook.prod.confidence", decimalForm(), &p.Rules.Prod.Confidence, rules.Prod.Confidence).bounded(share),
		row("playbook.confidence.agent", decimalForm(), &p.Rules.AgentConfidence, rules.AgentConfidence).bounded(share),
		row("playbook.confidence.per_session", decimalForm(), &p.Rules.PerSession, rules.PerSession).bounded(share),
		row("playbook.staging_share", decimalForm(), &p.Rules.StagingShare, rules.StagingShare).bounded(share),
		row("playbook.guardrail.success", decimalForm(), &p.Rules.Guardrail.Success, rules.Guardrail.Success).bounded(share),
		row("playbook.guardrail.latency", decimalForm(), &p.Rules.Guardrail.Latency, rules.Guardrail.Latency),
		row("playbook.guardrail.errors", decimalForm(), &p.Rules.Guardrail.Errors, rules.Guardrail.Errors).bounded(share),
		row("playbook.guardrail.window", intForm(), &p.Rules.Guardrail.Window, rules.Guardrail.Window),
		row("playbook.embedding.model", textForm(), &p.Embedding.Model, ""),
		row("playbook.embedding.base_url", addressForm(), &p.Embedding.BaseURL, ""),
		row("playbook.embedding.key_env", textForm(), &p.Embedding.KeyEnv, ""),
		row("serve.people", objects(peopleList), &c.Serve.People, []Person{}).from(noVariable),
		row("serve.oidc.issuer", addressForm(), &c.Serve.Issuer, "").from(noVariable),
		row("serve.oidc.client_id", textForm(), &c.Serve.ClientID, "").from(noVariable),
		row("serve.oidc.secret_env", textForm(), &c.Serve.SecretEnv, "").from(noVariable),
		row(EngineAddress, engineForm(), &c.Engine.Address, ""),
		row("engine.temporal.namespace", textForm(), &c.Engine.Namespace, "default"),
		row("engine.temporal.api_key_env", optionalVariable(apiKeyHint), &c.Engine.APIKeyEnv, ""),
		row("engine.temporal.tls.enabled", boolForm(), &c.Engine.TLS, false),
		row("engine.temporal.tls.ca", textForm(), &c.Engine.CA, ""),
		row("engine.temporal.tls.cert", textForm(), &c.Engine.Cert, ""),
		row("engine.temporal.tls.key", textForm(), &c.Engine.Key, ""),
		row("engine.temporal.tls.server", textForm(), &c.Engine.Server, ""),
		row("engine.temporal.search_attributes", boolForm(), &c.Engine.Attributes, false),
		row("report.mail", boolForm(), &c.Report.Mail, false),
		row("report.webhook", addressForm(), &c.Report.Webhook, ""),
		{path: "scopes.mode", form: word(scopesDefault, scopesStrict), builtIn: scopesDefault, set: func(v any) { c.Scopes.Strict = v == scopesStrict }},
	}
	return slices.Concat(t, c.scopeKeys(), c.limitKeys())
}

// The values of scopes.mode.
const (
	scopesDefault = "default"
	scopesStrict  = "strict"
)

func (c *Config) scopeKeys() table {
	scopes := merge.DefaultScopes()
	c.Scopes.Grants = scopes.Grants
	var t table
	for i, g := range scopes.Grants {
		at, to := "scopes.roles."+g.Role+".", &c.Scopes.Grants[i]
		t = append(t,
			sectionRow(at+"write", &to.Write, g.Write),
			sectionRow(at+"add", &to.Add, g.Add),
			row(at+"kill_anywhere", boolForm(), &to.KillAnywhere, g.KillAnywhere),
		)
	}
	return t
}

func sectionRow(path string, to *[]artifact.Section, builtIn []artifact.Section) key {
	set := func(v any) {
		*to = nil
		ids, _ := v.([]string)
		for _, id := range ids {
			s, _ := artifact.ParseSection(id)
			*to = append(*to, s)
		}
	}
	return key{path: path, form: list{words: sectionIDs(artifact.Sections())}, builtIn: sectionIDs(builtIn), set: set}
}

func (c *Config) limitKeys() table {
	c.Limits = make(map[artifact.Section]merge.Limit)
	var t table
	for _, s := range limitedSections() {
		at := "limits." + s.String()
		set := func(change func(*merge.Limit, int)) func(any) {
			return func(v any) {
				l := c.Limits[s]
				n, _ := v.(int)
				change(&l, n)
				c.Limits[s] = l
			}
		}
		t = append(t,
			key{path: at + ".min", form: intForm(), builtIn: s.Spec().Min, set: set(func(l *merge.Limit, n int) { l.Min = n })},
			key{path: at + ".max", form: intForm(), builtIn: s.Spec().Max, set: set(func(l *merge.Limit, n int) { l.Max = n })},
		)
	}
	return t
}

// limitedSections returns the sections with configurable limits: all but the research thread.
func limitedSections() []artifact.Section {
	return slices.DeleteFunc(artifact.Sections(), func(s artifact.Section) bool { return s == artifact.ResearchThread })
}

func sectionIDs(sections []artifact.Section) []string {
	ids := make([]string, len(sections))
	for i, s := range sections {
		ids[i] = s.String()
	}
	return ids
}

func (t table) find(path string) (key, bool) {
	i := slices.IndexFunc(t, func(k key) bool { return k.path == path })
	if i < 0 {
		return key{}, false
	}
	return t[i], true
}

// below returns the names directly below a path ("" is the top), if it is not a key itself.
func (t table) below(path string) []string {
	prefix := join(path, "")
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

// keyHint suggests a similar sibling for an unknown key, or a key of that name elsewhere.
func (t table) keyHint(path, name string) string {
	known := t.below(path)
	if near, ok := text.Nearest(name, known); ok {
		return "did you mean " + join(path, near) + "?"
	}
	if k, ok := t.find(join(path, name)); ok && strings.Contains(name, ".") {
		return "nest the keys: write each part of " + k.path + " on its own line, indented below the previous one"
	}
	elsewhere := slices.IndexFunc(t, func(k key) bool { return strings.HasSuffix(k.path, "."+name) })
	if elsewhere >= 0 {
		return "did you mean " + t[elsewhere].path + "?"
	}
	return "known keys here: " + joinWords(known)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// variable returns the key's environment variable, or "".
func (k key) variable() string {
	_, isObjects := k.form.(objects)
	switch {
	case k.env == noVariable || isObjects:
		return ""
	case k.env != "":
		return k.env
	}
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.path, ".", "_"))
}
