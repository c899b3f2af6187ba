package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/internal/trust"
)

func TestTrustIsPinnedToPathAndContent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "trusted.json")
	b, err := trust.Find([]string{"HOME=/nowhere", trust.EnvFile + "=" + file})
	if err != nil || b.Path() != file {
		t.Fatal(err, b)
	}
	check := func(path, content string, want bool) {
		t.Helper()
		if got, err := b.Trusts(path, []byte(content)); got != want || err != nil {
			t.Errorf("%s %q: got %v, %v", path, content, got, err)
		}
	}
	check("/p/brenner.yaml", "a", false)
	for _, content := range []string{"a", "b"} {
		if _, err := b.Trust("/p/brenner.yaml", []byte(content), time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		check("/p/brenner.yaml", content, true)
	}
	check("/p/brenner.yaml", "a", false) // changed since
	check("/q/brenner.yaml", "b", false) // a copy elsewhere is a different file
	if found, err := b.Forget("/p/brenner.yaml"); !found || err != nil {
		t.Error(found, err)
	}
	check("/p/brenner.yaml", "b", false)
	if found, err := b.Forget("/p/brenner.yaml"); found || err != nil {
		t.Error(found, err)
	}
}

func TestFindBook(t *testing.T) {
	for _, c := range []struct{ environ, want string }{
		{"HOME=/h", "/h/.config/brenner/trusted.json"},
		{"XDG_CONFIG_HOME=/x", "/x/brenner/trusted.json"},
	} {
		b, err := trust.Find([]string{c.environ})
		if err != nil || b.Path() != filepath.FromSlash(c.want) {
			t.Errorf("%s: got %v, %v", c.environ, b, err)
		}
	}
	if _, err := trust.Find(nil); fault.CodeOf(err) != trust.Unreadable {
		t.Error(err)
	}
}

func TestDamagedBookTrustsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trusted.json")
	b, err := trust.Find([]string{trust.EnvFile + "=" + file})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"{", `{"schema":"other","files":[]}`, `{"schema":"brenner.trust/v1","files":[],"more":1}`} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, err := b.Trusts("/p", nil); ok || fault.CodeOf(err) != trust.Unreadable {
			t.Errorf("%s: got %v, %v", content, ok, err)
		}
		if _, err := b.Trust("/p", nil, time.Now()); fault.CodeOf(err) != trust.Unreadable {
			t.Errorf("%s was overwritten: %v", content, err)
		}
	}
}

// Concurrent changes of the book do not undo each other.
func TestConcurrentChangesAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "trusted.json")
	open := func() *trust.Book { // like another process
		b, err := trust.Find([]string{trust.EnvFile + "=" + file})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const people = 12
	if _, err := open().Trust("/forgotten", nil, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range people {
		b := open()
		group.Go(func() {
			if _, err := b.Trust(fmt.Sprintf("/p/%d", i), nil, time.Unix(0, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	b := open()
	group.Go(func() {
		if found, err := b.Forget("/forgotten"); !found || err != nil {
			t.Error(found, err)
		}
	})
	group.Wait()
	for i := range people {
		if ok, err := b.Trusts(fmt.Sprintf("/p/%d", i), nil); !ok || err != nil {
			t.Errorf("/p/%d: got %v, %v", i, ok, err)
		}
	}
	if ok, err := b.Trusts("/forgotten", nil); ok || err != nil {
		t.Errorf("forgotten file: got %v, %v", ok, err)
	}
}
