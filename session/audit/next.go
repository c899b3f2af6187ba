package audit

import (
	"fmt"
	"slices"
	"strings"

	"brenner/session"
	"brenner/session/flow"
)

func (s *Summary) next(file string) []string {
	if file != "" {
		return []string{"brenner session show " + file, "brenner verify " + file, "brenner session replay " + file}
	}
	id := s.Thread
	switch {
	case s.Task != "" && s.Phase == session.PhaseEnded:
		return s.nextOfTask()
	case s.Phase == session.PhaseRunning:
		return []string{"brenner session watch " + id, "brenner session show " + id, "brenner session note " + id + ` "…"`}
	case len(s.Conflicts) > 0 && s.Reason == flow.EndBudget:
		return []string{"brenner session resolve " + id, "brenner session resume " + id + s.enough, "brenner session show " + id}
	case len(s.Conflicts) > 0 && (s.Phase == session.PhaseLeft || flow.Resumable(s.Reason)):
		return []string{"brenner session resolve " + id, "brenner session show " + id, "brenner session resume " + id}
	case len(s.Conflicts) > 0:
		return []string{"brenner session resolve " + id, "brenner session show " + id, s.oneMoreRound()}
	case s.NeedsRuling():
		return s.nextRuling()
	case s.Phase == session.PhaseLeft, flow.Resumable(s.Reason):
		return []string{"brenner session resume " + id + OtherModels(s.Agents), "brenner session status " + id, "brenner session show " + id}
	case s.Reason == flow.EndBudget:
		return []string{"brenner session resume " + id + s.enough, "brenner session show " + id, "brenner trace list " + id}
	case len(s.Missing) > 0, s.Verdict != flow.Complete:
		return []string{s.oneMoreRound(), "brenner trace list " + id, "brenner session show " + id}
	}
	return []string{"brenner session show " + id, "brenner blame " + id + " " + s.blame, "brenner session replay " + id}
}

// NextOfMail adds what to do with mail: messages that wait, and versions that were not sent.
func (s *Summary) NextOfMail(waits, unsent bool) {
	add := func(is bool, command string) {
		if is {
			s.Next = append([]string{command + s.Thread}, s.Next[:min(2, len(s.Next))]...) //nolint:mnd // three are enough
		}
	}
	add(waits, "brenner session compile ")
	add(unsent, "brenner session publish ")
}

// nextOfTask returns what to do after the run of a task: look at what it made, or run it again.
func (s *Summary) nextOfTask() []string {
	made := s.Made()
	var all []string
	for _, one := range made {
		all = append(all, "brenner store show "+one)
	}
	elsewhere := slices.ContainsFunc(s.Patches, func(p PatchRow) bool { return p.Elsewhere })
	again := "brenner store run " + s.Task
	switch {
	case s.Reason == flow.EndBudget:
		again += s.enough
	case s.Reason == flow.EndRounds && len(s.Uncorrected) > 0:
		again += " --again" + s.enough
	case s.Reason == flow.EndRounds:
		again += " --again"
	}
	if s.Reason != flow.EndRounds || s.Verdict != flow.Complete || elsewhere || len(s.Uncorrected) > 0 {
		if OtherModels(s.Agents) != "" {
			again += " --model ID"
		}
		return append(all, again, "brenner trace list "+s.Thread)
	}
	if len(all) > 0 {
		const few = 3
		all = append(all[:min(len(all), few)], "brenner store lineage "+made[0])
		if s.draft != "" { // others are stale, or were decided about
			all = append(all, "brenner store promote "+s.draft+" -m REASON")
		}
		if s.branch != "" {
			all = append(all, s.branch)
		}
	}
	return append(all, "brenner trace list "+s.Thread)
}

// Made returns the records and versions that agents made, as far as they are in this store.
func (s *Summary) Made() []string {
	var all []string
	for i := range s.Patches {
		if p := &s.Patches[i]; p.Made != "" && !p.Elsewhere {
			all = append(all, p.Made)
		}
	}
	return all
}

// oneMoreRound returns the command that continues a session whose rounds are done.
func (s *Summary) oneMoreRound() string {
	return fmt.Sprintf("brenner session resume %s --rounds %d%s%s", s.Thread, max(s.Rounds, s.Round)+1, s.enough, OtherModels(s.Agents))
}

// OtherModels returns the flag that replaces the models that their endpoints do not have.
func OtherModels(agents []AgentSummary) string {
	var flags []string
	for i := range agents {
		if session.NeedsModel(agents[i].Code) {
			flags = append(flags, agents[i].Name+"=ID")
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return " --model " + strings.Join(flags, ",")
}

// ResumeForNote returns the command that runs the round that would show a note to the agents, or "" if
// that round is planned, or if no further one is possible, as of a task.
func ResumeForNote(st *flow.State) string {
	round, rounds := st.Round()+1, st.Settings.Rounds
	if st.Ended == "" && round <= rounds || st.Opened.Task != "" {
		return ""
	}
	command := "brenner session resume " + st.Opened.Thread
	if round > rounds {
		command += fmt.Sprintf(" --rounds %d", round)
	}
	return command
}
