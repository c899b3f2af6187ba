package itemform

import (
	"cmp"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// The parts of sentences that say what becomes of an item. Words for a change are in classes: those that order one with the item behind
// them, those that tell one with the item before them, and those for what an item is after it.
const (
	statedOwn   = `(?:(?:I|[Ww]e)(?:['’](?:d|ll|m|ve))?(?: also| now| hereby| therefore| thus| just| will| would| shall| should| must| have)*(?: (?:propose|suggest|recommend|move|vote|want|wish|would like|like|prefer|plan|intend|ask)(?: that we| to| we)?)? |(?i:let me|let['’]s|let us|please|(?:it is |it['’]s )?time to|we can|we may)(?: also| now| just| safely)* )`
	statedLead  = mentionLead + `(?:` + statedOwn + `)?`
	statedNext  = `(?:[.!;]?$| *[,:;(—–"“=→]| (?:in|into|to|as|from|at|by|with|for|under|because|since|and|or|so|now|instead|too|entirely|altogether|completely|accordingly|here|again|also|please|until|out|off|down|up)\b| \d| ["“])`
	statedAlter = `score|re-?score|rate|rank|grade|weight|rename|retitle|relabel|merge|fold|subsume|absorb|combine|unite|unify|split|divide|move|transfer|shift|relocate|reclassify|recast|reframe|restate|narrow|widen|broaden|weaken|strengthen|soften|qualify|restrict|confine|generali[sz]e|downgrade|upgrade|demote|promote|expand|extend|reopen|re-?open|renumber|shorten|clarify|rephrase|reword|rewrite|revise|sharpen|tighten|update|edit|amend|correct|fix|adjust|modify|replace|swap|mark|flag|lower|raise|change|set|close|shut|archive|shelve`
	statedDone  = `scored|re-?scored|rated|ranked|graded|weighted|renamed|retitled|relabell?ed|titled|called|named|merged|folded|subsumed|absorbed|combined|united|unified|split|divided|moved|transferred|shifted|relocated|reclassified|recast|reframed|restated|narrowed|widened|broadened|weakened|strengthened|softened|qualified|restricted|limited|confined|generali[sz]ed|downgraded|upgraded|demoted|promoted|expanded|extended|reopened|renumbered|shortened|clarified|rephrased|reworded|rewritten|revised|sharpened|tightened|updated|edited|amended|corrected|fixed|adjusted|modified|replaced|swapped|marked|flagged|lowered|raised|changed|set|resolved|settled|closed|archived|shelved|parked`
	statedIs    = `absorbed (?:by|into)|subsumed (?:by|under|in)|folded into|merged (?:into|with)|renamed|retitled|relabell?ed|(?:now|hereby|henceforth|better|from now on) (?:called|named|titled|known as)|reclassified|shelved|closed|archived|re-?opened|re-?scored|superseded by|replaced (?:by|with)|made redundant`
	statedRid   = `kill|remove|delete|drop|retire|discard|eliminate|scrap|scratch|strike|axe|bury|ditch|bin|cut|abandon|dismiss|purge|erase`
	statedGone  = `killed|removed|deleted|dropped|retired|discarded|eliminated|scrapped|struck|axed|buried|ditched|binned|cut|abandoned|dismissed|withdrawn`
	statedState = `answered|addressed|resolved|explained|settled|updated|failed|passed|falsified|refuted|verified|closed|reworded|revised|corrected|sharpened|downgraded|superseded`
	statedMust  = `(?:should|must|can|may|could|ought to|needs? to|has to|have to|deserves? to|is to|are to)(?: now| also| then| therefore| thus| just| simply| safely| best)*`
	statedBy    = ` by (?:this|that|these|it|my|our|the (?:above|edit|change|block|delta|new wording|new text))\b[^.;,]{0,40}?`
)

// statedForm is a form of sentences that say what becomes of the item in its first group. The operation is "" if it depends on the item.
type statedForm struct {
	operation string
	sure      bool // an order of its author's
	free      bool // its words say no less for a negation or a modal among them
	form      *pattern.Pattern
}

var stated = []statedForm{
	// Score T1 at 8. Close C2 as resolved. Split T1 in two. Rename H4 "Tension".
	{"", true, false, pattern.New(statedLead + `(?i:close|shut|archive|shelve) ` + spokenID + statedNext)},
	{edit, true, false, pattern.New(statedLead + `(?i:` + statedAlter + `) ` + spokenID + statedNext)},
	{edit, true, false, pattern.New(statedLead + `(?i:resolve|settle|conclude) ` + spokenID + `(?:[.!;]?$| (?:as|now)\b)`)},
	{kill, true, false, pattern.New(statedLead + `(?i:` + statedRid + `) ` + spokenID + statedNext)},
	{edit, true, false, pattern.New(statedLead + `(?i:fill|complete|write|enter|put|set|change|make|update|correct|replace) (?:in |out )?[^.;?!:]{0,60}\b(?:cell|entry|column|row|slot)s?\b[^.;?!:]{0,20} (?:of|in|for|under) ` + spokenID + `\b`)},
	{edit, true, false, pattern.New(statedLead + `(?i:add|append|attach|insert) (?:to|under|in|into) (?:the (?:\w+ )?\w+ of )?` + spokenID + `(?:['’]s \w+)? *(?::|,|["“]|an?\b|the\b|that\b)`)},
	// I'd also put H2 to rest. Time to say goodbye to H2.
	{kill, true, true, pattern.New(statedLead + `(?:[Tt]ime to )?(?i:say (?:good-?bye|farewell|adieu) to|wave good-?bye to|part (?:ways |company )?with|pull the plug on|give up(?: on)?|let go of|put an end to|call time on|close the (?:book|file|door) on|draw a line under|move on from|sign off on the death of) ` + spokenID + statedNext)},
	{kill, true, true, pattern.New(statedLead + `(?:(?i:put|lay) ` + spokenID + ` (?:to (?:rest|bed|sleep)|out of its misery|aside|down|on ice)|(?i:let|leave) ` + oneID + ` (?:go|rest|behind)|(?i:write) ` + oneID + ` off)\b`)},
	// H2 no longer belongs on the slate. There's no place for H2. H2 has run its course.
	{kill, false, true, pattern.New(mentionLead + mentionView + spokenID + `,?(?: meanwhile,?| too| also| now| therefore)* (?:no longer|(?:does not|doesn['’]t)(?: really| any longer)?) (?:belongs?|deserves?|earns?|merits?|has (?:an?|any|its) (?:place|role|business|future)|is (?:needed|tenable|viable|alive|in play|wanted|useful|worth \w+)|pulls? its weight)\b`)},
	{kill, false, true, pattern.New(mentionLead + mentionView + spokenID + `,?(?: meanwhile,?| too| also| now| therefore)* has (?:run its course|had its (?:day|chance|time)|outlived \w+ \w+|served its purpose|no (?:place|business|future|role)\b)`)},
	{kill, false, true, pattern.New(mentionLead + `[Tt]here(?:['’]s| is) no (?:longer (?:an?|any) )?(?:place|room|need|use|future|role|reason|point)(?: [a-z]+){0,3}? (?:for|in|to) (?:keep(?:ing)? |hav(?:e|ing) |retain(?:ing)? |carry(?:ing)? )?` + spokenID + `\b`)},
	// H2 goes. H2 is dead. Vote: H2 out.
	{kill, false, true, pattern.New(mentionLead + mentionView + spokenID + `,?(?: meanwhile,?| too| also| now| therefore| thus| then)* (?:goes|(?:has|needs|ought) to go|(?:must|can|should|may|will) (?:now |also )?go)(?:[.!;]?$|, (?:too|as well)| (?:too|now|first|as well)\b)`)},
	{kill, false, true, pattern.New(mentionLead + mentionView + `(?i:` + kinds + `)(H\d{1,3}) (?:is|looks)(?: now| thus| therefore| hereby| as good as| clearly| simply| effectively)* (?:dead|done(?: for)?|finished|history|toast|out|over|gone|beyond (?:repair|saving|rescue)|a dead end|off the (?:slate|list|table))(?:[.!;]?$|[,;:—–(]| (?:and|because|since)\b)`)},
	{kill, false, true, pattern.New(`^` + spokenID + ` out(?:[.!;]?$|, )`)},
	{kill, false, false, pattern.New(mentionLead + `(?:I|[Ww]e)(?: now| therefore| thus| hereby)* (?:consider|judge|regard|deem|declare|count|rule|call|hold|take|see|rate) ` + spokenID + ` (?:to be |as )?(?:now )?(?:falsified|refuted|dead|disproved|disproven|obsolete|finished|untenable|superseded|redundant|eliminated|done|ruled out|closed|gone|killed)\b`)},
	{kill, false, true, pattern.New(mentionLead + `(?:[Mm]y|[Oo]ur) (?:vote|verdict|call|ruling|decision|judge?ment|recommendation|view|stance) (?:on|for|about|regarding) ` + spokenID + `(?: is|:| —| –| would be)(?: to| that it (?:should|must) be| for an?| an?)? *(?i:` + statedRid + `|` + statedGone + `|out|dead|gone|removal)\b`)},
	// H3 is absorbed by H1. H4 would be better named "Tension". A3 ought to be narrowed. … and should be folded into it.
	{edit, false, true, pattern.New(mentionLead + mentionView + spokenID + ` (?:(?:is|are|gets?|has been|becomes)(?: hereby| thus| therefore| also| formally| simply)* (?:` + statedIs + `)|(?:is|would be|might be|could be)(?: now| hereby| henceforth) (?:called|named|titled|known as)|(?:would|should|could|might) (?:be )?better(?: be)? (?:` + statedDone + `))\b`)},
	{edit, false, true, pattern.New(mentionLead + mentionView + spokenID + `,? ` + statedMust + ` be (?:` + statedDone + `)(?:[.!;]?$|[,;:—–(]| (?:to|into|as|in|with|at|by|from|under|and|accordingly)\b)`)},
	{edit, false, true, pattern.New(mentionLead + mentionView + spokenID + ` [^.;:?!]{3,80}?(?:,? and|, so it|; it|, but it)(?: therefore| thus| hence| so| it)? ` + statedMust + ` be (?:` + statedDone + `)(?:[.!;]?$|[,;:—–(]| (?:to|into|as|in|with|at|from|under|accordingly)\b)`)},
	{kill, false, true, pattern.New(mentionLead + mentionView + spokenID + ` [^.;:?!]{3,80}?(?:,? and|, so it|; it|, but it)(?: therefore| thus| hence| so| it)? ` + statedMust + ` (?:be (?:` + statedGone + `)|go)(?:[.!;]?$|[,;:—–(]| (?:from|too|now)\b)`)},
	// X1 has been explained. C1 is resolved by this. T2 failed.
	{edit, false, true, pattern.New(`^(?:(?:[Tt]hus|[Ss]o|[Hh]ence|[Tt]herefore),? )?` + spokenID + ` (?:has been |is |are |stands )?(?:now |hereby |thus |therefore )*(?:` + statedState + `)(?:` + statedBy + `)?(?:[.!;]?$|,? and (?:may|can|should|must|is to)\b)`)},
	// H4 gets the same treatment. Do the same to H4. For T2, use thymidine instead.
	{edit, false, true, pattern.New(mentionLead + spokenID + ` (?:gets?|receives?|deserves?|needs?|has|should (?:get|have)|is due) the same (?:treatment|edit|fix|change|correction|update|wording|fate|verdict|addition|sharpening)\b`)},
	{edit, true, true, pattern.New(statedLead + `(?i:do|apply|make|repeat|copy|carry over) (?:the |that |this )?(?:same|likewise|(?:edit|change|fix|correction))(?: edit| change| fix| correction| wording| treatment| thing)?(?: also| too)? (?:to|for|with|in|on) ` + spokenID + statedNext)},
	{edit, false, true, pattern.New(`^(?i:and |also )?(?i:the )?[Ss]ame (?:treatment|story|procedure|fate|again|idea) (?:for|with|in) ` + spokenID + statedNext)},
	{edit, true, true, pattern.New(mentionLead + `(?i:for|in|on|with) ` + spokenID + `(?:['’]s \w+)?,? (?:(?:I|[Ww]e)(?:['’]d| would|['’]ll| will| should)? |please |let['’]s )?(?:use|take|write|say|put|try|choose|pick) [^.;?!]{2,80}?(?: instead\b| in place of | rather than |, not | in lieu of )`)},
	{edit, false, true, pattern.New(mentionLead + `(?i:for|in|on|with) ` + spokenID + `,? (?:the|its) [^.;:?!,]{2,40}? (?:has to|must|needs to|ought to|should) (?:be|read|say|become|state) (?:["“]|\d|at (?:least|most) \d)`)},
	{edit, false, true, pattern.New(mentionLead + spokenID + ` (?:wants|needs|requires|should (?:use|have|be)|must (?:use|have|be)|has to (?:use|have|be)|takes) [^.;:?!]{2,60}?(?:, not | in place of | instead of | rather than | in lieu of )`)},
	// P1, cell H2, becomes "follows donor". A3 += "in epithelia".
	{edit, false, true, pattern.New(`^(P\d{1,3})(?:,|['’]s|:| —| –| \()? *(?:(?:the )?(?:cell|column|row|entry|field|slot)? ?(?:for |of |under )?H\d{1,3}(?: (?:cell|column|row|entry))?)[),]* *(?:becomes|is now|should (?:be|read|say)|must (?:be|read|say)|reads|now reads|changes to|=|:=|→|->|⇒) *\S`)},
	{edit, false, true, pattern.New(`^` + spokenID + `(?:\.\w+|['’]s \w+)? *(?:\+=|:=|<-|←|≔|⇒|⟶|↦) *["“\pL\d]`)},
	// The third alternative flag should be set on H4.
	{edit, false, true, pattern.New(mentionLead + `(?:[Tt]he |[Aa]n? )?[a-z][^.;:?!,]{2,50} ` + statedMust + ` be (?:set|added|put|placed|removed|dropped|cleared|taken|noted|recorded) (?:on|to|in|from|off|under|for) ` + spokenID + `(?:[.!;]?$|[,;:(—–])`)},
}

var (
	// statedIt matches what a clause behind an item orders for it: "…, so narrow it accordingly", "…; move it."
	statedIt = pattern.New(`(?:[,;:—–] *(?:and |so |then |thus |hence |therefore |but )*|,? (?:and|so) )(?:` + statedOwn + `|I move that we |that we )?(?:` +
		`((?i:` + statedRid + `|close))|(` + statedAlter + `)) (?:(?:it|them)(?:[.!;]?$| (?:accordingly|to|as|into|now|instead|too|off|out|down|from the (?:slate|list|artifact))\b| *[,:;(—–])|its [a-z]+\b)`)
	// statedFirst matches the item that a sentence is about.
	statedFirst = pattern.New(mentionLead + mentionView + spokenID + `\b`)
	// statedAsk matches a question after an item, and statedAnswer the answer: "And H2? Off with its head."
	statedAsk    = pattern.New(`^(?i:and |now |as for |what about |but |then )*(?:(?i:restore|keep|kill|drop|remove|retire) )?` + spokenID + `\?$`)
	statedAnswer = pattern.New(`^(?i:yes[,:;.]? |no[,:;.]? |then |so |just |please |instead )*(?:(?i:(off with its head|out|gone|dead|goodbye|` + statedRid + `)(?: (?:it|that|this))?(?:[.!]?$|[,;:(—–]| because\b))|(?i:` + statedAlter + `) (?:it\b|its [a-z]+\b))`)
	// A sentence on what the research is about.
	threadForms = []statedForm{
		{edit, false, true, pattern.New(mentionLead + `[Tt]he (?:research (?:question|thread)|question itself|thread itself) (?:should|must|ought to|needs to|has to|might|could|would)(?: now| rather| better| also)* (?:say|read|be|become|include|mention|state|ask)\b`)},
		{edit, false, true, pattern.New(mentionLead + `(?:[Oo]ur|[Tt]he) (?:research )?(?:question|thread)(?: itself)? (?:would|could|might) be better\b`)},
		{edit, true, false, pattern.New(mentionLead + statedOwn + `(?:rephrase|reword|restate|rewrite|narrow|sharpen|change|revise|update|edit|broaden|amend|rephrasing|rewording) (?:the|our) (?:research )?(?:question|thread)\b`)},
		{edit, true, false, pattern.New(mentionLead + `(?i:rephrase|reword|restate|rewrite|narrow|sharpen|change|revise|update|edit|broaden|amend) (?:the|our) (?:research (?:question|thread)|question itself)\b`)},
		{edit, false, true, pattern.New(`^(?i:(?:new |revised )?research (?:question|thread))(?: *[:→=]| —| –) *(?:["“].{8,}|\pL.{8,}\?$)`)},
	}
	// statedNew matches a new item of the kind in its first group.
	statedNew = []statedForm{
		{add, true, true, pattern.New(mentionLead + `(?:` + statedOwn + `)?(?i:log|record|register|note|file|enter|list|add|include) (?:as|under) (?:an?|the) (?:new |further )?` + spokenKinds + `\b`)},
		{add, true, true, pattern.New(`^(?:(?:[Nn]ew|[Aa]dditional|[Ff]urther|[Aa]nother|[Oo]ne more|[Aa]n?) )?(?i:` + spokenKinds + `) to (?:log|register|record|add|enter|file|include|list|note)(?::| —| –) *\S`)},
		{add, false, true, pattern.New(mentionLead + `(?:(?:I|[Ww]e)['’]d (?:also )?|(?:I|[Ww]e)(?: also| still| now)* |[Ll]et me (?:also )?|[Ll]et['’]s (?:also )?)(?:add|register|log|record|propose|include|introduce|need|want|require|lack|miss|file|open|table|raise|submit|offer|put forward|present|contribute|voice|lodge) (?:an?|another|one more|a further) (?:[\w-]+ ){0,2}?` + spokenKinds + `(?::| —| –| (?:in which|where|whereby|to (?:test|see|check)|that|of|on)\b)`)},
		{add, false, true, pattern.New(mentionLead + `(?:A|Another|One more|One|An|My|Our) (?:new|further|additional|extra|fresh|missing|other) ` + spokenKinds + `\b[^.;:?!]{0,80}? (?:is|would be|reads|says)(?: (?:that|an?|the)\b|:)`)},
		{add, false, true, pattern.New(mentionLead + `(?:Another|One more) ` + spokenKinds + `(?:,[^.;:?!]{0,80},)? (?:is|would be|reads|says)(?: (?:that|an?)\b|:)`)},
	}
	// nthNew matches a new item by its number: "My fifth hypothesis is a relay: …".
	nthNew = pattern.New(mentionLead + `(?:` + statedOwn + `)?(?:(?i:add|propose|register|suggest|introduce|offer) )?(?:[Mm]y|[Oo]ur|[Aa]|[Tt]he) (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) ` + spokenKinds + `(?: (?:is|would be|reads|says|that)\b|,|:| —| –)`)
	// calledNew matches the label of a new item: "call it T3".
	calledNew = pattern.New(`(?:^|[;,(—–.:] *|\band )(?i:(?:I |we |let['’]s |please )?(?:call|label|name|number|dub|list|register|enter) (?:it|this|that)(?: as)?) ` + oneID + `(?:[.,;:)!]|$)`)
	// diffLine matches a line that takes an item out, or puts one in, as a difference of two texts.
	diffLine = pattern.New(`^ *([-−–+]) *` + oneID + `\b[^?]{0,200}$`)
	// otherOut matches what becomes of an item in other languages, with a particle for a verb.
	// otherName matches what an item is to be called in another language.
	otherName = pattern.New(`(?i)(?:^|[^\pL])(?:heißen|heissen|lauten|s['’]appeler|se nommer|llamarse|chamar-se|chiamarsi|heten|se llame|umbenennen|rebaptiser|renommer|renombrar|renomear|rinominare)(?:[^\pL]|$)`)
	otherOut  = pattern.New(`(?i)\b(?:abandonner|abandonar|abbandonare|aufgeben|fallen (?:zu )?lassen|fallenlassen|dejar caer|laisser tomber)\b|\b(?:kann|muss|soll|sollte|darf|fliegt|gehört|kommt)(?: [\pL]+){0,2} (?:weg|raus|fort|hinaus)\b|\b(?:quita|quite|quitad|quiten|fuera|afuera|dehors|ôte|ôtez|enlève|enlevez|vire|virez|via|fora)\b|\b(?:kan|mag|moet) (?:weg|eruit)\b`)
	// otherDoubt matches what makes a sentence in another language speak of something else than a change of its author's, now.
	otherDoubt = pattern.New(`(?i)(?:^|[^\pL])(?:w[uü]rden?|wäre[n]?|könnten?|könnte|dürften?|hätten?|vielleicht|wurden?|war(?:en)?|schon|bereits|noch|erst|runde|später|verfrüht|zu früh|serait|seraient|pourrait|pourraient|étai(?:t|ent)|déjà|peut-être|prématuré\pL*|tour|manche|sería|serían|podría|podrían|fue|fueron|era|ya|quizás?|tal vez|prematur[oa]s?|ronda|seria|poderia|já|foi|foram|talvez|rodada|sarebbe|potrebbe|è stat[oa]|già|forse|prematuro|turno|zou|zouden|werd|was|reeds|misschien|ronde|byłoby|został[ay]?|już|może|runda|бы|был[аои]?|уже|может|рано|раунд\pL*|предлага\pL*|proposent|propone|propõe|proponen|proponiert|podr\pL+|poder\pL+|pourr\pL+|potr\pL+|adelante|dagegen|contre|contra|contro|tegen|против|cuando|quand|wann|sobald|une fois|dopo|después|depois|nach|schlägt|vorgeschlagen|vorschlag von|moins|weniger|menos)(?:[^\pL]|$)`)
	tick       = pattern.New(`[\s✔✅☑✓👍🎉\x{FE0F}]+$`)
	shouted    = pattern.New(`^[^\w]*(?:ADD|EDIT|KILL)\b`)
	// joins are words for changes of several items.
	joins = pattern.New(`(?i)\b(?:merge|fold|subsum|absorb|combine|unite|unify|swap)`)
	// physical are words for changes that one may also make to what a test is done with.
	physical  = pattern.New(`^[^\w]*(?i:merge|fold|combine|unite|split|divide|move|transfer|shift|set|change|lower|raise|swap|weight|expand|extend) [^.;:]*\b(?:dish|animals?|embryos?|cells?|wells?|plates?|tubes?|rooms?|medium|hours?|days?|arms?|weeks?|°C|degrees)\b`)
	underItem = pattern.New(`\b(?:under (?:the )?H\d|(?:if|were|predicts?|according to|assuming) (?:the )?(?:\w+ )?[A-Z]{1,2}\d)`)
	// statedStems are parts of words of which every sentence that the forms above find has one.
	statedStems = remark.WordsOf("core", "ate ", "ank ", "rade", "eight ", "name", "title", "abel", "erge", "old", "bsum", "bsorb", "ombine", "nite", "nify", "plit", "ivide", "ove ", "oved", "ansfer", "hift", "elocate", "lassif", "ecast", "frame", "estate", "arrow", "iden", "roaden", "eaken", "rengthen", "often", "ualif", "estrict", "onfine", "imited", "eneral", "emote", "romote",
		"xpand", "xtend", "open", "umber", "horten", "larif", "phrase", "eword", "writ", "evis", "harpen", "ighten", "pdate", "dit", "amend", "Amend", "orrect", "ix ", "ixed", "djust", "odif", "eplace", "wap", "ark", "lag", "ower", "aise", "hange", "et ", "esolve", "ettle", "lose", "shut", "Shut", "onclude", "rchive", "helve", "ill ", "illed", "emov", "elet", "rop", "etire", "iscard", "liminat", "crap", "cratch", "trike", "truck", "axe", "ury", "uried", "itch", "bin", "Bin", "ut ", "bandon", "ismiss", "urge", "rase", "ithdraw",
		"omplete", "nter", "ell", "dd ", "dded", "ppend", "ttach", "nsert", "bye", "arewell", "dieu", "part ", "lug", "ive up", "et go", "n end", "ime", "book", "line under", "ay ", "leave", "Leave", "off", "longer", "not ", "n't ", "n’t ", "has ", "no ", "go", "dead", "done", "inished", "istory", "toast", "out", "over", "gone", "eyond", "falsified", "refuted", "disprov", "bsolete", "untenable", "uperseded", "edundant", "vote", "verdict", "call", "uling", "ecision", "udg", "ecommend", "view", "stance", "nown as", "parked",
		"nswered", "ddressed", "xplained", "failed", "passed", "verified", "ame ", "ikewise", "instead", "in place", "rather", ", not ", "in lieu", "should", "must", "needs", "ought", "wants", "equires", "takes", "ecomes", "is now", "reads", "=", "→", "->", "⇒", "<-", "←", "⟶", "↦", "laced", "leared", "aken", "oted", "ecorded", " it", "them", "hey")
)

// Stated returns the changes of which the sentences of a line speak in words that only the seventh reader knows. Below is the text behind
// the line.
func (s *Slate) stated(line, author string, below []byte) (all []SpokenOf) {
	if m := diffLine.FindStringSubmatch(line); m != nil {
		if a, ok := s.inDifference(m, line, below); ok {
			return []SpokenOf{a}
		}
	}
	before, topic := "", ""
	for line != "" {
		end := SentenceEnd(line)
		sentence := strings.TrimSpace(line[:end])
		line = strings.TrimLeft(line[end:], " \t\r\n")
		last, about := before, topic
		before = sentence
		if id := firstID.FindString(sentence); id != "" {
			topic = id
		}
		if label, said, ok := strings.Cut(sentence, ": "); ok && decided.MatchString(label) {
			sentence = said
		}
		if sentence == "" || strings.HasSuffix(sentence, "?") && !threadForms[len(threadForms)-1].form.MatchString(sentence) || strings.HasSuffix(sentence, ":") || awayFrom(sentence) || IsHeld(sentence) || shouted.MatchString(sentence) || strings.HasSuffix(last, "al.") {
			continue
		}
		if a, ok := s.statedIn(sentence, last); ok && speaksAs(sentence, author) {
			all = append(all, a)
		} else if a, ok := s.wishedIn(sentence, cmp.Or(about, topic), author); ok {
			all = append(all, a)
		}
	}
	return all
}

// decided matches the label of what an author decides.
var decided = pattern.New(`^(?i:(?:my )?(?:votes?|verdict|decision|call|ruling|proposal|recommendation|conclusion|action|result|upshot|in short|to do|todo))$`)

// statedIn returns the change of which a sentence speaks, behind another one.
func (s *Slate) statedIn(sentence, before string) (found SpokenOf, ok bool) {
	if m := statedAsk.FindStringSubmatch(before); m != nil {
		if answer := statedAnswer.FindStringSubmatchIndex(sentence); answer != nil {
			operation := edit
			if answer[2] >= 0 {
				operation = kill
			}
			return s.item(operation, m[1], sentence, true)
		}
	}
	if found, ok = s.statedAsNew(sentence); ok {
		return found, true
	}
	if found, ok = statedThread(sentence); ok {
		return found, true
	}
	if !HasID(sentence) {
		if first := statedFirst.FindString(before); first != "" && len(sentence) < 120 && statedStems.In(sentence) {
			return s.inAnaphora(strings.TrimRight(before, ".; ") + "; " + strings.ToLower(sentence[:1]) + sentence[1:])
		}
		return found, false
	}
	if a, isOther := statedOther(sentence); isOther {
		return SpokenOf{a, false}, true
	}
	if !statedStems.In(sentence) {
		return found, false
	}
	return s.statedOf(sentence)
}

// statedThread returns the change of the question of which a sentence speaks.
func statedThread(sentence string) (found SpokenOf, ok bool) {
	if !strings.Contains(sentence, "question") && !strings.Contains(sentence, "thread") {
		return found, false
	}
	for i := range threadForms {
		f := &threadForms[i]
		if m := f.form.FindStringIndex(sentence); m != nil && !f.hedged(sentence, m) {
			return SpokenOf{Attempt{Operation: edit, Section: artifact.ResearchThread.String(), ID: "RT", Says: sentence}, f.sure}, true
		}
	}
	return found, false
}

// statedOf returns the change of an item that a sentence states or orders.
func (s *Slate) statedOf(sentence string) (found SpokenOf, ok bool) {
	for i := range stated {
		f := &stated[i]
		m := f.form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		if f.hedged(sentence, m) || underItem.MatchString(sentence) || physical.MatchString(sentence) {
			return found, false
		}
		found, ok = s.item(f.operation, groupOf(sentence, m), sentence, f.sure && !permits.MatchString(sentence))
		if f.sure && joins.MatchString(sentence) {
			found.ID = strings.Join(append([]string{found.ID}, firstID.FindAllString(sentence, 8)...), ", ") // a change of any may be it
		}
		return found, ok
	}
	return s.inAnaphora(sentence)
}

// conditional matches what makes the words before a clause a condition.
var conditional = pattern.New(`(?i)\b(?:if|unless|once|until|whether|would|could|might|when)\b`)

// permits matches the beginning of a sentence about what may be done.
var permits = pattern.New(`^[^\w]*(?:\w+,? )?[Ww]e (?:can|may|could)\b`)

// groupOf returns the first group of a form that is not empty.
func groupOf(sentence string, m []int) string {
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 {
			return sentence[m[i]:m[i+1]]
		}
	}
	return ""
}

// hedged reports whether a sentence says that the change is not made: with its own words, or those behind them up to a reason.
func (f *statedForm) hedged(sentence string, m []int) bool {
	said, rest := sentence[:m[1]], sentence[m[1]:]
	if f.free {
		said = ""
	}
	if r := reasons.FindStringIndex(rest); r != nil {
		rest = rest[:r[0]]
	}
	if f.free {
		return conditions.MatchString(quotedText.ReplaceAllString(rest, ""))
	}
	return isHedgedIn(quotedText.ReplaceAllString(said+rest, ""))
}

// item returns the change of an item, unless the version shown has it like that.
func (s *Slate) item(operation, id, sentence string, sure bool) (found SpokenOf, ok bool) {
	section, ok := artifact.SectionOfID(id)
	if !ok {
		return found, false
	}
	if operation == "" {
		operation = edit
		if section == artifact.HypothesisSlate {
			operation = kill
		}
	}
	if s.Base != nil {
		it, _, isKnown := s.Base.Find(id)
		if !isKnown || operation == kill && it.Killed() {
			return found, false
		}
	}
	a := Attempt{Operation: operation, ID: id, Section: section.String(), Says: sentence}
	if field, isField := section.Spec().Field(fieldNamed(sentence)); isField && operation == edit {
		a.Field = field.Name
	}
	return SpokenOf{a, sure}, true
}

// inAnaphora returns the change that a clause orders for the item that its sentence is about.
func (s *Slate) inAnaphora(sentence string) (found SpokenOf, ok bool) {
	m := statedFirst.FindStringSubmatchIndex(sentence)
	if len(m) == 0 || strings.HasPrefix(sentence[m[1]:], ":") {
		return found, false
	}
	rest := sentence[m[1]:]
	it := statedIt.FindStringSubmatchIndex(rest)
	if len(it) == 0 || conditional.MatchString(rest[:it[0]]) || conditions.MatchString(rest[it[1]:]) || underItem.MatchString(sentence) {
		return found, false
	}
	operation := edit
	if it[2] >= 0 {
		operation = kill
		if strings.EqualFold(rest[it[2]:it[3]], "close") {
			operation = ""
		}
	}
	return s.item(operation, sentence[m[2]:m[3]], sentence, true)
}

// statedAsNew returns the new item of which a sentence speaks.
func (s *Slate) statedAsNew(sentence string) (found SpokenOf, ok bool) {
	if m := calledNew.FindStringSubmatch(sentence); len(m) > 1 && s.isMissing(m[1]) {
		if section, isItem := artifact.SectionOfID(m[1]); isItem {
			return SpokenOf{Attempt{Operation: add, ID: m[1], Section: section.String(), Says: sentence}, true}, true
		}
	}
	if !kindParts.In(sentence) {
		return found, false
	}
	if m := nthNew.FindStringSubmatchIndex(sentence); m != nil && !HasID(sentence) {
		section := nouns[strings.ToLower(sentence[m[4]:m[5]])]
		if s.isBeyond(section, sentence[m[2]:m[3]]) {
			return SpokenOf{Attempt{Operation: add, Section: section.String(), Says: sentence[m[1]:]}, false}, true
		}
	}
	for i := range statedNew {
		f := &statedNew[i]
		m := f.form.FindStringSubmatchIndex(sentence)
		if m == nil || toItem.MatchString(sentence) || HasID(sentence[:m[1]]) || HasID(sentence[m[1]:]) && conditions.MatchString(sentence[m[1]:]) {
			continue
		}
		section := nouns[strings.ToLower(sentence[m[2]:m[3]])]
		return SpokenOf{Attempt{Operation: add, Section: section.String(), Says: sentence[m[1]:]}, f.sure}, true
	}
	return found, false
}

// statedOther returns the change of which a sentence in another language speaks: a verb for it beside an item.
func statedOther(sentence string) (a Attempt, ok bool) {
	ids := firstID.FindAllString(sentence, 2)
	if len(ids) != 1 || notEnglish.MatchString(sentence) || otherHedge.MatchString(sentence) || otherDoubt.MatchString(sentence) {
		return a, false
	}
	id := ids[0]
	section, isItem := artifact.SectionOfID(id)
	if !isItem {
		return a, false
	}
	a = Attempt{Operation: edit, ID: id, Section: section.String(), Says: sentence}
	if otherOut.MatchString(sentence) {
		a.Operation = kill
		return a, true
	}
	if otherName.MatchString(sentence) {
		return a, true
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(sentence), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if v, isVerb := otherVerbs.Get()[word]; isVerb {
			a.Operation = v.operation
			return a, true
		}
	}
	return a, false
}

// inDifference returns the change that a line of a difference of two texts makes.
func (s *Slate) inDifference(m []string, line string, below []byte) (found SpokenOf, ok bool) {
	section, isItem := artifact.SectionOfID(m[2])
	switch {
	case !isItem:
		return found, false
	case m[1] == "+":
		found = SpokenOf{Attempt{Operation: add, ID: m[2], Section: section.String(), Says: line}, false}
		return found, s.isMissing(m[2])
	}
	next := strings.TrimLeft(string(below[:min(len(below), 80)]), " \r\n")
	after := diffLine.FindStringSubmatch(strings.SplitN(next, "\n", 2)[0])
	if len(after) == 0 || after[1] != "+" {
		return found, false
	}
	operation := kill
	if after[2] == m[2] {
		operation = edit
	}
	return s.item(operation, m[2], line, false)
}

// mayWish are words of lines without items that may speak of a change.
var mayWish = remark.WordsOf("question", "thread", "ledger", "register", "slate", "ssumptions", "nomalies", "ritiques", "redictions", " tests", "ypotheses", "eltas", "hange", " one ", "delta", "block")

// Spoken returns the changes of which the sentences of a line speak, by the rules of the sixth reader or those of the seventh.
func (s *Slate) Spoken(line, author string, below []byte, isSeventh bool) (all []SpokenOf) {
	const longest = 4000
	known := KnownIn(s.Base)
	if !isSeventh {
		if !MaySpeak(line) {
			return nil
		}
		return Spoken(line, author, known)
	}
	plain := tick.ReplaceAllString(s.Resolved(line[:min(len(line), longest)]), "")
	if !MaySpeak(plain) && !mayWish.In(plain) {
		return nil
	}
	all = Spoken(plain, author, known)
	add := func(f SpokenOf) {
		for i := range all {
			if all[i].Operation == f.Operation && all[i].ID == f.ID && all[i].Section == f.Section {
				all[i].Sure = all[i].Sure || f.Sure
				return
			}
		}
		all = append(all, f)
	}
	plain = clausePlain.Replace(plain)
	body := plain
	if diffLine.FindString(plain) == "" {
		body = strings.TrimSpace(plain[len(clauseMark.FindString(plain)):])
	}
	if name, _, ok := strings.Cut(body, ":"); ok && name != author && isAgentName(name) {
		return all
	}
	for _, f := range s.stated(body, author, below) {
		add(f)
	}
	if plain != clausePlain.Replace(line) {
		for _, a := range Mentioned(plain, author) {
			add(SpokenOf{a, false})
		}
	}
	return all
}
