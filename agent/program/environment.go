package program

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/agent/program/supervisor"
	"brenner/internal/secret"
	"brenner/internal/text"
)

// commonVariables returns the variables that every program may see: paths,
// language, certificates and proxies. All others must be listed in Pass.
func commonVariables() []string {
	return []string{
		"PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"SystemRoot", "ComSpec", "PATHEXT", // required by Windows
	}
}

// lookup returns a variable of the environment; the last of equal names wins.
func (p *Program) lookup(name string) string {
	value := ""
	for _, pair := range p.Environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// keyNames returns the variables that may hold the key.
func (p *Program) keyNames() []string {
	own := ""
	switch provider := p.provider(); {
	case p.KeyEnv != "":
		return []string{p.KeyEnv}
	case p.BaseURL != "":
		own = endpointKey // those of providers are not sent to other addresses
	case provider == "google":
		own = "GEMINI_API_KEY"
	case provider != "":
		own = strings.ToUpper(provider) + "_API_KEY"
	}
	switch {
	case slices.Contains(p.kind.keys, own):
		return []string{own}
	case p.otherProvider():
		return nil // keys are sent to no other provider
	}
	return p.kind.keys
}

// provider returns that of a model "provider/name", or "".
func (p *Program) provider() string {
	provider, _, ok := strings.Cut(p.Model, "/")
	if !ok {
		return ""
	}
	return strings.ToLower(provider)
}

// otherProvider reports whether the model is of a provider whose key has no known variable: such as one
// to which the user logs in, or a local one.
func (p *Program) otherProvider() bool {
	provider := p.provider()
	return p.BaseURL == "" && provider != "" && provider != "google" && slices.Equal(p.kind.keys, providerKeys()) &&
		!slices.Contains(p.kind.keys, strings.ToUpper(provider)+"_API_KEY")
}

// usesLogin reports whether the program uses the user's login: it has neither a key nor a base URL, or
// the user has configured its model.
func (p *Program) usesLogin() bool {
	name, _ := p.key()
	return p.BaseURL == "" && (name == "" || p.configured && (p.Model == "" || p.KeyEnv == ""))
}

// key returns the variable that holds the key, and the key.
func (p *Program) key() (name, value string) {
	for _, name := range p.keyNames() {
		if value := p.lookup(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// KeyName returns the name of the variable that holds the key, or "".
func (p *Program) KeyName() string {
	name, _ := p.key()
	return name
}

// environment returns the program's environment.
func (p *Program) environment(at runDirs) []string {
	var env []string
	set := func(name, value string) {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, name+"="+value)
	}
	key, _ := p.key()
	names := append(commonVariables(), p.Pass...)
	if p.usesLogin() {
		names = append(names, p.login...)
	} else {
		names = append(names, key)
	}
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

// privatePrefix begins the name of a run's private directory.
const privatePrefix = "brenner-program-"

// prepare makes the private directories of a run.
func (p *Program) prepare() (runDirs, error) {
	root, err := os.MkdirTemp(p.WorkDir, privatePrefix+"*")
	if err != nil {
		return runDirs{}, err
	}
	at := runDirsIn(root)
	if err := errors.Join(p.populate(at), p.linkLogin(at)); err != nil {
		return runDirs{}, errors.Join(err, os.RemoveAll(root))
	}
	return at, nil
}

// populate makes the directories of a run, with the program's settings.
func (p *Program) populate(at runDirs) error {
	for _, dir := range []string{at.home, at.tmp, at.work, filepath.Join(at.home, p.kind.home)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if p.Kind != Command {
		if err := fence(at.work); err != nil {
			return err
		}
	}
	for name, text := range p.kind.files(p) {
		path := filepath.Join(at.home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// linkLogin links the user's login into a run's home, unless the run has a key.
func (p *Program) linkLogin(at runDirs) error {
	if !p.usesLogin() {
		return nil
	}
	// A link, not a copy: renewing a login in a copy would invalidate the user's.
	for _, name := range p.kind.logins {
		from := filepath.Join(p.loginDir(), name)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		if p.kind.trim != nil && name == p.kind.logins[0] {
			if err := p.trimLogin(from, filepath.Join(at.home, p.kind.home, name)); err != nil {
				return err
			}
			continue
		}
		if err := os.Symlink(from, filepath.Join(at.home, p.kind.home, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// fence makes a directory an empty git repository, because programs look for settings in all directories above up to that of one.
func fence(dir string) error {
	for _, name := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", name), 0o700); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
}

// trimLogin writes what the program may see of a login file.
func (p *Program) trimLogin(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, f := p.kind.trim(p, from, data)
	if f != nil {
		return f
	}
	return os.WriteFile(to, data, 0o600)
}

// loginDir returns the directory of the user's own login, or "".
func (p *Program) loginDir() string {
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

// Shorter values are words, not secrets; masking them would make messages
// unreadable. Replies are verbatim, so only long secrets are masked there.
const (
	shortestInErrors  = 4
	shortestInReplies = supervisor.ShortestSecret
)

const (
	longestMessage = 300      // characters of program output in a message
	longestPartial = 64 << 10 // bytes of output kept as evidence
)

// secrets masks the key, and the other secrets of a program, in everything that is
// returned.
type secrets struct {
	values  []string
	errors  secret.Finder
	answers secret.Finder
}

func secretsOf(p *Program) secrets {
	values := supervisor.Secrets(p.secretNames(), p.lookup)
	return secrets{values: values, errors: secret.New(values, shortestInErrors), answers: secret.New(values, shortestInReplies)}
}

// secretNames returns the names of the variables that hold secrets: the key, those to pass, and
// proxies with a password.
func (p *Program) secretNames() []string {
	key, _ := p.key()
	names := append(append(slices.Clone(p.Pass), p.login...), key)
	for _, name := range commonVariables() {
		if u, err := url.Parse(p.lookup(name)); err == nil && u.User != nil {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func mask(int) string { return supervisor.Masked }

func (s *secrets) answer(t string) string { return s.answers.Replace(t, mask) }

// shown returns program output for a message: one short line. It is cleaned first,
// because control characters could split a secret.
func (s *secrets) shown(output string) string {
	return text.Clip(s.errors.Replace(strings.Join(strings.Fields(text.Clean(output, text.Output)), " "), mask), longestMessage)
}

// evidence returns the end of program output, to be stored.
func (s *secrets) evidence(output string) string {
	output = s.errors.Replace(text.Clean(output, text.Output), mask)
	if len(output) > longestPartial {
		output = strings.ToValidUTF8(output[len(output)-longestPartial:], "")
	}
	return output
}

// tail returns the end of data.
func tail(data []byte) []byte { return data[max(0, len(data)-longestPartial):] }
