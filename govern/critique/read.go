package critique

import (
	"bytes"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// reader finds the attempts in an answer.
type reader struct {
	src      []byte
	names    *shownNames
	tried    []Finding // in the author's own text
	rows     []Row     // of those that are not
	more     int
	mentions []mention
	none     bool
	end      int // of the last fence
	section  remark.Section
	later    *remark.Later
	jsonEnd  int
	open     bool            // a finding without a fence has begun
	prompt   map[string]bool // the lines of the question
	said     []saying
}

// saying is a text beside the findings.
type saying struct {
	line, end int // its first line, and its last
	text      string
}

type mention struct {
	line int
	name string
}

func read(answer string, q Question) *reader {
	r := &reader{src: []byte(strings.ToValidUTF8(answer, "\ufffd")), names: newNames(q.Shown), prompt: make(map[string]bool)}
	for line := range strings.Lines(bare(q.Prompt)) {
		r.prompt[lineKey(line)] = true
	}
	var last markdown.Block
	for b := range markdown.Blocks(r.src, markdown.Second) {
		r.gap(last, b)
		last = b
		switch {
		case b.Kind == markdown.Fenced:
			r.fence(b)
		case b.Kind == markdown.Prose && b.Own():
			r.prose(b)
		default:
			r.aside(r.src[b.Start:b.End], b.Line, asideIn(b), !b.Draft)
		}
	}
	r.gap(last, markdown.Block{Start: len(r.src)})
	return r
}

// lineKey returns a line without its marks, white space and case.
func lineKey(line string) string { return strings.ToLower(oneLine(strings.Trim(line, "> \t|\r\n"))) }

// aside reads text that is not the critic's own running text, but quoted, indented or shown. Attempts in it do not
// count; outside of reasoning, the critic is asked what it means by them, unless it repeats the question.
func (r *reader) aside(text []byte, line int, reason string, ask bool) {
	if attempts := countAttempts(text); attempts > 0 {
		r.rejectAll(line, reason, ask && !r.repeats(text), attempts)
		return
	}
	if !ask {
		return
	}
	for raw := range bytes.Lines(text) {
		r.remarks(strings.TrimLeft(strings.TrimSpace(string(raw)), "> \t|"), line)
		line++
	}
}

// repeats reports whether each line of a text is one of the question.
func (r *reader) repeats(text []byte) bool {
	for line := range strings.Lines(bare(string(text))) {
		if !r.prompt[lineKey(line)] {
			return false
		}
	}
	return true
}

// gap reads what the scanner leaves out between two blocks, if it is indented as code is.
func (r *reader) gap(last, next markdown.Block) {
	from, to := last.End, next.Start
	if last.Kind == markdown.Fenced && last.Closed { // the line that closes it
		from += bytes.IndexByte(append(r.src[from:len(r.src):len(r.src)], '\n'), '\n') + 1
	}
	if next.Kind == markdown.Fenced && to > from { // the line that opens it
		to = from + bytes.LastIndexByte(r.src[from:to-1], '\n') + 1
	}
	if from >= to {
		return
	}
	line := 1 + bytes.Count(r.src[:from], []byte("\n"))
	inReasoning := last.Draft
	var code []byte
	first := 0
	flush := func() {
		if len(code) > 0 {
			r.aside(code, first, "it is indented as code", true)
		}
		code = nil
	}
	for raw := range bytes.Lines(r.src[from:to]) {
		text := bytes.TrimSpace(raw)
		isCode := bytes.HasPrefix(raw, []byte("    ")) || bytes.HasPrefix(bytes.TrimLeft(raw, " "), []byte("\t"))
		switch {
		case bytes.HasPrefix(text, []byte("<")) && !isCode:
			flush()
			inReasoning = next.Draft
		case inReasoning || !isCode && len(text) > 0:
			flush()
		case len(code) > 0 || len(text) > 0:
			if len(code) == 0 {
				first = line
			}
			code = append(code, raw...)
		}
		line++
	}
	flush()
}

// asideIn returns why a block is not the critic's own text.
func asideIn(b markdown.Block) string {
	switch {
	case b.Draft:
		return "it is in reasoning"
	case b.Quoted:
		return "it is in a quotation"
	case b.Doubtful:
		return "it may be part of reasoning or of an example"
	case b.Shown:
		return "it is shown as an example or a quotation"
	case b.Indented:
		return "it is indented as code"
	}
	return "it is in an HTML comment or in verbatim HTML"
}

// rejectAll adds a row for each attempt in a block.
func (r *reader) rejectAll(line int, reason string, ask bool, attempts int) {
	for range attempts {
		if len(r.rows) >= maxRows {
			r.more++
			continue
		}
		r.rows = append(r.rows, Row{line, reason, ask})
	}
}

var (
	opener   = pattern.New("(?im)^[ \t>|]*(?:`{3,}|~{3,})[ \t]*" + Fence + `s?\b`)
	keyLine  = pattern.New(`(?i)^[ \t>|]*(?:(?:[-+*•]|\d{1,3}[.)])[ \t]+)?[*_` + "`" + `"]*(records?|wrong|words?|fix)[*_` + "`" + `" \t]*:[*_]*[ \t]*(.*)$`)
	otherKey = pattern.New(`^(?:[-+*•][ \t]+)?[*_]*[\pL]{2,20}[*_]*:[*_]*(?:[ \t]|$)`)
	jsonKeys = pattern.New(`"(?:records?|wrong)"\s*:`)
	jsonHead = pattern.New(`(?m)^[ \t]*[\[{]`)
	noJSON   = pattern.New(`^\s*(?:\[\s*\]|\{\s*"findings"\s*:\s*\[\s*\]\s*\})\s*$`)
)

// countAttempts returns how many findings a text attempts, in whatever form.
func countAttempts(text []byte) int {
	n := max(len(opener.FindAll(text, -1)), (len(jsonKeys.FindAll(text, -1))+1)/2)
	keys := 0
	for line := range bytes.Lines(text) {
		if m := keyLine.FindSubmatch(bytes.TrimRight(line, "\r\n")); len(m) > 0 && isKey(string(m[1]), "records") {
			keys++
		}
	}
	return max(n, keys)
}

// isKey reports whether a word is a key, also in the singular.
func isKey(word, key string) bool {
	word = strings.ToLower(word)
	return word == key || word+"s" == key
}

func (r *reader) fence(b markdown.Block) {
	body := r.src[b.Start:b.End]
	between := r.before(min(r.end, b.Start), b.Start)
	r.end = b.End
	isFinding := b.Fence.Is(Fence, Fence+"s")
	attempts := countAttempts(body)
	if isFinding {
		attempts = max(attempts, 1+len(opener.FindAll(body, -1)))
	}
	disowned := ""
	if b.Own() {
		disowned = r.disowned(b, between)
	}
	if attempts == 0 {
		if b.Own() && disowned == "" && isNone(b.Fence, body) {
			r.none = true
		} else {
			r.aside(body, b.Line+1, asideIn(b), !b.Draft)
		}
		return
	}
	isData := b.Fence.Is("json", "jsonc", "json5") && jsonKeys.Match(body)
	reason, ask := r.notMeant(b, isFinding || isData, disowned)
	switch {
	case reason != "":
		r.rejectAll(b.Line, reason, ask, attempts)
	case isData || beginsJSON(body):
		r.json(body, b.Line+1)
	case saysNone(string(bytes.TrimSpace(body))):
		r.none = true
	default:
		r.lines(body, b.Line)
	}
}

// notMeant returns why a fence does not count, or "", and whether the critic can correct that.
func (r *reader) notMeant(b markdown.Block, isNamed bool, disowned string) (reason string, ask bool) {
	switch {
	case !b.Own():
		return asideIn(b), !b.Draft && !r.repeats(r.src[b.Start:b.End])
	case !isNamed && b.Fence.Length > 3:
		return "it is in a longer fence, as examples are", !r.repeats(r.src[b.Start:b.End])
	case !isNamed:
		return "its fence lacks the word " + Fence + ", or is around it", true
	case delta.NotMeant(b.Fence):
		return "the words of its fence say that it is an example or not meant", true
	case opener.Match(r.src[b.Start:b.End]):
		return "another fence begins inside of its fence: a closing line is missing", true
	case disowned != "":
		return "the text beside it says that it is not meant: " + clip(disowned), true
	}
	return "", false
}

// isNone reports whether a fence without an attempt says that there are no findings.
func isNone(f markdown.Fence, body []byte) bool {
	return f.Is("", "text", "plaintext", "markdown", "md") && saysNone(string(bytes.TrimSpace(body))) || f.Is("", "json") && noJSON.Match(body)
}

// before returns the text between the last fence and the line that opens the next one.
func (r *reader) before(from, start int) []byte {
	text := bytes.TrimSuffix(r.src[from:start], []byte("\n"))
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok && from > 0 {
		return rest // without the line that closes the last fence
	}
	return text
}

// titles matches titles of findings that would say of a change that it is not meant.
var titles = pattern.New(`(?i)^\W*(?:the |all )?(?:outdated|obsolete|superseded|wrong|incorrect|invalid|broken|deprecated|faulty|old|unused|bad|dropped|abandoned|rejected|withdrawn)\W*(?:$|records?|notes?|memos?|sections?|statements?|assumptions?|claims?|links?|sources?|results?|texts?|summar|words?|by\b|in\b)`)

// disowned returns the words beside a fence that say that it is not meant, or "".
func (r *reader) disowned(b markdown.Block, between []byte) string {
	r.section = remark.Rules{}.Next(r.section, between, func() (bool, bool) {
		if r.later == nil {
			later := remark.Rules{}.FindLater(r.src)
			r.later = &later
		}
		return r.later.Answer >= b.End, r.later.Change >= b.End
	})
	behind := r.src[b.End:]
	if b.Closed {
		_, behind, _ = bytes.Cut(behind, []byte("\n"))
	}
	said, _, ok := remark.Rules{Findings: true}.Beside(between, r.src[b.Start:b.End], behind)
	if ok && !titles.MatchString(said.Line) {
		return said.Line
	}
	if line := r.section.Line; line != "" && !titles.MatchString(line) && !remark.Owns(between, "") {
		return line
	}
	return ""
}

func beginsJSON(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && (body[0] == '{' || body[0] == '[' && (len(body) == 1 || bytes.IndexByte([]byte("{]\n \t"), body[1]) >= 0))
}

// lines reads a block of lines such as "wrong: …". A key that comes again begins another finding.
func (r *reader) lines(body []byte, line int) {
	f := &Finding{Line: line}
	var records []string
	var last *string
	var stray bool
	had := make(map[string]bool)
	flush := func() {
		names := ""
		for _, text := range records {
			names += " " + text
		}
		f.Records = splitNames(names)
		if len(had) > 0 || stray {
			r.add(*f)
		}
	}
	for raw := range bytes.Lines(body) {
		line++
		text := strings.TrimSpace(string(raw))
		m := keyLine.FindStringSubmatch(text)
		if m == nil {
			switch {
			case text == "":
			case otherKey.MatchString(text):
				last = nil // such as "severity: high", which is part of no text
			case last != nil:
				*last = strings.TrimSpace(*last + " " + text)
			default:
				stray = stray || len(had) == 0
			}
			continue
		}
		key := strings.TrimSuffix(strings.ToLower(m[1]), "s")
		if (key == "record" || key == "wrong") && had[key] {
			flush()
			f, records, had, stray = &Finding{Line: line}, nil, make(map[string]bool), false
		}
		had[key] = true
		var into *string
		switch key {
		case "record":
			records = append(records, "")
			into = &records[len(records)-1]
		case "wrong":
			into = &f.Wrong
		case "word":
			into = &f.Words
		default:
			into = &f.Fix
		}
		*into = strings.TrimSpace(*into + " " + strings.TrimLeft(m[2], ">|"))
		last = into
	}
	if len(had) == 0 {
		stray = true // an empty block is an attempt, too
	}
	flush()
}

func (r *reader) add(f Finding) {
	f.Wrong, f.Words, f.Fix = clip(f.Wrong), clip(strings.Trim(f.Words, "\"“”")), clip(f.Fix)
	r.tried = append(r.tried, f)
}

// prose reads the critic's own running text: JSON, the line without findings, and what names records.
func (r *reader) prose(b markdown.Block) {
	at, line := b.Start, b.Line
	r.open = false
	for raw := range bytes.Lines(r.src[b.Start:b.End]) {
		if at >= r.jsonEnd {
			r.proseLine(raw, at, line)
		}
		if behind := r.jsonEnd - at; behind > 0 && behind < len(raw) {
			r.remarks(strings.TrimSpace(string(raw[behind:])), line)
		}
		at, line = at+len(raw), line+1
	}
}

func (r *reader) proseLine(raw []byte, at, line int) {
	text := strings.TrimSpace(string(raw))
	if jsonHead.Match(raw) && r.bareJSON(at, line) {
		return
	}
	if saysNone(text) {
		r.none = true
		if m := none.FindStringSubmatch(text); m[1] != "" {
			r.remarks(strings.TrimSpace(m[1]), line)
		}
		return
	}
	if m := keyLine.FindStringSubmatch(text); len(m) > 0 {
		if !isKey(m[1], "records") && !isKey(m[1], "wrong") {
			if len(r.rows) == 0 { // else it is part of a finding that has a row
				r.remarks(text, line)
			}
			return
		}
		if isRecords := isKey(m[1], "records"); isRecords || !r.open {
			r.rejectAll(line, "it is not in a fence with the word "+Fence, true, 1)
			r.open = isRecords
		} else {
			r.open = false
		}
		return
	}
	if opener.MatchString(text) { // of a fence that the scanner does not see
		r.rejectAll(line, "its fence cannot be read", true, 1)
		return
	}
	r.remarks(text, line)
}

// remarks reads a line beside the findings: the records that it names, or that it says something.
func (r *reader) remarks(text string, line int) {
	if r.prompt[lineKey(text)] || markupLine.MatchString(text) {
		return
	}
	named := r.names.mentioned(text)
	for _, name := range named {
		r.mentions = append(r.mentions, mention{line, name})
	}
	if len(named) > 0 || isCourtesy(text) {
		return
	}
	if n := len(r.said); n > 0 && r.said[n-1].end == line-1 {
		r.said[n-1].end = line
		return
	}
	r.said = append(r.said, saying{line, line, text})
}

// markupLine matches lines of marks and tags alone.
var markupLine = pattern.New(`^(?:\W*|</?[\pL][^<>]*>)$`)

// bareJSON reads JSON outside of fences, and reports whether there is any with the keys of a finding.
func (r *reader) bareJSON(at, line int) bool {
	d := artifact.NewDecoder(r.src[at:])
	v, err := d.Value(maxDepth)
	if err != nil {
		first, _, _ := bytes.Cut(r.src[at:], []byte("\n\n"))
		if jsonKeys.Match(first) {
			r.rejectAll(line, "its JSON cannot be read", true, max(1, countAttempts(first)))
			r.jsonEnd = at + len(first)
			return true
		}
		return false
	}
	end := at + int(d.InputOffset())
	if !jsonKeys.Match(r.src[at:end]) && !noJSON.Match(r.src[at:end]) {
		return false
	}
	r.jsonEnd = end
	r.value(v, line)
	return true
}

var none = pattern.New(`(?i)^[#>\-+•* \t]*[*_` + "`" + `]*no findings[*_` + "`" + `]*(?:[.! *_]*$|[ ]*(?:[:.,;–—]|- )(.*)$)`)

// saysNone reports whether a line says that there are no findings.
func saysNone(line string) bool { return !strings.HasPrefix(line, ">") && none.MatchString(line) }

func clip(text string) string {
	text = oneLine(text)
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
