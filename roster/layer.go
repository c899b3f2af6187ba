package roster

import "brenner/internal/fault"

// Level is the rank of a layer; a smaller one beats a larger one.
type Level int

// The levels from highest to lowest. Callers give layers of the first four; the
// others are where Resolve itself takes a value from.
const (
	Flags Level = iota + 1
	Environment
	SessionConfig
	ProjectConfig
	FromPreset
	FromName // guessed from the agent's name, in heuristic mode
	Default
)

// String gives the level's name for people.
func (l Level) String() string {
	switch l {
	case Flags:
		return "flags"
	case Environment:
		return "environment"
	case SessionConfig:
		return "session config"
	case ProjectConfig:
		return "project config"
	case FromPreset:
		return "preset"
	case FromName:
		return "heuristic"
	case Default:
		return "default"
	default:
		return ""
	}
}

// Origin says where a value came from. The zero Origin is that of a value that
// nobody gave.
type Origin struct {
	Level  Level
	Source string // within the level: "--roster", "BRENNER_ROSTER_JSON", "brenner.yaml"
}

// String gives "flags: --roster", or only the level where there is no source.
func (o Origin) String() string {
	if o.Source == "" {
		return o.Level.String()
	}
	return o.Level.String() + ": " + fault.Shown(o.Source)
}

// Layer is what one source says about the roster. Everything in it is optional,
// also the fields of its entries. Several layers may have one level (--roster
// and --agent-role, say): they are peers, of which the earlier one is asked
// first, but two roles for one agent are an error.
type Layer struct {
	Origin     Origin
	Recipients []string // --to: who takes part, whatever the entries are
	Entries    []Entry
	// Loose entries are found by name without case, and name no recipient while
	// anything else does: the variables BRENNER_ROSTER_AGENT_<NAME>.
	Loose bool
	// Empty says that a roster was given and has no entries, which is an error
	// except in heuristic mode. A layer that gives no roster leaves it false.
	Empty     bool
	Mode      Mode
	Name      string
	CreatedAt string
	Preset    string // the id of a preset
}

// LayerOf makes a layer of a roster that was given whole.
func LayerOf(origin Origin, r Roster) Layer {
	return Layer{
		Origin: origin, Entries: r.Entries, Empty: len(r.Entries) == 0,
		Mode: r.Mode, Name: r.Name, CreatedAt: r.CreatedAt,
	}
}

// ReadLayer reads a roster in JSON as a layer; its faults and warnings say from
// which origin they are.
func ReadLayer(origin Origin, data []byte) (Layer, []Warning, error) {
	r, warnings, err := ReadJSON(data)
	for i := range warnings {
		warnings[i].Place = joinPlace(origin.String(), warnings[i].Place)
	}
	if err != nil {
		var located faults
		located.addAll(origin.String(), err)
		return Layer{}, warnings, located.err()
	}
	return LayerOf(origin, r), warnings, nil
}

func joinPlace(origin, place string) string {
	if place == "" {
		return origin
	}
	return origin + ": " + place
}

// addAll adds the faults of err, each with the origin before its place.
func (f *faults) addAll(origin string, err error) {
	for _, one := range fault.All(err) {
		located := *one
		located.Place = joinPlace(origin, one.Place)
		*f = append(*f, &located)
	}
}
