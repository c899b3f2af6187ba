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
	"brenner/project/lessons"
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
		Short: "Add a lesson, or count it for an equivalent bullet",
		Long: `Adds a lesson. If an equivalent bullet exists in the domain (cosine of at least
playbook.match), that bullet is counted, whatever its section: a harmful lesson that
matches a helpful bullet raises its harmful counter. Otherwise the lesson becomes a new
bullet in the stage SHADOW. Texts that differ in a negation, in opposites, in a quantifier
(only, most, some, few), in a number or in a unit are never equivalent.

Without --agent, the lesson comes from a person and has confidence 1.`,
		Example: `  brenner playbook add "Write down what each hypothesis predicts before running the test"
  brenner playbook add --section harmful "Averaging over batches hides the effect"
  brenner playbook add --agent BlueLake --session RS-20261115-cells --tag role:test_designer "Count cells twice"

Exit codes: 0 added or counted; 1 storing failed; 2 invalid text; 4 --as is not an
authority; 75 the store is busy, or the embeddings endpoint is unreachable.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return playbookAdd(a, c, &opt, args[0]) },
	}
	opt.actFlags.add(c, "reason for the journal")
	f := c.Flags()
	f.StringVar(&opt.section, "section", string(playbook.Helpful), "section: helpful, harmful or neutral")
	f.StringVar(&opt.domain, "domain", "", "domain (default: playbook.domain)")
	f.StringArrayVar(&opt.tags, "tag", nil, "tag; role:NAME restricts the bullet to one role; repeatable")
	f.StringVar(&opt.session, "session", "", "session that it comes from; a session counts once per bullet")
	f.StringVar(&opt.agent, "agent", "", "agent that it comes from (default: a person)")
	f.StringVar(&opt.task, "task", "", "task that it comes from")
	f.Float64Var(&opt.confidence, "confidence", 0, "agent's confidence from 0 to 1, at most playbook.confidence.agent")
	return c
}

func playbookAdd(a *ui.App, c *cobra.Command, opt *playbookAddOptions, text string) error {
	if c.Flags().Changed("confidence") && opt.agent == "" {
		return ui.Usage(c, "--confidence requires --agent: a person's lesson has confidence 1", "")
	}
	return change(a, c, &opt.actFlags, func(b *lessons.Book, act playbook.Act) (r *keeper.Change, note string, err error) {
		r, err = b.AddLesson(c.Context(), act, playbook.Insight{
			Domain: opt.domain, Section: playbook.Section(opt.section), Text: strings.TrimSpace(text), Tags: opt.tags, Confidence: opt.confidence,
			Source: playbook.Source{Session: opt.session, Agent: opt.agent, Task: opt.task},
		})
		switch {
		case err != nil:
		case r.Again:
			note = "Already counted for the session " + ui.Clean(opt.session) + "."
		case r.Did != "added":
			note = fmt.Sprintf("Equivalent bullet (cosine %.2f); its text is unchanged.", r.Cosine)
		}
		return r, note, err
	})
}

func playbookReplaceCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	c := &cobra.Command{
		Use:   "replace ID TEXT",
		Short: "Replace a bullet by a corrected one",
		Long: `Replaces a bullet. The text of a bullet never changes, so the old one is quarantined and
a new one, which records what it supersedes, is added in SHADOW with one helpful count.`,
		Example: `  brenner playbook replace pb-00007 "Count cells twice, by two people" --reason "clearer wording"

Exit codes: 0 done; 1 storing failed; 2 no such bullet, no reason, or invalid text; 4 --as
is not an authority; 75 the store is busy.`,
		Args: ui.Args(2, 2, ""),
		RunE: func(c *cobra.Command, args []string) error {
			return change(a, c, &opt, func(b *lessons.Book, act playbook.Act) (*keeper.Change, string, error) {
				r, err := b.Correct(c.Context(), act, args[0], strings.TrimSpace(args[1]))
				return r, "", err
			})
		},
	}
	opt.add(c, "reason (required)")
	return c
}

func playbookCreditCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var session string
	sections := map[playbook.Section]*bool{}
	c := &cobra.Command{
		Use:   "credit ID…",
		Short: "Count bullets as helpful, harmful or neutral",
		Long: `Counts bullets as helpful, harmful or neutral on a person's judgement. With --session, the
count belongs to that session, once per bullet.`,
		Example: `  brenner playbook credit pb-00007 --helpful
  brenner playbook credit pb-00007 pb-00009 --harmful --session RS-20261115-cells --reason "led to a rejected delta"

Exit codes: 0 counted, or already counted; 1 storing failed; 2 no such bullet; 4 --as is
not an authority; 75 the store is busy.`,
		Args: someIDs(1, math.MaxInt),
		RunE: func(c *cobra.Command, args []string) error {
			var polarity []playbook.Section
			for _, s := range playbook.Sections() {
				if *sections[s] {
					polarity = append(polarity, s)
				}
			}
			if len(polarity) != 1 {
				return ui.Usage(c, "one of --helpful, --harmful and --neutral is required", "")
			}
			return change(a, c, &opt, func(b *lessons.Book, act playbook.Act) (r *keeper.Change, note string, err error) {
				act.Session = session
				r, err = b.Each(c.Context(), act, "credited", args, func(draft *playbook.Draft, id string) error {
					_, err := draft.Credit(id, polarity[0])
					return err
				})
				if err == nil && len(r.Entries) == 0 {
					note = "Already counted for the session " + ui.Clean(session) + "."
				}
				return r, note, err
			})
		},
	}
	opt.add(c, "reason for the journal")
	c.Flags().StringVar(&session, "session", "", "session in which it was observed")
	for _, s := range playbook.Sections() {
		sections[s] = c.Flags().Bool(string(s), false, "count as "+string(s))
	}
	return c
}

// each applies do to bullets.
func each(a *ui.App, c *cobra.Command, opt *actFlags, did string, ids []string, do func(*playbook.Draft, string) error) error {
	return change(a, c, opt, func(b *lessons.Book, act playbook.Act) (*keeper.Change, string, error) {
		r, err := b.Each(c.Context(), act, did, ids, do)
		return r, "", err
	})
}

// moveCommand completes a command that moves bullets between stages.
func moveCommand(a *ui.App, c *cobra.Command, did string, move func(*playbook.Draft, string) error) *cobra.Command {
	var opt actFlags
	c.Args = someIDs(1, math.MaxInt)
	c.RunE = func(c *cobra.Command, args []string) error {
		return each(a, c, &opt, did, args, move)
	}
	opt.add(c, "reason (required)")
	return c
}

const moveCodes = `

Exit codes: 0 done; 1 storing failed; 2 no such bullet, no reason, or not possible in its
stage, nothing written; 4 --as is not an authority; 75 the store is busy.`

func playbookPromoteCommand(a *ui.App) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "promote ID…",
		Short: "Promote bullets regardless of their counters",
		Long: `Promotes bullets to STAGING, or to PROD, where every session sees them, regardless of
their counters. The journal records it as "force".`,
		Example: `  brenner playbook promote pb-00007 --to PROD --reason "we have done so for years"` + moveCodes,
	}
	c.Flags().StringVar(&to, "to", string(playbook.Prod), "target stage: STAGING or PROD")
	return moveCommand(a, c, "promoted", func(d *playbook.Draft, id string) error { return d.Promote(id, playbook.Stage(strings.ToUpper(to))) })
}

func playbookQuarantineCommand(a *ui.App) *cobra.Command {
	return moveCommand(a, &cobra.Command{
		Use:     "quarantine ID…",
		Short:   "Exclude bullets from all prompts",
		Long:    `Excludes bullets from all prompts until they are restored. They are still counted.`,
		Example: `  brenner playbook quarantine pb-00007 --reason "it leads to overfitting"` + moveCodes,
	}, "quarantined", (*playbook.Draft).Quarantine)
}

func playbookRestoreCommand(a *ui.App) *cobra.Command {
	var snapshot string
	var apply bool
	c := moveCommand(a, &cobra.Command{
		Use:   "restore [ID…]",
		Short: "Restore quarantined or merged bullets, or a snapshot",
		Long: `Moves bullets from quarantine to SHADOW. This never happens automatically. A merged bullet
returns to its stage; the bullet that stood for it loses its counts.

With --snapshot, returns the whole playbook to a snapshot: counters, stages, reviews and
merges are as they were, bullets that are missing here are added, and bullets that the
snapshot does not have are quarantined. Nothing is deleted, and the journal has an entry
for each change. Sessions that were counted since are not counted again. Without --apply,
only prints what would change. A snapshot of the state before is kept.`,
		Example: `  brenner playbook restore pb-00007 --reason "the harm had another cause"
  brenner playbook restore --snapshot playbook@v2
  brenner playbook restore --snapshot playbook@v2 --apply --reason "the import was a mistake"` + moveCodes,
	}, "restored", (*playbook.Draft).Restore)
	c.Flags().StringVar(&snapshot, "snapshot", "", "snapshot to restore, such as playbook@v2; without a version, the latest")
	c.Flags().BoolVar(&apply, "apply", false, "restore the snapshot; without it nothing changes")
	some, move := c.Args, c.RunE
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if snapshot == "" {
			if err := ui.Unused(c, "requires --snapshot", "apply"); err != nil {
				return err
			}
			if err := some(c, args); err != nil {
				return err
			}
			return move(c, args)
		}
		if len(args) > 0 {
			return ui.Usage(c, "--snapshot restores the whole playbook: name no bullets", "")
		}
		as, reason := c.Flags().Lookup("as").Value.String(), c.Flags().Lookup("reason").Value.String()
		return restoreSnapshot(a, c, &actFlags{as: as, reason: reason}, snapshot, apply)
	}
	return c
}

func playbookReviewCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var approve, reject bool
	c := &cobra.Command{
		Use:   "review [ID…]",
		Short: "List or decide bullets that wait for review",
		Long: `Lists the bullets whose counters qualify them for PROD but whose confidence is below
playbook.prod.confidence. --approve moves bullets to PROD, --reject quarantines them.`,
		Example: `  brenner playbook review
  brenner playbook review pb-00007 --approve --reason "checked against the data"
  brenner playbook review pb-00009 --reject --reason "too broad"

Exit codes: 0 listed or done; 1 storing failed; 2 no such bullet, no reason, or not waiting
for review, nothing written; 4 --as is not an authority; 75 the store is busy.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && !approve && !reject:
				return playbookWaiting(a, c)
			case approve == reject:
				return ui.Usage(c, "one of --approve and --reject is required", "")
			case len(args) == 0:
				return ui.Usage(c, "missing argument: ID", "`brenner playbook review` lists the bullets that wait for review")
			}
			did := "approved"
			if reject {
				did = "rejected"
			}
			return each(a, c, &opt, did, args, func(d *playbook.Draft, id string) error { return d.Review(id, approve) })
		},
	}
	opt.add(c, "reason (required to decide)")
	c.Flags().BoolVar(&approve, "approve", false, "move the bullets to PROD")
	c.Flags().BoolVar(&reject, "reject", false, "quarantine the bullets")
	return c
}

func playbookWaiting(a *ui.App, c *cobra.Command) error {
	waiting := 0
	err := show(a, c, lessons.Open, func(b *lessons.Book) (*keeper.List, error) {
		return b.List(c.Context(), keeper.ListOptions{Waiting: true})
	}, func(a *ui.App, l *keeper.List) string {
		waiting = len(l.Bullets)
		return listText(a, l, "No bullets wait for review.\n")
	})
	if err == nil && waiting > 0 && !a.Quiet {
		a.Say(text.Plural(waiting, "bullet waits", "bullets wait") + " for review: brenner playbook review ID --approve|--reject --reason …\n")
	}
	return err
}

// changeText formats changed bullets.
func changeText(a *ui.App, r *keeper.Change, note string) string {
	if a.Quiet {
		return bulletIDs(r.Bullets)
	}
	var b strings.Builder
	for _, bullet := range r.Bullets {
		fmt.Fprintf(&b, "%s %s: %s\n", bullet.ID, r.Did, bulletState(bullet))
		fmt.Fprintf(&b, "  %s\n", ui.Clean(bullet.Content))
	}
	writeNear(&b, r.Near)
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

func writeNear(b *strings.Builder, near []playbook.Refusal) {
	for _, n := range near {
		fmt.Fprintf(b, "  similar to %s (cosine %.2f), but not equivalent: %s\n", n.ID, n.Cosine, ui.Clean(n.Why))
	}
}

// bulletState formats the stage and counters of a bullet.
func bulletState(b *playbook.Bullet) string {
	text := fmt.Sprintf("%s, helpful %d, harmful %d", b.Stage, b.Helpful, b.Harmful)
	if b.Neutral > 0 {
		text += fmt.Sprintf(", neutral %d", b.Neutral)
	}
	if b.Review == playbook.Waiting {
		text += ", waiting for review"
	}
	return text
}

// entryLine formats an entry in one line.
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

// entryChange formats the values that an entry changed.
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
		parts = append(parts, "no longer waiting")
	}
	if e.After.Embedding != nil {
		parts = append(parts, ui.Clean(e.After.Embedding.Model))
	}
	return strings.Join(parts, ", ")
}
