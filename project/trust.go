package project

import (
	"cmp"
	"fmt"
	"slices"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/trust"
	"brenner/roster"
	"brenner/store"
)

// TrustAction is what to do about a file's trust.
type TrustAction int

// What can be done about it.
const (
	ShowTrust  TrustAction = iota // change nothing
	TrustFile                     // pin the file as it is
	ForgetFile                    // trust it no more
)

// TrustState is whether a configuration file is trusted, and what it asks for.
type TrustState struct {
	Schema  string   `json:"schema"`
	File    string   `json:"file"`
	Trusted bool     `json:"trusted"`
	SHA256  string   `json:"sha256"`
	Book    string   `json:"list"`
	Asks    []string `json:"asks"`
}

// Trust shows or changes whether the project's configuration file is trusted, or the
// session's where the project was opened with one.
func (p *Project) Trust(session bool, do TrustAction) (*TrustState, error) {
	level := roster.ProjectConfig
	if session {
		level = roster.SessionConfig
	}
	file, ok := p.Config.FileOf(level)
	if !ok {
		return nil, &fault.Error{
			Code: files.Unreadable, Place: p.Config.Project.Dir, Detail: "there is no " + config.FileName + " to trust",
			Hint: "`brenner init` makes one",
		}
	}
	path, err := files.TrueName(file.Path)
	if err != nil {
		return nil, err
	}
	book, err := trust.Find(p.Environ)
	if err != nil {
		return nil, err
	}
	s := &TrustState{Schema: "brenner.trust/v1", File: path, Book: book.Path(), Asks: p.asks(level), SHA256: store.Hash(file.Data)}
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

// wish is what a configuration would do that needs trust in the file that sets one of
// the keys.
type wish struct {
	holds bool
	what  string
	keys  []string
}

// asks lists what a file wants that needs trust.
func (p *Project) asks(level roster.Level) []string {
	all := []string{}
	for _, w := range p.wishes() {
		says := slices.ContainsFunc(w.keys, func(key string) bool { return p.Config.Origin(key).Level == level })
		if w.holds && says && !slices.Contains(all, w.what) {
			all = append(all, w.what)
		}
	}
	return all
}

// wishes lists what the configuration would do, whichever file says so.
func (p *Project) wishes() []wish {
	const programs = "run the programs that the roster names, with your logins"
	c := p.Config
	models := []string{"agents.models"}
	all := []wish{{c.BaseURL != "", sendKey(envKey, c.BaseURL), []string{"agents.base_url"}}}
	for _, model := range c.Models {
		name, _ := p.keyOf(model)
		all = append(all,
			wish{model.BaseURL != "" || model.KeyEnv != "", sendKey(name, p.addressOf(model)), models},
			wish{model.Via == config.ViaProgram, programs, models},
		)
	}
	e := c.Playbook.Embedding
	all = append(all,
		wish{c.Mail.BaseURL != "" && !isLoopback(c.Mail.BaseURL), p.mailWish(c.Mail.BaseURL), []string{"mail.base_url", "mail.path"}},
		wish{true, "choose " + c.Mail.TokenEnv + " as the mail server's token", []string{"mail.token_env"}},
		wish{c.Report.Webhook != "" && !isLoopback(c.Report.Webhook), reportWish(c.Report.Webhook), []string{"report.webhook"}},
		wish{c.Via == config.ViaProgram, programs, []string{"via"}},
		wish{e.BaseURL != "", sendKey(cmp.Or(e.KeyEnv, envKey), e.BaseURL), []string{"playbook.embedding.base_url", "playbook.embedding.key_env"}},
	)
	for _, program := range c.Programs {
		all = append(all, wish{true, wantOf(program), []string{"agents.programs"}})
	}
	_, via, name := ArbiterWords(c.Arbiter)
	program, _ := c.FindProgram(name)
	return append(all, wish{via == config.ViaProgram && name != "", wantOf(program), []string{"session.arbiter"}})
}

// sendKey is the wish to send a key to an address.
func sendKey(name, address string) string {
	return fmt.Sprintf("send the key of %s to %s", name, address)
}

// mustTrust refuses what a file wants, unless the user trusts that file as it was
// read. What a flag, the environment or we ourselves say needs no trust.
func (p *Project) mustTrust(from config.Origin, what string) error {
	file, ok := p.Config.FileOf(from.Level)
	if !ok {
		return nil
	}
	trusted, err := p.trusts(file)
	if err != nil || trusted {
		return err
	}
	hint := "look at the file, then `brenner trust`"
	if file.Level == roster.SessionConfig {
		hint += " --session-config " + file.Path
	}
	return &fault.Error{Code: trust.Untrusted, Place: file.Path, Detail: "the file wants to " + what + ", and is not trusted", Hint: hint}
}

// trusts reports whether the user trusts a file as it was read.
func (h *Host) trusts(file config.File) (bool, error) {
	path, err := files.TrueName(file.Path)
	if err != nil {
		return false, err
	}
	book, err := trust.Find(h.Environ)
	if err != nil {
		return false, err
	}
	return book.Trusts(path, file.Data)
}
