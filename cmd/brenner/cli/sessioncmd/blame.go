package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
)

// BlameCommand returns the blame command.
func BlameCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "blame ID|FILE [ITEM[.FIELD]]",
		GroupID: ui.Other,
		Short:   "Say who wrote an item of an artifact, field by field, when and why",
		Long: `Says of an item who added it, who wrote each of its fields, and who struck it out: the
delta, the round, the version and the rationale. Each candidate of a CONFLICT has its own
line. The session is replayed for it: what is said is proved.

The item stands behind the session, or in its address: RS-…@v5#H2.claim. The file of an
export does as well as a session.`,
		Example: `  brenner blame RS-20261115-cell-fate H2
  brenner blame RS-20261115-cell-fate@v3 P1.predictions.H2
  brenner blame RS-20261115-cell-fate@v5#H2.claim
  brenner blame cell-fate.jsonl RT --json

Exit codes: 0 found; 1 the store is damaged; 2 there is no such session, version, item or
field, or the file cannot be read.`,
		Args: ui.OneOrTwo("a session, or the file of an export, is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			arg := args[0]
			if len(args) > 1 {
				if strings.Contains(arg, "#") {
					return ui.Usage(c, "the item is named twice: "+ui.Clean(arg)+" and "+ui.Clean(args[1]), "")
				}
				arg += "#" + args[1]
			}
			return a.WithSession(c, dir, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item == "" {
					return ui.Usage(c, "an item is missing: which one?", "such as `brenner blame "+ui.Clean(args[0])+" H1`")
				}
				origins, err := h.Origins(ctx)
				if err != nil {
					return err
				}
				if err := origins.At(src.Address.Version); err != nil {
					return err
				}
				found, err := origins.Blame(ctx, src.Address.Item, src.Address.Field)
				if err != nil {
					return err
				}
				return a.Show(&blameResult{
					Schema: "brenner.blame/v1", Thread: h.Thread, Version: origins.Version(), Item: src.Address.Item,
					Field: src.Address.Field, Rehearsal: h.State.Opened.Rehearsal != "", Origins: originDocuments(found),
				})
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// blameResult is who wrote an item.
type blameResult struct {
	Schema    string           `json:"schema"`
	Thread    string           `json:"thread_id"`
	Version   int              `json:"version"`
	Item      string           `json:"item"`
	Field     string           `json:"field"`
	Rehearsal bool             `json:"rehearsal"`
	Origins   []originDocument `json:"origins"`
}

// originDocument is where a text came from.
type originDocument struct {
	Address   string       `json:"address"`
	Item      string       `json:"item"`
	Field     string       `json:"field"`
	Text      string       `json:"text"`
	Fate      session.Fate `json:"fate"`
	Delta     string       `json:"delta_id"`
	Agent     string       `json:"agent"`
	Operation string       `json:"operation"`
	Rationale string       `json:"rationale"`
	At        string       `json:"at"`
	Source    string       `json:"source"`
	Ruling    string       `json:"ruling,omitempty"` // the stalemate, where it was ruled so
	Round     int          `json:"round"`
	Version   int          `json:"version"` // that it was merged into
	Outcome   string       `json:"outcome"`
	Code      fault.Code   `json:"code"`
	Message   string       `json:"message"`
	By        string       `json:"replaced_by"` // the delta that stands there now
	ByAgent   string       `json:"replaced_by_agent"`
	Call      string       `json:"call"`
	Reply     string       `json:"reply"` // hashes, here and below
	Block     int          `json:"block"`
	Line      int          `json:"line"`
	Kickoff   string       `json:"kickoff"`
	Template  string       `json:"template"`
	Base      int          `json:"base_version"`
	Saw       []string     `json:"items_shown"`
	Deltas    string       `json:"deltas"` // of a person
	Letter    string       `json:"letter"` // the message on the mail server, for what came by mail
}

func originDocuments(found []session.Origin) []originDocument {
	out := make([]originDocument, len(found))
	for i := range found {
		o := &found[i]
		out[i] = originDocument{
			Address: o.Address.String(), Item: o.Address.Item, Field: o.Address.Field, Text: o.Text, Fate: o.Fate,
			Delta: o.Delta, Agent: o.Agent, Operation: o.Operation, Rationale: o.Rationale, At: o.At, Source: o.Source, Ruling: o.Ruling,
			Round: o.Round, Version: o.Version, Outcome: o.Outcome, Code: o.Code, Message: o.Message, By: o.By, ByAgent: o.ByAgent,
			Call: o.Call, Reply: o.Reply, Block: o.Block, Line: o.Line, Kickoff: o.Kickoff, Template: o.Template,
			Base: o.Base, Saw: append([]string{}, o.Saw...), Deltas: o.Deltas, Letter: o.Letter,
		}
	}
	return out
}

func (r *blameResult) Print(a *ui.App) error {
	var b strings.Builder
	if r.Rehearsal && !a.Quiet {
		b.WriteString(ui.RehearsalNote + "\n")
	}
	fmt.Fprintf(&b, "%s\n", session.Address{Thread: r.Thread, Version: r.Version, Item: r.Item, Field: ui.Clean(r.Field)})
	for i := range r.Origins {
		o := &r.Origins[i]
		name, text := o.Field, ui.Quoted(o.Text)
		switch {
		case name == "":
			name, text = o.beginning(), ""
		case o.Fate == session.InConflict:
			text = "CONFLICT " + text
		}
		if i == 0 || r.Origins[i-1].Delta != o.Delta {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSpace(ui.Clean(name)+"  "+text) + "\n")
		if i+1 < len(r.Origins) && r.Origins[i+1].Delta == o.Delta {
			continue // said once for all that one delta wrote
		}
		b.WriteString("  " + o.who() + "\n")
		if o.Rationale != "" && !a.Quiet {
			fmt.Fprintf(&b, "  why: %s\n", ui.Clean(ui.Clip(o.Rationale)))
		}
	}
	return a.Write([]byte(b.String()))
}

// beginning says how an item came to be. The research thread is never added: its
// first EDIT is where it begins.
func (o *originDocument) beginning() string {
	if o.Operation == delta.Edit {
		return "first written"
	}
	return "added"
}

// who says in one line who wrote something, how and when.
func (o *originDocument) who() string {
	parts := []string{ui.Clean(o.Agent)}
	switch {
	case o.Ruling != "":
		parts = []string{"ruled by " + ui.Clean(o.Agent), "in " + ui.Clean(o.Ruling)}
	case o.Source == "brief":
		parts = append(parts, "in the brief")
	case o.Round > 0:
		parts = append(parts, fmt.Sprintf("round %d", o.Round))
	case o.Source == "person":
		parts = append(parts, "by hand")
	case o.Source == "thread":
		parts = append(parts, "in message "+ui.Clean(letterNumber(o.Letter)))
	}
	if o.Delta != "" {
		parts = append(parts, fmt.Sprintf("version %d", o.Version), ui.Clean(strings.TrimSpace(o.Operation+" "+o.Delta)))
	}
	return strings.Join(append(parts, o.At), ", ")
}

// letterNumber is what a message is called on its server: its name without the time.
func letterNumber(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}
