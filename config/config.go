// Package config merges flags, the environment, the session's file, the project's file and the
// built-in defaults into one configuration. Earlier sources win, key by key. Lists are not
// merged, except presets, which are joined by id.
//
// Every value has an origin. Unknown keys, values of the wrong type and duplicate keys are errors
// with a line number. An environment variable is BRENNER_ and the key's path in capitals, with _
// for dots (limits.hypothesis_slate.max is BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX). List items are
// separated by commas, and an empty variable counts as unset. Lists of objects and
// roster.defaultPreset have no variable; package roster defines the roster's variables.
//
// Files are data: nothing in them is executed or expanded. The package reads files and writes none.
// It must not know about commands, terminals or exit codes, and reads only the environment passed
// to it.
package config

import (
	"slices"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/merge"
	"brenner/playbook"
	"brenner/roster"
	"brenner/session/flow"
)

// Options are the sources of the configuration. The zero value reads only the project's file.
type Options struct {
	// Dir is where the search for the project begins; see StartDir.
	Dir string
	// Environ is the environment in the form of os.Environ.
	Environ []string
	// Flags are the flags given by the user.
	Flags []Flag
	// SessionConfig is the path of the session's file, or empty. For Stdin, SessionData is its content.
	SessionConfig string
	SessionData   []byte
}

// Flag is a command-line flag that sets a key.
type Flag struct {
	Key    string   // "question"
	Name   string   // as shown to the user: "--question"
	Values []string // any number for a list, otherwise one
}

// Config is the effective configuration.
type Config struct {
	Project  Project
	Question string
	Context  string
	// Via is how to reach agents whose model has no via: one of Vias, or empty. See Reach.
	Via      string
	Models   []Model
	Programs []Program
	// Operator signs the brief, and is always an authority.
	Operator string
	// Arbiter decides when a session is stuck: NAME, NAME=KIND or NAME=KIND:MODEL; empty for none.
	Arbiter string
	// Session holds the settings of a new session.
	Session  flow.Settings
	Timeouts Timeouts
	Attempts int // for each call; at least 1
	// BaseURL is for agents whose model names none.
	BaseURL string
	// Endpoints restricts the hosts that requests go to.
	Endpoints Endpoints
	Mail      Mail
	Report    Report
	// Layers are the roster layers of the files, weaker than those passed to RosterInput.
	Layers []roster.Layer
	Serve  Serve
	// StoreAddress is the database of the project's store; empty for a file in its state directory. See baseurl.ParseDatabase.
	StoreAddress string
	// Engine is the engine that places the sessions of loops on machines.
	Engine Engine
	// Presets are all presets: the session's, the project's and the built-in ones.
	Presets       []roster.Preset
	DefaultPreset string
	// Records are the project's rules for the store.
	Records Records
	// Roles are the roles' access to the store's records, where it differs from the built-in one.
	Roles  []Role
	Scopes merge.Scopes
	// Limits has every section whose number of items can be limited.
	Limits      map[artifact.Section]merge.Limit
	Priority    []string // agents, highest first; or roster.OwnOrder
	Authorities []string
	Playbook    Playbook
	// Warnings are problems that are not errors.
	Warnings []roster.Warning

	values []Value
	files  []File
}

// Project is the project of the configuration.
type Project struct {
	// Dir is the directory of the project's file. Without one it is the repository's root, and
	// outside a repository the directory where the search began.
	Dir string
	// File is the name of the project's file in Dir, or empty.
	File string
	// Foreign is the path of another tool's file in Dir or on the way to it, or empty. It is a
	// program, and is not read.
	Foreign string
}

// Model defines how to reach a model that rosters name.
type Model struct {
	Model   string `json:"model,omitempty"`    // as rosters name it: "Opus 4.5"
	Via     string `json:"via,omitempty"`      // one of Vias, or empty
	ID      string `json:"id,omitempty"`       // at the endpoint
	BaseURL string `json:"base_url,omitempty"` // of the endpoint
	KeyEnv  string `json:"key_env,omitempty"`  // the variable that holds the key; empty means OPENAI_API_KEY

	API          string   `json:"api,omitempty"` // APIChat or APIResponses; empty means chat
	Organization string   `json:"organization,omitempty"`
	Headers      []string `json:"headers,omitempty"` // "Name: value"
	Temperature  *float64 `json:"temperature,omitempty"`
	Seed         *int     `json:"seed,omitempty"`
	Effort       string   `json:"reasoning_effort,omitempty"`
	Structured   string   `json:"structured,omitempty"` // a Structured constant; empty means fences
	Kickoff      string   `json:"kickoff,omitempty"`    // a Kickoff constant; empty means auto

	// PriceInput and PriceOutput are dollars per million tokens, both or none.
	PriceInput  *float64 `json:"price_input,omitempty"`
	PriceOutput *float64 `json:"price_output,omitempty"`
	// Concurrent is the maximum number of concurrent calls; 0 means no limit.
	Concurrent int `json:"concurrent,omitempty"`
}

// Serve configures the page for other machines.
type Serve struct {
	People []Person
	// Issuer is the OpenID Connect provider that people may log in with; empty for none. SecretEnv names the
	// variable that holds the client's secret, if it has one.
	Issuer, ClientID, SecretEnv string
}

// Person may use the page from another machine: with a token whose SHA-256 this is, or as the email
// address at the provider.
type Person struct {
	Name  string `json:"name,omitempty"`
	Token string `json:"token_sha256,omitempty"`
	Email string `json:"email,omitempty"`
}

// Program defines a program of the roster on this machine.
type Program struct {
	Program string   `json:"program,omitempty"` // as rosters name it: "codex-cli", or a custom name
	Command []string `json:"command,omitempty"` // what to run; required for custom names
	KeyEnv  string   `json:"key_env,omitempty"` // the variable that holds its key; empty means its usual ones
	Pass    []string `json:"pass,omitempty"`    // further variables passed to it
	Turns   int      `json:"turns,omitempty"`   // with tools, in one call; 0 means the built-in limit
}

// FindProgram returns the entry of a program.
func (c *Config) FindProgram(name string) (Program, bool) {
	i := slices.IndexFunc(c.Programs, func(p Program) bool { return p.Program == name })
	if i < 0 {
		return Program{Program: name}, false
	}
	return c.Programs[i], true
}

// Mail is the mail server to use.
type Mail struct {
	BaseURL  string // not validated if it comes from the environment
	Path     string
	TokenEnv string // the variable that holds the server's token
}

// Engine is how to reach a Temporal server.
type Engine struct {
	Address   string // HOST:PORT; empty means none
	Namespace string
	APIKeyEnv string // the variable that holds an API key; empty means none
	TLS       bool
	CA        string // file with the server's authorities; empty means the system's
	Cert, Key string // files of a client's certificate
	Server    string // the name in the server's certificate, if it is not the host's
	// Attributes says that the namespace has the search attributes of sessions.
	Attributes bool
}

// Report is where the reports of loops go, besides their files.
type Report struct {
	Mail    bool   // to the operator's mailbox
	Webhook string // a URL that receives the JSON; empty for none
}

// Timeouts limit durations; zero means no limit.
type Timeouts struct {
	Call    time.Duration // one attempt
	Idle    time.Duration // without any output
	Agent   time.Duration // all attempts together
	Session time.Duration // a complete run
}

func (t Timeouts) times() flow.Times {
	return flow.Times{
		Call: t.Call.Milliseconds(), Idle: t.Idle.Milliseconds(), Agent: t.Agent.Milliseconds(), Run: t.Session.Milliseconds(),
	}
}

// Playbook configures the project's playbook.
type Playbook struct {
	Domain string // of bullets without their own
	Tokens int    // of bullets in one prompt; 0 means none
	Rules  playbook.Rules
	// Embedding is the endpoint for vectors; the zero value means the built-in model.
	Embedding Embedding
}

// Embedding is a model at an endpoint.
type Embedding struct {
	Model   string
	BaseURL string
	KeyEnv  string // the variable that holds the key; empty means OPENAI_API_KEY
}

// Endpoints restricts the hosts of models, programs, mail and reports.
type Endpoints struct {
	Hosts     []string // "host" or "host:port"; empty means any
	LocalOnly bool     // this machine only
}

// The ways to reach an agent.
const (
	ViaOpenAI    = flow.ViaOpenAI
	ViaMail      = flow.ViaMail
	ViaProgram   = flow.ViaProgram
	ViaRehearsal = "rehearsal"
)

// Vias returns the ways to reach an agent.
func Vias() []string { return []string{ViaOpenAI, ViaMail, ViaProgram, ViaRehearsal} }

// Load reads the configuration. It returns all errors joined; each is a *fault.Error.
func Load(o Options) (*Config, error) {
	c := &Config{}
	l := &loading{table: keyTable(c)}
	project := l.findProject(o.Dir)
	own := l.readProject(project)
	session := l.readSession(o.SessionConfig, o.SessionData)
	if l.found.Len() > 0 {
		return nil, l.found.Err()
	}
	session.joinPresets(own)
	given := layerStack{
		flags: l.readFlags(o.Flags), environment: l.readEnviron(o.Environ),
		session: session, project: own,
	}
	if l.found.Len() > 0 {
		return nil, l.found.Err()
	}
	if err := given.settle(c, l.table); err != nil {
		return nil, err
	}
	c.Project, c.Warnings, c.files = project.Project, l.warnings, l.files
	return c, nil
}

type loading struct {
	table    table
	found    fault.Bounded
	warnings []roster.Warning
	files    []File
}

// File is a configuration file as read. Do not read it again: it may have changed.
type File struct {
	Level roster.Level
	Path  string // or Stdin
	Data  []byte
}

// Place returns the file's path, or what stands for standard input.
func (f File) Place() string {
	if f.Path == Stdin {
		return stdinPlace
	}
	return f.Path
}

// RealPath returns the path without links, or what stands for standard input.
func (f File) RealPath() (string, error) {
	if f.Path == Stdin {
		return stdinPlace, nil
	}
	return files.RealPath(f.Path)
}

// FileOf returns the file of a layer.
func (c *Config) FileOf(level roster.Level) (File, bool) {
	i := slices.IndexFunc(c.files, func(f File) bool { return f.Level == level })
	if i < 0 {
		return File{}, false
	}
	return c.files[i], true
}

// RosterInput returns the caller's layers of flags and environment above those of the files.
func (c *Config) RosterInput(above ...roster.Layer) roster.Input {
	return roster.Input{
		Layers: slices.Concat(above, c.Layers), Presets: c.Presets, DefaultPreset: c.DefaultPreset,
	}
}

// Reach returns how to reach an agent with this model: its entry in the models' list with Via
// filled in. The stronger layer decides between the model's own way and the general one, so that
// --via applies to all agents; within one layer the model's own wins. Via may stay empty.
func (c *Config) Reach(model string) Model {
	i := slices.IndexFunc(c.Models, func(m Model) bool { return m.Model == model })
	if i < 0 || model == "" {
		return Model{Model: model, Via: c.Via}
	}
	m := c.Models[i]
	if m.Via == "" || c.Via != "" && c.Origin("via").Level < c.Origin("agents.models").Level {
		m.Via = c.Via
	}
	return m
}

// Asked returns the settings of the model that an agent asks: those of the configured model with the
// id, or of that name. An id that is not configured, from a flag, is asked as the agent's own model of
// the roster would be, but its price is unknown.
func (c *Config) Asked(model, id string) Model {
	own := c.Reach(model)
	if id == "" || own.ID == id {
		return own
	}
	for _, asked := range []func(Model) bool{func(m Model) bool { return m.ID == id }, func(m Model) bool { return m.Model == id }} {
		if i := slices.IndexFunc(c.Models, asked); i >= 0 {
			return c.Reach(c.Models[i].Model)
		}
	}
	own.PriceInput, own.PriceOutput = nil, nil
	return own
}

// RosterOrder reports whether a priority list stands for the order of the roster.
func RosterOrder(priority []string) bool { return slices.Equal(priority, []string{roster.OwnOrder}) }
