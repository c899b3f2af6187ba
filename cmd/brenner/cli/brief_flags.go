package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"brenner/artifact/delta"
	"brenner/config"
	"brenner/kickoff"
	"brenner/roster"
)

// briefFlags are the flags that say what a session is about.
type briefFlags struct {
	threadID    string
	question    string
	context     string
	excerptFile string
	hypotheses  []string
	constraints []string
}

func (b *briefFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.question, "question", "", "the research question, or @FILE; brenner.yaml's if not given")
	f.StringVar(&b.context, "context", "", "what everybody should know about it, or @FILE")
	f.StringVar(&b.excerptFile, "excerpt-file", "", "a file to quote in full")
	f.StringArrayVar(&b.hypotheses, "hypotheses", nil, "a hypothesis to start from, or @FILE with one a line; repeatable")
	f.StringArrayVar(&b.constraints, "constraints", nil, "something to keep to, or @FILE with one a line; repeatable")
	f.StringVar(&b.threadID, "thread-id", "", "RS-YYYYMMDD-slug; made from the date and the question if not given")
}

// flags gives those that set keys of the configuration.
func (b *briefFlags) flags(a *app, c *cobra.Command) ([]config.Flag, error) {
	var flags []config.Flag
	for _, f := range []struct{ key, value string }{{"question", b.question}, {"context", b.context}} {
		if !c.Flags().Changed(f.key) {
			continue
		}
		text, err := a.inline("--"+f.key, f.value)
		if err != nil {
			return nil, err
		}
		flags = append(flags, config.Flag{Key: f.key, Name: "--" + f.key, Values: []string{strings.TrimSpace(text)}})
	}
	return flags, nil
}

// compose reads the configuration, resolves the roster, and makes the messages of
// the first round.
func (a *app) compose(c *cobra.Command, r *rosterFlags, b *briefFlags, more ...config.Flag) (composed, error) {
	flags, err := b.flags(a, c)
	if err != nil {
		return composed{}, err
	}
	cfg, res, err := a.resolve(c, r, append(flags, more...)...)
	if err != nil {
		return composed{}, err
	}
	if delta.Blank(cfg.Question) {
		return composed{}, usage(c, "the research question is missing",
			"give it with --question \"…\", or set question: in "+config.FileName)
	}
	in := kickoff.Input{
		ThreadID: b.threadID, Roster: res.Roster, Round: 1, Scopes: cfg.Scopes,
		Question: cfg.Question, Context: cfg.Context,
	}
	if in.ThreadID == "" {
		in.ThreadID = threadID(a.Now(), cfg.Question)
	}
	if b.excerptFile != "" {
		excerpt, err := a.readFile("excerpt", b.excerptFile)
		if err == nil {
			err = checkEvidence("excerpt", b.excerptFile, excerpt)
		}
		if err != nil {
			return composed{}, err
		}
		in.Excerpt = string(excerpt)
	}
	hypotheses, err := a.lines("--hypotheses", b.hypotheses)
	if err != nil {
		return composed{}, err
	}
	for _, h := range hypotheses {
		in.Hypotheses = append(in.Hypotheses, kickoff.Hypothesis{Text: h})
	}
	if in.Constraints, err = a.lines("--constraints", b.constraints); err != nil {
		return composed{}, err
	}
	messages, err := kickoff.Compose(in)
	if err != nil {
		return composed{}, err
	}
	return composed{threadID: in.ThreadID, question: in.Question, input: in, config: cfg, roster: res, messages: messages}, nil
}

// lines gives the values of a flag; a file behind "@" has one a line.
func (a *app) lines(flag string, values []string) ([]string, error) {
	var out []string
	for _, v := range values {
		text, err := a.inline(flag, v)
		if err != nil {
			return nil, err
		}
		parts := []string{text}
		if strings.HasPrefix(v, "@") {
			parts = strings.Split(text, "\n")
		}
		for _, p := range parts {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	}
	return out, nil
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

// composed is what a session would send.
type composed struct {
	threadID string
	question string
	input    kickoff.Input
	config   *Project
	roster   roster.Resolution
	messages []kickoff.Message
}
