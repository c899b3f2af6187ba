package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/internal/files"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	put(t, path, "12345")
	if data, err := files.Read(path); err != nil || string(data) != "12345" {
		t.Errorf("got %q, %v", data, err)
	}
	if data, err := files.ReadAtMost(path, 5); err != nil || string(data) != "12345" {
		t.Errorf("got %q, %v for a file that just fits", data, err)
	}
	if _, err := files.ReadAtMost(path, 4); err == nil {
		t.Error("read a file that is too large")
	}
	if _, err := files.ReadBounded(strings.NewReader("12345"), 4); err == nil {
		t.Error("read a stream that is too long")
	}
	if _, err := files.Read(path + "s"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a missing file", err)
	}
}

func TestRealPath(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	if err := os.Symlink("file", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	file, err := files.RealPath(filepath.Join(dir, "file"))
	if err != nil || !filepath.IsAbs(file) {
		t.Fatalf("got %q, %v", file, err)
	}
	if link, err := files.RealPath(filepath.Join(dir, "link")); err != nil || link != file {
		t.Errorf("got %q, %v, want %q", link, err, file)
	}
	if _, err := files.RealPath(filepath.Join(dir, "missing")); fault.CodeOf(err) != files.Unreadable {
		t.Errorf("got %v for a missing file", err)
	}
}

func TestCannotRead(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "missing"))
	if got := files.CannotRead("read plan", "plan.yaml", err); fault.CodeOf(got) != files.Unreadable || got.Error() != "read plan: plan.yaml: "+files.Reason(err) {
		t.Errorf("got %q (%s)", got, fault.CodeOf(got))
	}
	if strings.Contains(files.Reason(err), "missing") {
		t.Errorf("the reason repeats the path: %q", files.Reason(err))
	}
	usage := &fault.Error{Code: fault.Usage, Detail: "twice"}
	if got := files.CannotRead("read plan", "-", usage); !errors.Is(got, usage) {
		t.Errorf("got %v, want the usage error unchanged", got)
	}
}

func TestWithoutMark(t *testing.T) {
	for in, want := range map[string]string{"\xef\xbb\xbfa": "a", "a": "a", "": "", "a\xef\xbb\xbf": "a\xef\xbb\xbf"} {
		if got := string(files.WithoutMark([]byte(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
