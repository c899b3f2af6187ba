package sessioncmd

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/kickoff"
	"brenner/project"
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
func (b *briefFlags) flags(a *ui.App, c *cobra.Command) ([]config.Flag, error) {
	var flags []config.Flag
	for _, f := range []struct{ key, value string }{{"question", b.question}, {"context", b.context}} {
		if !c.Flags().Changed(f.key) {
			continue
		}
		text, err := a.Inline("--"+f.key, f.value)
		if err != nil {
			return nil, err
		}
		flags = append(flags, config.Flag{Key: f.key, Name: "--" + f.key, Values: []string{strings.TrimSpace(text)}})
	}
	return flags, nil
}

// compose reads the configuration, resolves the roster, and makes the messages of
// the first round.
func compose(a *ui.App, c *cobra.Command, r *RosterFlags, b *briefFlags, more ...config.Flag) (project.Composed, error) {
	flags, err := b.flags(a, c)
	if err != nil {
		return project.Composed{}, err
	}
	p, res, err := Resolve(a, c, r, append(flags, more...)...)
	if err != nil {
		return project.Composed{}, err
	}
	in := kickoff.Input{ThreadID: b.threadID, Roster: res.Roster}
	if b.excerptFile != "" {
		excerpt, err := a.ReadFile("excerpt", b.excerptFile)
		if err == nil {
			err = project.CheckEvidence("excerpt", b.excerptFile, excerpt)
		}
		if err != nil {
			return project.Composed{}, err
		}
		in.Excerpt = string(excerpt)
	}
	hypotheses, err := a.Lines("--hypotheses", b.hypotheses)
	if err != nil {
		return project.Composed{}, err
	}
	for _, h := range hypotheses {
		in.Hypotheses = append(in.Hypotheses, kickoff.Hypothesis{Text: h})
	}
	if in.Constraints, err = a.Lines("--constraints", b.constraints); err != nil {
		return project.Composed{}, err
	}
	return p.Compose(in, res)
}
