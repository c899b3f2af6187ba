package sessioncmd

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/merge"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

type replayOptions struct {
	project string
	without string
	format  string
}

func sessionReplayCommand(a *ui.App) *cobra.Command {
	var opt replayOptions
	c := &cobra.Command{
		Use:   "replay ID|FILE",
		Short: "Settle a session again from its journal, and prove the same bytes",
		Long: `Settles everything again, from the empty artifact on, offline and from the replies that
the journal names, and compares each version with the one that was committed, byte by
byte.

With --without it shows what the artifact would be had one agent, or one person, never
answered: the artifact on standard output, what that changes on standard error. Whoever
meant an item by its id means the same item then, whatever its id is.`,
		Example: `  brenner session replay RS-20261115-cell-fate
  brenner session replay cell-fate.brenner.jsonl --without GreenValley > without.md

Exit codes: 0 the same bytes, or the artifact is printed; 1 a version differs; 2 there is
no such session or agent.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return replay(a, c, args[0], &opt) },
	}
	ui.AddProjectFlag(c, &opt.project)
	addFormatFlag(c, &opt.format)
	c.Flags().StringVar(&opt.without, "without", "", "leave out what this agent or person contributed")
	return c
}

func replay(a *ui.App, c *cobra.Command, arg string, opt *replayOptions) error {
	inJSON, err := asJSON(c, opt.format, "")
	if err != nil {
		return err
	}
	switch {
	case c.Flags().Changed("without") && opt.without == "":
		return ui.Usage(c, "--without names nobody", "")
	case opt.format != "" && opt.without == "":
		return ui.Usage(c, "--format is for the artifact that --without prints", "")
	}
	return a.WithSession(c, opt.project, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := ui.WholeSession(c, src.Address); err != nil {
			return err
		}
		if opt.without != "" {
			return replayWithout(ctx, a, h, opt.without, inJSON)
		}
		all, err := h.Replay(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r := newReplayed(h, all, err)
		if err != nil {
			a.Exit = ui.ExitFailed
		}
		return a.Show(r)
	})
}

// replayed is a session that was settled again.
type replayed struct {
	Schema   string           `json:"schema"`
	Thread   string           `json:"thread_id"`
	Equal    bool             `json:"equal"`
	Versions []replayedCommit `json:"versions"`
	Faults   []fault.Detail   `json:"faults"`
}

type replayedCommit struct {
	Version  int    `json:"version"`
	From     string `json:"from"`
	Round    int    `json:"round,omitzero"`
	Author   string `json:"author,omitempty"`
	Entry    int    `json:"entry"`
	SHA256   string `json:"sha256"` // as it was committed
	Replayed string `json:"replayed"`
	OK       bool   `json:"ok"`
	// Lint names the rules of another program whose findings were not compared.
	Lint     string `json:"other_lint,omitempty"`
	Reworded bool   `json:"reworded,omitzero"` // its report says the same in other words
}

func newReplayed(h *session.History, all []session.Replayed, err error) *replayed {
	r := &replayed{Schema: "brenner.session.replay/v1", Thread: h.Thread, Equal: err == nil, Versions: []replayedCommit{}, Faults: []fault.Detail{}}
	if err != nil {
		r.Faults = fault.Details(err)
	}
	for i := range all {
		c, got := &all[i].Commit, store.Hash(all[i].Settlement.Artifact.JSON())
		r.Versions = append(r.Versions, replayedCommit{
			Version: c.Version, From: c.Source, Round: c.Round, Author: c.Author, Entry: c.Seq, SHA256: c.Artifact, Replayed: got,
			OK: got == c.Artifact && all[i].Settlement.Artifact.Metadata.Version == c.Version, Lint: all[i].Then.Lint, Reworded: all[i].Then.Reworded,
		})
	}
	return r
}

func (r *replayed) Print(a *ui.App) error {
	rows := [][]string{{"VERSION", "FROM", "REPLAYED", "SHA-256"}}
	for _, v := range r.Versions {
		from := v.From
		switch {
		case v.From == flow.ByRound:
			from = "round " + strconv.Itoa(v.Round)
		case v.From == flow.ByPerson:
			from = "by " + ui.Clean(v.Author)
		case v.From == flow.ByThread:
			from = "letters"
		case v.Author != "":
			from += " by " + ui.Clean(v.Author)
		}
		result, hash := "ok", v.SHA256
		if !v.OK {
			result, hash = "differs", v.SHA256+", now "+v.Replayed
		}
		rows = append(rows, []string{strconv.Itoa(v.Version), from, result, hash})
	}
	text := ""
	if !a.Quiet {
		text = ui.Columns(rows)
	}
	for _, f := range r.Faults {
		text += string(f.Code) + ": " + ui.Clean(f.Message) + "\n"
	}
	for _, v := range r.Versions {
		if v.Lint != "" && !a.Quiet {
			text += fmt.Sprintf("version %d: its findings are of %s and were not compared: this program has %s\n", v.Version, ui.Clean(v.Lint), lint.Version)
		}
		if v.Reworded && !a.Quiet {
			text += fmt.Sprintf("version %d: its report says the same in other words than this program's\n", v.Version)
		}
	}
	if r.Equal && !a.Quiet {
		text += ui.Clean(r.Thread) + ": every version follows from the journal, to the byte\n"
	}
	return a.Write([]byte(text))
}

// replayWithout shows what a session would have come to without somebody.
func replayWithout(ctx context.Context, a *ui.App, h *session.History, name string, inJSON bool) error {
	now, err := h.Without(ctx, name)
	if err != nil {
		return err
	}
	if len(now) == 0 {
		return &fault.Error{
			Code: session.NoVersion, Detail: h.Thread + " has no version yet",
			Hint: "`brenner session resume " + h.Thread + "` goes on with it",
		}
	}
	was, err := h.Replay(ctx)
	if err != nil {
		return err
	}
	before, after := &was[len(was)-1].Settlement.Artifact, now[len(now)-1].Settlement.Artifact
	w := &withoutOne{Thread: h.Thread, Without: name, artifact: after, json: inJSON, Version: after.Metadata.Version, WasVersion: before.Metadata.Version}
	w.compare(before)
	w.nowRejected(was, now)
	return a.Show(w)
}

// withoutOne is an artifact as it would be, and how it differs.
type withoutOne struct {
	Schema     string            `json:"schema"`
	Thread     string            `json:"thread_id"`
	Without    string            `json:"without"`
	Version    int               `json:"version"`
	WasVersion int               `json:"was_version"`
	Gone       []goneItem        `json:"gone"`
	Renamed    []renamedItem     `json:"renamed"`
	Changed    []changedField    `json:"changed"`
	Rejected   []rejectedSummary `json:"rejected"` // deltas of others that were taken, and now are not
	Artifact   jsontext.Value    `json:"artifact"`
	artifact   artifact.Artifact
	json       bool
}

type goneItem struct {
	ID    string `json:"id"` // as it was
	Title string `json:"title"`
}

type renamedItem struct {
	Was string `json:"was"`
	Now string `json:"now"`
}

type changedField struct {
	Item  string         `json:"item"` // as it is now
	Was   string         `json:"was"`  // the item's id as it was
	Field string         `json:"field"`
	From  jsontext.Value `json:"from"` // null where there was nothing
	To    jsontext.Value `json:"to"`
}

// compare finds what is gone and what differs. Items are the same if the same
// delta made them.
func (w *withoutOne) compare(before *artifact.Artifact) {
	w.Gone, w.Renamed, w.Changed, w.Rejected = []goneItem{}, []renamedItem{}, []changedField{}, []rejectedSummary{}
	made := make(map[string]*artifact.Item)
	for _, items := range w.artifact.Sections {
		for _, it := range items {
			made[maker(it)] = it
		}
	}
	ids := make(map[string]string)
	for _, items := range before.Sections {
		for _, it := range items {
			if now := made[maker(it)]; now != nil {
				ids[it.ID] = now.ID
			}
		}
	}
	for s, items := range before.Sections {
		for _, it := range items {
			now := made[maker(it)]
			if now == nil {
				w.Gone = append(w.Gone, goneItem{it.ID, titleOf(it, artifact.Section(s))})
				continue
			}
			if now.ID != it.ID {
				w.Renamed = append(w.Renamed, renamedItem{it.ID, now.ID})
			}
			w.fields(it, now, ids)
		}
	}
}

// maker names what made an item; the research thread is there from the beginning.
func maker(it *artifact.Item) string {
	if it.Created == nil || it.ID == artifact.ThreadID {
		return "#" + it.ID
	}
	return it.Created.Delta
}

func titleOf(it *artifact.Item, s artifact.Section) string {
	for _, name := range []string{"name", "claim", "statement", "condition"} {
		if t := it.Text(name); t != "" {
			return t
		}
	}
	for _, f := range s.Spec().Fields {
		if t := it.Text(f.Name); t != "" {
			return t
		}
	}
	return ""
}

func (w *withoutOne) fields(was, now *artifact.Item, ids map[string]string) {
	var names []string
	for _, it := range []*artifact.Item{was, now} {
		for _, f := range it.Fields {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	for _, name := range names {
		from, to := canonicalOrNull(renamed(was.Get(name), ids)), canonicalOrNull(now.Get(name))
		if !bytes.Equal(from, to) {
			w.Changed = append(w.Changed, changedField{now.ID, was.ID, name, from, to})
		}
	}
	if from, to := killOf(was), killOf(now); !bytes.Equal(from, to) {
		w.Changed = append(w.Changed, changedField{now.ID, was.ID, "killed", from, to})
	}
}

func killOf(it *artifact.Item) jsontext.Value {
	if it.Kill == nil {
		return canonicalOrNull(artifact.Bool(false))
	}
	return canonicalOrNull(artifact.Text(it.Kill.By + ": " + it.Kill.Reason))
}

func canonicalOrNull(v artifact.Value) jsontext.Value {
	if v == nil {
		v = artifact.Null{}
	}
	return jsontext.Value(artifact.Canonical(v))
}

// renamed gives a value as it reads with the ids of the other artifact.
func renamed(v artifact.Value, ids map[string]string) artifact.Value {
	name := func(id string) string {
		if now, ok := ids[id]; ok {
			return now
		}
		return id
	}
	switch v := v.(type) {
	case artifact.Text:
		return artifact.Text(name(string(v)))
	case artifact.List:
		out := make(artifact.List, len(v))
		for i := range v {
			out[i] = renamed(v[i], ids)
		}
		return out
	case artifact.Map:
		entries := make([]artifact.Entry, len(v))
		for i, e := range v {
			entries[i] = artifact.Entry{Key: name(e.Key), Value: renamed(e.Value, ids)}
		}
		return artifact.MapOf(entries...)
	}
	return v
}

// nowRejected finds the deltas of others that were taken and now are rejected.
func (w *withoutOne) nowRejected(was, now []session.Replayed) {
	rejected := make(map[string]bool)
	for i := range was {
		for _, row := range was[i].Settlement.Report.Deltas {
			rejected[row.DeltaID] = row.Disposition == merge.Rejected
		}
	}
	for i := range now {
		for _, row := range now[i].Settlement.Report.Deltas {
			if row.Disposition == merge.Rejected && !rejected[row.DeltaID] && row.Agent != w.Without {
				w.Rejected = append(w.Rejected, rejectedSummary{
					now[i].Settlement.Artifact.Metadata.Version, row.Agent, row.DeltaID, row.TargetID, row.Code, row.Message,
				})
			}
		}
	}
}

func (w *withoutOne) Print(a *ui.App) error {
	if !a.Quiet {
		a.Say(w.account())
	}
	if w.json {
		return a.Write(append(w.artifact.JSON(), '\n'))
	}
	return a.Write(w.artifact.Markdown())
}

// account says in short what differs.
func (w *withoutOne) account() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s without %s: version %d instead of %d; %s gone, %s, %s of others now rejected\n", ui.Clean(w.Thread), ui.Clean(w.Without),
		w.Version, w.WasVersion, text.Count(len(w.Gone), "item"), text.Plural(len(w.Changed), "field differs", "fields differ"), text.Count(len(w.Rejected), "delta"))
	for _, g := range w.Gone {
		fmt.Fprintf(&b, "  gone: %s (%s)\n", ui.Clean(g.ID), ui.Cut(ui.Clean(g.Title)))
	}
	for _, r := range w.Renamed {
		fmt.Fprintf(&b, "  %s is now %s\n", ui.Clean(r.Was), ui.Clean(r.Now))
	}
	for _, c := range w.Changed {
		fmt.Fprintf(&b, "  differs: %s.%s: %s, was %s\n", ui.Clean(c.Item), ui.Clean(c.Field), ui.Cut(ui.Clean(string(c.To))), ui.Cut(ui.Clean(string(c.From))))
	}
	for _, r := range w.Rejected {
		fmt.Fprintf(&b, "  now rejected: %s, %s: %s %s\n", ui.Clean(r.Agent), ui.OrDash(r.Target), r.Code, ui.Clean(r.Message))
	}
	return b.String()
}

func (w *withoutOne) Document() any {
	w.Schema, w.Artifact = "brenner.session.without/v1", jsontext.Value(w.artifact.JSON())
	return w
}
