package govern

import (
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store/record"
)

// reserved refuses what sessions alone write: what they send and hear, and the ids
// under which they keep their artifacts. A record with the id of a session that is
// still to come would stop it for ever, and one with that of a stalemate or its verdict,
// the ruling. Ours is what the program made.
func reserved(r *record.Record, kind record.Type, ours bool) error {
	switch {
	case strings.HasPrefix(r.ID, verdictOf(stalematePrefix)) && !ours:
		return &fault.Error{
			Code: BadID, Op: "id " + fault.Shown(r.ID), Detail: "it is the id of a verdict", Hint: "`brenner stalemate rule` puts one; choose another id for anything else",
		}
	case stalemate.IsID(r.ID) && !ours:
		return &fault.Error{
			Code: BadID, Op: "id " + fault.Shown(r.ID), Detail: "it is the id of a stalemate", Hint: "`brenner stalemate open` makes one; choose another id for anything else",
		}
	case r.Type == record.TaskSpec && !ours:
		return &fault.Error{
			Code: BadRecord, Op: "put " + fault.Shown(r.ID), Detail: record.A(r.Type) + " names exact versions", Hint: "`brenner store pin` makes one",
		}
	case kind.Raw:
		return &fault.Error{
			Code: BadRecord, Op: "put " + fault.Shown(r.ID), Detail: record.A(r.Type) + " is written by the session that it belongs to",
			Hint: "put what somebody said as a paper_note, or as another type of its own",
		}
	case r.Type != record.ResearchArtifact && artifact.IsThreadID(r.ID):
		return &fault.Error{
			Code: BadID, Op: "id " + fault.Shown(r.ID), Detail: "it is the id of a session", Hint: "choose one that does not begin with RS- and a date",
		}
	}
	return nil
}
