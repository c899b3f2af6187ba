package playbookcmd

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
)

type playbookAddOptions struct {
	actFlags
	section    string
	domain     string
	tags       []string
	session    string
	agent      string
	task       string
	confidence float64
}

func playbookAddCommand(a *ui.App) *cobra.Command {
	var opt playbookAddOptions
	c := &cobra.Command{
		Use:   "add TEXT",
		Short: "Take a lesson in: count it for the bullet that says the same, or make it one",
		Long: `Takes a lesson in. If a bullet of the domain says the same already (a cosine from
playbook.match on), that bullet is counted, whatever section it is in: a harmful lesson
that matches a helpful bullet raises its harmful counter. Otherwise the lesson becomes a
bullet, in the stage SHADOW. Texts that differ in a negation, in opposites, in a quantifier
(only, most, some, few), in a number or in a unit are never the same.

Without --agent it is a person's word, with confidence 1.`,
		Example: `  brenner playbook add "Write down what each hypothesis predicts before running the test"
  brenner playbook add --section harmful "Averaging over batches hides the effect"
  brenner playbook add --agent BlueLake --session RS-20261115-cells --tag role:test_designer "Count cells twice"

Exit codes: 0 taken in; 1 it could not be stored; 2 the text cannot be a bullet; 4 --as names
no authority; 75 the store is busy, or the endpoint for embeddings cannot be reached.`,
		Args: ui.Args(1, 1, "one text is needed", "put the text in quotation marks"),
		RunE: func(c *cobra.Command, args []string) error { return playbookAdd(a, c, &opt, args[0]) },
	}
	opt.actFlags.add(c, "why, for the journal")
	f := c.Flags()
	f.StringVar(&opt.section, "section", string(playbook.Helpful), "helpful, harmful or neutral")
	f.StringVar(&opt.domain, "domain", "", "its domain; playbook.domain if not given")
	f.StringArrayVar(&opt.tags, "tag", nil, "a tag; role:NAME keeps the bullet to one role; repeatable")
	f.StringVar(&opt.session, "session", "", "the session that it comes from; a session counts once for a bullet")
	f.StringVar(&opt.agent, "agent", "", "the agent whose word it is; without it, it is a person's")
	f.StringVar(&opt.task, "task", "", "the task that it comes from")
	f.Float64Var(&opt.confidence, "confidence", 0, "how sure the agent is, from 0 to 1; bounded by playbook.confidence.agent")
	return c
}

func playbookAdd(a *ui.App, c *cobra.Command, opt *playbookAddOptions, text string) error {
	if c.Flags().Changed("confidence") && opt.agent == "" {
		return ui.Usage(c, "--confidence belongs to --agent: a person's word counts 1", "")
	}
	return change(a, c, &opt.actFlags, func(b *project.Playbook, act playbook.Act) (r *keeper.Change, note string, err error) {
		r, err = b.AddLesson(c.Context(), act, playbook.Insight{
			Domain: opt.domain, Section: playbook.Section(opt.section), Text: strings.TrimSpace(text), Tags: opt.tags, Confidence: opt.confidence,
			Source: playbook.Source{Session: opt.session, Agent: opt.agent, Task: opt.task},
		})
		switch {
		case err != nil:
		case r.Again:
			note = "The session " + ui.Clean(opt.session) + " has said so before: a session counts once."
		case r.Did != "added":
			note = fmt.Sprintf("It says the same (cosine %.2f); the text stays as it is.", r.Cosine)
		}
		return r, note, err
	})
}

func playbookReplaceCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	c := &cobra.Command{
		Use:   "replace ID TEXT",
		Short: "Correct a bullet: quarantine the old one, and put a new one in its place",
		Long: `Puts a bullet with other words in the place of one: what a bullet says never changes, so
the old one goes into quarantine and the new one says which it supersedes. It begins in
SHADOW, with one word for it: a person's.`,
		Example: `  brenner playbook replace pb-00007 "Count cells twice, by two people" --reason "said more clearly"

Exit codes: 0 done; 1 it could not be stored; 2 there is no such bullet, no reason, or the text
cannot be a bullet; 4 --as names no authority; 75 the store is busy.`,
		Args: ui.Args(2, 2, "a bullet and a text are needed", "put the text in quotation marks"),
		RunE: func(c *cobra.Command, args []string) error {
			return change(a, c, &opt, func(b *project.Playbook, act playbook.Act) (*keeper.Change, string, error) {
				r, err := b.Correct(c.Context(), act, args[0], strings.TrimSpace(args[1]))
				return r, "", err
			})
		},
	}
	opt.add(c, "why; needed")
	return c
}

func playbookCreditCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var session string
	said := map[playbook.Section]*bool{}
	c := &cobra.Command{
		Use:   "credit ID…",
		Short: "Count for bullets what came of them: --helpful, --harmful or --neutral",
		Long: `Counts for bullets that they helped, harmed, or did neither, on a person's word. With
--session it counts as that session's, once for each bullet.`,
		Example: `  brenner playbook credit pb-00007 --helpful
  brenner playbook credit pb-00007 pb-00009 --harmful --session RS-20261115-cells --reason "led to a rejected delta"

Exit codes: 0 counted, or it was counted before; 1 it could not be stored; 2 there is no such
bullet; 4 --as names no authority; 75 the store is busy.`,
		Args: someIDs(1, math.MaxInt),
		RunE: func(c *cobra.Command, args []string) error {
			var polarity []playbook.Section
			for _, s := range playbook.Sections() {
				if *said[s] {
					polarity = append(polarity, s)
				}
			}
			if len(polarity) != 1 {
				return ui.Usage(c, "one of --helpful, --harmful and --neutral is needed", "")
			}
			return change(a, c, &opt, func(b *project.Playbook, act playbook.Act) (r *keeper.Change, note string, err error) {
				act.Session = session
				r, err = b.Each(c.Context(), act, "credited", args, func(draft *playbook.Draft, id string) error {
					_, err := draft.Credit(id, polarity[0])
					return err
				})
				if err == nil && len(r.Entries) == 0 {
					note = "The session " + ui.Clean(session) + " has counted so before: a session counts once."
				}
				return r, note, err
			})
		},
	}
	opt.add(c, "why, for the journal")
	c.Flags().StringVar(&session, "session", "", "the session in which it showed")
	for _, s := range playbook.Sections() {
		said[s] = c.Flags().Bool(string(s), false, "it was "+string(s))
	}
	return c
}

// each does the same to bullets, on a person's word.
func each(a *ui.App, c *cobra.Command, opt *actFlags, did string, ids []string, do func(*playbook.Draft, string) error) error {
	return change(a, c, opt, func(b *project.Playbook, act playbook.Act) (*keeper.Change, string, error) {
		r, err := b.Each(c.Context(), act, did, ids, do)
		return r, "", err
	})
}

// moveCommand is a command by which a person moves bullets.
func moveCommand(a *ui.App, c *cobra.Command, did string, move func(*playbook.Draft, string) error) *cobra.Command {
	var opt actFlags
	c.Args = someIDs(1, math.MaxInt)
	c.RunE = func(c *cobra.Command, args []string) error {
		return each(a, c, &opt, did, args, move)
	}
	opt.add(c, "why; needed")
	return c
}

const moveCodes = `

Exit codes: 0 done; 1 it could not be stored; 2 there is no such bullet, no reason, or its stage
does not allow it, and nothing is written; 4 --as names no authority; 75 the store is busy.`

func playbookPromoteCommand(a *ui.App) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "promote ID…",
		Short: "Move bullets up on a person's word, whatever their counters say",
		Long: `Moves bullets up without waiting for their counters: to STAGING, or to PROD, where every
session sees them. The journal calls it "force".`,
		Example: `  brenner playbook promote pb-00007 --to PROD --reason "we have done so for years"` + moveCodes,
	}
	c.Flags().StringVar(&to, "to", string(playbook.Prod), "STAGING or PROD")
	return moveCommand(a, c, "promoted", func(d *playbook.Draft, id string) error { return d.Promote(id, playbook.Stage(strings.ToUpper(to))) })
}

func playbookQuarantineCommand(a *ui.App) *cobra.Command {
	return moveCommand(a, &cobra.Command{
		Use:     "quarantine ID…",
		Short:   "Take bullets out of every prompt",
		Long:    `Takes bullets out of every prompt until a person restores them. They are still counted.`,
		Example: `  brenner playbook quarantine pb-00007 --reason "it leads to overfitting"` + moveCodes,
	}, "quarantined", (*playbook.Draft).Quarantine)
}

func playbookRestoreCommand(a *ui.App) *cobra.Command {
	return moveCommand(a, &cobra.Command{
		Use:     "restore ID…",
		Short:   "Let bullets out of quarantine, to SHADOW",
		Long:    `Lets bullets out of quarantine: nothing but a person does. They begin again in SHADOW.`,
		Example: `  brenner playbook restore pb-00007 --reason "the harm was of another cause"` + moveCodes,
	}, "restored", (*playbook.Draft).Restore)
}

func playbookReviewCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var approve, reject bool
	c := &cobra.Command{
		Use:   "review [ID…]",
		Short: "List the bullets that wait for a person, or decide about some",
		Long: `Lists the bullets whose counters would have them in PROD, but whose confidence is below
playbook.prod.confidence: a person decides. --approve moves them to PROD, --reject into
quarantine.`,
		Example: `  brenner playbook review
  brenner playbook review pb-00007 --approve --reason "checked against the data"
  brenner playbook review pb-00009 --reject --reason "too broad"

Exit codes: 0 listed or done; 1 it could not be stored; 2 there is no such bullet, no reason, or
it does not wait, and nothing is written; 4 --as names no authority; 75 the store is busy.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && !approve && !reject:
				return playbookWaiting(a, c)
			case approve == reject:
				return ui.Usage(c, "one of --approve and --reject is needed to decide", "")
			case len(args) == 0:
				return ui.Usage(c, "which bullets?", "`brenner playbook review` lists those that wait")
			}
			did := "approved"
			if reject {
				did = "rejected"
			}
			return each(a, c, &opt, did, args, func(d *playbook.Draft, id string) error { return d.Review(id, approve) })
		},
	}
	opt.add(c, "why; needed to decide")
	c.Flags().BoolVar(&approve, "approve", false, "move them to PROD")
	c.Flags().BoolVar(&reject, "reject", false, "move them into quarantine")
	return c
}

func playbookWaiting(a *ui.App, c *cobra.Command) error {
	waiting := 0
	err := show(a, c, (*project.Project).OpenPlaybook, func(b *project.Playbook) (*keeper.List, error) {
		return b.List(c.Context(), keeper.ListOptions{Waiting: true})
	}, func(a *ui.App, l *keeper.List) string {
		waiting = len(l.Bullets)
		return listText(a, l, "No bullet waits for a person.\n")
	})
	if err == nil && waiting > 0 && !a.Quiet {
		a.Say(text.Plural(waiting, "bullet waits", "bullets wait") + " for a person: brenner playbook review ID --approve|--reject --reason …\n")
	}
	return err
}

// changeText says what became of bullets.
func changeText(a *ui.App, r *keeper.Change, note string) string {
	if a.Quiet {
		return bulletIDs(r.Bullets)
	}
	var b strings.Builder
	for _, bullet := range r.Bullets {
		fmt.Fprintf(&b, "%s %s: %s\n", bullet.ID, r.Did, bulletState(bullet))
		fmt.Fprintf(&b, "  %s\n", ui.Clean(bullet.Content))
	}
	for _, n := range r.Near {
		fmt.Fprintf(&b, "  near %s (cosine %.2f), and not the same: %s\n", n.ID, n.Cosine, ui.Clean(n.Why))
	}
	for _, e := range r.Entries {
		if e.Op != playbook.OpAdd && e.Op != playbook.OpCount {
			fmt.Fprintf(&b, "  %s\n", entryLine(&e))
		}
	}
	if note != "" {
		b.WriteString(note + "\n")
	}
	return b.String()
}

// bulletState says in a few words where a bullet stands.
func bulletState(b *playbook.Bullet) string {
	text := fmt.Sprintf("%s, helpful %d, harmful %d", b.Stage, b.Helpful, b.Harmful)
	if b.Neutral > 0 {
		text += fmt.Sprintf(", neutral %d", b.Neutral)
	}
	if b.Review == playbook.Waiting {
		text += ", waits for a review"
	}
	return text
}

// entryLine says in a line what an entry did.
func entryLine(e *playbook.Entry) string {
	line := string(e.Op)
	if change := entryChange(e); change != "" {
		line += " " + change
	}
	if e.Reason != "" {
		line += ": " + ui.Clean(e.Reason)
	}
	return line
}

// entryChange says what an entry changed, from what to what.
func entryChange(e *playbook.Entry) string {
	var parts []string
	number := func(name string, was, is *int) {
		if is != nil {
			before := 0
			if was != nil {
				before = *was
			}
			parts = append(parts, fmt.Sprintf("%s %d → %d", name, before, *is))
		}
	}
	if e.Op == playbook.OpAdd {
		return ""
	}
	if e.After.Stage != nil && e.Before.Stage != nil {
		parts = append(parts, fmt.Sprintf("%s → %s", *e.Before.Stage, *e.After.Stage))
	}
	number("helpful", e.Before.Helpful, e.After.Helpful)
	number("harmful", e.Before.Harmful, e.After.Harmful)
	number("neutral", e.Before.Neutral, e.After.Neutral)
	if e.After.Review != nil && *e.After.Review != "" {
		parts = append(parts, *e.After.Review)
	}
	if e.Before.Review != nil && *e.Before.Review == playbook.Waiting && e.After.Review != nil && *e.After.Review == "" {
		parts = append(parts, "waits no more")
	}
	if e.After.Embedding != nil {
		parts = append(parts, ui.Clean(e.After.Embedding.Model))
	}
	return strings.Join(parts, ", ")
}
