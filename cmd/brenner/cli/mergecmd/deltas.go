package mergecmd

import (
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/merge/settle"
)

// readDeltas reads everything that --deltas names. All of it is read before
// anything is merged: one file that cannot be read stops the whole.
func readDeltas(a *ui.App, specs []string) (batch []delta.Delta, replies []settle.Reply, err error) {
	for _, spec := range specs {
		name, path, isReply := strings.Cut(spec, "=")
		if isReply {
			r, err := readReply(a, name, path)
			if err != nil {
				return nil, nil, err
			}
			replies = append(replies, r)
			continue
		}
		data, err := a.ReadFile("deltas", spec)
		if err != nil {
			return nil, nil, err
		}
		deltas, err := settle.ReadFile(spec, data, "did you mean --base?")
		if err != nil {
			return nil, nil, err
		}
		batch = append(batch, deltas...)
	}
	return batch, replies, nil
}

// readReply reads NAME[@TIME]=FILE.
func readReply(a *ui.App, name, path string) (settle.Reply, error) {
	r := settle.Reply{Agent: name, At: settle.Undated(), File: path}
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		instant, err := artifact.ParseInstant(name[at+1:])
		if err != nil {
			return r, &fault.Error{
				Code: fault.Usage, Op: "read --deltas " + name + "=" + path, Place: name[at+1:], Cause: err,
				Hint: "write NAME@2025-12-30T12:00:00Z=reply.md",
			}
		}
		r.Agent, r.At = name[:at], instant
	}
	if r.Agent == "" {
		return r, &fault.Error{
			Code: fault.Usage, Detail: "--deltas " + name + "=" + path + " names no agent",
			Hint: "write NAME=reply.md",
		}
	}
	var err error
	r.Text, err = a.ReadFile("reply", path)
	return r, err
}
