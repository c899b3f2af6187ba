// Package servecmd implements `brenner serve`.
package servecmd

import (
	"context"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/web"
)

type options struct {
	door     web.Door
	readOnly bool
	open     bool
}

// Command returns the serve command.
func Command(a *ui.App) *cobra.Command {
	var opt options
	c := ui.InProject(&cobra.Command{
		Use:   "serve",
		Short: "Show the project in a browser",
		Long: `Serves the project as pages for a browser, until interrupted: what runs, what it produced,
who wrote which line, and what waits for a decision, which can be made there, too. Pages
follow the journals live, also those that other processes write.

By default it listens on this machine only. The printed address admits one browser, once,
for 12 hours; start the command again for another one. Changes are journaled under the
operator's name.

Other machines need --host, TLS (--cert and --key, or --behind-proxy), and people:
serve.people in brenner.yaml, who log in with a token or with OpenID Connect. Everyone who
is admitted may read; the operator and the authorities may decide, under their names; only
the operator may start sessions.`,
		Example: `  brenner serve
  brenner serve --open
  brenner serve --read-only --listen 127.0.0.1:0
  brenner serve --listen :8443 --host lab.example.org --cert lab.pem --key lab.key
  brenner serve --behind-proxy 127.0.0.1 --host lab.example.org

Exit codes: 0 interrupted; 2 cannot listen on the address, or other machines could reach
it, or invalid configuration.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return serve(c.Context(), a, &opt) },
	})
	f := c.Flags()
	f.StringVar(&opt.door.Listen, "listen", web.DefaultAddress, "address to listen on; port 0 picks a free port")
	f.BoolVar(&opt.readOnly, "read-only", false, "show the project, and refuse changes")
	f.StringSliceVar(&opt.door.Hosts, "host", nil, "name by which other machines reach it; repeatable")
	f.StringVar(&opt.door.Cert, "cert", "", "certificate for TLS, a PEM file")
	f.StringVar(&opt.door.Key, "key", "", "key of the certificate, a PEM file")
	f.StringSliceVar(&opt.door.Proxies, "behind-proxy", nil, "address of the proxy that ends TLS; requests from elsewhere are refused; repeatable")
	f.BoolVar(&opt.open, "open", false, "open the address in the default browser")
	c.AddCommand(tokenCommand(a))
	return c
}

// newToken is a token for a person, and its entry in the configuration.
type newToken struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Token  string `json:"token"`
	SHA256 string `json:"token_sha256"`
}

func tokenCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "token NAME",
		Short: "Make a token for a person on another machine",
		Long: `Prints a new token, once, and on standard error the entry of serve.people in brenner.yaml
that admits the person with it. The entry has the token's hash only.`,
		Example: `  brenner serve token Sydney

Exit codes: 0 printed; 2 no name.`,
		Args: ui.One,
		RunE: func(_ *cobra.Command, args []string) error {
			t := newToken{Schema: "brenner.serve.token/v1", Name: args[0]}
			t.Token, t.SHA256 = web.NewToken()
			return ui.Show(a, t, nil, func(a *ui.App, t newToken) string {
				a.Say("In brenner.yaml:\n\nserve:\n  people:\n    - {name: " + strconv.Quote(t.Name) + ", token_sha256: " + t.SHA256 + "}\n\nThe token, which is not shown again:\n")
				return t.Token + "\n"
			})
		},
	}
}

// serving is the address of a running server.
type serving struct {
	Schema  string `json:"schema"`
	URL     string `json:"url"` // on this machine, valid once
	Project string `json:"project"`
}

func serve(ctx context.Context, a *ui.App, opt *options) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	s, err := web.New(web.Options{Project: p, ReadOnly: opt.readOnly, Door: opt.door})
	if err != nil {
		return err
	}
	l, err := s.Listen(ctx)
	if err != nil {
		return err
	}
	ctx, drain, done := a.Interrupts.Gently(ctx, func() {})
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-drain:
			cancel()
		case <-ctx.Done():
		}
	}()
	now := serving{Schema: "brenner.serve/v1", URL: s.Address(l), Project: p.Config.Project.Dir}
	if err := ui.Show(a, now, nil, func(_ *ui.App, s serving) string { return s.URL + "\n" }); err != nil {
		return err
	}
	a.Say("brenner: serving " + ui.Clean(p.Config.Project.Dir) + "; Ctrl-C stops\n")
	if opt.open {
		if err := openBrowser(ctx, now.URL); err != nil {
			a.Say("brenner: cannot open a browser (" + ui.Clean(err.Error()) + "); open the address yourself\n")
		}
	}
	return s.Serve(ctx, l)
}

// openBrowser opens an address of ours in the default browser.
func openBrowser(ctx context.Context, url string) error {
	command, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	c := exec.CommandContext(context.WithoutCancel(ctx), command, args...)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }() // the browser's end does not matter
	return nil
}
