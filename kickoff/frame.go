package kickoff

import (
	"fmt"
	"strings"
	"unicode"

	"brenner/prompts"
	"brenner/roster"
)

// Frame is what stands around the texts of a session in an agent's messages: the
// roster, the role's prompt, what is asked for and how to answer. It follows from the
// roster, the scopes, the agent, and whether the round is the first one. Most of a
// message is frame, and making one takes far longer than copying it.
type Frame struct {
	role           roster.Role // empty in unified mode
	template, hash string
	head, tail     string
	example        string // the worked example
	// plain tells that nothing of the roster could be taken for a delta.
	plain bool
}

// Frames keep frames. One Frames is for one roster and one set of scopes: whoever
// keeps several keeps them apart.
type Frames interface {
	// Frame gives the frame of an agent's first message, or of its later ones; where
	// it has none yet it makes it.
	Frame(agent string, later bool, fresh func() Frame) Frame
}

func (in *Input) framed(to string) Frame {
	if in.Frames == nil {
		return in.frame(to)
	}
	return in.Frames.Frame(to, in.Round > 1, func() Frame { return in.frame(to) })
}

// frame makes the frame of an agent's message; the input has been checked.
func (in *Input) frame(to string) Frame {
	entry, _ := in.Roster.Find(to)
	rights := prompts.Rights{Role: string(entry.Role), Scopes: in.Scopes, Unified: in.Roster.Mode == roster.Unified}
	for _, e := range in.Roster.Entries {
		rights.Roles = append(rights.Roles, string(e.Role))
	}
	f := Frame{role: entry.Role, plain: plain(to) && plain(in.Roster.Name) && plain(in.Roster.CreatedAt)}
	t, ok := prompts.For(string(entry.Role))
	if rights.Unified || !ok {
		t, f.role = prompts.Unified(), ""
	}
	f.template, f.hash, f.example = t.ID(), t.Hash(), t.Example()
	for _, e := range in.Roster.Entries {
		f.plain = f.plain && plain(e.Agent) && plain(string(e.Role)) && plain(e.Program) && plain(e.Model) && plain(e.Notes)
	}
	f.head = fmt.Sprintf("%s%s%s%s)\n\n", templateLabel, f.template, hashLabel, prompts.Short(f.hash)) +
		in.Roster.Block() + "\n" + t.Prompt() + "\n\n"
	f.tail = fmt.Sprintf("%s\n\n%s\n\n", headOutputs, t.Outputs(in.Round, rights)) +
		fmt.Sprintf("%s\n\n%s\n", headFormat, t.Format(rights))
	return f
}

// plain tells whether a name has nothing that Markdown or JSON would take for more
// than text.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-@/:", r)
	})
}
