// Package critique reads a critic's answer as findings: blocks in a documented structure, found with the
// scanner that all replies are read with. Every attempted finding is counted, or has a row with its line and
// the reason. The package is pure: it must not know records, or how a critic is asked.
package critique

import (
	"fmt"
	"slices"
	"strings"
)

// Fence is the word of fences with a finding, and NoFindings the line of an answer without one.
const (
	Fence      = "finding"
	NoFindings = "NO FINDINGS"
)

// Structure is the part of a question that says how to answer.
const Structure = "For each finding, write one fenced block like this one:\n\n" +
	"```" + Fence + "\n" +
	"records: memo-of-the-example@v2, brief-of-the-example@v1\n" +
	"wrong: The memo plans a trial with patients, which the brief rules out.\n" +
	"words: a first trial with twelve patients\n" +
	"fix: Remove the paragraph, or change the brief.\n" +
	"```\n\n" +
	"records: the records that the finding is about, as they are named in this message. wrong: what is wrong, in one or two sentences. " +
	"words: the words in question, as the record has them. fix: what to do. A finding needs records and wrong.\n\n" +
	"If there is nothing to report, answer with this line alone:\n\n" + NoFindings + "\n"

// Finding is a finding of a critic.
type Finding struct {
	Line    int      // of the answer
	Records []string // addresses that the critic was shown
	Wrong   string
	Words   string
	Fix     string
}

// key identifies what a finding says, whatever its white space and case.
func (f *Finding) key() string {
	names := slices.Clone(f.Records)
	slices.Sort(names)
	return strings.Join(names, " ") + "\n" + strings.ToLower(oneLine(f.Wrong))
}

// Row is an attempted finding that does not count.
type Row struct {
	Line   int
	Reason string
	Ask    bool // the critic can correct it
}

// Answer is what a critic's answer says.
type Answer struct {
	Findings []Finding
	Rows     []Row
	None     bool // it says that there are no findings
	More     int  // further rows
}

// Readable reports whether an answer has findings or says that there are none, and leaves nothing to correct.
func (a *Answer) Readable() bool {
	return (len(a.Findings) > 0 || a.None) && !slices.ContainsFunc(a.Rows, func(r Row) bool { return r.Ask })
}

// Limits of what is read from one answer. What exceeds them is counted.
const (
	maxFindings = 200
	maxRows     = 200
	maxText     = 2000 // bytes of a text
)

// Question is what the critic was asked.
type Question struct {
	Prompt string   // the whole message: what it shows is no finding
	Shown  []string // the addresses of the records in it
}

// Read reads an answer.
func Read(answer string, q Question) Answer {
	known := make(map[string]bool)
	shown := read(bare(q.Prompt), Question{})
	for i := range shown.tried {
		known[shown.tried[i].key()] = true
	}
	r := read(answer, q)
	return r.settle(known)
}

// bare returns a text without marks of quotations and comments, and without the bars before texts in a context.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.NewReplacer("<!--", "", "-->", "").Replace(text)) {
		b.WriteString(strings.TrimLeft(line, "> \t|"))
	}
	return b.String()
}

// settle decides which of the attempts count.
func (r *reader) settle(known map[string]bool) Answer {
	out := Answer{None: r.none, Rows: r.rows, More: r.more}
	add := func(line int, ask bool, reason string) {
		if len(out.Rows) >= maxRows {
			out.More++
			return
		}
		out.Rows = append(out.Rows, Row{line, reason, ask})
	}
	first := make(map[string]int)
	covered := make(map[string]bool)
	for i := range r.tried {
		f := &r.tried[i]
		isKnown := known[f.key()]
		reason, others := r.names.resolve(f)
		for _, name := range f.Records {
			covered[r.names.full(name)] = true
		}
		line, repeated := first[f.key()]
		switch {
		case isKnown || known[f.key()]:
			add(f.Line, false, "it repeats the example, or a text that the critic was shown")
		case strings.Trim(f.Wrong, " .…-_?<>[]") == "":
			add(f.Line, true, "it does not say what is wrong")
		case reason != "":
			add(f.Line, true, reason)
		case repeated:
			add(f.Line, false, fmt.Sprintf("it repeats the finding in line %d", line))
		case len(out.Findings) == maxFindings:
			add(f.Line, false, fmt.Sprintf("it is past the first %d findings", maxFindings))
		default:
			first[f.key()] = f.Line
			out.Findings = append(out.Findings, *f)
			if others != "" {
				add(f.Line, false, others+"; the finding counts without")
			}
		}
	}
	for _, m := range r.mentions {
		if !covered[m.name] {
			covered[m.name] = true
			add(m.line, true, "it names "+m.name+" outside of a finding")
		}
	}
	for _, one := range r.said {
		if out.None && len(out.Findings) == 0 {
			add(one.line, true, "it says more than "+NoFindings+": "+short(one.text))
		}
	}
	if len(out.Findings) == 0 && !out.None && !slices.ContainsFunc(out.Rows, func(r Row) bool { return r.Ask }) {
		add(1, true, "the answer has neither a finding nor the line "+NoFindings)
	}
	slices.SortStableFunc(out.Rows, func(a, b Row) int { return a.Line - b.Line })
	return out
}

// maxProblems bounds the problems in a request for a correction.
const maxProblems = 20

// Request is a request to correct an answer, in parts: as many problems are sent as fit.
type Request struct {
	Head, Tail string
	Problems   []string
	Lines      []int
	More       int
}

// Correct returns the request to correct an answer.
func (a *Answer) Correct(q Question) Request {
	out := Request{
		Head: "# REPAIR\n\nYour answer needs a correction:\n\n",
		Tail: "\nSend only what is corrected or missing; the findings that are not named here stand. Write each finding as one fenced block that begins with three " +
			"backticks and the word " + Fence + ", with the lines records:, wrong:, words: and fix:. The records that you can name: " + firstNames(q.Shown) +
			". If nothing of it is a finding, or you withdraw it, answer with this line alone:\n\n" + NoFindings + "\n",
	}
	for _, row := range a.Rows {
		if !row.Ask {
			continue
		}
		if len(out.Problems) == maxProblems {
			out.More++
			continue
		}
		out.Problems = append(out.Problems, fmt.Sprintf("- line %d: %s\n", row.Line, inert(row.Reason)))
		out.Lines = append(out.Lines, row.Line)
	}
	return out
}

// firstNames lists the first addresses.
func firstNames(shown []string) string {
	const most = 30
	if len(shown) <= most {
		return strings.Join(shown, ", ")
	}
	return fmt.Sprintf("%s and %d more, as the question names them", strings.Join(shown[:most], ", "), len(shown)-most)
}

// inert returns a text of the critic without what could begin a block or a tag.
func inert(text string) string {
	return strings.NewReplacer("`", "'", "~", "'", "<", "(", ">", ")").Replace(oneLine(text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
