package flow

import (
	"slices"
	"strings"
)

// ViaOpenAI and ViaProgram are the kinds of agents whose way is pinned: a model at an endpoint, and
// a program.
const (
	ViaOpenAI  = "openai"
	ViaProgram = "program"
)

// Rerouted returns the parties with other ways to some of them.
func Rerouted(parties []Party, ways []NewWay) []Party {
	all := slices.Clone(parties)
	for i := range all {
		for _, w := range ways {
			if w.Agent == all[i].Name {
				way := w.Way
				all[i].ModelID, all[i].Way = w.ModelID, &way
			}
		}
	}
	return all
}

// Changes reports whether the way differs from how the party is reached.
func (w *NewWay) Changes(p *Party) bool {
	return p.Way == nil || *p.Way != w.Way || p.ModelID != w.ModelID
}

// Host returns the host and port of the endpoint, or "".
func (w *Way) Host() string {
	if w == nil {
		return ""
	}
	_, rest, _ := strings.Cut(w.Endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// Asked describes what is really asked: "llama3 at 127.0.0.1:8080", "codex 0.46.0", "rehearsal".
// It is "" for models and programs of sessions opened before ways were pinned.
func (p *Party) Asked() string {
	switch {
	case p.Via != ViaOpenAI && p.Via != ViaProgram:
		return p.Via
	case p.Way == nil:
		return ""
	}
	name := p.ModelID
	if p.Via == ViaProgram {
		name = programName(p.Way)
		if p.ModelID != "" {
			name += " with " + p.ModelID
		}
	}
	if host := p.Way.Host(); host != "" {
		name += " at " + host
	}
	return name
}

// programName returns the name and the version of a program. Most programs report their own name
// with the version.
func programName(w *Way) string {
	switch {
	case w.Version == "":
		return w.Program
	case strings.HasPrefix(w.Version, w.Program):
		return w.Version
	}
	return w.Program + " " + w.Version
}
