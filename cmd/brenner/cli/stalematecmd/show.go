package stalematecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/stalemate"
)

func stalemateArgs(c *cobra.Command, args []string) error {
	return ui.Args(2, 2, "`brenner stalemate list` lists the stalemates")(c, args)
}

func stalemateShowCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "show ID STALEMATE",
		Short: "Show the positions, evidence and ruling of a stalemate",
		Example: `  brenner stalemate show RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b

Exit codes: 0 shown; 2 no such session or stalemate; 5 shown, needs a ruling.`,
		Args: stalemateArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if aboutRecord(args[0]) {
				return showRecordStalemate(a, c, args[0], args[1])
			}
			return a.WithWhole(c, args[0], func(ctx context.Context, _ *project.Source, h *session.History) error {
				res, err := audit.ShowStalemate(ctx, h, args[1])
				return show(a, res, err)
			})
		},
	})
}

// show prints a stalemate, and sets the exit code if it needs a ruling.
func show(a *ui.App, s *audit.Stalemate, err error) error {
	if err == nil && s.Row.Waits {
		a.Exit = ui.ExitPerson
	}
	return ui.Show(a, s, err, stalemateText)
}

func stalemateText(a *ui.App, s *audit.Stalemate) string {
	var b strings.Builder
	for _, w := range s.Warnings {
		a.Say("warning: " + ui.Clean(w) + "\n")
	}
	fmt.Fprintf(&b, "%s, %s: %s\n%s\n", ui.Clean(s.Row.ID), ui.Clean(s.Row.Place), ui.Clean(s.Row.State), ui.Clean(s.Asked.Summary))
	if s.Row.Why != "" {
		fmt.Fprintf(&b, "%s\n", ui.Clean(s.Row.Why))
	}
	b.WriteString("\nPositions:\n")
	for _, p := range s.Asked.Parties {
		fmt.Fprintf(&b, "  %s: %s\n", ui.Clean(p.Name), ui.Clean(p.Statement))
		if p.Justification != "" {
			fmt.Fprintf(&b, "    why: %s\n", ui.Clean(p.Justification))
		}
	}
	b.WriteString("\nOther explanations:\n")
	for _, p := range s.Asked.Dissidents {
		fmt.Fprintf(&b, "  %s: %s\n", ui.Clean(p.Name), ui.Clean(p.Statement))
		if p.Justification != "" {
			fmt.Fprintf(&b, "    %s\n", ui.Clean(p.Justification))
		}
		if p.Source != "" {
			fmt.Fprintf(&b, "    source: %s\n", ui.Clean(p.Source))
		}
	}
	if len(s.Asked.Dissidents) == 0 {
		b.WriteString("  none was found\n")
	}
	b.WriteString("\nEvidence:\n")
	for _, e := range s.Asked.Evidence {
		fmt.Fprintf(&b, "  %s %s: %s\n", e.Hash[:12], ui.Clean(e.Type), ui.Clean(ui.Clip(e.Content)))
	}
	if v := s.Ruled; v != nil {
		by := v.Arbiter.Kind
		if s.Row.Asked != "" {
			by += ": " + s.Row.Asked
		}
		fmt.Fprintf(&b, "\nRuling by %s (%s, confidence %g): for %s\n  root cause: %s\n", ui.Clean(v.Arbiter.Name), ui.Clean(by), v.Confidence, ui.Clean(v.For), ui.Clean(v.RootCause))
		for _, r := range v.Reasoning {
			fmt.Fprintf(&b, "  - %s\n", ui.Clean(r))
		}
		for _, r := range v.Rejected {
			fmt.Fprintf(&b, "  not %s: %s\n", ui.Clean(r.Hypothesis), ui.Clean(r.Why))
		}
	} else if s.Row.Waits && !a.Quiet {
		fmt.Fprintf(&b, "\nTo rule: %s\nTo withdraw: %s\n", ruleCommand(s),
			text.CommandToCopy("brenner stalemate withdraw", ui.Clean(s.Row.Thread)+" "+ui.Clean(s.Row.ID)+" --reason WHY", s.Row.Thread, s.Row.ID, "--reason", "WHY"))
	}
	return b.String()
}

// ruleCommand returns a command that rules for the first party. Replace WHY, and the names if the ruling is
// for another one.
func ruleCommand(s *audit.Stalemate) string {
	const command = "brenner stalemate rule"
	words := []string{s.Row.Thread, s.Row.ID}
	for i, name := range s.Asked.Names() {
		if i == 0 {
			words = append(words, "--for", name, "--root-cause", "WHY", "--reason", "WHY")
		} else {
			words = append(words, "--reject", name+"=WHY")
		}
	}
	return text.CommandToCopy(command, ui.Clean(s.Row.Thread)+" "+ui.Clean(s.Row.ID)+" VERDICT.json", words...)
}

type requestOptions struct {
	helper  storecmd.HelperFlags
	out     string
	arbiter string
}

func stalemateRequestCommand(a *ui.App) *cobra.Command {
	var opt requestOptions
	c := ui.InProject(&cobra.Command{
		Use:   "request ID STALEMATE",
		Short: "Print the request for a ruling, or send it to an agent",
		Long: `Prints the request (` + stalemate.Protocol + `), which an arbiter is shown, and marks the stalemate
as requested. A request whose evidence is a placeholder is rejected.

With --arbiter, sends the request about a record to an agent that is not a party and
applies its verdict. A session asks its own arbiter.`,
		Example: `  brenner stalemate request RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b -o request.json
  brenner stalemate request memo-fate ST-1a2b3c4d5e6f7a8b --arbiter Judge=openai:gpt-5

Exit codes: 0 printed or ruled; 1 storing failed; 2 no such session, record or stalemate,
already ruled, placeholder evidence, or the arbiter is unreachable or returned no verdict;
4 --as is not an authority; 75 the store or the model is busy.`,
		Args: stalemateArgs,
		RunE: func(c *cobra.Command, args []string) error { return requestRuling(a, c, &opt, args) },
	})
	f := c.Flags()
	f.StringVar(&opt.helper.As, "as", "", "sender of the request (default: the operator in brenner.yaml)")
	f.StringVarP(&opt.out, "out", "o", "", "output file (default: standard output)")
	f.StringVar(&opt.arbiter, "arbiter", "", "agent to rule on a record, as NAME=KIND:MODEL; KIND is openai or program")
	f.StringVar(&opt.helper.Traffic.BaseURL, "base-url", "", "model endpoint URL, with --arbiter ["+project.EnvBaseURL+"]")
	f.StringVar(&opt.helper.Traffic.Record, "record-tape", "", "file to record all model traffic to, without secrets, with --arbiter")
	f.StringVar(&opt.helper.Traffic.Tape, "tape", "", "file to replay model traffic from, with --arbiter")
	return c
}

func requestRuling(a *ui.App, c *cobra.Command, opt *requestOptions, args []string) error {
	asked := c.Flags().Changed("arbiter")
	if !asked {
		if err := ui.Unused(c, "requires --arbiter", "base-url", "record-tape", "tape"); err != nil {
			return err
		}
	}
	switch {
	case asked && !aboutRecord(args[0]):
		return ui.Usage(c, "--arbiter requires a record", "a session asks its own arbiter: `brenner session start --arbiter`; `brenner session resume` asks again")
	case asked && c.Flags().Changed("out"):
		return ui.Usage(c, "--out cannot be combined with --arbiter", "")
	case asked:
		return arbitrateOnRecord(a, c, &opt.helper, opt.arbiter, args)
	}
	r, err := sendStalemate(a, c, opt, args)
	if err != nil {
		return err
	}
	written, err := ui.WriteOut(opt.out, func() []byte { return append(r.JSON(), '\n') })
	doc := requested{"brenner.stalemate.requested/v1", args[0], args[1], r.JSON()}
	return ui.Show(a, doc, err, func(a *ui.App, r requested) string {
		if written == "" {
			return string(r.Request) + "\n"
		}
		if !a.Quiet {
			a.Say("wrote " + ui.Clean(written) + "\n")
		}
		return ""
	})
}

// sendStalemate returns the request of a stalemate and marks it as requested.
func sendStalemate(a *ui.App, c *cobra.Command, opt *requestOptions, args []string) (stalemate.Request, error) {
	if aboutRecord(args[0]) {
		return sendOnRecord(a, c, &opt.helper, args)
	}
	d, err := sessioncmd.OpenWritable(a, c, &sessioncmd.AuthorFlags{As: opt.helper.As}, args[0])
	if err != nil {
		return stalemate.Request{}, err
	}
	defer a.CloseStore(d.Editor.Store)
	_, r, err := d.Editor.SendStalemate(c.Context(), d.Thread, args[1])
	return r, err
}

// requested is the printed request.
type requested struct {
	Schema  string         `json:"schema"`
	Thread  string         `json:"thread_id"`
	ID      string         `json:"id"`
	Request jsontext.Value `json:"request"`
}
