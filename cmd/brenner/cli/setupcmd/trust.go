package setupcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// TrustCommand returns the trust command.
func TrustCommand(a *ui.App) *cobra.Command {
	var dir, sessionConfig string
	var show, forget bool
	c := &cobra.Command{
		Use:     "trust",
		GroupID: ui.Other,
		Short:   "Let this project's file name addresses that get a key, and commands to run",
		Long: `A project's brenner.yaml, or a file for --session-config, may come from anybody. By itself
it cannot make this program send a key to an address, choose which variable is a key, or
run a command: the user looks at the file once, and pins it
by its SHA-256. A file that is changed has to be trusted anew. The list is the user's own
(` + "`$XDG_CONFIG_HOME/brenner/trusted.json`" + `, or what BRENNER_TRUST_FILE names).

Addresses that are named by a flag or in the environment need no trust.`,
		Example: `  brenner trust --show
  brenner trust
  brenner trust --forget

Exit codes: 0 done; 1 the list could not be written; 2 there is no project file.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if show && forget {
				return ui.Usage(c, "--show and --forget contradict each other", "")
			}
			do := project.TrustFile
			switch {
			case show:
				do = project.ShowTrust
			case forget:
				do = project.ForgetFile
			}
			p, err := a.Open(dir, sessionConfig, nil)
			if err != nil {
				return err
			}
			s, err := p.Trust(sessionConfig != "", do)
			if err != nil {
				return err
			}
			return a.Show(trustView{s})
		},
	}
	ui.AddProjectFlag(c, &dir)
	c.Flags().StringVar(&sessionConfig, "session-config", "", "trust this file instead of the project's")
	c.Flags().BoolVar(&show, "show", false, "say what the file asks for and whether it is trusted; change nothing")
	c.Flags().BoolVar(&forget, "forget", false, "trust it no more")
	return c
}

// trustView is what is trusted now.
type trustView struct{ *project.TrustState }

func (r trustView) Print(a *ui.App) error {
	state := "is not trusted"
	if r.Trusted {
		state = "is trusted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", ui.Clean(r.File), state)
	fmt.Fprintf(&b, "sha256 %s; the list of trusted files is %s\n", r.SHA256, ui.Clean(r.Book))
	if len(r.Asks) == 0 {
		b.WriteString("it asks for nothing that needs trust\n")
	}
	for _, ask := range r.Asks {
		b.WriteString("it may " + ui.Clean(ask) + "\n")
	}
	return a.Write([]byte(b.String()))
}
