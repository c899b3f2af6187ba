package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"brenner/cmd/brenner/cli/ui"
)

func TestFitCutsLineToWidth(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"", 5, ""},
		{"abc", 0, "…"},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "abcd…"},
		{"round 1 · 2", 11, "round 1 · 2"},
		{"細胞の運命", 10, "細胞の運命"},
		{"細胞の運命", 9, "細胞の運…"},
		{"細胞の運命", 8, "細胞の…"},
	} {
		if got := ui.Fit(c.line, c.width); got != c.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.line, c.width, got, c.want)
		}
	}
}

// terminal emulates what the live table needs: rows of cells and two cursor movements.
type terminal struct {
	width  int
	rows   []string
	at, x  int
	broken string
}

func (s *terminal) Write(data []byte) (int, error) {
	text := string(data)
	up := regexp.MustCompile(`^\x1b\[(\d+)A`)
	for text != "" {
		s.fill()
		switch {
		case up.MatchString(text):
			var n int
			m := up.FindString(text)
			_, _ = fmt.Sscanf(m, "\x1b[%dA", &n)
			if s.at -= n; s.at < 0 {
				s.broken = "the cursor left the screen"
				s.at = 0
			}
			text = text[len(m):]
		case strings.HasPrefix(text, "\x1b[J"):
			s.rows = s.rows[:s.at+1]
			s.rows[s.at] = string([]rune(s.rows[s.at])[:s.x])
			text = text[3:]
		case text[0] == '\r':
			s.x, text = 0, text[1:]
		case text[0] == '\n':
			s.at, s.x, text = s.at+1, 0, text[1:]
		default:
			r := []rune(text)[0]
			if s.x == s.width {
				s.at, s.x = s.at+1, 0
				s.fill()
			}
			row := []rune(s.rows[s.at])
			s.rows[s.at] = string(append(row[:min(s.x, len(row))], r))
			s.x, text = s.x+1, text[len(string(r)):]
		}
	}
	s.fill()
	return len(data), nil
}

func (s *terminal) fill() {
	for len(s.rows) <= s.at {
		s.rows = append(s.rows, "")
	}
}

func TestScreenClearsTableOnNarrowTerminal(t *testing.T) {
	for _, width := range []int{20, 60, 80} {
		screen := &terminal{width: width}
		s := &ui.Screen{Out: screen, Width: func() int { return width }}
		wide := strings.Repeat("x", 200)
		for i := range 3 {
			s.Draw(fmt.Sprintf("AGENT %s\n%s%d\nhead\n", wide, wide, i))
		}
		_, _ = fmt.Fprintf(s, "a word %d\n", width) // another writer
		s.Draw("AGENT " + wide + "\nhead\n")
		_, _ = fmt.Fprint(screen, "^C") // echo of a key
		s.Draw("AGENT " + wide + "\nhead\n")
		s.Clear()
		if got := strings.Join(screen.rows, "|"); got != fmt.Sprintf("a word %d|", width) || screen.broken != "" {
			t.Errorf("%d columns: screen shows %q %s", width, got, screen.broken)
		}
	}
}

// After a session on a terminal, only the event lines remain.
func TestLiveTableOfSession(t *testing.T) {
	dir := t.TempDir()
	name := "A" + strings.Repeat("very", 12) + "long"
	script := "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: nothing, delay: 500ms}]\n"
	for file, text := range map[string]string{"brenner.yaml": "question: Why?\n", "script.yaml": script} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const columns = 40
	screen, raw := &terminal{width: columns}, &bytes.Buffer{}
	code := Run(t.Context(), []string{
		"session", "start", "--to", name, "--role", "hypothesis_generator", "--script", filepath.Join(dir, "script.yaml"),
		"--rounds", "1", "--thread-id", "RS-20261115-tiny", "-C", dir,
	}, ui.Streams{
		In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: io.MultiWriter(screen, raw), ErrTTY: true,
		Width: func() int { return columns }, Now: time.Now,
	})
	if code != 0 || screen.broken != "" {
		t.Fatalf("exit %d, %s", code, screen.broken)
	}
	if !strings.Contains(raw.String(), "AGENT") || !strings.Contains(raw.String(), "asked") {
		t.Errorf("the table was never drawn: %q", raw)
	}
	for _, row := range screen.rows {
		if strings.Contains(row, "AGENT") || strings.Contains(row, "Avery") {
			t.Errorf("a line of the table remains: %q", row)
		}
	}
}
