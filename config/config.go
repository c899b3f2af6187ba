// Package config makes one configuration out of flags, the environment, the
// session's file, the project's file and the built-in defaults, in this order:
// what stands first beats what stands behind it, key by key. Lists are taken
// whole, with one exception: presets are joined by their id.
//
// Every value knows its origin. A key that nobody knows, a value of the wrong
// type and a key that stands twice are faults with their line, never ignored.
// The environment holds a key as BRENNER_ and its path in capitals, with _ for
// the dots (limits.hypothesis_slate.max is BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX);
// lists are separated by commas, and an empty variable counts as unset. Lists of
// objects and roster.defaultPreset have no variable; the roster's variables are
// those of package roster.
//
// Files are data: nothing in them is executed, and no variable in them is
// expanded. The package reads files and writes none. It must not know commands,
// terminals or exit codes, and it reads no environment but the one it is given.
package config

import (
	"slices"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/playbook"
	"brenner/roster"
	"brenner/session/flow"
)

// Options say where the configuration comes from. The zero value reads the
// project's file from the working directory upwards, and nothing else.
type Options struct {
	// Dir is where the search for the project begins; see StartDir.
	Dir string
	// Environ is the environment in the form of os.Environ.
	Environ []string
	// Flags are those that the user gave, and no others.
	Flags []Flag
	// SessionConfig is the path of the session's file, or empty.
	SessionConfig string
}

// Flag is a flag of the command line that sets a key.
type Flag struct {
	Key    string   // "question"
	Name   string   // as the user knows it: "--question"
	Values []string // one for a text, a number or a switch; any number for a list
}

// Config is the effective configuration.
type Config struct {
	Project  Project
	Question string
	Context  string
	// Via is how agents are reached whose model does not say it; one of Vias, or
	// empty. Reach decides between the two.
	Via      string
	Models   []Model
	Programs []Program
	// Operator signs the brief, and is always an authority.
	Operator string
	// Arbiter is who rules when a session is stuck: NAME, NAME=KIND or NAME=KIND:MODEL;
	// empty is nobody.
	Arbiter string
	// Session are the settings that a new session begins with.
	Session  flow.Settings
	Timeouts Timeouts
	Attempts int // for each call; at least 1
	// BaseURL is that of agents whose model names none.
	BaseURL string
	Mail    Mail
	Report  Report
	// Layers are what the session's and the project's file say about the roster.
	// Flags and the environment are above them: see RosterInput.
	Layers []roster.Layer
	// Presets are all there are: the session's, the project's, the built-in ones.
	Presets       []roster.Preset
	DefaultPreset string
	// Records are the project's own rules of the store.
	Records Records
	// Roles are what roles may read and write of the store's records, where it is not
	// as built in.
	Roles  []Role
	Scopes merge.Scopes
	// Limits has every section whose number of items can be limited.
	Limits      map[artifact.Section]merge.Limit
	Priority    []string // agents, highest first
	Authorities []string
	Playbook    Playbook
	// Warnings are what a person should know and that stops nothing.
	Warnings []roster.Warning

	values []Value
	files  []File
}

// Project is where the configuration belongs to.
type Project struct {
	// Dir is the folder of the project's file; without one the repository's
	// root, and outside a repository the folder where the search began.
	Dir string
	// File is the name of the project's file in Dir, or empty.
	File string
}

// Model says what a human-readable model of the roster means.
type Model struct {
	Model   string `json:"model,omitempty"`    // as rosters name it: "Opus 4.5"
	Via     string `json:"via,omitempty"`      // one of Vias, or empty
	ID      string `json:"id,omitempty"`       // at the endpoint
	BaseURL string `json:"base_url,omitempty"` // of the endpoint
	KeyEnv  string `json:"key_env,omitempty"`  // the variable that holds the key; empty is OPENAI_API_KEY

	API          string   `json:"api,omitempty"` // APIChat or APIResponses; empty is chat
	Organization string   `json:"organization,omitempty"`
	Headers      []string `json:"headers,omitempty"` // "Name: value"
	Temperature  *float64 `json:"temperature,omitempty"`
	Seed         *int     `json:"seed,omitempty"`
	Effort       string   `json:"reasoning_effort,omitempty"`
	Structured   string   `json:"structured,omitempty"` // one of the words above; empty is fences

	// PriceInput and PriceOutput are dollars for a million tokens, both or none.
	PriceInput  *float64 `json:"price_input,omitempty"`
	PriceOutput *float64 `json:"price_output,omitempty"`
	// Concurrent is how many calls the endpoint takes at once; 0 is any number.
	Concurrent int `json:"concurrent,omitempty"`
}

// Program says what a program of the roster is on this machine.
type Program struct {
	Program string   `json:"program,omitempty"` // as rosters name it: "codex-cli", or a word of the user's own
	Command []string `json:"command,omitempty"` // what runs in its place; needed for words of the user's own
	KeyEnv  string   `json:"key_env,omitempty"` // the variable that holds its key; empty means its usual ones
	Pass    []string `json:"pass,omitempty"`    // further variables that it may see
	Turns   int      `json:"turns,omitempty"`   // with tools, in one call; 0 is the built-in limit
}

// FindProgram gives the entry of a program, and whether there is one.
func (c *Config) FindProgram(name string) (Program, bool) {
	i := slices.IndexFunc(c.Programs, func(p Program) bool { return p.Program == name })
	if i < 0 {
		return Program{Program: name}, false
	}
	return c.Programs[i], true
}

// Mail says which mail server is asked.
type Mail struct {
	BaseURL  string // what the environment says may be no address at all
	Path     string
	TokenEnv string // the variable that holds the server's token
}

// Report says where the reports of loops go, beside their files.
type Report struct {
	Mail    bool   // to the operator's mailbox
	Webhook string // an address that gets the JSON; empty is none
}

// Timeouts are how long things may take; zero is no limit.
type Timeouts struct {
	Call    time.Duration // one attempt
	Idle    time.Duration // without a sign of life
	Agent   time.Duration // all attempts together
	Session time.Duration // a whole run
}

func (t Timeouts) times() flow.Times {
	return flow.Times{
		Call: t.Call.Milliseconds(), Idle: t.Idle.Milliseconds(), Agent: t.Agent.Milliseconds(), Run: t.Session.Milliseconds(),
	}
}

// Playbook is how the project's playbook is kept and used.
type Playbook struct {
	Domain string // of bullets for which nobody says another
	Tokens int    // of bullets in one prompt; 0 is none
	Rules  playbook.Rules
	// Embedding is the endpoint that makes vectors; the zero value is the model that
	// is part of the program.
	Embedding Embedding
}

// Embedding is a model at an endpoint.
type Embedding struct {
	Model   string
	BaseURL string
	KeyEnv  string // the variable that holds the key; empty is OPENAI_API_KEY
}

// The ways to reach an agent.
const (
	ViaOpenAI    = "openai"
	ViaMail      = flow.ViaMail
	ViaProgram   = "program"
	ViaRehearsal = "rehearsal"
)

// Vias gives the ways to reach an agent.
func Vias() []string { return []string{ViaOpenAI, ViaMail, ViaProgram, ViaRehearsal} }

// Load reads the configuration. All faults are said at once, joined; every one
// of them is a *fault.Error.
func Load(o Options) (*Config, error) {
	c := &Config{}
	l := &loading{table: keyTable(c)}
	project := l.findProject(o.Dir)
	own := l.readProject(project)
	session := l.readSession(o.SessionConfig)
	if l.found.Len() > 0 {
		return nil, l.found.Err()
	}
	session.joinPresets(own)
	given := given{
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

// loading is one run of Load.
type loading struct {
	table    table
	found    fault.Bounded
	warnings []roster.Warning
	files    []File
}

// File is a configuration file as it was read: whoever decides by what it says
// must not read it again, for it may be another one by then.
type File struct {
	Level roster.Level
	Path  string
	Data  []byte
}

// FileOf gives the file of a layer.
func (c *Config) FileOf(level roster.Level) (File, bool) {
	i := slices.IndexFunc(c.files, func(f File) bool { return f.Level == level })
	if i < 0 {
		return File{}, false
	}
	return c.files[i], true
}

// RosterInput gives what a roster is resolved from: the layers of flags and
// environment, which the caller has, above those of the files.
func (c *Config) RosterInput(above ...roster.Layer) roster.Input {
	return roster.Input{
		Layers: slices.Concat(above, c.Layers), Presets: c.Presets, DefaultPreset: c.DefaultPreset,
	}
}

// Reach says how an agent with this model would be reached: the entry of the
// models' list, with Via filled in. The stronger layer decides between the
// model's own way and the general one, so that --via holds for everybody; within
// one layer the model's own is the closer word. What nobody said stays empty:
// nothing is picked by guess.
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
