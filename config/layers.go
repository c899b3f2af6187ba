package config

import (
	"slices"
	"strings"

	"github.com/spf13/viper"

	"brenner/internal/fault"
	"brenner/merge"
	"brenner/roster"
)

// given is what each layer above the built-in one says.
type given struct {
	flags, environment, session, project layer
}

// settings is the form in which viper hands over what holds. Its fields are the
// keys of the table; a key without a field is an error of every Load.
type settings struct {
	Question, Context, Via string
	Operator               string
	Session                struct {
		Rounds int
		Flow   string
		Quorum string
		Repair bool

		Arbiter       string
		ContextTokens int `mapstructure:"context_tokens"`
	}
	Stop struct {
		QuietRounds int  `mapstructure:"quiet_rounds"`
		WhenClean   bool `mapstructure:"when_clean"`
	}
	Budget struct {
		Tokens      int
		USD         string
		ReplyTokens int `mapstructure:"reply_tokens"`
	}
	Timeouts struct{ Call, Idle, Agent, Session string }
	Retry    struct{ Attempts int }
	Agents   struct {
		Models   []Model
		Programs []Program
		BaseURL  string `mapstructure:"base_url"`
	}
	Mail struct {
		BaseURL  string `mapstructure:"base_url"`
		Path     string
		TokenEnv string `mapstructure:"token_env"`
	}
	Report struct {
		Mail    bool
		Webhook string
	}
	Roster struct {
		Preset, DefaultPreset, Mode, Name string
		Presets                           []roster.Preset
		Entries                           []roster.Entry
	}
	Store struct {
		Types            []string
		CompressionAfter int    `mapstructure:"compression_after"`
		UnusedAfter      string `mapstructure:"unused_after"`
		Unattended       []string
		People           string
	}
	Roles  []Role
	Scopes struct {
		Mode  string
		Roles map[string]struct {
			Write, Add   []string
			KillAnywhere bool `mapstructure:"kill_anywhere"`
		}
	}
	Playbook struct {
		Domain        string
		Match         float64
		Longest       int
		Tokens        int
		Staging, Prod struct {
			Support    int
			Ratio      float64
			Confidence float64
		}
		Confidence struct {
			Agent      float64
			PerSession float64 `mapstructure:"per_session"`
		}
		StagingShare float64 `mapstructure:"staging_share"`
		Guardrail    struct {
			Success, Latency, Errors float64
			Window                   int
		}
		Embedding struct {
			Model   string
			BaseURL string `mapstructure:"base_url"`
			KeyEnv  string `mapstructure:"key_env"`
		}
	}
	Limits                map[string]merge.Limit
	Priority, Authorities []string
}

// settle decides key by key which layer holds.
func (g given) settle(t table) (*Config, error) {
	v := g.stack(t)
	var s settings
	// All values have their types already, so that viper's own conversions, which
	// split texts at commas, have nothing left to do.
	if err := v.UnmarshalExact(&s); err != nil {
		return nil, &fault.Error{Code: WrongType, Op: "lay the configuration out", Cause: err}
	}
	c := &Config{
		Question: s.Question, Context: s.Context, Via: s.Via, Models: s.Agents.Models, Programs: s.Agents.Programs,
		Operator: s.Operator, Arbiter: s.Session.Arbiter, Session: s.session(), Timeouts: s.timeouts(), Attempts: s.Retry.Attempts, BaseURL: s.Agents.BaseURL,
		Mail:   Mail{BaseURL: s.Mail.BaseURL, Path: s.Mail.Path, TokenEnv: s.Mail.TokenEnv},
		Report: Report{Mail: s.Report.Mail, Webhook: s.Report.Webhook},
		Layers: g.rosterLayers(), Presets: roster.AllPresets(s.Roster.Presets), DefaultPreset: s.Roster.DefaultPreset,
		Records: s.records(), Roles: s.Roles,
		Scopes: s.scopes(), Limits: s.limits(), Priority: s.Priority, Authorities: s.Authorities,
		Playbook: s.playbook(),
	}
	for _, k := range t {
		c.values = append(c.values, Value{Key: k.path, Value: valueOf(v.Get(k.path)), Origin: g.origin(k.path)})
	}
	slices.SortFunc(c.values, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	if err := c.check(g); err != nil {
		return nil, err
	}
	return c, nil
}

// stack lays the layers over one another, the weakest first. Environment and
// flags are both overrides to viper, which reads no environment but the
// process's own: the later one of two overrides holds.
func (g given) stack(t table) *viper.Viper {
	v := viper.New()
	for _, k := range t {
		v.SetDefault(k.path, k.builtIn)
	}
	for _, file := range []layer{g.project, g.session} {
		// A map that is merged into a viper never fails.
		_ = v.MergeConfigMap(file.nested())
	}
	for _, above := range []layer{g.environment, g.flags} {
		for path, s := range above {
			v.Set(path, s.value)
		}
	}
	return v
}

// nested gives the layer as maps within maps, one for each dot of a path.
func (l layer) nested() map[string]any {
	top := map[string]any{}
	for path, s := range l {
		at := top
		parts := strings.Split(path, ".")
		for _, part := range parts[:len(parts)-1] {
			if _, ok := at[part]; !ok {
				at[part] = map[string]any{}
			}
			at = at[part].(map[string]any) //nolint:forcetypeassert // no key is the beginning of another
		}
		at[parts[len(parts)-1]] = s.value
	}
	return top
}

// origin says which layer holds for a key.
func (g given) origin(path string) Origin {
	for _, l := range []layer{g.flags, g.environment, g.session, g.project} {
		if s, ok := l[path]; ok {
			return s.origin
		}
	}
	return Origin{Level: roster.Default}
}

// joinPresets adds the presets of a weaker file that this one has not replaced
// by its own of the same id.
func (l layer) joinPresets(weaker layer) {
	const path = "roster.presets"
	own, ok := l[path]
	if !ok {
		return
	}
	all, _ := own.value.([]roster.Preset)
	replaced := make(map[string]bool, len(all))
	for _, p := range all {
		replaced[p.ID] = true
	}
	other, _ := weaker[path].value.([]roster.Preset)
	for _, p := range other {
		if !replaced[p.ID] {
			all = append(all, p)
		}
	}
	l[path] = setting{all, own.origin}
}
