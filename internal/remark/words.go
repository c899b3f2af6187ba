package remark

import (
	"strings"

	"brenner/internal/lazy"
)

// kind is what a word says of the block beside its sentence. A word may be of several kinds.
type kind uint32

const (
	author   kind = 1 << iota // I, we
	mine                      // my, our
	source                    // another author, or a text that may be quoted
	others                    // RedSky's, your
	pointer                   // this, the following, below
	block                     // a word for a block
	says                      // to say, to send, to contain
	acts                      // an operation
	modal                     // would, could
	suppose                   // if, imagine
	negates                   // not, never
	distance                  // to reject, tempting, wrong
	past                      // earlier, last
	delays                    // later, wait
	lesson                    // example, format
	id                        // H2
	thing                     // a word for an item
	finite                    // is, has
	plain                     // words of ordinary titles
	open                      // a last word whose object is the block
	pastForm                  // sent, proposed
	bound                     // this, before a noun
)

// doubtful are the kinds that, in a clause about a block, leave open whether it is its author's change.
const doubtful = source | others | modal | suppose | negates | distance | past | delays | lesson

// vocabulary holds the words of each kind, in their base forms and irregular ones.
var vocabulary = lazy.Of(func() map[string]kind { return index(lists) })

var lists = []list{
	{author, "i we"},
	{mine, "my our mine ours"},
	{source, "@ @v someone somebody anyone anybody others they he she you people colleague reviewer referee critic operator arbiter agent participant predecessor opponent advocate school camp side hard-liner hothead crank sceptic skeptic " +
		"reader student newcomer beginner panel team friend expert manual guide kickoff prompt instruction brief protocol document documentation input excerpt memory log archive file page transcript history parser machine literature textbook paper whoever astrology attached thread"},
	{others, "@'s your yours their theirs his her its someone's somebody's predecessor's reviewer's critic's operator's kickoff's protocol's opponent's colleague's"},
	{pointer, "this these that those following below above it such something anything"},
	{block, "block delta patch diff proposal version message reply submission suggestion contribution kill edit addition change candidate letter wording rewording text attempt idea entry move comment motion shot"},
	{says, "say said write wrote written send sent post paste propose suggest submit put read contain include hold held show shown give gave given print list circulate float share pass hand leave left offer want recommend quote copy arrive come came " +
		"receive reply answer respond end start begin state report forward repeat reproduce restate recap recall remember go went look expect let sign push favour favor prefer reach output produce emit find found like see turn sit accept advise do think thought " +
		"mean meant vote draft conclude reword insist belong stem originate tell told circulate have had has plant bring submit paste call make get"},
	{acts, "kill remove retire drop strike delete prune cut add edit change revise sharpen narrow tighten correct fix repair propose submit replace supersede withdraw retract adopt incorporate resubmit reword rewrite refine introduce insert turn formalize formalise"},
	{modal, "would could might may"},
	{suppose, "if unless suppose supposing imagine picture pretend assuming provided hypothetically theoretically case whenever perhaps maybe possibly contingency fallback contingent conditional argument world circumstances universe"},
	{negates, "not never no none neither nor nobody nothing without hardly nowhere"},
	{distance, "reject decline withdrawn resist tempt temptation discard shelf shelve park against avoid wrong bad naive lazy obvious incorrect faulty discarded harm fight dispute object disagree premature almost nearly toy consider refuse oppose abandon ill-advised rash hasty careless " +
		"reckless foolish unwise contention contested moot obsolete stale superseded outdated void invalid regret doubt distance disown condemn backed scrap scratch toss drawer pocket reserve ice strawman straw-man caricature cartoon parody joke kid instinct reflex impulse " +
		"knee-jerk blunt fail flawed worse down out reconsider mistake error mistaken merciless unfair unsent ways stray rainy kept whoever throw threw ignore disregard tear tore unsaid undone working alone devil's dead vague argue doubtful"},
	{past, "earlier previously previous last old older former historical already yesterday ago archived original originally initial initially before once used history past since prior background appendix v1 v2 v3"},
	{delays, "later next tomorrow soon eventually wait pending until postpone defer delay after future afterwards plan intend hold sleep"},
	{lesson, "example sample illustrate illustration demonstrate demonstration shape form format syntax template schema mock mock-up mockup toy optional optionally brainstorm brainstorming specimen demo pattern structure notation listing figure placeholder dummy exhibit skeleton shell blank hypothetical checking testing typical " +
		"fyi information reminder contrast comparison verbatim quotation quote thought curiosity provocation thought-experiment context reference ease recap recall remember remind restate draft scratch rough dry field"},
	{thing, "hypothesis hypotheses rival alternative claim mechanism evidence data prediction assumption slate anomaly critique test control result observation theory"},
	{finite, "is are am was were has have had do does did can must shall will should be been need deserve belong require call"},
	{plain, "so hence thus therefore accordingly consequently now here new output answer response result delta change json yaml formally final finally submission contribution summary rationale reason why verdict decision conclusion recommendation position " +
		"corrected repaired fixed revised sharpened resubmitting resubmitted updated amended improved replaced incorporated adopted confirmed expressed specifically concretely namely next also additionally likewise furthermore moreover kill edit addition add removal update action " +
		"operation please apply merge yes certainly sure ok okay required requested promised instructed asked agreed clarity official finished filled valid active primary second seconding respond replying addressing remove retire drop tighten narrow submit step formal offer suggest settle decide narrower sharper tighter better cleaner stronger simpler analogy correction instead after most correct right ready together sum summarize conclude act vorschlag änderung änderungen cambio cambios propuesta zmiana wersja ostateczna wijziging versie fassung hali changement changements proposition finale modifica modifiche proposta"},
	{open, "with by to for in on at from as like is was were be been are has have had this following below follows these such into of then"},
}

// list holds the words of a kind.
type list struct {
	of    kind
	words string
}

func index(lists []list) map[string]kind {
	all := make(map[string]kind)
	for _, l := range lists {
		for word := range strings.FieldsSeq(l.words) {
			all[word] |= l.of
		}
	}
	for word := range strings.FieldsSeq("said wrote written sent held gave given had left came went did thought told found shown began made tore threw kept took got lost chose drew") {
		all[word] |= pastForm
	}
	return all
}

// kindsOf returns the kinds of a word, also of its forms in -s, -ed and -ing.
func kindsOf(word string) kind {
	words := vocabulary.Get()
	if isItem(strings.TrimSuffix(word, "'s")) {
		return id
	}
	if owner, ok := strings.CutSuffix(word, "'s"); ok && words[owner]&source != 0 {
		return others
	}
	known := words[word]
	if known&(author|mine|source|others|finite|open|negates) != 0 {
		return known
	}
	for _, ending := range [...]string{"s", "ed", "ing", "ly"} {
		stem, ok := strings.CutSuffix(word, ending)
		if !ok || len(stem) < 2 {
			continue
		}
		k := words[stem] | words[stem+"e"]
		if n := len(stem); stem[n-1] == 'i' {
			k |= words[stem[:n-1]+"y"]
		} else if stem[n-1] == stem[n-2] {
			k |= words[stem[:n-1]]
		}
		if k |= words[strings.TrimSuffix(stem, "e")]; ending == "ed" && !isIn(" agreed decided settled concluded arrived ", word) {
			k |= pastForm
		}
		return k | known
	}
	return known
}
