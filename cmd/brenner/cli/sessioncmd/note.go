package sessioncmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
)

func sessionNoteCommand(a *ui.App) *cobra.Command {
	var flags DoorFlags
	c := &cobra.Command{
		Use:   "note ID TEXT|@FILE",
		Short: "Leave a word to the agents, for their next round",
		Long: `Leaves a word to the agents of a session, while it runs or after it. They read it in the
messages of the next round and of those after it; the artifact is not changed by it.
"@FILE" takes the text from a file, "@-" from standard input.`,
		Example: `  brenner session note RS-20261115-cell-fate "Leave lineage aside; look at H2 only."
  brenner session note RS-20261115-cell-fate @note.md --as Sydney

Exit codes: 0 stored; 1 it could not be stored; 2 there is no such session, or the note
cannot be read or says nothing; 4 --as names no authority; 75 the store is busy.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return ui.Usage(c, fmt.Sprintf("a session and a text are needed, %d given", len(args)), "put the text in quotation marks")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return note(a, c, &flags, args[0], args[1]) },
	}
	flags.Add(c)
	return c
}

func note(a *ui.App, c *cobra.Command, flags *DoorFlags, arg, text string) error {
	text, err := a.Inline("the note", text)
	if err != nil {
		return err
	}
	d, err := OpenDoor(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	h, err := d.Door.Note(c.Context(), d.Thread, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	n := h.State.Notes[len(h.State.Notes)-1]
	return a.Show(&noteResult{
		Schema: "brenner.session.note/v1", Thread: h.Thread, Author: n.Author, Text: n.Text, At: artifact.FormatInstant(n.At),
		Entry: h.State.Head.Seq, Head: h.State.Head.Hash, Round: h.State.Round() + 1, Rounds: h.State.Settings.Rounds,
		Ended: h.State.Ended,
	})
}

// noteResult is a word that was left to the agents.
type noteResult struct {
	Schema string `json:"schema"`
	Thread string `json:"thread_id"`
	Author string `json:"author"`
	Text   string `json:"text"`
	At     string `json:"at"`
	Entry  int    `json:"entry"`
	Head   string `json:"head"`
	Round  int    `json:"round"` // the first one in which it is read
	Rounds int    `json:"rounds"`
	Ended  string `json:"ended"` // why no run goes on, where none does
}

func (r *noteResult) Print(a *ui.App) error {
	b := fmt.Appendf(nil, "%s: note of %s, to be read in round %d\n", r.Thread, ui.Clean(r.Author), r.Round)
	if (r.Ended != "" || r.Round > r.Rounds) && !a.Quiet {
		next := "brenner session resume " + r.Thread
		if r.Round > r.Rounds {
			next += fmt.Sprintf(" --rounds %d", r.Round)
		}
		b = fmt.Appendf(b, "That round is not planned: %s\n", next)
	}
	return a.Write(b)
}
