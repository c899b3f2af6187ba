package itemform

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/lazy"
)

// form is a form of a verb.
type form int

// The forms of verbs.
const (
	base form = iota + 1
	past
	ongoing
)

// verb is a word that says what becomes of an item.
type verb struct {
	operation string
	form      form
	weak      bool // an order with it says to what an item is changed
	owned     bool // it is what its author does, not an order
}

// verbs are the words for operations in all forms. Those in brackets have irregular forms.
var verbs = func() map[string]verb {
	all := make(map[string]verb)
	put := func(v verb, words string) {
		for word := range strings.FieldsSeq(words) {
			root, rest, _ := strings.Cut(word, "/")
			stem := strings.TrimSuffix(root, "e")
			if strings.HasSuffix(rest, "+") { // drop/p+: dropped, dropping
				stem += strings.TrimSuffix(rest, "+")
				rest = ""
			}
			forms := [...]string{root, stem + "ed", stem + "ing"}
			if strings.HasSuffix(root, "y") {
				forms[1] = strings.TrimSuffix(root, "y") + "ied"
			}
			if rest != "" {
				forms[1] = rest
			}
			for i, f := range forms {
				v.form = form(i + 1)
				if old, ok := all[f]; !ok || old.form != base {
					all[f] = v
				}
			}
		}
	}
	put(verb{operation: kill}, "kill remove delete drop/p+ retire discard eliminate scrap/p+ withdraw/withdrawn axe ditch prune strike/struck abandon dismiss purge erase nix/nixed")
	all["rid"] = verb{operation: kill, form: base} // to get rid of
	put(verb{operation: edit}, "edit update revise rewrite/rewritten modify reword rephrase amend sharpen tighten narrow clarify rename downgrade demote refine restate reformulate")
	put(verb{operation: edit, weak: true}, "change set/t+ mark lower reduce increase correct adjust reset/t+ extend split/t+ swap/p+ replace declare label flag/g+ fix broaden promote expand move")
	put(verb{operation: add}, "add register record log/g+ introduce include insert enter append create file open raise")
	put(verb{operation: add, owned: true}, "propose suggest offer submit/t+ note put/t+ state advance present")
	return all
}()

var (
	adverbs = lazy.WordsOf("also now therefore hereby then further thus additionally finally simply formally just officially safely entirely immediately really still furthermore moreover hence consequently accordingly so next lastly secondly thirdly and here first second third either both explicitly thereby")
	// between are the words between an author and what is done.
	between = lazy.WordsOf("'d 'll 'm 're 've would will shall am are going propose suggest recommend like want wish intend vote move need have choose decided opt request ask advise to that we should must can us for favour favor support prefer be gladly do plan 's get let me go ahead about")
	// acts are words for what an author wants.
	acts     = lazy.WordsOf("recommendation proposal suggestion vote decision verdict change move step plan preference call advice action update request motion conclusion resolution position edit delta")
	labels   = lazy.WordsOf("tl tldr dr tl;dr bottom verdict verdicts decision decisions conclusion conclusions action actions recommendation recommendations proposal proposals change changes changelog update updates edit edits operation operations step summary answer upshot takeaway resolution call move todo net ruling disposition kill kills removal removals additions addition continued continues continuation remaining")
	hedges   = lazy.WordsOf("not never no 't cannot if unless whether could might may once when until after before without instead otherwise already earlier previously consider considered considering tempted nor neither rather why how had was were someone anyone option options try tries tried wanted hesitate reluctant premature")
	vanished = lazy.WordsOf("dead out gone done finished obsolete toast history")
	wholes   = lazy.WordsOf("slate list artifact table register ledger thread tests hypotheses consideration set running contention contest assumptions anomalies critiques predictions pool")
	lists    = map[string]artifact.Section{
		"slate": artifact.HypothesisSlate, "hypotheses": artifact.HypothesisSlate, "predictions": artifact.PredictionsTable, "prediction": artifact.PredictionsTable, "tests": artifact.DiscriminativeTests,
		"ledger": artifact.AssumptionLedger, "assumptions": artifact.AssumptionLedger, "assumption": artifact.AssumptionLedger, "register": artifact.AnomalyRegister, "anomalies": artifact.AnomalyRegister, "anomaly": artifact.AnomalyRegister, "critiques": artifact.AdversarialCritique,
	}
	nouns = map[string]artifact.Section{
		"hypothesis": artifact.HypothesisSlate, "alternative": artifact.HypothesisSlate, "test": artifact.DiscriminativeTests, "assumption": artifact.AssumptionLedger, "anomaly": artifact.AnomalyRegister, "critique": artifact.AdversarialCritique,
		"objection": artifact.AdversarialCritique, "prediction": artifact.PredictionsTable,
	}
	// follows are the words that may follow what is killed, or a word for what is added.
	follows  = lazy.WordsOf("because since as from and now too entirely altogether in outright completely which given due per for but that is so before this here once if when unless until after later only instead at on right immediately with while whose by")
	behind   = lazy.WordsOf("that of for on about in which where called named titled to with against by from under per according as stating saying based between because since concerning regarding whether whose and namely specifically also whereby here below now too is")
	values   = lazy.WordsOf("falsified verified challenged resolved deferred explained passed failed blocked answered")
	articles = lazy.WordsOf("a an another one new the following this my our further additional third fourth fifth second explicit separate formal")
	skipped  = lazy.WordsOf("the this our hypothesis hypotheses test tests assumption assumptions anomaly anomalies critique critiques prediction predictions item items both id target")
)

// token is a word, a mark, or the end of a contraction such as 'd.
type token struct {
	text    string // in small letters
	at, end int
	id      bool
	isWord  bool
}

// tokens divides a sentence.
func tokens(s string) (all []token) {
	for at := 0; at < len(s); {
		c, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case isTokenRune(c):
			end := wordEnd(s, at+n)
			_, isID := artifact.SectionOfID(s[at:end])
			all = append(all, token{text: strings.ToLower(s[at:end]), at: at, end: end, isWord: true, id: isID && end-at < 6 && end-at > 1})
			at = end
		case (c == '\'' || c == '’') && len(all) > 0 && all[len(all)-1].end == at && at+n < len(s) && isWord(s[at+n]):
			end := wordEnd(s, at+n)
			all = append(all, token{text: "'" + strings.ToLower(s[at+n:end]), at: at, end: end})
			at = end
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at += n
		default:
			text, size := mark(s[at:], c, n)
			all = append(all, token{text: text, at: at, end: at + size})
			at += size
		}
	}
	return all
}

// wordEnd returns where a word ends that goes at least up to an offset. It may have hyphens.
func wordEnd(s string, at int) int {
	for at < len(s) {
		c, n := utf8.DecodeRuneInString(s[at:])
		if !isTokenRune(c) && (c != '-' || at+1 >= len(s) || !isWord(s[at+1])) {
			break
		}
		at += n
	}
	return at
}

func isTokenRune(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// mark returns a mark in its usual form, and its length.
func mark(s string, c rune, n int) (string, int) {
	switch {
	case strings.HasPrefix(s, "->"), strings.HasPrefix(s, "=>"):
		return "→", 2
	case strings.ContainsRune("→➜➔⇒⟶➡", c):
		return "→", n
	case strings.ContainsRune("—–-", c):
		return "—", n
	case strings.ContainsRune("“”\"„«»", c):
		return `"`, n
	case strings.ContainsRune("❌🗑💀☠🪦🚫✂⛔✗✘", c):
		return "❌", n
	}
	return s[:n], n
}

// IsModal reports whether a word makes a sentence of what would be an instruction.
func IsModal(word string) bool {
	switch strings.ToLower(word) {
	case "would", "could", "should", "might", "may", "is", "was", "are", "were", "has", "had", "have", "can", "cannot", "did", "does",
		"do", "seems", "will", "must", "needs", "or", "and", "only", "if", "when", "unless", "once", "not", "later", "switch", "vs", "versus":
		return true
	}
	return false
}

// IsNothing reports whether a word says that there is no change.
func IsNothing(word string) bool {
	switch strings.ToLower(word) {
	case "none", "nothing", "no", "not", "n", "null", "zero", "premature", "rejected", "withdrawn", "declined", "pending", "deferred", "postponed", "unwarranted", "left", "if", "unless":
		return true
	}
	return false
}
