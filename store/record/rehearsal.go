package record

import (
	"slices"
)

// Rehearsal is the tag of what comes from a rehearsal.
const Rehearsal = "rehearsal"

// Rehearsed tells whether a version comes from a rehearsal: nobody thought of what
// it says.
func Rehearsed(r *Record) bool { return slices.Contains(r.Tags, Rehearsal) }
