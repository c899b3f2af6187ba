package offline_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"brenner/session/offline"
)

// Texts that would end the script or look like the escape come back as they were.
func TestExportOfPage(t *testing.T) {
	for _, text := range []string{
		"", "{}\n", `{"text":"</script><script>alert(1)</script>"}` + "\n", `{"text":"\\u003c <!-- \\\\u003c \"<\" \\"}` + "\n", `{"text":"{{script}} {{export}}"}` + "\n",
	} {
		page := offline.Page([]byte(text))
		if got, ok := offline.Export(page); !ok || string(got) != text {
			t.Errorf("got %q, %t; want %q", got, ok, text)
		}
		if n := bytes.Count(page, []byte("</script>")); n != 2 {
			t.Errorf("%q: the page has %d ends of scripts, want 2", text, n)
		}
	}
}

func TestExportOfOtherFiles(t *testing.T) {
	page := string(offline.Page([]byte("{\"a\":1}\n{\"b\":2}\n")))
	first, _, _ := strings.Cut(page, `{"b"`)
	if got, ok := offline.Export([]byte(first)); !ok || string(got) != "{\"a\":1}\n" {
		t.Errorf("a page that was cut off: got %q, %t", got, ok)
	}
	for _, other := range []string{"", `{"schema":"brenner.export/v1"}`, "<!doctype html><p>Hello"} {
		if got, ok := offline.Export([]byte(other)); ok {
			t.Errorf("%q: got %q, want nothing", other, got)
		}
	}
}

// shells.txt has the hash of every page that a version of this program wrote, so that later versions
// know them.
func TestShellIsKnown(t *testing.T) {
	known, err := os.ReadFile("shells.txt")
	if err != nil {
		t.Fatal(err)
	}
	if shell := offline.Shell(offline.Page(nil)); !strings.Contains(string(known), shell+"\n") {
		t.Errorf("the page is new: add the line %s to shells.txt; keep the lines of released versions", shell)
	}
}

func TestChangedPages(t *testing.T) {
	page := string(offline.Page([]byte(`{"a":"<"}` + "\n{}\n")))
	if line, text := offline.Changed([]byte(page)); line != 0 {
		t.Fatalf("an unchanged page differs in line %d: %s", line, text)
	}
	last := strings.Count(page, "\n")
	lineOf := func(part string) int {
		before, _, _ := strings.Cut(page, part)
		return 1 + strings.Count(before, "\n")
	}
	for name, c := range map[string]struct {
		old, new string
		line     int
	}{
		"a heading":                 {"<body>", "<body><h1>Proven</h1>", lineOf("<body>")},
		"a style before the policy": {`<meta charset="utf-8">`, "<style>main{display:none}</style>", 4},
		"a policy":                  {"default-src 'none'", "default-src *", 5},
		"a space":                   {"</main>", "</main> ", lineOf("</main>")},
		"a paragraph behind":        {"</html>\n", "</html>\n<p>More</p>", last + 1},
		"a cut end":                 {"</html>\n", "", last},
		"an unescaped sign":         {`\u003c`, "<", last - 4},
	} {
		if line, text := offline.Changed([]byte(strings.Replace(page, c.old, c.new, 1))); line != c.line {
			t.Errorf("%s: got line %d (%q), want %d", name, line, text, c.line)
		}
	}
	if line, _ := offline.Changed([]byte(`{"schema":"brenner.export/v1"}`)); line != 0 {
		t.Error("an export without a page has lines around it")
	}
}
