package cli

import (
	"context"

	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/playbook/keeper"
	"brenner/store"
	"brenner/store/memory"
)

func (a *app) playbookVerifyCommand() *cobra.Command {
	var project, head string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Prove the playbook: follow its journal, and replay every entry of it",
		Long: `Reads the whole journal, follows its chain of hashes, replays what it says, and looks at
every vector. An entry that was edited, dropped, swapped or put in between is named.

That the end of a journal was cut off shows in nothing but a hash that somebody kept:
--head takes one.`,
		Example: `  brenner playbook verify
  brenner playbook verify --head 6f1c…

Exit codes: 0 it is whole; 1 it is not; 2 the configuration or the store cannot be used.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.playbookVerify(c, project, head) },
	}
	addProjectFlag(c, &project)
	c.Flags().StringVar(&head, "head", "", "the hash of an entry that has to be there")
	return c
}

func (a *app) playbookVerify(c *cobra.Command, project, head string) error {
	cfg, err := a.open(project, "", nil)
	if err != nil {
		return err
	}
	var st store.Store
	st, err = cfg.openUnchanged(c.Context())
	if fault.CodeOf(err) == store.NoStore {
		st, err = memory.New(), nil
	}
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	proved := provePlaybook(c.Context(), st, head)
	if err := c.Context().Err(); err != nil {
		return err
	}
	if !proved.ok() {
		a.exit = exitFailed
	}
	return a.show(&playbookProof{Schema: "brenner.playbook.verify/v1", Whole: proved.ok(), checkedPlaybook: proved, Problems: details(proved.found)})
}

// checkedPlaybook is what was found of the playbook.
type checkedPlaybook struct {
	Entries int    `json:"entries"` // that are intact
	Bullets int    `json:"bullets"`
	Vectors int    `json:"vectors"`
	Head    string `json:"head"` // of the last one
	found   []error
}

// provePlaybook follows the journal of a store's playbook; a head that somebody kept,
// where one is given, has to be in it.
func provePlaybook(ctx context.Context, st store.Store, head string) *checkedPlaybook {
	r, err := keeper.Verify(ctx, st, head)
	p := &checkedPlaybook{Entries: r.Head.Seq, Bullets: r.Bullets, Vectors: r.Vectors, Head: r.Head.Hash}
	if err != nil {
		p.found = []error{err}
	}
	return p
}

func (p *checkedPlaybook) ok() bool { return len(p.found) == 0 }

func (p *checkedPlaybook) whole() string {
	return plural(p.Entries, "entry", "entries") + ", " + count(p.Bullets, "bullet") + ", " + count(p.Vectors, "vector")
}

// playbookProof is what verifying a playbook came to.
type playbookProof struct {
	Schema string `json:"schema"`
	Whole  bool   `json:"whole"`
	*checkedPlaybook
	Problems []failureDetail `json:"problems"`
}

func (v *playbookProof) document() any { return v }

func (v *playbookProof) text(a *app) error {
	if !v.Whole {
		var text string
		for _, p := range v.Problems {
			text += "NOT WHOLE: " + clean(p.Message) + "\n"
			if p.Hint != "" && !a.quiet {
				text += "  hint: " + clean(p.Hint) + "\n"
			}
		}
		return a.write([]byte(text))
	}
	if a.quiet {
		return nil
	}
	return a.write([]byte(columns([][]string{
		{"Whole", v.whole()},
		{"Head", orDash(v.Head)},
	})))
}
