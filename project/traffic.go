package project

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"brenner/agent/tape"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/session/flow"
)

// Traffic says how requests to models are carried.
type Traffic struct {
	BaseURL string // as the flag says; it is part of the configuration by now
	Record  string // a file to record the traffic to
	Tape    string // a file to play it from
}

// reachModels refuses flags about the traffic with models where there is none: whoever
// gives --tape in a rehearsal believes that it is played.
func (r Traffic) reachModels(parties []flow.Party) error {
	if slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaOpenAI }) {
		return nil
	}
	for _, f := range []struct{ name, value string }{{"--base-url", r.BaseURL}, {"--record-tape", r.Record}, {"--tape", r.Tape}} {
		if f.value != "" {
			return &fault.Error{
				Code: fault.Usage, Detail: f.name + " is about models at an endpoint, and nobody is asked there",
				Hint: "leave it out, or reach agents with --via " + config.ViaOpenAI,
			}
		}
	}
	return nil
}

// carry chooses what carries the requests to models: the network, the network
// with a recorder, or a tape.
func (m *Models) carry(run Traffic) error {
	m.Transport = http.DefaultTransport
	switch {
	case run.Record != "" && run.Tape != "":
		return &fault.Error{Code: fault.Usage, Detail: "--record-tape and --tape contradict each other", Hint: "a tape is recorded from the network, and played without it"}
	case run.Record != "":
		return m.recordTo(run.Record)
	case run.Tape != "":
		return m.playFrom(run.Tape)
	}
	return nil
}

// secrets are what may never stand on a tape.
func (m *Models) secrets() []string {
	var all []string
	for _, model := range append([]config.Model{{}}, m.Project.Config.Models...) {
		if _, key := m.Key(model); key != "" {
			all = append(all, key)
		}
	}
	return all
}

func (m *Models) recordTo(path string) error {
	// Not over an older one: a tape is evidence.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if os.IsExist(err) {
			return files.AlreadyThere(path)
		}
		return &fault.Error{Code: files.CannotWrite, Op: "record a tape", Place: path, Detail: files.Reason(err), Hint: "check the folder and its permissions"}
	}
	recorder, err := tape.Record(http.DefaultTransport, f, tape.Options{Secrets: m.secrets()})
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	begun, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	m.Transport, m.done = recorder, func() error {
		ended, err := f.Stat()
		err = errors.Join(err, f.Close())
		if err == nil && ended.Size() == begun.Size() { // else the same command could not be given again, once it is mended
			err = os.Remove(path)
		}
		return err
	}
	return nil
}

func (m *Models) playFrom(path string) error {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return &fault.Error{Code: files.Unreadable, Op: "play a tape", Place: path, Detail: files.Reason(err), Hint: "check the path and its permissions"}
	}
	player, err := tape.Play(f, tape.Options{Secrets: m.secrets()})
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fault.InFile("play a tape", path, err)
	}
	m.Transport = player
	return nil
}
