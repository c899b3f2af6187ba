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

// asks lists what a file wants that needs trust.
func (p *Project) asks(level roster.Level) []string {
	m := &Models{Project: p}
	all := []string{}
	says := func(key string) bool { return p.Config.Origin(key).Level == level }
	add := func(ask string) {
		if !slices.Contains(all, ask) {
			all = append(all, ask)
		}
	}
	if p.Config.BaseURL != "" && says("agents.base_url") {
		add(fmt.Sprintf("send the key of %s to %s", envKey, p.Config.BaseURL))
	}
	for _, model := range p.Config.Models {
		if says("agents.models") && (model.BaseURL != "" || model.KeyEnv != "") {
			name, _ := m.Key(model)
			add(fmt.Sprintf("send the key of %s to %s", name, m.Address(model)))
		}
		if says("agents.models") && model.Via == config.ViaProgram {
			add("run the programs that the roster names, with your logins")
		}
	}
	for _, ask := range asksToSend(p, says) {
		add(ask)
	}
	if p.Config.Via == config.ViaProgram && says("via") {
		add("run the programs that the roster names, with your logins")
	}
	if ask := embeddingWish(p, says); ask != "" {
		add(ask)
	}
	for _, p := range p.Config.Programs {
		if says("agents.programs") {
			add(wantOf(p))
		}
	}
	if _, via, program := ArbiterWords(p.Config.Arbiter); via == config.ViaProgram && program != "" && says("session.arbiter") {
		p, _ := p.Config.FindProgram(program)
		add(wantOf(p))
	}
	return all
}

// embeddingWish is what a file wants for the endpoint of embeddings, or nothing.
func embeddingWish(p *Project, says func(key string) bool) string {
	e := p.Config.Playbook.Embedding
	if e.BaseURL == "" || !says("playbook.embedding.base_url") && !says("playbook.embedding.key_env") {
		return ""
	}
	return fmt.Sprintf("send the key of %s to %s", cmp.Or(e.KeyEnv, envKey), e.BaseURL)
}

// asksToSend lists where a file wants mail and reports to be sent.
func asksToSend(p *Project, says func(key string) bool) []string {
	var all []string
	if p.Config.Mail.BaseURL != "" && (says("mail.base_url") || says("mail.path")) && !isLoopback(p.Config.Mail.BaseURL) {
		all = append(all, p.mailWish(p.Config.Mail.BaseURL))
	}
	if says("mail.token_env") {
		all = append(all, "choose "+p.Config.Mail.TokenEnv+" as the mail server's token")
	}
	if says("report.webhook") && p.Config.Report.Webhook != "" && !isLoopback(p.Config.Report.Webhook) {
		all = append(all, reportWish(p.Config.Report.Webhook))
	}
	return all
}
