package delta

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"brenner/internal/markdown"
)

// maxIntroduction is how many bytes before a delta are searched for the line that introduces it, and
// behind it for one that withdraws it.
const maxIntroduction = 300

// The vocabulary of lines that call a delta something else than a change of its author. All match the
// last sentence before it, without marks and in lower case.
var (
	// forbids matches in any sentence.
	forbids = regexp.MustCompile(`\b(?:not|never|don['’]?t)(?: to)?(?: be)?(?: yet)? (?:appl(?:y|ied)|execut(?:e|ed)|send|sent)\b|\bnot (?:my|a) (?:change|delta|proposal)\b|\bnot (?:proposed|final|meant)\b|` +
		`\bwhat not to\b|\bi (?:\w+ ){0,2}(?:withdr[ae]w|forward(?:ing)?)\b|\b(?:only|just|merely) (?:an? )?(?:examples?|illustration|drafts?|demo)\b|\bfor illustration\b|\bexamples? only\b|\bignore (?:it|this|that|the following)\b`)
	// labels matches in titles: headings, and sentences that end in a colon.
	labels = regexp.MustCompile(`\b(?:examples?|illustrations?|hypothetical|drafts?|quot(?:e|es|ed|ing|ation)|cit(?:ed|ing)|forward(?:ed|ing)|fwd|previous(?:ly)?|withdrawn|struck)\b|` +
		`\b(?:rejected|discarded|abandoned|obsolete|superseded)(?: (?:drafts?|ideas?|deltas?|changes?|versions?|proposals?|options?|attempts?|blocks?|kills?|edits?|adds?|alternatives?))?(?: \([^)]*\))?:?$|` +
		`\b(?:old|earlier|first|initial) (?:version|draft|attempt|delta|idea)s?\b|\b(?:was|were) (?:my|our|the) .{0,30}\bround \d`)
	// supposes matches in titles as well.
	supposes = regexp.MustCompile(`\b(?:would|could|might|should) (?:have )?(?:send|sent|write|written|looks? like)\b|\blooks? like(?: this)?:|\bif .{1,80}\b(?:fails?|failed|succeeds|holds|negative|positive)\b|\bnext round\b|` +
		`^i (?:\w+ ){0,2}(?:considered|thought (?:of|about)|rejected|discarded|decided against|was tempted)\b|^i (?:will|would|do|did) not (?:propose|suggest|make|kill|edit|add)\b|` +
		`^(?:an? |the |this is |here is |just |only |as |one )*(?:bad|wrong|incorrect|e\.g\.?|for instance|samples?|templates?|format|syntax|the format is|not this|instead of(?: this)?|rather than(?: this)?)(?: (?:deltas?|blocks?|format))?[ ,.]*:?$|` +
		`\b(?:deltas?|blocks?|kickoff)(?:'s|’s)? (?:format|syntax|template|sample)\b|\bformat (?:is|was|of)\b`)
	// quotes matches titles in their own case: a name begins with a capital.
	quotes = regexp.MustCompile(`^(?:[Oo]n .{1,60}?,? |[Aa]s |[Ww]hat |[Ee]arlier,? |[Ii]n round \d+,? )?(?:[Tt]he (?:critic|kickoff|operator|other agent|previous agent)|[Aa]nother agent|[A-Z][A-Za-z]{2,})(?: \([^)]{1,40}\))?(?: has| had)? (?:wrote|writes|said|says|proposed|proposes|suggested|suggests|sent|posted|replied)\b|` +
		`^(?:[A-Z][A-Za-z]{2,}|[Tt]he kickoff|From [A-Z][A-Za-z]{2,})(?:'s|’s) (?:\w+ )?(?i:deltas?|message|reply|proposal|block|contribution|letter|mail|kill|edit|add)\b|\bfrom [A-Z][a-z]+[A-Z]\w*:$`)
	// owns matches what follows such words if the author then speaks of its own change.
	owns     = regexp.MustCompile(`[,;:!?—–"”)] ?(?:and |but |then |here is |here are )?(?:i|we|my|our|mine)\b|^[^:]*\b(?:my|mine|final)\b`)
	ownStart = regexp.MustCompile(`^(?:so |hence |here |now )?(?:i|we) (?:\w+ )?(?:add|edit|kill|propose|suggest|change|replace)\b|^my (?:deltas?|changes?|kill|edit|add)\b`)
	reasons  = regexp.MustCompile(`[,;:!?—–] ?(?:and |but )?(?:so|therefore|hence|thus)\b|\b(?:about|that|is|are|fails)\b`)
	concerns = regexp.MustCompile(`[,;:!?—–] ?(?:and |but )?(?:so|therefore|hence|thus)\b|\bfor (?:example|instance), \w`)
	several  = regexp.MustCompile(`(?i)\b(?:these|those|both|two|three|all|\w{3,}s)\b.{0,20}$`)
	// withdraws matches a line behind a delta.
	withdraws = regexp.MustCompile(`^(?:no[,.;] (?:that|this|it|wait|i)\b|wait[,.;!]|scratch that|never ?mind|ignore (?:that|this|it|the above)|(?:do not|don['’]?t) (?:apply|execute|send)\b|` +
		`(?:that|this|it|the above)(?: \w+){0,2} (?:was|is) (?:(?:only|just|merely) (?:an? )?(?:example|draft|illustration|quotation)|an? (?:example|draft|illustration|quotation)|not (?:my|meant|proposed|to be|a (?:change|proposal|delta))|withdrawn))|` +
		`\bi (?:\w+ ){0,2}withdr[ae]w (?:it|this|that)\b`)
)

// introducedFence returns what becomes of a fence because of the line before it, or before the fences
// that it follows directly, or of the line behind it.
func (r *reader) introducedFence(b markdown.Block) fate {
	before := r.src[max(0, b.Start-maxIntroduction):b.Start]
	line := bytes.LastIndexByte(bytes.TrimSuffix(before, []byte("\n")), '\n') + 1
	if i := bytes.IndexAny(before[line:], "`~'｀"); i >= 0 {
		before = before[:line+i]
	} else if i := bytes.Index(before[line:], []byte(":::")); i >= 0 {
		before = before[:line+i]
	}
	f, spreads := r.introduction.fate, true
	if f == (fate{}) || !r.onlyFences(r.introduction.end, b.Start) {
		f, spreads = introduced(before)
	}
	r.introduction.fate, r.introduction.end = fate{}, b.End
	if spreads {
		r.introduction.fate = f
	}
	if f == (fate{}) {
		f = withdrawn(r.src[b.End:min(len(r.src), b.End+maxIntroduction)])
	}
	return f
}

// onlyFences reports whether a text has only the end of one fence and the beginning of another.
func (r *reader) onlyFences(from, to int) bool {
	if from > to || to-from > maxIntroduction {
		return false
	}
	text := bytes.TrimSuffix(r.src[from:to], []byte("\n"))
	return len(bytes.Trim(text[:bytes.LastIndexByte(text, '\n')+1], " \t\r\n`~:")) == 0
}

// withdrawn returns what becomes of a delta because of the first line behind it.
func withdrawn(behind []byte) fate {
	for len(behind) > 0 {
		line, rest, _ := bytes.Cut(behind, []byte("\n"))
		line = bytes.Trim(line, " \t\r*_`~>")
		behind = rest
		switch {
		case len(bytes.Trim(line, ":")) == 0:
			continue
		case !isLetter(line[0]) || line[len(line)-1] == ':' || !mayForbid(line):
			return fate{} // or it is about what follows
		}
		if lower := strings.ToLower(unmarked.Replace(string(line))); !withdraws.MatchString(lower) {
			return fate{}
		}
		return refused(AmbiguousDelta, fmt.Sprintf("a delta before a line that withdraws it: %q", clipped(string(line))), "send it again without that line; leave it out if it is withdrawn")
	}
	return fate{}
}

// mayForbid reports whether a line has a part of the words of forbids and withdraws. It filters out
// most lines.
func mayForbid(line []byte) bool {
	for _, part := range [...]string{"not ", "NOT ", "ever", "n't ", "n’t ", "ithdr", "orward", "xample", "llustrat", "draft", "gnore", "No", "Wait", "cratch"} {
		if bytes.Contains(line, []byte(part)) {
			return true
		}
	}
	return false
}

// introduced returns what becomes of a delta because of the sentence before it: one that is forbidden, or
// is called an example, a draft or another author's, is refused. It also reports whether the sentence
// is about the deltas that follow as well.
func introduced(before []byte) (f fate, spreads bool) {
	before = trimRight(before[max(0, len(before)-maxIntroduction):], " \t\r\n*_[(")
	text := before[bytes.LastIndexByte(before, '\n')+1:]
	if len(text) == 0 || isLetter(text[0]) && strings.IndexByte("`~:aAnN", text[len(text)-1]) < 0 && !mayForbid(text) {
		return fate{}, false // most lines: neither a title nor what is left of a fence with delta or json
	}
	for isFenceWord(text) { // what is left of a fence
		before = trimRight(before[:len(before)-len(text)], " \t\r\n*_[(")
		text = before[bytes.LastIndexByte(before, '\n')+1:]
	}
	body := bytes.TrimLeft(text, lineMarks+"\ufeff\u200b\u00a0")
	marks := text[:len(text)-len(body)]
	if len(body) == 0 || len(text) == maxIntroduction || bytes.IndexByte(marks, '>') >= 0 {
		return fate{}, false
	}
	emphatic := bytes.IndexByte(marks, '#') >= 0 || bytes.ContainsAny(marks, "*_") && !bytes.HasSuffix(marks, []byte(" "))
	line := strings.TrimSpace(unmarked.Replace(string(body)))
	if i := strings.LastIndex(line, ". "); i >= 0 {
		line = line[i+2:] // the last sentence
	}
	disowned, spreads := disowns(line, emphatic || strings.HasSuffix(line, ":"))
	if !disowned {
		return fate{}, false
	}
	return refused(AmbiguousDelta, fmt.Sprintf("a delta after a line that calls it an example, a draft or another author's: %q", clipped(line)),
		"send it again after a line that calls it your change; leave it out if it is not"), spreads || bytes.IndexByte(marks, '#') >= 0
}

// disowns reports whether a sentence says that what follows is not a change of its author, and
// whether it speaks of several. A sentence in which the author then speaks of its own change does not.
func disowns(line string, title bool) (disowned, spreads bool) {
	lower := strings.ToLower(line)
	if m := forbids.FindStringIndex(lower); m != nil {
		return !strings.HasPrefix(lower, "that ") && !strings.HasPrefix(lower, "no, ") && !concerns.MatchString(lower[m[1]:]), several.MatchString(lower)
	}
	if !title {
		return false, false
	}
	if supposes.MatchString(lower) {
		return !concerns.MatchString(lower), several.MatchString(lower)
	}
	if m := labels.FindStringIndex(lower); m != nil && !concerns.MatchString(lower) && !owns.MatchString(lower[m[1]:]) && !ownStart.MatchString(lower) {
		return true, several.MatchString(lower)
	}
	if m := quotes.FindStringIndex(line); m != nil && len(lower) == len(line) {
		return !reasons.MatchString(lower[m[1]:]) && !owns.MatchString(lower[m[1]:]), true
	}
	return false, false
}

// isFenceWord reports whether a line has only the word of a fence for deltas, perhaps with its marks.
func isFenceWord(line []byte) bool {
	word := bytes.Trim(line, " \t`~:")
	return begins(word, "delta") && len(word) == len("delta") || begins(word, "json") && len(word) == len("json")
}

// unmarked removes emphasis.
var unmarked = strings.NewReplacer("*", "", "_", "", "`", "")

// trimRight is bytes.TrimRight for short sets of ASCII, which need no table.
func trimRight(text []byte, set string) []byte {
	for len(text) > 0 && strings.IndexByte(set, text[len(text)-1]) >= 0 {
		text = text[:len(text)-1]
	}
	return text
}
