package cli

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
	"brenner/playbook"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/store/record"
)

// eachFlag calls do with every flag of every command that takes a value.
func completed() *cobra.Command {
	a := &ui.App{}
	return ui.CompleteFlags(a, Extension{}.root(a, nil))
}

func eachFlag(c *cobra.Command, do func(c *cobra.Command, f *pflag.Flag)) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() != "bool" {
			do(c, f)
		}
	})
	for _, sub := range c.Commands() {
		eachFlag(sub, do)
	}
}

// A flag whose help lists its values is completed with them.
func TestFlagsWithFixedValuesAreCompleted(t *testing.T) {
	list := regexp.MustCompile(`\w+, \w+,? or |: \w+,? or |^\w+,? or `)
	free := []string{ // not a fixed set
		"agent or person whose contributions to leave out", "person or arbiter that may edit anything; repeatable",
		"session or export file that the message must belong to",
	}
	eachFlag(completed(), func(c *cobra.Command, f *pflag.Flag) {
		if _, ok := c.GetFlagCompletionFunc(f.Name); !ok && list.MatchString(f.Usage) && !slices.Contains(free, f.Usage) {
			t.Errorf("%s --%s (%s) is not completed", c.CommandPath(), f.Name, f.Usage)
		}
	})
}

// What is completed is what is accepted.
func TestCompletedValues(t *testing.T) {
	want := map[string]string{
		"flow": fmt.Sprint([]string{flow.FlowParallel, flow.FlowStaged}), "quorum": fmt.Sprint([]string{flow.QuorumRole, flow.QuorumAll}),
		"if-exists": "[resume fail new]", "roster-mode": fmt.Sprint(roster.AllModes()), "section": fmt.Sprint(playbook.Sections()),
		"stage": fmt.Sprint(playbook.Stages()), "importance": fmt.Sprint([]string{mail.Low, mail.Normal, mail.High, mail.Urgent}),
		"status": fmt.Sprint(record.Statuses()), "scopes": "[default strict]",
	}
	eachFlag(completed(), func(c *cobra.Command, f *pflag.Flag) {
		complete, ok := c.GetFlagCompletionFunc(f.Name)
		if want[f.Name] == "" {
			return
		}
		if !ok {
			t.Errorf("%s --%s is not completed", c.CommandPath(), f.Name)
			return
		}
		if words, _ := complete(c, nil, ""); fmt.Sprint(words) != want[f.Name] {
			t.Errorf("%s --%s: %v, not %s", c.CommandPath(), f.Name, words, want[f.Name])
		}
	})
}

func TestConflictsAreCompleted(t *testing.T) {
	dir := conflicted(t)
	for word, want := range map[string]string{"": "RT.context\nRT.statement\n", "--take": "A\nB\n"} {
		args := []string{"__complete", "session", "resolve", "-C", dir, "latest", word, ""}
		if word == "" {
			args = args[:len(args)-1]
		}
		var out bytes.Buffer
		Run(t.Context(), args, ui.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard, Now: time.Now})
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%v: %s", args, out.String())
		}
	}
}
