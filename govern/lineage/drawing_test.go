package lineage_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"brenner/govern/lineage"
	"brenner/store/record"
)

func node(ref, kind, creator string) lineage.Node {
	id, _, _ := strings.Cut(ref, "@")
	return lineage.Node{Ref: record.Ref{ID: id, Version: 1}, Type: kind, Status: record.Draft, Creator: creator, Summary: "About " + id}
}

// wellFormed checks that a drawing is XML.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

// A drawing leaves out messages and tasks, and what rests on another version over them has a dashed
// line to it, unless a longer way shows it.
func TestDrawingLeavesOutMessages(t *testing.T) {
	l := &lineage.Lineage{Root: "memo@v1", Up: true, Nodes: []lineage.Node{
		node("memo@v1", record.IntegratedMemo, "Integrator"), node("reply@v1", record.Reply, "Integrator"), node("kickoff@v1", record.Kickoff, "operator"),
		node("task@v1", record.TaskSpec, "operator"), node("note@v1", record.PaperNote, "Reader"), node("source@v1", "source", "operator"), node("RS-1@v1", record.ResearchArtifact, "operator"), node("brief@v1", record.ProjectBrief, "operator"),
	}, Edges: []lineage.Edge{
		{"memo@v1", "derives_from", "reply@v1"},
		{"memo@v1", "summarises", "note@v1"},
		{"reply@v1", "replies_to", "kickoff@v1"},
		{"memo@v1", "derives_from", "task@v1"},
		{"task@v1", "cites", "note@v1"},
		{"kickoff@v1", "cites", "note@v1"},
		{"kickoff@v1", "derives_from", "RS-1@v1"},
		{"kickoff@v1", "cites", "source@v1"},
		{"kickoff@v1", "cites", "brief@v1"},
		{"note@v1", "cites", "source@v1"},
	}}
	svg := l.SVG()
	wellFormed(t, svg)
	for text, want := range map[string]int{
		"<rect": 4, `class="dashed"`: 1, ">memo@v1 over messages and tasks brief@v1<": 1, ">memo@v1 summarises note@v1<": 1, ">note@v1 cites source@v1<": 1,
		">by Integrator<": 1, ">by Reader<": 1, ">kickoff@v1<": 0, ">task@v1<": 0, ">RS-1@v1<": 0,
	} {
		if got := strings.Count(svg, text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
	page := l.HTML()
	for _, n := range l.Nodes {
		if want := fmt.Sprintf(`<td class="id">%s</td><td><bdi>%s</bdi></td><td><bdi>draft</bdi></td><td><bdi>%s</bdi></td>`, n.Ref, n.Type, n.Creator); !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

// No text of a record is markup, or invisible.
func TestDrawingEscapesText(t *testing.T) {
	hostile := "<script>\u202e\x1b[31m</svg>&\"'TITLE ROWS\n"
	bad := node("note@v1", hostile, hostile)
	bad.Summary, bad.Status, bad.Asked = hostile, hostile, hostile
	l := &lineage.Lineage{Root: hostile, Nodes: []lineage.Node{bad}, Elsewhere: []lineage.Edge{{"note@v1", "cites", hostile}}}
	wellFormed(t, l.SVG())
	for _, text := range []string{l.SVG(), l.HTML()} {
		for _, part := range []string{"<script", "\u202e", "\x1b"} {
			if strings.Contains(text, part) {
				t.Errorf("%q is in %s", part, text)
			}
		}
	}
	if n := strings.Count(l.HTML(), "<tr>"); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

// Any graph, with cycles too, is drawn with all its versions, and always in the same way.
func TestEveryGraphIsDrawn(t *testing.T) {
	kinds := []string{record.PaperNote, record.Reply, record.TaskSpec, record.IntegratedMemo}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := &lineage.Lineage{Root: "n0@v1", Up: true}
		count, boxes := 1+r.IntN(30), 1
		for i := range count {
			l.Nodes = append(l.Nodes, node(fmt.Sprintf("n%d@v1", i), kinds[r.IntN(len(kinds))], "x"))
			if kind := l.Nodes[i].Type; i > 0 && (kind == record.PaperNote || kind == record.IntegratedMemo) {
				boxes++
			}
		}
		for range r.IntN(3 * count) {
			l.Edges = append(l.Edges, lineage.Edge{From: fmt.Sprintf("n%d@v1", r.IntN(count)), Relation: "cites", To: fmt.Sprintf("n%d@v1", r.IntN(count))})
		}
		svg := l.SVG()
		wellFormed(t, svg)
		if got := strings.Count(svg, "<rect"); got != boxes || strings.Contains(svg, "NaN") || svg != l.SVG() {
			t.Fatalf("seed %d: %d boxes, want %d:\n%s", seed, got, boxes, svg)
		}
	}
	l := &lineage.Lineage{Root: "n0@v1"}
	for i := range 301 {
		l.Nodes = append(l.Nodes, node(fmt.Sprintf("n%d@v1", i), record.PaperNote, "x"))
	}
	if svg := l.SVG(); !strings.Contains(svg, "Too many versions") {
		t.Errorf("%.300s", svg)
	}
}
