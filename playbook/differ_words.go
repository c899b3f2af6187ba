package playbook

import (
	"slices"
	"strings"
)

func isNegation(w string) bool {
	switch w {
	case "not", "no", "never", "none", "nothing", "nobody", "nowhere", "neither", "nor", "without", "avoid", "avoids", "avoided", "avoiding",
		"refrain", "lack", "lacks", "lacking", "instead", "rather", "hardly", "rarely", "seldom", "barely", "unless", "except", "prevent", "prevents",
		"forbid", "forbids", "stop", "stops", "cease", "skip", "skips", "omit", "omits", "dont", "doesnt", "isnt", "wont", "cant":
		return true
	}
	return false
}

// isTurning tells words whose two sides must not be exchanged.
func isTurning(w string) bool {
	switch w {
	case "than", "before", "after", "over", "versus", "vs", "until", "causes", "cause", "caused", "implies", "imply", "precedes", "follows", "beats", "from":
		return true
	}
	return false
}

// isSmall tells words without weight, which a negation passes over.
func isSmall(w string) bool {
	switch w {
	case "a", "an", "the", "to", "of", "in", "on", "at", "by", "for", "with", "and", "or", "is", "are", "was", "be", "been", "do", "does", "did", "can",
		"could", "will", "would", "should", "must", "may", "it", "its", "this", "that", "these", "those", "you", "your", "we", "our", "they", "their",
		"any", "ever", "just", "only", "even", "as", "than", "then", "too", "very", "have", "has", "had", "using", "use", "used", "uses":
		return true
	}
	return false
}

// axis is two sides that exclude each other; each side is a list of stems.
type axis [2][]string

// axes gives the pairs of opposites. Words of one side are not the same word: they
// only take the same side.
func axes() []axis {
	return []axis{
		opposite("increase raise grow more higher up boost rise enlarge expand maximise maximize gain amplify bigger larger greater large big high longer long widen",
			"decrease reduce lower less fewer down cut shrink minimise minimize lose attenuate smaller lesser small tiny low shorter short narrow diminish drop fall decline"),
		opposite("enable allow permit accept activate on include add keep retain insert attach append",
			"disable deny refuse reject deactivate off exclude remove drop discard delete detach strip"),
		opposite("before early earlier first beginning begin start open upstream initial previous", "after late later last end finish close downstream final next"),
		opposite("always all every everywhere", "sometimes some occasionally partly"),
		opposite("fast faster quick quickly accelerate rapid speed", "slow slower slowly decelerate sluggish"),
		opposite("good better best right correct true valid positive pass succeed success win", "bad worse worst wrong incorrect false invalid negative fail failure loss"),
		opposite("strong stronger strengthen", "weak weaker weaken"),
		opposite("support confirm agree corroborate prove", "refute contradict disagree disprove falsify"),
		opposite("help benefit improve enhance aid", "hurt harm impair worsen degrade deteriorate hinder hamper"),
		opposite("promote stimulate induce encourage upregulate activate express trigger", "inhibit suppress repress discourage downregulate block silence deactivate inactivate quench"),
		opposite("inside internal inner within", "outside external outer beyond"),
		opposite("above over top upper", "below under bottom beneath"),
		opposite("hot warm heat", "cold cool chill"),
		opposite("wet humid", "dry arid"),
		opposite("freeze", "thaw melt"),
		opposite("light lighter bright", "heavy heavier dark"),
		opposite("deep deeper", "shallow shallower"),
		opposite("wide wider widen broad broader broaden", "narrow narrower narrowly"),
		opposite("thick thicker thicken", "thin thinner"),
		opposite("dense denser crowded", "sparse sparser"),
		opposite("tight tighter tighten", "loose looser loosen"),
		opposite("rough coarse coarser", "smooth fine finer"),
		opposite("rich richer", "poor poorer"),
		opposite("clean pure", "dirty contaminated"),
		opposite("near nearer nearby local", "far farther distant remote"),
		opposite("forward forwards ahead", "backward backwards behind"),
		opposite("horizontal horizontally", "vertical vertically"),
		opposite("row", "column"),
		opposite("north northern", "south southern"),
		opposite("east eastern", "west western"),
		opposite("day daytime daylight", "night nighttime"),
		opposite("summer", "winter"),
		opposite("morning", "evening"),
		opposite("male man men boy father", "female woman women girl mother"),
		opposite("young younger juvenile", "older adult"),
		opposite("alive live living survive", "dead die dying"),
		opposite("healthy", "sick diseased"),
		opposite("acid acidic", "alkaline"),
		opposite("anode cation", "cathode anion"),
		opposite("attract attractive", "repel repulsive"),
		opposite("active", "passive idle"),
		opposite("dominant", "recessive"),
		opposite("manual manually", "automatic automatically automated"),
		opposite("common frequent", "rare infrequent uncommon"),
		opposite("most many much majority often usually", "few little minority"),
		opposite("mandatory required necessary", "optional voluntary"),
		opposite("parent ancestor", "child descendant offspring"),
		opposite("buy", "sell"),
		opposite("easy simple cheap", "hard difficult complex expensive"),
		opposite("same equal identical", "different unequal distinct"),
		opposite("single one-shot alone individually separately", "multiple together jointly several many"),
		opposite("parallel concurrent concurrently asynchronous async", "sequential sequentially serial serially synchronous sync"),
		opposite("public global shared", "private local exclusive"),
		opposite("static constant fixed frozen", "dynamic variable changing mutable"),
		opposite("full", "empty"),
		opposite("new fresh", "old stale"),
		opposite("left", "right"),
		opposite("odd", "even"),
		opposite("push send write upload export encode encrypt compress", "pull receive read download import decode decrypt decompress"),
		opposite("minimum min least lower-bound", "maximum max most upper-bound"),
		opposite("trust believe", "distrust doubt"),
		opposite("safe secure", "dangerous risky"),
		opposite("presence present", "absence absent"),
	}
}

func opposite(a, b string) axis {
	return axis{stems(a), stems(b)}
}

func stems(words string) []string {
	all := strings.Fields(words)
	for i, w := range all {
		all[i] = stem(w)
	}
	return all
}

// side tells which side of an axis a word takes.
func (a axis) side(stem string) (int, bool) {
	for side, words := range a {
		if slices.Contains(words, stem) {
			return side, true
		}
	}
	return 0, false
}

// stem cuts the endings of English words off, roughly: what matters is that the forms
// of one word have one stem.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s", "ly"} {
		root, ok := strings.CutSuffix(w, end)
		if !ok || len(root) < 3 || end == "s" && strings.HasSuffix(root, "s") {
			continue
		}
		if n := len(root); n > 3 && root[n-1] == root[n-2] && strings.ContainsRune("bdgmnprt", rune(root[n-1])) && (end == "ing" || end == "ed") {
			root = root[:n-1] // dropping, drop
		}
		w = root
		break
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}
