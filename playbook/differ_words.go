package playbook

import (
	"strings"

	"brenner/internal/lazy"
)

var plainMarks = strings.NewReplacer("’", "'", "‘", "'", "−", "-", "–", "-", "×", " x ", "µ", "u", "μ", "u",
	"≥", ">=", "≤", "<=", "≠", "!=", "→", " to ", "->", " to ", "=>", " to ")

// Classes of words. Words of no class have weight.
var (
	signs     = lazy.WordsOf("< > <= >= != ==")
	negations = lazy.WordsOf(`not no never none nothing nobody nowhere neither nor without avoid avoids avoided avoiding
		refrain lack lacks lacking instead rather hardly rarely seldom barely unless except prevent prevents
		forbid forbids stop stops cease skip skips omit omits dont doesnt isnt wont cant`)
	// comparisons are words whose two sides must not be exchanged.
	comparisons = lazy.WordsOf("than before after over versus vs until causes cause caused implies imply precedes follows beats from")
	// smallWords have no weight: a negation skips them.
	smallWords = lazy.WordsOf(`a an the to of in on at by for with and or is are was be been do does did can
		could will would should must may it its this that these those you your we our they their
		any ever just only even as than then too very have has had using use used uses`)
	// ranks are ordinals without "first", which often only begins a list of steps.
	ranks = lazy.WordsOf("second third fourth fifth sixth seventh eighth ninth tenth")
	// boundWords before "most" turn it into a bound or a superlative.
	boundWords = lazy.WordsOf("at the a its their our your is are was be")
)

var quantifiers = map[string]string{
	"only": "only", "solely": "only", "exclusively": "only", "merely": "only", "purely": "only",
	"most": "most", "mostly": "most", "usually": "most", "majority": "most", "almost": "most",
	"nearly": "most", "predominantly": "most", "largely": "most", "mainly": "most",
	"some": "some", "sometimes": "some", "occasionally": "some", "partly": "some", "partially": "some",
	"few": "few", "little": "few", "minority": "few", "infrequently": "few",
}

var numberWords = map[string]float64{
	"half": 0.5, "halve": 0.5, "halved": 0.5, "halving": 0.5,
	"zero": 0, "one": 1, "once": 1,
	"two": 2, "twice": 2, "double": 2, "doubled": 2, "doubling": 2, "both": 2, "pair": 2,
	"three": 3, "thrice": 3, "triple": 3, "tripled": 3,
	"four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9,
}

// unit is the size of a unit in its base unit.
type unit struct {
	base   string
	factor float64
}

// units are the symbols of units; case matters.
var units = map[string]unit{
	"%": {"%", 1}, "percent": {"%", 1}, "pp": {"points", 1}, "points": {"points", 1}, "point": {"points", 1},
	"s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "min": {"s", 60}, "mins": {"s", 60},
	"h": {"s", 3600}, "hr": {"s", 3600}, "hrs": {"s", 3600}, "d": {"s", 86400}, "week": {"s", 7 * 86400},
	"month": {"month", 1}, "year": {"year", 1}, "m": {"m", 1}, "g": {"g", 1}, "V": {"V", 1}, "A": {"A", 1}, "W": {"W", 1},
	"J": {"J", 1}, "K": {"K", 1}, "mol": {"mol", 1}, "Pa": {"Pa", 1}, "N": {"N", 1}, "eV": {"eV", 1}, "bp": {"bp", 1},
	"Da": {"Da", 1}, "cal": {"cal", 1}, "Hz": {"Hz", 1}, "px": {"px", 1}, "dB": {"dB", 1}, "rpm": {"rpm", 1}, "x": {"x", 1},
	"B": {"B", 1}, "b": {"bit", 1}, "bit": {"bit", 1}, "bits": {"bit", 1}, "L": {"L", 1}, "l": {"L", 1}, "M": {"M", 1},
	"°C": {"°C", 1}, "°F": {"°F", 1}, "°": {"°", 1},
}

// prefixable are the units that take metric prefixes.
var prefixable = lazy.WordsOf("s m g B b bit Hz V A W J L l M mol Pa N eV bp Da cal sec")

var prefixes = []struct {
	symbol, name string
	factor       float64
}{
	{"Ki", "kibi", 1 << 10},
	{"Mi", "mebi", 1 << 20},
	{"Gi", "gibi", 1 << 30},
	{"Ti", "", 1 << 40},
	{"p", "pico", 1e-12},
	{"n", "nano", 1e-9},
	{"u", "micro", 1e-6},
	{"m", "milli", 1e-3},
	{"c", "centi", 1e-2},
	{"k", "kilo", 1e3},
	{"K", "", 1e3},
	{"M", "mega", 1e6},
	{"G", "giga", 1e9},
	{"T", "tera", 1e12},
}

var unitNames = map[string]string{
	"percent": "%", "percentage": "%", "second": "s", "minute": "min", "hour": "h", "day": "d",
	"week": "week", "month": "month", "year": "year", "metre": "m", "meter": "m", "gram": "g", "litre": "L", "liter": "L",
	"volt": "V", "ampere": "A", "watt": "W", "joule": "J", "kelvin": "K", "celsiu": "°C", "fahrenheit": "°F",
	"byte": "B", "bit": "bit", "hertz": "Hz", "mole": "mol", "molar": "M", "pascal": "Pa", "newton": "N",
	"electronvolt": "eV", "calorie": "cal", "pixel": "px", "decibel": "dB", "dalton": "Da",
}

// axes are pairs of opposites. Words of one side are not synonyms; they only take the same side.
var axes = [][2]string{
	{
		"increase raise grow more higher up boost rise enlarge expand maximise maximize gain amplify bigger larger greater large big high longer long widen",
		"decrease reduce lower less fewer down cut shrink minimise minimize lose attenuate smaller lesser small tiny low shorter short narrow diminish drop fall decline",
	},
	{
		"enable allow permit accept activate on include add keep retain insert attach append",
		"disable deny refuse reject deactivate off exclude remove drop discard delete detach strip",
	},
	{"before early earlier first beginning begin start open upstream initial previous", "after late later last end finish close downstream final next"},
	{"always all every everywhere", "sometimes some occasionally partly"},
	{"fast faster quick quickly accelerate rapid speed", "slow slower slowly decelerate sluggish"},
	{"good better best right correct true valid positive pass succeed success win", "bad worse worst wrong incorrect false invalid negative fail failure loss"},
	{"strong stronger strengthen", "weak weaker weaken"},
	{"support confirm agree corroborate prove", "refute contradict disagree disprove falsify"},
	{"help benefit improve enhance aid", "hurt harm impair worsen degrade deteriorate hinder hamper"},
	{
		"promote stimulate induce encourage upregulate activate express trigger",
		"inhibit suppress repress discourage downregulate block silence deactivate inactivate quench",
	},
	{"inside internal inner within", "outside external outer beyond"},
	{"above over top upper", "below under bottom beneath"},
	{"hot warm heat", "cold cool chill"},
	{"wet humid", "dry arid"},
	{"freeze", "thaw melt"},
	{"light lighter bright", "heavy heavier dark"},
	{"deep deeper", "shallow shallower"},
	{"wide wider widen broad broader broaden", "narrow narrower narrowly"},
	{"thick thicker thicken", "thin thinner"},
	{"dense denser crowded", "sparse sparser"},
	{"tight tighter tighten", "loose looser loosen"},
	{"rough coarse coarser", "smooth fine finer"},
	{"rich richer", "poor poorer"},
	{"clean pure", "dirty contaminated"},
	{"near nearer nearby local", "far farther distant remote"},
	{"forward forwards ahead", "backward backwards behind"},
	{"horizontal horizontally", "vertical vertically"},
	{"row", "column"},
	{"north northern", "south southern"},
	{"east eastern", "west western"},
	{"day daytime daylight", "night nighttime"},
	{"summer", "winter"},
	{"morning", "evening"},
	{"male man men boy father", "female woman women girl mother"},
	{"young younger juvenile", "older adult"},
	{"alive live living survive", "dead die dying"},
	{"healthy", "sick diseased"},
	{"acid acidic", "alkaline"},
	{"anode cation", "cathode anion"},
	{"attract attractive", "repel repulsive"},
	{"active", "passive idle"},
	{"dominant", "recessive"},
	{"manual manually", "automatic automatically automated"},
	{"common frequent", "rare infrequent uncommon"},
	{"most many much majority often usually", "few little minority"},
	{"mandatory required necessary", "optional voluntary"},
	{"parent ancestor", "child descendant offspring"},
	{"buy", "sell"},
	{"easy simple cheap", "hard difficult complex expensive"},
	{"same equal identical", "different unequal distinct"},
	{"single one-shot alone individually separately", "multiple together jointly several many"},
	{"parallel concurrent concurrently asynchronous async", "sequential sequentially serial serially synchronous sync"},
	{"public global shared", "private local exclusive"},
	{"static constant fixed frozen", "dynamic variable changing mutable"},
	{"full", "empty"},
	{"new fresh", "old stale"},
	{"left", "right"},
	{"odd", "even"},
	{"push send write upload export encode encrypt compress", "pull receive read download import decode decrypt decompress"},
	{"minimum min least lower-bound", "maximum max most upper-bound"},
	{"trust believe", "distrust doubt"},
	{"safe secure", "dangerous risky"},
	{"presence present", "absence absent"},
}

// sides maps stems to the sides of axes that they take.
var sides = lazy.Of(func() map[string]map[int]int {
	all := map[string]map[int]int{}
	for axis, pair := range axes {
		for side, words := range pair {
			for _, w := range strings.Fields(words) {
				if all[stem(w)] == nil {
					all[stem(w)] = map[int]int{}
				}
				all[stem(w)][axis] = side
			}
		}
	}
	return all
})

// formation is a pair of prefixes or suffixes that form opposites.
type formation struct {
	one, other string
	least      int // minimum length of the word without the first
	cut        func(s, affix string) (string, bool)
}

var formations = lazy.Of(func() []formation {
	var all []formation
	add := func(pairs string, least int, cut func(s, affix string) (string, bool)) {
		for _, pair := range strings.Fields(pairs) {
			one, other, _ := strings.Cut(pair, "/")
			all = append(all, formation{one, other, least, cut})
		}
	}
	add("un in im ir il dis non de anti mis over under", 4, strings.CutPrefix)
	add("a an", 6, strings.CutPrefix) // typical and atypical, but not "round" and "around"
	add(`over/under up/down in/out in/ex im/ex in/de on/off pre/post pro/anti homo/hetero hyper/hypo intra/inter intra/extra
		endo/exo micro/macro mono/poly mono/multi single/multi sub/super en/de en/dis as/dis con/di ac/de fore/back`, 3, strings.CutPrefix)
	add("ful/less philic/phobic", 3, strings.CutSuffix)
	return all
})
