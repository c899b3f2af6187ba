package contexts

import (
	"strconv"
	"strings"

	"brenner/govern/brief"
	"brenner/internal/text"
	"brenner/session/view"
	"brenner/store/record"
)

type sheet struct {
	in       *Input
	bound    int
	count    func(string) int
	overview []*opening
	lines    []*line // by importance
	excluded []Excluded
	past     int  // records past their type's maximum
	bare     bool // not even the number of left-out records fits
}

// line is a candidate and its form; it is not shown if form is empty.
type line struct {
	material *Material
	want     view.Form
	form     view.Form
	texts    map[view.Form]string
}

func (l *line) text(f view.Form) string {
	if text, ok := l.texts[f]; ok {
		return text
	}
	if l.texts == nil {
		l.texts = make(map[view.Form]string, 2)
	}
	l.texts[f] = recordText(&l.material.Record, l.material.Content, f)
	return l.texts[f]
}

func (s *sheet) fill() (text string, tokens int) {
	// Reserve room for the longest possible number of excluded records: what is shown must not
	// depend on how far they were counted.
	room := s.bound - s.count(s.body()+s.longestTail())
	// The task's inputs are all shown in short before any is shown in full: one long text must
	// not displace the others.
	for _, l := range s.lines {
		if l.want == view.Full && l.material.Near == Pinned {
			room -= s.raise(l, view.Summary, room)
		}
	}
	for _, l := range s.lines {
		if cost := s.raise(l, view.Full, room); cost != 0 {
			room -= cost
		} else if l.form == "" {
			room -= s.raise(l, view.Summary, room)
		}
	}
	for _, l := range s.lines {
		if l.form == view.Summary && l.material.Artifact != nil {
			room -= s.sections(l, room)
		}
	}
	// The sum of the parts only approximates the whole: drop the least important until it fits.
	for i := len(s.lines) - 1; ; i-- {
		text = s.body()
		tokens = s.count(text + s.longestTail())
		if s.bare {
			return text, s.count(text)
		}
		for i >= 0 && s.lines[i].form == "" {
			i--
		}
		if tokens <= s.bound {
			text += s.tail()
			return text, s.count(text)
		}
		if i < 0 {
			s.bare = true // only the fixed parts remain, which fit
			continue
		}
		if l := s.lines[i]; l.form != view.Summary {
			l.form = view.Summary
			i++ // it may have to be dropped altogether
		} else {
			l.form = ""
		}
	}
}

// sections shows as much of a research artifact as fits, and returns the cost.
func (s *sheet) sections(l *line, room int) int {
	was := 0
	if l.form != "" {
		was = s.count(l.text(l.form))
	} else {
		room -= headingCost(s, l)
	}
	head := l.text(view.Summary)
	spec := view.Default(s.in.Spec.Role)
	if l.want == view.Full {
		spec = view.Default(view.Unified)
	}
	if spec.MaxTokens = room + was; spec.MaxTokens <= 0 {
		return 0
	}
	v, err := view.Build(view.Input{Artifact: *l.material.Artifact, Spec: spec, Count: func(text string) int { return s.count(head + withBars(text)) }})
	if err != nil {
		return 0 // not even the ids fit
	}
	l.form = view.Sections
	if l.want == view.Full && len(v.LeftOut) == 0 && len(v.Shortened) == 0 {
		l.form = view.Full
	}
	l.texts[l.form] = head + withBars(v.Text)
	return v.Tokens - was
}

// withBars prefixes each line of one of our texts with a bar.
func withBars(text string) string {
	var b strings.Builder
	for one := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("  | "+one, " ") + "\n")
	}
	return b.String()
}

// raise shows a record in a form if there is room, and returns the cost.
func (s *sheet) raise(l *line, form view.Form, room int) int {
	switch {
	case form == view.Full && l.want != view.Full:
		return 0
	case form == view.Full && l.material.Artifact != nil:
		return s.sections(l, room)
	}
	cost := headingCost(s, l)
	if l.form != "" {
		cost = -s.count(l.text(l.form))
	}
	text := l.text(form)
	if len(text) > view.BytesPerToken*(room-cost)+view.BytesPerToken {
		return 0 // it cannot fit: skip the counting
	}
	if cost += s.count(text); cost > room {
		return 0
	}
	l.form = form
	return cost
}

func headingCost(s *sheet, l *line) int {
	for _, other := range s.lines {
		if other.form != "" && other.material.Record.Type == l.material.Record.Type {
			return 0
		}
	}
	return s.count(typeHeading(l.material.Record.Type))
}

func (s *sheet) bodyTokens() int { return s.count(s.body()) }

func typeHeading(kind string) string { return "\n## " + view.Word(kind) + "\n\n" }

// body returns the sheet without the line about left-out records.
func (s *sheet) body() string {
	var b strings.Builder
	b.WriteString("# The project\n\n")
	b.WriteString(s.overviewText())
	switch {
	case len(s.in.Overview) == 0:
		b.WriteString("It has no canonical brief yet.\n")
	case len(s.overview) == 0:
		b.WriteString("Its brief is not for this role.\n")
	}
	if s.in.Purpose != "" {
		b.WriteString("\n# Your task\n\n" + lines(s.in.Purpose))
	}
	groups := make(map[string][]*line)
	var order []string
	for _, l := range s.lines {
		if l.form == "" {
			continue
		}
		kind := l.material.Record.Type
		if groups[kind] == nil {
			order = append(order, kind)
		}
		groups[kind] = append(groups[kind], l)
	}
	for _, kind := range order {
		b.WriteString(typeHeading(kind))
		for _, l := range groups[kind] {
			b.WriteString(l.text(l.form))
		}
	}
	return b.String()
}

const notShownText = "\nNot shown, by the view's bounds: "

// longestTail returns the longest possible last line.
func (s *sheet) longestTail() string {
	if s.in.Untold {
		return ""
	}
	return notShownText + "1000000000 or more.\n"
}

// tail returns the line about records left out by the bounds of the view, or "".
func (s *sheet) tail() string {
	hidden := s.past
	for _, l := range s.lines {
		if l.form == "" && !l.material.Explained {
			hidden++
		}
	}
	switch {
	case s.in.Untold:
		return ""
	case s.in.More:
		return notShownText + strconv.Itoa(hidden) + " or more.\n"
	case hidden > 0:
		return notShownText + strconv.Itoa(hidden) + ".\n"
	}
	return ""
}

func refText(r *record.Record) string { return view.Word(r.ID) + "@v" + strconv.Itoa(r.Version) }

// recordText renders a record; every line of its content is behind a bar. A brief is shown by its
// goal: its summary may be of an earlier program.
func recordText(r *record.Record, content []byte, f view.Form) string {
	summary := r.Summary
	if r.Type == record.ProjectBrief {
		b := brief.Parse(string(content))
		summary = b.Stated()
	}
	head := "- " + refText(r) + " (" + view.Word(r.Status) + ", " + view.Word(r.Module) + "): " + text.Clean(summary, text.PromptLine)
	if r.StaleSummary() && r.Type != record.ProjectBrief {
		head += " [this summary is of an earlier version]"
	}
	if f != view.Full {
		return head + "\n"
	}
	return head + "\n" + lines(string(content))
}

// lines prefixes each line with a bar and keeps its indentation.
func lines(content string) string {
	var b strings.Builder
	content = strings.ReplaceAll(strings.ToValidUTF8(content, "\ufffd"), "\r\n", "\n")
	for one := range strings.SplitSeq(strings.TrimRight(content, "\n"), "\n") {
		indent := one[:len(one)-len(strings.TrimLeft(one, " \t"))]
		b.WriteString(strings.TrimRight("  | "+indent+text.Clean(one, text.PromptLine), " \t") + "\n")
	}
	return b.String()
}
