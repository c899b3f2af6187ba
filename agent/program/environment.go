package program

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/internal/secret"
	"brenner/internal/text"
)

// passed are the variables that every program may see: where programs are, which
// language and which certificates, and how the network is reached. Everything else
// has to be named.
func passed() []string {
	return []string{
		"PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"SystemRoot", "ComSpec", "PATHEXT", // Windows cannot do without
	}
}

// lookup gives a variable of the environment; the last of equal names holds.
func (p *Program) lookup(name string) string {
	value := ""
	for _, pair := range p.Environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// key gives the variable that holds the key, and the key.
func (p *Program) key() (name, value string) {
	names := p.kind.keys
	if p.KeyEnv != "" {
		names = []string{p.KeyEnv}
	}
	for _, name := range names {
		if value := p.lookup(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// environment is all that the program sees.
func (p *Program) environment(at places) []string {
	var env []string
	set := func(name, value string) {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, name+"="+value)
	}
	key, _ := p.key()
	names := append(append(passed(), p.Pass...), key)
	for _, pair := range p.Environ {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "LC_") {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if value := p.lookup(name); name != "" && value != "" {
			set(name, value)
		}
	}
	set("HOME", at.home)
	set("TMPDIR", at.tmp)
	set("TERM", "dumb")
	set("NO_COLOR", "1")
	for _, pair := range p.kind.environ(p, at) {
		name, value, _ := strings.Cut(pair, "=")
		set(name, value)
	}
	slices.Sort(env)
	return env
}

// prepare makes the private folders of a run.
func (p *Program) prepare() (places, error) {
	root, err := os.MkdirTemp(p.WorkDir, "brenner-program-*")
	if err != nil {
		return places{}, err
	}
	at := placesIn(root)
	if err := p.furnish(at); err != nil {
		return places{}, errors.Join(err, os.RemoveAll(root))
	}
	return at, nil
}

func (p *Program) furnish(at places) error {
	for _, dir := range []string{at.home, at.tmp, at.work, filepath.Join(at.home, p.kind.home)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, text := range p.kind.files(p) {
		if err := os.WriteFile(filepath.Join(at.home, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if name, _ := p.key(); name != "" || p.BaseURL != "" {
		return nil // it needs no login, and gets none
	}
	// A link and no copy: a login that is renewed in a copy would end the one that
	// the user has.
	for _, name := range p.kind.logins {
		from := filepath.Join(p.loginFolder(), name)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		if err := os.Symlink(from, filepath.Join(at.home, p.kind.home, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// loginFolder is where the user's own login is; empty where there is none.
func (p *Program) loginFolder() string {
	if p.kind.homeEnv != "" {
		if dir := p.lookup(p.kind.homeEnv); dir != "" {
			return dir
		}
	}
	if p.Home == "" || p.kind.home == "" {
		return ""
	}
	return filepath.Join(p.Home, p.kind.home)
}

const hidden = "[secret]"

// Shorter values are no secrets but words; to hide them would make messages
// unreadable. In answers only what cannot be a word is hidden: an answer is
// verbatim.
const (
	shortestInErrors  = 4
	shortestInAnswers = 16
)

const (
	longestMessage = 300      // characters of a program's words in a message
	longestPartial = 64 << 10 // bytes of what it wrote that are kept as evidence
)

// secrets keeps the key, and what else a program was trusted with, out of what
// comes back.
type secrets struct {
	errors  secret.Finder
	answers secret.Finder
}

func secretsOf(p *Program) secrets {
	_, key := p.key()
	given := []string{key}
	for _, name := range p.Pass {
		given = append(given, p.lookup(name))
	}
	for _, name := range passed() {
		if u, err := url.Parse(p.lookup(name)); err == nil && u.User != nil {
			password, _ := u.User.Password()
			given = append(given, password)
		}
	}
	return secrets{errors: secret.New(given, shortestInErrors), answers: secret.New(given, shortestInAnswers)}
}

func inPlace(int) string { return hidden }

func (s *secrets) answer(t string) string { return s.answers.Replace(t, inPlace) }

// shown gives a program's words for a message of ours: one line, and not long.
// They are cleaned first: nothing may hide in the middle of a secret.
func (s *secrets) shown(words string) string {
	return text.Clip(s.errors.Replace(strings.Join(strings.Fields(text.Clean(words, text.Output)), " "), inPlace), longestMessage)
}

// evidence gives the end of a program's words, to be kept.
func (s *secrets) evidence(words string) string {
	words = s.errors.Replace(text.Clean(words, text.Output), inPlace)
	if len(words) > longestPartial {
		words = strings.ToValidUTF8(words[len(words)-longestPartial:], "")
	}
	return words
}

// file hides the secrets in a file that stays.
func (s *secrets) file(path string) {
	data, err := os.ReadFile(path)
	if err != nil || !s.answers.In(string(data)) {
		return
	}
	// In one step: half a file beside the status of a run would be half an answer.
	fresh := path + ".masked"
	if os.WriteFile(fresh, []byte(s.answers.Replace(string(data), inPlace)), 0o600) != nil || os.Rename(fresh, path) != nil {
		_ = os.Remove(path) // rather no evidence than a key
	}
}

// tail gives the end of what may be very long.
func tail(data []byte) []byte { return data[max(0, len(data)-longestPartial):] }
