package project

import (
	"strings"
	"time"

	"brenner/artifact/delta"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/roster"
)

// Compose makes the messages of the first round: question and context come from the
// configuration, the rest from in. Without a thread id it makes one.
func (p *Project) Compose(in kickoff.Input, res roster.Resolution) (Composed, error) {
	if delta.Blank(p.Config.Question) {
		return Composed{}, &fault.Error{
			Code: fault.Usage, Detail: "the research question is missing",
			Hint: "give it with --question \"…\", or set question: in " + config.FileName,
		}
	}
	in.Round, in.Scopes, in.Question, in.Context = 1, p.Config.Scopes, p.Config.Question, p.Config.Context
	if in.ThreadID == "" {
		in.ThreadID = threadID(p.Now(), p.Config.Question)
	}
	messages, err := kickoff.Compose(in)
	if err != nil {
		return Composed{}, err
	}
	return Composed{ThreadID: in.ThreadID, Question: in.Question, Input: in, Project: p, Roster: res, Messages: messages}, nil
}

// threadID makes a thread id from the day and the question's words.
func threadID(now time.Time, question string) string {
	const longest = 34 // of 40, so that a number fits behind it
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := ""
	for _, w := range words {
		if len(slug)+1+len(w) > longest {
			break
		}
		slug = strings.TrimPrefix(slug+"-"+w, "-")
	}
	if len(slug) < 2 {
		slug = "session"
	}
	return "RS-" + now.UTC().Format("20060102") + "-" + slug
}

// Composed is what a session would send.
type Composed struct {
	ThreadID string
	Question string
	Input    kickoff.Input
	Project  *Project
	Roster   roster.Resolution
	Messages []kickoff.Message
}
