package access_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"brenner/internal/trust"
	"brenner/mail"
	"brenner/mail/access"
	"brenner/mail/box"
	"brenner/mail/server"
)

// user is a person with a list of trusted files.
func user(t *testing.T) []string {
	t.Helper()
	return []string{trust.EnvFile + "=" + filepath.Join(t.TempDir(), "trusted.json")}
}

func guard(dir string, environ []string) *access.Guard {
	return &access.Guard{Dir: dir, Environ: environ, Now: func() time.Time { return time.Unix(0, 0) }}
}

// openBox opens the mailbox of a directory.
func openBox(t *testing.T, dir string) *box.Box {
	t.Helper()
	b, err := box.Open(t.Context(), dir, box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// register registers an agent with a token, in its stored form.
func register(t *testing.T, b *box.Box, name, stored string) {
	t.Helper()
	if _, err := b.EnsureProject(t.Context(), "/p"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Register(t.Context(), mail.Registration{Project: "/p", Name: name, Program: "p", Model: "m", TokenHash: stored}); err != nil {
		t.Fatal(err)
	}
}

func key(t *testing.T, g *access.Guard) server.Key {
	t.Helper()
	k, err := g.Key()
	if err != nil || len(k) == 0 {
		t.Fatal(k, err)
	}
	return k
}

// foreign returns the agents whose tokens are not valid, as a server finds them when it starts.
func foreign(t *testing.T, g *access.Guard, b *box.Box) (names []string) {
	t.Helper()
	operator, err := g.Operator()
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := g.Foreign(t.Context(), b, key(t, g), operator)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range tokens {
		names = append(names, o.Agent)
	}
	return names
}

// Tokens of a mailbox that came with the project are not valid, signed by another user or not at all,
// also at the next start. Those of the user are.
func TestShippedTokens(t *testing.T) {
	dir := t.TempDir()
	mine, author := guard(dir, user(t)), guard(dir, user(t))
	b := openBox(t, dir)
	register(t, b, "Old", server.Hash("old"))
	register(t, b, "Theirs", key(t, author).Sign(server.Hash("theirs")))
	register(t, b, "Mine", key(t, mine).Sign(server.Hash("mine")))
	for range 2 {
		if got := foreign(t, mine, b); len(got) != 2 || got[0] != "Old" || got[1] != "Theirs" {
			t.Errorf("got %v", got)
		}
		if _, err := mine.MakeOperator(); err != nil {
			t.Fatal(err)
		}
	}
}

// A user who has served the mailbox before there was a key keeps the tokens in it. Later, a token without
// a signature must have come from elsewhere.
func TestTokensFromBeforeTheKey(t *testing.T) {
	dir := t.TempDir()
	g := guard(dir, user(t))
	b := openBox(t, dir)
	register(t, b, "Old", server.Hash("old"))
	if _, err := g.MakeOperator(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := foreign(t, g, b); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	}
	if _, a, err := b.Owner(t.Context(), key(t, g).Sign(server.Hash("old"))); err != nil || a.Name != "Old" {
		t.Errorf("got %v, %v", a, err)
	}
	register(t, b, "Later", server.Hash("later"))
	if got := foreign(t, g, b); len(got) != 1 || got[0] != "Later" {
		t.Errorf("got %v", got)
	}
}

// A project that was moved needs a new operator's token; its agents' tokens stay valid.
func TestMovedProject(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "moved")
	environ := user(t)
	g := guard(from, environ)
	b := openBox(t, from)
	register(t, b, "Mine", key(t, g).Sign(server.Hash("mine")))
	if _, err := g.MakeOperator(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	g = guard(to, environ)
	if token, err := g.Operator(); err == nil || token != "" {
		t.Errorf("got %q, %v", token, err)
	}
	if _, err := g.MakeOperator(); err != nil {
		t.Fatal(err)
	}
	if got := foreign(t, g, openBox(t, to)); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// A key that others can read or change is refused.
func TestKeyOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trusted.json")
	g := guard(t.TempDir(), []string{trust.EnvFile + "=" + file})
	key(t, g)
	for mode, want := range map[os.FileMode]bool{0o666: false, 0o640: false, 0o600: true, 0o400: true} {
		if err := os.Chmod(file+".key", mode); err != nil {
			t.Fatal(err)
		}
		want = want || runtime.GOOS == "windows" // which has no such modes
		if k, err := g.Key(); (err == nil) != want || (len(k) > 0) != want {
			t.Errorf("mode %04o: got %q, %v", mode, k, err)
		}
	}
}

// Without a usable key, nothing is guessed.
func TestUnusableKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trusted.json")
	if err := os.WriteFile(file+".key", []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, environ := range [][]string{{trust.EnvFile + "=" + file}, nil} {
		if k, err := guard(t.TempDir(), environ).Key(); err == nil {
			t.Errorf("got the key %q", k)
		}
	}
}
