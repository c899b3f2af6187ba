package delta

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"brenner/internal/markdown"
)

// maxIntroduction is how many bytes before a delta are searched for the line that introduces it.
const maxIntroduction = 300

// The lines that introduce a block as something else than a change of its author. They match the
// line without marks, in lower case.
var (
	introducesExample = regexp.MustCompile(`^(?:(?:here is|this is|just|only|as) )?(?:an? |the |one )?(?:for example|for instance|e\.g\.?|(?:bad |wrong )?examples?|samples?|templates?|format|syntax|` +
		`(?:first |rough |old |earlier |previous )(?:draft|version|attempt|idea)|draft|rejected|discarded|not proposed|instead of(?: this)?|rather than(?: this)?|not this|wrong|incorrect)[ ,.]*:?$`)
	introducesFormat = regexp.MustCompile(`\b(?:example|sample|template|illustration)s?(?: of)?(?: (?:an?|the|how|what|what an?))* (?:deltas?|blocks?|format|syntax|kickoff)\b.*:$|` +
		`\b(?:delta|block|deltas|kickoff)(?:'s|’s)? (?:format|syntax|example|template|sample)\b.*:$|\bformat (?:is|was|of)\b.*:$|\b(?:kill|edit|add|delta|block|it) (?:would |should |might )?looks? like(?: this)?:$`)
	introducesDraft = regexp.MustCompile(`^i (?:had |have |also |first |briefly )*(?:considered|thought (?:of|about)|rejected|discarded|decided against|was tempted|will not|would not|do not|did not)\b.*:$`)
	// introducesQuotation matches the line in its own case: a name begins with a capital.
	introducesQuotation = regexp.MustCompile(`^(?:[Oo]n .{1,60}?,? |[Aa]s |[Ww]hat |[Ee]arlier,? |[Ii]n round \d+,? )?(?:[Tt]he (?:critic|kickoff|operator|other agent|previous agent)|[Aa]nother agent|[A-Z]\w+)(?: \([^)]{1,40}\))?(?: has| had)? (?:wrote|said|proposed|suggested|sent|posted|replied)\b.*:$|` +
		`^(?:[Qq]uot(?:ing|ed)|[Ff]rom|[Cc]it(?:ing|ed)) (?:from )?(?:[Tt]he kickoff|[A-Z]\w+(?:'s|’s)?)(?: (?:message|reply|mail|delta|letter|contribution))?:$|` +
		`^[A-Z]\w+(?:'s|’s) (?:\w+ )?(?i:deltas?|message|reply|proposal|block|contribution|letter|mail|kill|edit|add)\b.*:$`)
)

// introducers begin sentences about the author's own changes.
var introducers = []string{"I ", "We ", "It ", "This ", "That ", "These ", "Here ", "My ", "Our ", "You ", "Let's", "Let’s", "What I ", "As I ", "As said", "As proposed", "As suggested"}

// introducedFence returns what becomes of a fence because of the line before it, or before the fences
// that it follows directly.
func (r *reader) introducedFence(b markdown.Block) fate {
	before := r.src[max(0, b.Start-maxIntroduction):b.Start]
	line := bytes.LastIndexByte(bytes.TrimSuffix(before, []byte("\n")), '\n') + 1
	if i := bytes.IndexAny(before[line:], "`~'｀"); i >= 0 {
		before = before[:line+i]
	} else if i := bytes.Index(before[line:], []byte(":::")); i >= 0 {
		before = before[:line+i]
	}
	f := r.introduction.fate
	if f == (fate{}) || !r.onlyFences(r.introduction.end, b.Start) {
		f = introduced(before)
	}
	r.introduction.fate, r.introduction.end = f, b.End
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

// introduced returns what becomes of a delta because of the line before it: one that is called an
// example, a draft or another author's is refused.
func introduced(before []byte) fate {
	before = trimRight(before[max(0, len(before)-maxIntroduction):], " \t\r\n*_[(")
	text := before[bytes.LastIndexByte(before, '\n')+1:]
	if len(text) == 0 || isLetter(text[0]) && strings.IndexByte("`~:aAnN", text[len(text)-1]) < 0 {
		return fate{} // most lines: neither a title nor what is left of a fence with delta or json
	}
	if word := bytes.Trim(text, " \t`~:"); len(word) <= len("delta") && (begins(word, "delta") || len(word) == len("json") && begins(word, "json")) { // what is left of a fence
		before = bytes.TrimRight(before[:len(before)-len(text)], " \t\r\n*_[(")
		text = before[bytes.LastIndexByte(before, '\n')+1:]
	}
	body := bytes.TrimLeft(text, lineMarks+"\ufeff\u200b\u00a0")
	marks := text[:len(text)-len(body)]
	emphatic := bytes.ContainsAny(marks, "#*_")
	if !emphatic && !bytes.HasSuffix(bytes.TrimRight(body, "*_`"), []byte(":")) {
		return fate{} // most lines
	}
	if len(body) == 0 || len(text) == maxIntroduction || bytes.IndexByte(marks, '>') >= 0 {
		return fate{}
	}
	line := unmarked.Replace(string(body))
	if !isForeign(line, emphatic) {
		return fate{}
	}
	return refused(AmbiguousDelta, fmt.Sprintf("a delta after a line that calls it an example, a draft or another author's: %q", clipped(line)),
		"send it again after a line that calls it your change; leave it out if it is not")
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

// isForeign reports whether a line says that what follows is not a change of its author.
func isForeign(line string, emphatic bool) bool {
	lower := strings.ToLower(line)
	if !strings.HasSuffix(line, ":") {
		return emphatic && introducesExample.MatchString(lower)
	}
	if introducesExample.MatchString(lower) || introducesFormat.MatchString(lower) || introducesDraft.MatchString(lower) {
		return true
	}
	return introducesQuotation.MatchString(line) && !slices.ContainsFunc(introducers, func(own string) bool { return strings.HasPrefix(line, own) })
}

// forwarded matches the lines above another author's message, as mail programs write them: a mark, an
// attribution with a time or an address, or a header.
var forwarded = regexp.MustCompile(`(?im)^[ \t]*(?:-{2,}[ \t]*(?:original message|forwarded message(?: from [^\n]{1,100})?)[ \t]*(?:-{2,}[ \t]*)?\r?$|begin forwarded message:[ \t]*\r?$|` +
	`(?-i:On) [^\n]{0,150}(?:\d:\d\d|@)[^\n]{0,150}\swrote:[ \t]*\r?$|` +
	`[*_]{0,2}(?-i:From:)[^\n]*\n(?:[*_]{0,2}(?-i:Sent|Date|To|Cc|Subject|Reply-To|Importance):[^\n]*\n){3,7})`)

// findForwarded records where another author's message begins in a block of running text.
func (r *reader) findForwarded(b markdown.Block, c clues) {
	text := r.src[b.Start:b.End]
	mentions := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	if r.forwarded > 0 || !c.forwarded && (!c.header || !mentions("essage") && !mentions("ESSAGE")) {
		return
	}
	for at := 0; at < len(text); {
		m := forwarded.FindIndex(text[at:])
		if m == nil {
			return
		}
		if r.isForwarded(b.Start+at+m[0], b.Start+at+m[1]) {
			r.forwarded = b.Start + at + m[1]
			return
		}
		at += max(m[1], 1)
	}
}

// isForwarded reports whether unmarked text of another author follows the lines between two offsets. A
// quotation ends by itself, and a header at the beginning is that of the reply.
func (r *reader) isForwarded(from, to int) bool {
	lines := string(r.src[from:to])
	if strings.Contains(lines, "Subject:") {
		has := func(name string) bool { return strings.Contains(lines, name) }
		return has("To:") && (has("Sent:") || has("Date:")) && len(bytes.TrimSpace(r.src[:from])) > 0
	}
	return !bytes.HasPrefix(bytes.TrimLeft(r.src[to:], " \t\r\n"), []byte(">"))
}

func fateForwarded() fate {
	return refused(AmbiguousDelta, "a delta below the line of a forwarded message", "send it again above that line; leave it out if another author wrote it")
}
