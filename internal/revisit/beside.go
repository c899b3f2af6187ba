package revisit

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

// placed is a sentence with the changes in the fences beside it.
type placed struct {
	sentence
	above   []int // in the fence directly above its paragraph
	below   []int // in the fence directly below it
	earlier []int // in all fences above it
	chain   []int // in the fences below it, up to the next sentence
	under   []int // in the fences below it, up to the next heading, if it is a heading
	isTitle bool  // it is a heading, or a line in bold
	from    int   // where its first line begins

	isHeading bool
}

// maxMarks is how many bytes at the beginning of a line may be marks.
const maxMarks = 20

// sentences returns those of the author in a reply.
func (f *own) sentences(text []byte) (all []placed) {
	var earlier, above []int
	heading := -1
	for b := range markdown.Blocks(text, markdown.Third) {
		switch {
		case b.Kind == markdown.Fenced:
			above = f.inFence(text, b)
			if n := len(all); n > 0 && all[n-1].end >= fenceStart(text, b) {
				all[n-1].below = above
			}
			if n := len(all); n > 0 {
				all[n-1].chain = append(all[n-1].chain, above...)
			}
			if heading >= 0 {
				all[heading].under = append(all[heading].under, above...)
			}
			earlier = append(earlier, above...)
		case b.Kind == markdown.Prose && b.Own():
			for _, p := range f.placedIn(text, b, above) {
				p.earlier = earlier
				if all = append(all, p); p.isHeading {
					heading = len(all) - 1
				}
			}
			above = nil
		}
	}
	return all
}

// placedIn returns the sentences of a part of a text below a fence with some changes.
func (f *own) placedIn(text []byte, b markdown.Block, above []int) (all []placed) {
	firstEnd := b.End // of the first paragraph
	begin := b.End - len(bytes.TrimLeft(text[b.Start:b.End], "\r\n"))
	if blank := bytes.Index(text[begin:b.End], []byte("\n\n")); blank >= 0 {
		firstEnd = begin + blank
	}
	from, seen := b.Start, b.Start // where the line begins, and how far that is known
	for _, s := range wordsIn(text[b.Start:b.End], f.isStrict) {
		s.start, s.end, s.block = s.start+b.Start, s.end+b.Start, b.Start
		if at := bytes.LastIndexByte(text[seen:s.start], '\n'); at >= 0 {
			from = seen + at + 1
		}
		seen = s.start
		line := text[from:min(s.start, from+maxMarks)]
		rest := bytes.TrimSpace(text[s.start:min(len(text), s.end+4)])
		p := placed{sentence: s, from: from, isHeading: bytes.HasPrefix(line, []byte("#"))}
		p.isTitle = p.isHeading || bytes.HasSuffix(line, []byte("**")) && bytes.Contains(rest, []byte("**")) || bytes.HasPrefix(bytes.TrimSpace(line), []byte("*"))
		if s.start <= firstEnd && !p.isHeading {
			p.above = above
		}
		all = append(all, p)
	}
	return all
}

// fenceStart returns where the text between a fence and the one before it may end.
func fenceStart(text []byte, b markdown.Block) int {
	line := bytes.LastIndexByte(text[:max(0, b.Start-1)], '\n') + 1 // of the fence
	return len(bytes.TrimRight(text[:line], " \t\r\n*_#:"))
}

// inFence returns the changes in a fence.
func (f *own) inFence(text []byte, b markdown.Block) (of []int) {
	last := b.Line + bytes.Count(text[b.Start:b.End], []byte("\n")) + 1
	i, _ := slices.BinarySearchFunc(f.Standing, b.Line, func(c Change, line int) int { return c.Line - line })
	for ; i < len(f.Standing) && f.Standing[i].Line <= last; i++ {
		of = append(of, i)
	}
	return of
}

var (
	// ofAbove matches sentences whose subject is the block above them.
	ofAbove = pattern.New(`^(?:(?:but|so|and|however|actually|wait|well|no|hmm+|note|operator|sorry|on reflection|since [^,]*|though)[,:—–-]* *)*(?:-+ *)*(?:please |let me |i would |i'd |i |i'd like to |better )*(?:this|that|it|both|these|the (?:above|block|delta|kill|edit|addition|add|change|target)(?: above)?)(?:'s| is| was| are| were| seems?| looks?| might| may| should| must| depends| takes?| applies| apply| can| will| would| needs?| has to| waits?)\b`)
	// treats matches what should be done with the block above.
	treats = pattern.New(`\b(?:hold|treat|consider|leave|keep|drop|skip|decide|vote|merge|apply|postpone|ignore|take|regard|confirm|count)(?: \w+){0,2} (?:it\b|(?:this|that|these|both)(?: (?:one|block|delta|change|kill|edit|add|addition|proposal))?(?:$| (?:out|back|until|as|for|in|before|after|if|only|to|now|alone|later|an?|on|off|should|whether|over)\b))`)
	// fragments match what stands below a block as its label.
	fragments   = pattern.New(`^(?:[\[(<←#^↑*-]+ *)*(?:not (?:submitted|mine|final|meant|sent|yet|for merging|to be (?:applied|merged))|drafts?(?:,? (?:ends?|only|ignore|not final))?(?: *-+)?|nvm|so no|to be (?:confirmed|decided|discussed|approved)(?: .*)?|end of (?:quote|quotation|draft|example|citation|excerpt)|withdrawn|retracted|void|cancelled|example|example only|untested|placeholder|tbd|tbc)[\])>. -]*$`)
	whose       = pattern.New(`(?:^|[ :])(?i:posted|sent|written|proposed|quoted|copied|taken|author|by|from|end of|above|source|credit)(?: by| from)?:? ([A-Z][a-z]+[A-Z]\w+)(?:['’]s (?:message|block|delta|letter|reply|post|proposal|version|kill|edit|add))?[.)\]]*$`)
	ifThen      = pattern.New(`^(?:if|unless|should|once|when) .*\b(?:apply|drop|merge|ignore|execute|withdraw|skip)\b.*\b(?:this|it|that)\b|\bwould (?:do|send|propose|write|submit) if\b|\bwas my (?:first|initial|original|earlier) (?:idea|thought|version|plan|attempt)\b|\bplaceholder\b|\bonly a suggestion|as a suggestion\b`)
	noOperation = pattern.New(`^(?:so|hence|therefore|thus|final|finally|decision|then|final decision|net|result|verdict)?[,: ]*no (kill|edit|add|addition|removal)(?: (?:of|to) .*| for now| yet| this round| after all)?[.!]?$`)
	onlyNext    = pattern.New(`\bonly (?:submit |send |mean |propose |want )?the (?:next|following)\b|\bonly the (?:\w+ )?(?:one |delta |block |change )?below\b|\bonly (?:submit|send|mean|propose|want) the [a-z ]+ below\b`)
)

// readBeside reads what a sentence says of the fence directly above it or below it, without a name.
func (f *own) readBeside(s placed) {
	f.earlier = s.earlier
	if m := noOperation.FindStringSubmatch(s.lower); m != nil {
		of, _ := f.withOperation(operationOf(m[1]))
		f.leave(of, s.sentence)
	}
	if onlyNext.MatchString(s.lower) && !s.isQuestion {
		f.leave(s.earlier, s.sentence)
	}
	if len(s.above) > 0 && !s.isLead && !s.isQuestion && !isPastRound.MatchString(s.lower) && f.holdsAbove(s.sentence, s.below) {
		f.leave(s.above, s.sentence)
	}
	f.hasTopic = len(idsIn(s.lower)) > 0 || mayName.MatchString(s.lower)
	if len(s.below) > 0 && f.holdsBelow(s) {
		f.leave(s.below, s.sentence)
	}
	if len(s.under) > 0 && f.holdsSection(s.sentence) {
		f.leave(s.under, s.sentence)
	}
}

// holdsAbove reports whether a sentence leaves open the block above it.
func (f *own) holdsAbove(s sentence, below []int) bool {
	lower := strings.TrimRight(s.lower, ".! ")
	if f.isOf(s, lower) || fragments.MatchString(lower) && (len(below) == 0 || strings.IndexAny(lower, "←↑^<") == 0) {
		return true
	}
	all := s.clauses()
	if slices.ContainsFunc(all, func(clause string) bool { return len(f.namesOwn(clause, s).of) > 0 }) {
		return false // about those
	}
	if upward.MatchString(lower) && strings.Contains(lower, "should") && erratum.MatchString(lower) || f.isPlan(lower) {
		return true
	}
	hasSubject := f.hasTopic
	for i, clause := range all {
		isOfItem := len(idsIn(strings.Join(all[i:], " "))) > 0 && !conditions.MatchString(lower)
		if isOfItem || len(idsIn(strings.Join(all[:i], " "))) > 0 && !strings.Contains(clause, "this ") {
			continue
		}
		if f.refersAbove(clause, hasSubject) && f.judgeOwn(clause, names{how: byBlock}, s) == leaves {
			return true
		}
		hasSubject = hasSubject || len(strings.Fields(clause)) > 1
	}
	return false
}

// isPlan reports whether a sentence calls the block above it one for a case, an earlier idea, or a placeholder.
func (f *own) isPlan(lower string) bool {
	return !f.hasTopic && ifThen.MatchString(lower) && !(f.isStrict && strings.Contains(lower, "had "))
}

// isOf reports whether a sentence says that another author has made the block above it.
func (f *own) isOf(s sentence, lower string) bool {
	const most = 5 // words
	m := whose.FindStringSubmatch(s.text)
	return len(m) > 1 && !strings.EqualFold(m[1], f.author) && (!f.isStrict || len(strings.Fields(lower)) <= most || ofAbove.MatchString(lower))
}

// refersAbove reports whether a clause is about the block above it, and may leave it open.
func (f *own) refersAbove(clause string, hasSubject bool) bool {
	isOf := ofAbove.MatchString(clause)
	if wrongTo.MatchString(clause) || !isOf && (hasSubject || !treats.MatchString(clause)) {
		return false
	}
	plain := acts.ReplaceAllString(plainly(clause), "acts")
	return back.MatchString(plain) || stand.MatchString(plain) || isOf && !strings.HasPrefix(clause, "it")
}

// wrongTo matches what is said of another way: It is wrong to keep it.
var wrongTo = pattern.New(`\b(?:wrong|mistake|error|premature|hasty|too (?:early|soon)) (?:not )?to\b`)

var (
	conditions = pattern.New(`\b(?:if|unless|until|after|before|once|when|only|depends? on|pending)\b`)
	// leads match titles that keep what follows from being the author's change; notLeads those of its own.
	leads = pattern.New(`\b(?:backup|back-up|fallback|fall-back|stand-?by|contingency|thought experiment|steel-?man|straw-?man|devil's advocate|ill-formed|malformed|e\.g|thinking (?:this )?(?:out loud|aloud)|think (?:out loud|aloud)|try (?:writing|out)|would have (?:written|sent|proposed|said)|prior to reading|do not (?:merge|apply|execute)|not for (?:merging|submission))\b|^rather than$|^drafts?\b|` +
		`^(?:my |the |this is my |here is my )?(?:round-\d|previous|earlier|last|first|old|original)(?: \w+)? (?:delta|block|version|reply|message|proposal)\b|^(?:❌|✗|🚫|✘)$|^case \d`)
	leadIf   = pattern.New(`\b(?:if|unless|in case|in the event|provided) \S+`)
	askedIf  = pattern.New(`\b(?:see|know|test|tests|check|checks|decide|decides|ask|asks|tell|tells|show|shows|even|as|what|wonder|whether|only) if\b|\bif (?:any|you|so|not|possible|needed)\b`)
	notLeads = pattern.New(`\b(?:so|therefore|hence|instead|corrected|revised|fixed|resend|again|now|my own|i (?:\w+ )?(?:submit|send|add|edit|kill|propose|sharpen))\b|\b(?:and|but|,) i\b`)
	anothers = pattern.New(`^(?:(?:in|as|from|here is|here's|this is|for reference|according to|per) )?([A-Z][a-z]+[A-Z]\w+)(?:['’]s (?:\w+ )?(?:position|view|argument|delta|kill|edit|proposal|original|version|block|suggestion|idea|letter|message)(?:,? (?:as|in|for|from) .*| \(.*\)| below| above)?:?$|, (?:we|they|one|he|she) )`)
	agreed   = pattern.New(`\b(?:agree|accept|adopt|second|support|follow|take up|answer|address|response|reply to)\b`)
)

// holdsBelow reports whether a title leaves open the block below it.
func (f *own) holdsBelow(s placed) bool {
	lower := strings.Trim(s.lower, ".!:[]()* ")
	if !s.isLead && !s.isTitle && len(strings.Fields(lower)) > 3 || notLeads.MatchString(lower) || agreed.MatchString(lower) {
		return false
	}
	if m := anothers.FindStringSubmatch(s.text); len(m) > 1 && !strings.EqualFold(m[1], f.author) {
		return true
	}
	if leads.MatchString(lower) {
		return true
	}
	return s.isLead && leadIf.MatchString(lower) && !askedIf.MatchString(lower) && !(ifAny.MatchString(lower) && strings.Contains(lower, ","))
}

var heldTitle = pattern.New(`^(?:if|unless|in case|should) |\bchanged my mind\b|^tests? only\b|^(?:for|ideas for|notes for) (?:later|the next round|next round)\b`)

// holdsSection reports whether a heading leaves open the blocks below it.
func (f *own) holdsSection(s sentence) bool {
	if heldTitle.MatchString(s.lower) {
		return true
	}
	m := titledBy.FindStringSubmatch(s.text)
	return len(m) > 1 && !strings.EqualFold(m[1], f.author)
}

// titledBy matches headings of blocks with their author.
var titledBy = pattern.New(`^(?:[Dd]elta|[Bb]lock|[Cc]hange)(?: \d)? ?(?:[—–:-]|by|from) ?\(?([A-Z][a-z]+[A-Z]\w+)\)?$`)

// keyed matches a line of a change that is written in YAML.
var keyed = pattern.New(`^[ \t>]*(?:- )?["']?(?:operation|section|target_id|payload|rationale|reason|delta_id|timestamp|agent|content|id)["']?[ \t]*:`)

// wordsIn returns the sentences of a text without the changes outside its fences. Strict reading divides long ones without blanks, too.
func wordsIn(text []byte, isStrict bool) (all []sentence) {
	depth, at, from := 0, 0, 0
	add := func(to int) {
		for _, s := range sentencesIn(text[from:to]) {
			s.start, s.end = s.start+from, s.end+from
			all = append(all, s.parts(isStrict)...)
		}
	}
	for line := range bytes.Lines(text) {
		opened, closed := bytes.Count(line, []byte("{")), bytes.Count(line, []byte("}"))
		if depth > 0 || opened > 0 || closed > 0 || keyed.Match(line) {
			add(at)
			from = at + len(line)
		}
		depth = max(0, depth+opened-closed)
		at += len(line)
	}
	add(at)
	return all
}

// longest is how long a sentence may be, in bytes. A longer one is read in parts, so that the effort grows with the text.
const longest = 600

// parts returns a sentence, or its parts.
func (s sentence) parts(isStrict bool) (all []sentence) {
	rest := s.text
	for len(rest) > longest {
		cut := strings.LastIndexAny(rest[:longest], ",;:")
		if cut <= 0 {
			cut = strings.LastIndexByte(rest[:longest], ' ')
		}
		switch {
		case cut <= 0 && !isStrict:
			return append(all, s.with(rest)) // it has no words
		case cut <= 0:
			cut = longest
			for cut > longest-utf8.UTFMax && !utf8.RuneStart(rest[cut]) {
				cut--
			}
		}
		all = append(all, s.with(rest[:cut]))
		rest = strings.TrimLeft(rest[cut:], ",;: ")
	}
	return append(all, s.with(rest))
}

// with returns a sentence with another text.
func (s sentence) with(text string) sentence {
	s.text, s.lower = text, strings.ToLower(text)
	return s
}
