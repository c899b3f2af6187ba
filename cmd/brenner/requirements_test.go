package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each of the 32 requirements of governance has a test, a script that tries to break it, and a
// row in the docs that names both.
func TestRequirementsAreMapped(t *testing.T) {
	var tests strings.Builder
	files, err := filepath.Glob("../../govern/req_*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(data)
	}
	page, err := os.ReadFile("../../docs/governance.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]string)
	for line := range strings.Lines(string(page)) {
		if number, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), ". "); ok && strings.HasPrefix(line, "| ") {
			rows[number] = line
		}
	}
	for n := 1; n <= 32; n++ {
		script, test := fmt.Sprintf("req_%02d", n), fmt.Sprintf("TestReq%02d", n)
		if _, err := os.Stat(filepath.Join("testdata", "script", script+".txtar")); err != nil {
			t.Error(err)
		}
		if !strings.Contains(tests.String(), "func "+test+"_") {
			t.Errorf("govern has no %s", test)
		}
		if row := rows[fmt.Sprint(n)]; !strings.Contains(row, "`"+script+"`") || !strings.Contains(row, "`"+test+"`") {
			t.Errorf("docs/governance.md does not name %s and %s in its row: %q", script, test, row)
		}
	}
}
