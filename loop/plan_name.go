package loop

import (
	"slices"
	"strconv"
	"strings"
)

// MaxName is the length of the longest name of a loop: its sessions are called by
// it, and a number of up to five digits fits behind it.
const MaxName = 34

// LongestName is that of a loop of so many sessions: their numbers may have more digits.
func LongestName(sessions int) int {
	return min(MaxName, MaxName+len("99999")-len(strconv.Itoa(sessions)))
}

// ValidName tells whether a loop of so many sessions, in all of its rounds, can be
// called so.
func ValidName(name string, sessions int) bool {
	if name == "" || len(name) > LongestName(sessions) || strings.Trim(name, small+"-") != "" {
		return false
	}
	return !slices.Contains(strings.Split(name, "-"), "")
}

// Count gives how many sessions all rounds of a plan have.
func (p *Plan) Count() int { return p.Limits.Rounds * p.perRound() }

// perRound counts the sessions of a round before they are made: lists of a few
// thousand each would fill the memory.
func (p *Plan) perRound() int {
	if p.Sessions != nil {
		return len(p.Sessions)
	}
	n := 1
	for _, list := range []int{len(p.Questions), len(p.Rosters), max(1, len(p.Models)), max(1, len(p.Seeds))} {
		n = min(n*list, 1<<40)
	}
	return n
}
