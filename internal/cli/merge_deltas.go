package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/delta"
	"brenner/fault"
)

// noTime is the instant that replies without a time share. It is fixed, so that
// reading the same reply twice gives the same deltas.
var noTime = time.Unix(0, 0).UTC()

// reply is a message of an agent, given on the command line.
type reply struct {
	agent string
	at    time.Time
	path  string
	text  []byte
	hash  string
}

// readDeltas reads everything that --deltas names. All of it is read before
// anything is merged: one file that cannot be read stops the whole.
func (a *app) readDeltas(specs []string, base artifact.Artifact) ([]delta.Delta, error) {
	var batch []delta.Delta
	var replies []reply
	for _, spec := range specs {
		if name, path, ok := strings.Cut(spec, "="); ok {
			r, err := a.readReply(name, path)
			if err != nil {
				return nil, err
			}
			replies = append(replies, r)
			continue
		}
		data, err := a.readFile("deltas", spec)
		if err != nil {
			return nil, err
		}
		if !artifact.IsJSON(data) && len(bytes.TrimSpace(data)) > 0 {
			return nil, &fault.Error{
				Code: artifact.InvalidJSON, Op: "read deltas", Place: spec, Detail: "this is not JSON",
				Hint: "a Markdown reply is given with its author: --deltas NAME=" + spec,
			}
		}
		deltas, err := delta.ReadFile(data)
		if err != nil {
			return nil, inFile("read deltas", spec, err)
		}
		batch = append(batch, deltas...)
	}
	return append(batch, a.stampReplies(replies, base)...), nil
}

// readReply reads NAME[@TIME]=FILE.
func (a *app) readReply(name, path string) (reply, error) {
	r := reply{agent: name, at: noTime, path: path}
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		instant, err := artifact.ParseInstant(name[at+1:])
		if err != nil {
			return r, &fault.Error{
				Code: UsageError, Op: "read --deltas " + name + "=" + path, Place: name[at+1:], Cause: err,
				Hint: "write NAME@2025-12-30T12:00:00Z=reply.md",
			}
		}
		r.agent, r.at = name[:at], instant
	}
	if r.agent == "" {
		return r, &fault.Error{
			Code: UsageError, Detail: "--deltas " + name + "=" + path + " names no agent",
			Hint: "write NAME=reply.md",
		}
	}
	text, err := a.readFile("reply", path)
	if err != nil {
		return r, err
	}
	sum := sha256.Sum256(text)
	r.text, r.hash = text, hex.EncodeToString(sum[:])
	return r, nil
}

// stampReplies reads the deltas in replies. Messages are numbered by what they
// are, not by where they stood on the command line.
func (a *app) stampReplies(replies []reply, base artifact.Artifact) []delta.Delta {
	slices.SortFunc(replies, func(x, y reply) int {
		return cmp.Or(x.at.Compare(y.at), strings.Compare(x.agent, y.agent), strings.Compare(x.hash, y.hash))
	})
	var batch []delta.Delta
	for i, r := range replies {
		read := delta.Read(r.text, delta.Options{})
		for _, p := range read.Problems {
			a.log.Warn().Str("code", string(p.Code)).Str("file", r.path).Int("line", p.Line).Str("hint", p.Hint).Msg(p.Message)
		}
		if newest, err := artifact.ParseInstant(base.Metadata.UpdatedAt); r.at.Equal(noTime) && err == nil && len(read.Blocks) > 0 {
			a.log.Warn().Str("file", r.path).Time("base", newest).
				Msg("a reply without a time counts as older than the base; give it as NAME@TIME=FILE to let its edits win")
		}
		batch = append(batch, read.Stamped(delta.Envelope{
			Agent: r.agent, At: r.at, MessageID: r.agent + "/" + r.hash, Message: i + 1,
			Shown: base.Metadata.Version,
		})...)
	}
	return batch
}
