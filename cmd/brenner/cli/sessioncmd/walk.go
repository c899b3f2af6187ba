package sessioncmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// walk decides the open conflicts of a session one by one, on a terminal.
type walk struct {
	a        *ui.App
	to       *Writable
	why      string
	resolved int
	others   int // resolved meanwhile by other processes
	version  int
}

func walkConflicts(a *ui.App, c *cobra.Command, flags *AuthorFlags, arg string) error {
	var open *audit.ConflictList
	err := a.WithWhole(c, arg, func(ctx context.Context, _ *project.Source, h *session.History) (err error) {
		open, err = audit.OpenConflicts(ctx, h, "")
		return err
	})
	if err != nil || len(open.Conflicts) == 0 {
		return ui.Show(a, open, err, conflictsText)
	}
	to, err := OpenWritable(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(to.Editor.Store)
	if err := to.Editor.Check(c.Context(), to.Thread); err != nil {
		return err
	}
	w := &walk{a: a, to: to, why: flags.why, version: open.Version}
	for i := range open.Conflicts {
		quit, err := w.decide(c.Context(), &open.Conflicts[i], fmt.Sprintf("%d of %d", i+1, len(open.Conflicts)))
		if err != nil {
			return err
		}
		if quit {
			break
		}
	}
	left := len(open.Conflicts) - w.resolved - w.others
	if left > 0 && a.Exit == 0 {
		a.Exit = ui.ExitPerson
	}
	others := ""
	if w.others > 0 {
		others = fmt.Sprintf(", %d elsewhere", w.others)
	}
	return a.WriteText(fmt.Sprintf("%s: %d resolved%s, %d open: version %d\n", open.Thread, w.resolved, others, left, w.version))
}

// decide shows one conflict and waits for a key that decides, skips or quits.
func (w *walk) decide(ctx context.Context, c *audit.OpenConflict, number string) (quit bool, err error) {
	w.a.Say("\n" + number + ": " + ui.Clean(c.Place) + "\n")
	for i := range c.Candidates {
		w.a.Say(fmt.Sprintf("  %d  %s", i+1, candidateText(&c.Candidates[i], true)))
	}
	prompt := fmt.Sprintf("Take 1 to %d, e another value, s skip, q quit: ", len(c.Candidates))
	if len(c.Candidates) > maxKeys {
		prompt = fmt.Sprintf("Take 1 to %d, e another value, s skip, q quit, then Enter: ", len(c.Candidates))
	}
	ask, explained := prompt, false
	for {
		answer := w.answer(len(c.Candidates), ask)
		chosen, err := strconv.Atoi(answer)
		switch {
		case err == nil && chosen >= 1 && chosen <= len(c.Candidates):
			if len(c.Candidates) <= maxKeys {
				w.a.Say(answer)
			}
			w.a.Say("\n")
			return false, w.take(ctx, c, &c.Candidates[chosen-1])
		case answer == "q", answer == string(rune(ctrlD)):
			w.a.Say("\n")
			return true, nil
		case answer == string(rune(ctrlC)):
			w.a.Say("\n")
			return true, ui.InterruptedError(nil)
		case answer == "s":
			w.a.Say("skipped\n")
			return false, nil
		case answer == "e":
			w.a.Say("\n")
			if done, err := w.write(ctx, c); done || err != nil {
				return false, err
			}
			ask = prompt
		case explained:
			ask = "\n" + notAChoice(answer) + ": "
		default:
			ask, explained = "\n"+notAChoice(answer)+". "+prompt, true
		}
	}
}

func notAChoice(answer string) string {
	if answer == "" || strings.ContainsFunc(answer, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "That is not a choice"
	}
	return ui.Quoted(answer) + " is not a choice"
}

// answer asks what to do with a conflict: for a key, or for a line if there are more candidates
// than digits. Capital letters count as small ones.
func (w *walk) answer(candidates int, prompt string) string {
	if candidates <= maxKeys {
		return strings.ToLower(string(rune(w.a.Key(prompt))))
	}
	line, ok := w.a.Line(prompt)
	if !ok {
		return string(rune(ctrlD))
	}
	return strings.ToLower(strings.TrimSpace(line))
}

// Keys that a terminal in raw mode sends instead of a signal or an end of file.
const (
	ctrlC = 3
	ctrlD = ui.EndOfInput

	maxKeys = 9 // candidates that have a key each
)

func (w *walk) take(ctx context.Context, c *audit.OpenConflict, chosen *audit.OpenCandidate) error {
	h, out, err := w.to.Editor.Resolve(ctx, w.to.Thread, c.Place, chosen.Delta, w.why)
	if fault.CodeOf(err) == session.NoConflict { // resolved meanwhile
		w.a.SayFaults(fault.Distinct(err))
		w.others++
		return nil
	}
	if err != nil {
		return err
	}
	w.decided(ctx, c, h, &out, "the value from "+chosen.Agent)
	return nil
}

// write asks for a value of the person's own. It reports false if none was given or taken.
func (w *walk) write(ctx context.Context, c *audit.OpenConflict) (bool, error) {
	value, err := w.a.Edit(ctx, c.Candidates[0].Text, "New value of "+ui.Clean(c.Place)+": ")
	var edit artifact.Value
	if err == nil && !utf8.ValidString(value) {
		err = &fault.Error{Code: fault.Usage, Place: c.Place, Detail: "the value is not valid UTF-8"}
	}
	if err == nil && strings.TrimSpace(value) != "" {
		edit, err = session.EditDelta(c.Place, strings.TrimSpace(value), w.why)
	}
	if err == nil && edit != nil {
		var h *session.History
		var out settle.Settlement
		if h, out, err = w.to.Editor.ApplyByHand(ctx, w.to.Thread, edit); err == nil {
			w.decided(ctx, c, h, &out, ui.Quoted(value))
			return true, nil
		}
	}
	if err != nil {
		if ui.ExitCode(err) != ui.ExitUsage {
			return false, err
		}
		w.a.SayFaults(fault.Distinct(err))
	} else {
		w.a.Say("no new value: nothing decided\n")
	}
	return false, nil
}

// decided reports a decision, which is already in the journal.
func (w *walk) decided(ctx context.Context, c *audit.OpenConflict, h *session.History, out *settle.Settlement, what string) {
	res := Applied(ctx, w.a, w.to, h, out)
	w.resolved++
	w.version = res.Version
	w.a.Say(fmt.Sprintf("%s resolved to %s: version %d\n", ui.Clean(c.Place), ui.Clean(what), res.Version))
}
