// Package project is the application layer: everything that commands, pages and tools do
// with a project. It opens a project, resolves its roster, reaches models, programs and
// mailboxes, composes briefs and runs sessions and loops over the project's store.
//
// Its functions take and return values. It does not depend on flags, terminals or exit
// codes. It is the only package that imports both the pure packages and every
// implementation behind their interfaces, and only user interfaces import it.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"brenner/artifact"
	"brenner/config"
	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/tokens"
	"brenner/internal/trust"
	"brenner/mail"
	"brenner/merge"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/vector"
	"brenner/roster"
	"brenner/session"
	"brenner/session/preflight"
	"brenner/store"
	"brenner/store/journal"
)

// Host is what the application layer needs from its process.
type Host struct {
	Environ []string         // as os.Environ returns it
	Now     func() time.Time // the clock
	Log     zerolog.Logger
	// Pause waits for the duration, or until the context ends.
	Pause func(context.Context, time.Duration)
	// Notice shows a message to the operator; it may be nil.
	Notice func(text string)

	// Tokens counts what all parts of the program send.
	Tokens tokens.Counter
	served servedMail
	warned []string // sessions whose artifact files could not be written
	// doubted is done when a warning has said that the store may be elsewhere.
	doubted sync.Once
}

// Project is an opened project: its configuration and its host.
type Project struct {
	*Host
	Config *config.Config
}

// Open reads the configuration of a project. Warnings are logged.
func Open(h *Host, o config.Options) (*Project, error) {
	o.Environ = h.Environ
	o.Dir = config.StartDir(o.Dir, h.Environ)
	cfg, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	h.Warn(cfg.Warnings)
	h.Log.Debug().Str("project", cfg.Project.Dir).Str("file", cfg.Project.File).Msg("read the configuration")
	return &Project{h, cfg}, nil
}

// closers are the functions that close what was opened, run last to first.
type closers []func()

func (c *closers) onClose(end func()) { *c = append(*c, end) }

// Close runs all of them, once.
func (c *closers) Close() {
	for _, end := range slices.Backward(*c) {
		end()
	}
	*c = nil
}

// closeOn closes everything if *err is not nil.
func (c *closers) closeOn(err *error) {
	if *err != nil {
		c.Close()
	}
}

// notify shows a message to the operator.
func (h *Host) notify(text string) {
	if h.Notice != nil {
		h.Notice(text)
	}
}

// Warn logs warnings.
func (h *Host) Warn(warnings []roster.Warning) {
	for _, w := range warnings {
		e := h.Log.Warn().Str("code", string(w.Code))
		if w.Place != "" {
			e = e.Str("place", w.Place)
		}
		if w.Hint != "" {
			e = e.Str("hint", w.Hint)
		}
		e.Msg(w.Message)
	}
}

// servedMail holds the operators' tokens of this process's mail servers, by address.
type servedMail struct {
	mu     sync.Mutex
	tokens map[string]string
}

func (s *servedMail) token(address string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[address]
}

// set stores the token of a server; an empty one removes it.
func (s *servedMail) set(address, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = make(map[string]string)
	}
	s.tokens[address] = token
}

// Initialised is what Init created.
type Initialised struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	Folder string `json:"folder"`
}

// Init creates the configuration of a project and its state directory. An existing file is
// never changed.
func Init(dir string, starter config.Starter) (*Initialised, error) {
	file, old := filepath.Join(dir, config.FileName), filepath.Join(dir, config.OldFileName)
	for _, path := range []string{file, old} {
		if _, err := os.Lstat(path); err == nil {
			return nil, files.ExistsError(path)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		detail, hint := "no such directory: ", "create the directory first"
		if err == nil {
			detail, hint = "not a directory: ", "pass a directory with -C"
		}
		return nil, &fault.Error{Code: files.Unreadable, Op: "write", Place: file, Detail: detail + dir, Hint: hint}
	}
	state := filepath.Join(dir, stateDir)
	if err := os.MkdirAll(state, 0o755); err != nil {
		hint := "it must be a directory, or not exist"
		if errors.Is(err, os.ErrPermission) {
			hint = "check the permissions of the directory"
		}
		return nil, &fault.Error{Code: files.CannotWrite, Op: "create", Place: state, Detail: files.Reason(err), Hint: hint}
	}
	if err := writeIgnore(state); err != nil {
		return nil, err
	}
	if err := files.Create(file, config.Template(starter)); err != nil { // last: this file makes it a project
		return nil, err
	}
	return &Initialised{Schema: "brenner.init/v1", File: file, Folder: state}, nil
}

// release is the version of the program; a release build sets it.
var release = "0.1.0-dev"

// Release returns the version of the program.
func Release() string { return release }

// VersionInfo describes this program and the formats it reads.
type VersionInfo struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Rules    string `json:"rules"`
	Artifact string `json:"artifact"`
}

// Version returns the version of this program.
func Version() *VersionInfo {
	v := &VersionInfo{
		Schema: "brenner.version/v1", Version: release, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Rules: merge.Version, Artifact: artifact.Schema,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

// thisProgram returns the name of this program with its version and, if the build knows it, its commit.
func thisProgram() string {
	const short = 12
	v := Version()
	if v.Revision == "" {
		return "brenner " + v.Version
	}
	return "brenner " + v.Version + " (commit " + v.Revision[:min(len(v.Revision), short)] + ")"
}

// ClassOf returns the class of an error's first fault, for an exit code or an HTTP status.
func ClassOf(err error) fault.Class {
	code := fault.Distinct(err)[0].Code
	for _, classes := range []func() fault.Classes{
		files.Classes, trust.Classes, store.Classes, journal.Classes, vector.Classes, embedding.Classes, uselite.Classes,
		playbook.Classes, mail.Classes, session.Classes, policy.Classes, govern.Classes, preflight.Classes,
		Classes,
	} {
		if class, ok := classes()[code]; ok {
			return class
		}
	}
	return fault.ClassUsage
}

// TrustAction is what to do about a file's trust.
type TrustAction int

// The actions of Trust.
const (
	ShowTrust  TrustAction = iota // change nothing
	TrustFile                     // trust the current content
	ForgetFile                    // no longer trust it
)

// TrustState is whether a configuration file is trusted, and what it requests.
type TrustState struct {
	Schema  string   `json:"schema"`
	File    string   `json:"file"`
	Trusted bool     `json:"trusted"`
	SHA256  string   `json:"sha256"`
	Book    string   `json:"list"`
	Asks    []string `json:"asks"`
}

// Trust shows or changes whether the project's configuration file is trusted, or the
// session's if the project was opened with one.
func (p *Project) Trust(session bool, do TrustAction) (*TrustState, error) {
	level := roster.ProjectConfig
	if session {
		level = roster.SessionConfig
	}
	file, ok := p.Config.FileOf(level)
	if !ok {
		return nil, &fault.Error{
			Code: files.Unreadable, Place: p.Config.Project.Dir, Detail: "no " + config.FileName + " to trust",
			Hint: "`brenner init` creates one",
		}
	}
	path, err := file.RealPath()
	if err != nil {
		return nil, err
	}
	book, err := trust.Find(p.Environ)
	if err != nil {
		return nil, err
	}
	s := &TrustState{Schema: "brenner.trust/v1", File: path, Book: book.Path(), Asks: p.sensitiveActionsOf(level), SHA256: store.Hash(file.Data)}
	switch do {
	case TrustFile:
		_, err = book.Trust(path, file.Data, p.Now())
		s.Trusted = true
	case ForgetFile:
		_, err = book.Forget(path)
	default:
		s.Trusted, err = book.Trusts(path, file.Data)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// sensitiveAction is an action of a configuration that requires trust in the file that sets one of the
// keys.
type sensitiveAction struct {
	holds bool
	what  string
	keys  []string
}

// sensitiveActionsOf returns what a file requests that requires trust.
func (p *Project) sensitiveActionsOf(level roster.Level) []string {
	all := []string{}
	for _, w := range p.sensitiveActions() {
		says := slices.ContainsFunc(w.keys, func(key string) bool { return p.Config.Origin(key).Level == level })
		if w.holds && says && !slices.Contains(all, w.what) {
			all = append(all, w.what)
		}
	}
	return all
}

// sensitiveActions returns what the configuration would do, whichever file sets it.
func (p *Project) sensitiveActions() []sensitiveAction {
	const programs = "run the programs that the roster names, with your logins"
	c := p.Config
	models := []string{"agents.models"}
	all := []sensitiveAction{{c.BaseURL != "", sendKey(envKey, c.BaseURL), []string{"agents.base_url"}}}
	for _, model := range c.Models {
		name, _ := p.keyOf(model)
		all = append(all,
			sensitiveAction{model.BaseURL != "" || model.KeyEnv != "", sendKey(name, p.addressOf(model)), models},
			sensitiveAction{model.Via == config.ViaProgram, programs, models},
		)
	}
	e := c.Playbook.Embedding
	all = append(all,
		sensitiveAction{c.Mail.BaseURL != "" && !baseurl.IsLocal(c.Mail.BaseURL), p.mailAction(c.Mail.BaseURL), []string{"mail.base_url", "mail.path"}},
		sensitiveAction{true, "choose " + c.Mail.TokenEnv + " as the mail server's token", []string{"mail.token_env"}},
		sensitiveAction{c.Report.Webhook != "" && !baseurl.IsLocal(c.Report.Webhook), reportAction(c.Report.Webhook), []string{"report.webhook"}},
		sensitiveAction{c.Via == config.ViaProgram, programs, []string{"via"}},
		sensitiveAction{e.BaseURL != "", sendKey(cmp.Or(e.KeyEnv, envKey), e.BaseURL), []string{"playbook.embedding.base_url", "playbook.embedding.key_env"}},
	)
	all = append(all,
		sensitiveAction{c.Engine.Address != "", engineAction(&c.Engine), []string{config.EngineAddress, "engine.temporal.api_key_env"}},
	)
	all = append(all, sensitiveAction{c.StoreAddress != "", databaseAction + p.StorePlace(), []string{config.StoreAddress}})
	for _, program := range c.Programs {
		all = append(all, sensitiveAction{true, programAction(program), []string{"agents.programs"}})
	}
	_, via, name := ParseArbiter(c.Arbiter)
	program, _ := c.FindProgram(name)
	return append(all, sensitiveAction{via == config.ViaProgram && name != "", programAction(program), []string{"session.arbiter"}})
}

// sendKey describes, for trust, sending a key to an address.
func sendKey(name, address string) string {
	return fmt.Sprintf("send the key of %s to %s", name, baseurl.Shown(address))
}

// mustTrust refuses an action that a file requests, unless the user trusts the file's
// content. Flags, the environment and built-in settings need no trust.
func (p *Project) mustTrust(from config.Origin, what string) error {
	file, ok := p.Config.FileOf(from.Level)
	if !ok {
		return nil
	}
	trusted, err := p.trusts(file)
	if err != nil || trusted {
		return err
	}
	hint := "review the file, then run `brenner trust`"
	if file.Level == roster.SessionConfig {
		hint += " --session-config " + file.Path
	}
	return &fault.Error{Code: trust.Untrusted, Place: file.Place(), Detail: "untrusted file would " + what, Hint: hint}
}

// trusts reports whether the user trusts a file's content as it was read.
func (h *Host) trusts(file config.File) (bool, error) {
	path, err := file.RealPath()
	if err != nil {
		return false, err
	}
	book, err := trust.Find(h.Environ)
	if err != nil {
		return false, err
	}
	return book.Trusts(path, file.Data)
}
