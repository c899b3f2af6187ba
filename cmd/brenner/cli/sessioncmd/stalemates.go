package sessioncmd

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/session"
	"brenner/session/flow"
)

// StalemateRow is a stalemate in a list.
type StalemateRow struct {
	ID      string   `json:"id"`
	Thread  string   `json:"thread_id"`
	State   string   `json:"state"`
	Kind    string   `json:"kind"`
	Place   string   `json:"place"`
	Parties []string `json:"parties"`
	By      string   `json:"by"`
	Why     string   `json:"why"`
	Opened  string   `json:"opened_at"`
	Moved   string   `json:"moved_at"`
	Waits   bool     `json:"-"`
}

// StalemateRowOf returns the row of a stalemate.
func StalemateRowOf(thread string, s *flow.Stalemate) StalemateRow {
	return StalemateRow{
		ID: s.ID, Thread: thread, State: s.State, Kind: s.Kind, Place: s.Place, By: s.By, Why: s.Why,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), Waits: s.Waits(),
	}
}

// stalemateRows gives the stalemates of a session, without their parties.
func stalemateRows(h *session.History) []StalemateRow {
	rows := []StalemateRow{}
	for i := range h.State.Stalemates {
		rows = append(rows, StalemateRowOf(h.Thread, &h.State.Stalemates[i]))
	}
	return rows
}

// stuck tells whether somebody is needed for a ruling.
func (s *sessionSummary) stuck() bool {
	for _, r := range s.Stuck {
		if r.Waits {
			return true
		}
	}
	return false
}

func (s *sessionSummary) nextRuling() []string {
	for _, r := range s.Stuck {
		if r.Waits {
			return []string{"brenner stalemate show " + s.Thread + " " + r.ID, "brenner stalemate rule " + s.Thread + " " + r.ID + " --for NAME …", "brenner session show " + s.Thread}
		}
	}
	return nil
}

// stalemates names what waits for a ruling, and what was ruled.
func (s *sessionSummary) stalemates(b *strings.Builder) {
	if len(s.Stuck) == 0 {
		return
	}
	b.WriteString("\nStalemates:\n")
	for _, r := range s.Stuck {
		fmt.Fprintf(b, "  %s, %s (%s): %s", ui.Clean(r.ID), ui.Clean(r.Place), ui.Clean(r.Kind), ui.Clean(r.State))
		if r.By != "" {
			b.WriteString(" by " + ui.Clean(r.By))
		}
		if r.Why != "" {
			b.WriteString(": " + ui.Clean(r.Why))
		}
		b.WriteByte('\n')
	}
}
