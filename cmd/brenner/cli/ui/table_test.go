package ui

import (
	"strings"
	"testing"
)

func sample() [][]string {
	return [][]string{
		{"SESSION", "STATE", "QUESTION"},
		{"RS-20261115-how-does-a-cell-know", "done", "How does a cell of an early embryo know what to become?"},
		{"RS-20261115-b", "failed", "細胞の運命はどのように決まるのか"},
	}
}

// A table fits the terminal; for a program it is what it was.
func TestTablesFitTheTerminal(t *testing.T) {
	for _, width := range []int{50, 60, 80, 200} {
		a := &App{Streams: Streams{OutTTY: true, Width: func() int { return width }, Environ: []string{"NO_COLOR=1"}}}
		for line := range strings.Lines(a.Table(sample())) {
			if n := displayWidth(strings.TrimSuffix(line, "\n")); n >= width {
				t.Errorf("%d columns: a line has %d: %s", width, n, line)
			}
		}
	}
	if got, want := (&App{}).Table(sample()), Columns(sample()); got != want {
		t.Errorf("piped: got %q, want %q", got, want)
	}
}

// Ids, names and outcomes are whole at every width, and words about a state keep their colour.
func TestNarrowTablesCutNoNames(t *testing.T) {
	rows := [][]string{
		{"AGENT", "ROLE", "ASKED", "REPLIES", "TOKENS", "COST", "OUTCOMES", "LAST ROUND"},
		{"PurpleMountain", "adversarial_critic", "qwen3:32b at localhost:11434", "2", "12345", "$0.12", "1 contributed, 1 no changes", "answered"},
		{"… and 3 more"},
	}
	for width := 20; width < 200; width++ {
		a := &App{Streams: Streams{OutTTY: true, Width: func() int { return width }}}
		out := a.Table(rows)
		for _, want := range []string{"PurpleMountain", "qwen3:32b at localhost:11434", "1 contributed, 1 no changes", "\x1b[32manswered\x1b[0m", "… and 3 more"} {
			if !strings.Contains(out, want) {
				t.Errorf("%d columns lack %q:\n%s", width, want, out)
			}
		}
		for _, id := range []string{"RS-20261115-how-does-a-cell-know", "\x1b[31mfailed"} {
			if out := a.Table(sample()); !strings.Contains(out, id) {
				t.Errorf("%d columns lack %q:\n%s", width, id, out)
			}
		}
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	for _, tt := range []struct {
		tty  bool
		env  string
		want bool
	}{{true, "", true}, {false, "", false}, {true, "NO_COLOR=1", false}, {true, "TERM=dumb", false}, {true, "--no-color", false}} {
		a := &App{Streams: Streams{OutTTY: tt.tty, Environ: []string{tt.env}}, Plain: tt.env == "--no-color"}
		out := a.Table(sample())
		if got := strings.Contains(out, "\x1b[32mdone\x1b[0m") && strings.Contains(out, "\x1b[31mfailed\x1b[0m"); got != tt.want {
			t.Errorf("terminal %t, %s: %q", tt.tty, tt.env, out)
		}
		if plain := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(out); plain != Columns(sample()) {
			t.Errorf("colours changed the text: %q", plain)
		}
	}
}
