package loop

import (
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
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

// LoopName returns the name of the plan's loop for a key; "" is no key. A plan that has no
// name is called after its file, of which only the last element is given here.
func (p *Plan) LoopName(file, key string) (string, error) {
	name := p.Name
	if name == "" {
		name = slug(strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml"))
	}
	// A key is taken as it is: two different keys must not become the same one.
	if key != "" && slug(key) != key {
		hint := "a key is words of a-z and 0-9, with - between them"
		if slug(key) != "" {
			hint += ", such as " + slug(key)
		}
		return "", usage("--run "+fault.Shown(key)+" is no key", hint)
	}
	if key != "" {
		name += "-" + key
	}
	if !ValidName(name, p.Count()) {
		return "", usage("a loop cannot be called "+fault.Shown(name),
			"name and key together have at most "+strconv.Itoa(LongestName(p.Count()))+" of a-z, 0-9 and -; write name: into the plan, or give a shorter --run")
	}
	return name, nil
}

// slug returns the words of a text as a part of a name.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// Count returns how many sessions all rounds of a plan have.
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
