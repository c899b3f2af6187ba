package project

import (
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/mail"
	"brenner/roster"
	"brenner/session/flow"
)

// configuredMail returns the configured address of the mail server, or "" if it is invalid.
func (p *Project) configuredMail() string {
	address, _ := mail.Address(p.Config.Mail.BaseURL, p.Config.Mail.Path)
	return address
}

// pinnedMail returns the pinned address of the parties' mail server, or "".
func pinnedMail(parties []flow.Party) string {
	i := slices.IndexFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaMail && p.Way != nil && p.Way.Mail != "" })
	if i < 0 {
		return ""
	}
	return parties[i].Way.Mail
}

// mailOf returns the address of the parties' mail server: the pinned one, or without one, or with
// --mail-url, the configured one. A token is sent to no other machine that only a journal names, unless
// the command's flag names it.
func (p *Project) mailOf(parties []flow.Party, flag string) (string, error) {
	pinned := pinnedMail(parties)
	switch {
	case pinned == "", pinned == p.configuredMail(), p.Config.Origin("mail.base_url").Level == roster.Flags:
		return p.mailAddress("")
	case baseurl.IsLocal(pinned), p.Variable(p.Config.Mail.TokenEnv) == "":
		return pinned, nil
	}
	hint := ""
	base := strings.TrimSuffix(strings.TrimRight(pinned, "/"), "/"+strings.Trim(p.Config.Mail.Path, "/"))
	if flag != "" {
		hint = "if the address is right, pass " + flag + " " + base + "; otherwise pass another " + flag
	}
	return "", &fault.Error{
		Code: trust.Untrusted, Detail: "only the journal names the mail server " + pinned + ", which would receive the token of " + p.Config.Mail.TokenEnv,
		Hint: hint,
	}
}

// mailboxOf returns a client of the mail of the parties, for a command with this flag, if any.
func (p *Project) mailboxOf(parties []flow.Party, flag string) (*Mailbox, error) {
	address, err := p.mailOf(parties, flag)
	if err != nil {
		return nil, err
	}
	if flag == "" {
		return p.mailboxAt(address)
	}
	return p.mailboxAt(address, flag+" URL")
}

// Flags for the mail server of a session.
const (
	mailURLFlag   = "--mail-url" // changes the pinned one
	serveMailFlag = "--serve-mail"
)

// moveMail returns the ways of the parties whose mail server is not the pinned one.
func (p *Project) moveMail(parties []flow.Party) ([]flow.NewWay, error) {
	if !anyVia(parties, config.ViaMail) {
		if from := p.Config.Origin("mail.base_url"); from.Source == mailURLFlag {
			return nil, &fault.Error{Code: fault.Usage, Place: from.Source, Detail: "no agent is reached via mail", Hint: "omit it"}
		}
		return nil, nil
	}
	address, err := p.mailOf(parties, mailURLFlag)
	if err != nil {
		return nil, err
	}
	var ways []flow.NewWay
	for i := range parties {
		if w := (flow.NewWay{Agent: parties[i].Name, ModelID: parties[i].ModelID, Way: wayByMail(&parties[i], address)}); parties[i].Via == config.ViaMail && w.Changes(&parties[i]) {
			ways = append(ways, w)
		}
	}
	return ways, nil
}

// moveLoopMail changes the mail server of a loop as --mail-url says.
func (p *Project) moveLoopMail(pins *loopPins) error {
	moved, err := p.moveMail(pins.parties())
	if err != nil || len(moved) == 0 {
		return err
	}
	pins.reached, pins.changed = slices.Clone(pins.reached), true
	for i := range pins.reached {
		r := &pins.reached[i]
		r.Agents = slices.Clone(r.Agents)
		mailAt(moved[0].Way.Mail, r.Agents)
	}
	return nil
}

// mailAt sets the mail server of the parties that are reached via mail.
func mailAt(address string, parties []flow.Party) {
	for i := range parties {
		if parties[i].Via == config.ViaMail && address != "" {
			way := wayByMail(&parties[i], address)
			parties[i].Way = &way
		}
	}
}

// wayByMail returns the way of a party with another mail server.
func wayByMail(p *flow.Party, address string) flow.Way {
	var way flow.Way
	if p.Way != nil {
		way = *p.Way
	}
	way.Mail = address
	return way
}

// warnOfMail warns about a configured mail server that is not used, because the journal pins another.
func (p *Project) warnOfMail(parties []flow.Party) {
	pinned, from := pinnedMail(parties), p.Config.Origin("mail.base_url")
	if pinned != "" && pinned != p.configuredMail() && from.Level != roster.Default {
		p.Log.Warn().Msgf("%s names %s, but the mail server at %s is used, as the journal says; to change that, pass --mail-url %[2]s", from, baseurl.Shown(p.Config.Mail.BaseURL), pinned)
	}
}
