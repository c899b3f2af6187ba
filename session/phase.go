package session

// The phases of a session.
const (
	PhaseRunning = "running"
	PhaseLeft    = "left" // nobody runs it, and it has not ended
	PhaseEnded   = "ended"
)

// PhaseDamaged is that of a session whose journal cannot be read.
const PhaseDamaged = "damaged"
