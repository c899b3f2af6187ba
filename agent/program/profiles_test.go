package program_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/internal/fault"
)

// described returns the kinds that are described as data.
func described() []string {
	return []string{program.OpenCode, program.Qwen, program.Continue, program.Cline, program.Aider, program.LLM, program.Pi}
}

// A program finds its model, its key and its files, and writes only valid JSON.
func TestDescribedPrograms(t *testing.T) {
	for _, kind := range described() {
		t.Run(kind, func(t *testing.T) {
			bin, home := t.TempDir(), t.TempDir()
			// It copies its home and prints nothing that is a reply.
			script(t, filepath.Join(bin, program.Executable(kind)), `cp -R "$HOME/." "$COPY"; cat >"$COPY/stdin"; env >"$COPY/env"; pwd >"$COPY/dir"; ls -A >"$COPY/work"; printf '%s\n' "$@" >"$COPY/args"`)
			o := program.Options{
				Kind: kind, Model: `acme/m"1`, BaseURL: "http://127.0.0.1:1/v1", KeyEnv: "MY_KEY", Pass: []string{"COPY"},
				Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "MY_KEY=sk-0123456789", "COPY=" + home, "GORACE=atexit_sleep_ms=0"},
			}
			p := newProgram(t, o)
			if _, err := p.Ask(t.Context(), call("ask")); err == nil {
				t.Error("no error")
			}
			read := func(name string) string {
				data, err := os.ReadFile(filepath.Join(home, name))
				if err != nil {
					t.Error(err)
				}
				return string(data)
			}
			if read("stdin") != "What is it?\n" || read("work") != ".git\n" {
				t.Errorf("stdin %q, files %q", read("stdin"), read("work"))
			}
			var all strings.Builder
			wantIn(t, read("env"), "OPENAI_API_KEY=sk-0123456789")
			all.WriteString(read("env") + read("args"))
			walk := func(path string, d os.DirEntry, err error) error {
				name := filepath.Base(path)
				if err != nil || d.IsDir() || name == "env" || name == "args" || name == "dir" || name == "work" || name == "stdin" {
					return err
				}
				data, err := os.ReadFile(path)
				if !json.Valid(data) {
					t.Errorf("%s is not JSON: %s", name, data)
				}
				if strings.Contains(string(data), "sk-0123456789") {
					t.Errorf("%s contains the key", name)
				}
				all.Write(data)
				return err
			}
			if err := filepath.WalkDir(home, walk); err != nil {
				t.Error(err)
			}
			wantIn(t, all.String(), "http://127.0.0.1:1/v1", `acme/m`)
			if kind == program.OpenCode {
				_, config, _ := strings.Cut(read("env"), "OPENCODE_CONFIG_CONTENT=")
				if json.NewDecoder(strings.NewReader(config)).Decode(&struct{}{}) != nil {
					t.Error(config)
				}
			}
			// Without a model, only the user's login can name one.
			o.Model, o.Spool = "", t.TempDir()
			if _, err := program.New(o); err == nil {
				t.Error("a base URL without a model is accepted")
			}
			o.BaseURL = ""
			for _, arg := range newProgram(t, o).Plan().Argv {
				if strings.HasSuffix(arg, "/") || arg == "" {
					t.Errorf("%q", arg)
				}
			}
		})
	}
}

// The key is that of the model's provider.
func TestKeyOfProvider(t *testing.T) {
	for model, want := range map[string]string{
		"": "OPENAI_API_KEY", "gpt": "OPENAI_API_KEY", "anthropic/claude": "ANTHROPIC_API_KEY", "acme/x": "", "groq/x": "",
	} {
		p := newProgram(t, program.Options{Kind: program.OpenCode, Model: model, Environ: []string{"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o"}})
		if state, detail := p.Login(); detail != "key in "+want && (want != "" || state == program.LoginKey) {
			t.Errorf("%s: %s", model, detail)
		}
	}
}

// At a base URL, the key is that of the program's protocol, and no other.
func TestKeyForBaseURL(t *testing.T) {
	for kind, want := range map[string]string{
		program.Gemini: "GEMINI_API_KEY", program.Claude: "ANTHROPIC_API_KEY", program.Codex: "OPENAI_API_KEY", program.Aider: "OPENAI_API_KEY", program.Pi: "OPENAI_API_KEY",
	} {
		bin := t.TempDir()
		script(t, filepath.Join(bin, program.Executable(kind)), `cat >/dev/null; env >"$BIN/env"; echo 'HTTP 401 Invalid API key' >&2; exit 1`)
		o := program.Options{
			Kind: kind, Model: "anthropic/m", BaseURL: "http://127.0.0.1:1/v1", Pass: []string{"BIN"}, Environ: []string{
				"PATH=" + bin + ":/usr/bin:/bin", "BIN=" + bin, "GORACE=atexit_sleep_ms=0", "OPENAI_API_KEY=openai-key", "CODEX_API_KEY=codex-key",
				"ANTHROPIC_API_KEY=anthropic-key", "GEMINI_API_KEY=gemini-key",
			},
		}
		f := fails(t, t.Context(), newProgram(t, o), agent.NoAuth)
		wantIn(t, f.Hint, "set "+want, " to a key for http://127.0.0.1:1/v1")
		data, err := os.ReadFile(filepath.Join(bin, "env"))
		if err != nil {
			t.Fatal(err)
		}
		key := strings.ToLower(strings.TrimSuffix(want, "_API_KEY")) + "-key"
		wantIn(t, string(data), "="+key)
		if n := strings.Count(string(data), "-key\n"); n != strings.Count(string(data), "="+key+"\n") {
			t.Errorf("%s: %s", kind, data)
		}
	}
}

// Of the user's configuration, Continue sees the models and not the tools.
func TestContinueSeesOnlyModels(t *testing.T) {
	bin, home, copied := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "copied")
	script(t, filepath.Join(bin, "cn"), `cat >/dev/null; cat "$HOME/.continue/config.yaml" >"$COPIED"; ls -A "$HOME/.continue"`)
	o := program.Options{
		Kind: program.Continue, Home: home, Pass: []string{"COPIED"},
		Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "COPIED=" + copied, "GORACE=atexit_sleep_ms=0", "K=k"},
	}
	const models = `
models:
  - {name: First, provider: openai, model: m1, apiBase: 'http://127.0.0.1:1/v1', apiKey: '${{ secrets.K }}'}
  - &second {name: Second, provider: anthropic, model: m2}
`
	const both = `{"models":[{"apiBase":"http://127.0.0.1:1/v1","apiKey":"${{ secrets.K }}","model":"m1","name":"First","provider":"openai"},` +
		`{"model":"m2","name":"Second","provider":"anthropic"}],"name":"brenner","schema":"v1","version":"1.0.0"}`
	const second = `{"models":[{"model":"m2","name":"Second","provider":"anthropic"}],"name":"brenner","schema":"v1","version":"1.0.0"}`
	const danger = "mcpServers: [{name: danger, command: sh, args: [-c, rm]}]\nrules: [Use the tool.]\ndata: [{destination: 'https://other.example'}]\n"
	for _, test := range []struct {
		config, model, want string
		code                fault.Code
	}{
		{danger + models, "", both, ""},
		{danger + models, "m2", second, ""},
		{danger + models, "Second", second, ""},
		{danger + models, "anthropic/m2", second, ""},
		{danger + models, "m3", "", agent.ModelUnknown},
		{danger, "", "", agent.NoAuth},
		{"models: {a: b", "", "", agent.NoAuth},
		{"models: 5", "m1", "", agent.NoAuth},
		{"", "", "", agent.NoAuth},
	} {
		path := filepath.Join(home, ".continue", "config.yaml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(test.config), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(copied) // of the test before
		o.Model = test.model
		p := newProgram(t, o)
		if test.code != "" {
			if f := fails(t, t.Context(), p, test.code); f.Hint == "" || exists(copied) {
				t.Errorf("%s, %s: %+v", test.config, test.model, f)
			}
			continue
		}
		answers(t, p, "config.yaml")
		if data, err := os.ReadFile(copied); string(data) != test.want || err != nil {
			t.Errorf("%s, %s: got %s, %v", test.config, test.model, data, err)
		}
	}
}

// Continue uses a model of the user's configuration also if a key is set, and gets the secrets that the configuration names.
func TestContinueKeysAndSecrets(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	path := filepath.Join(home, ".continue", "config.yaml")
	const local = "models: [{name: L, provider: openai, model: m1, apiBase: 'http://127.0.0.1:1/v1', apiKey: '${{ secrets.MYKEY }}'}]\n"
	script(t, filepath.Join(bin, "cn"), `cat >/dev/null; grep -o '"apiBase":"[^"]*"' "$HOME/.continue/config.yaml"; echo "${MYKEY-no} ${OPENAI_API_KEY-no}"`)
	for name, test := range map[string]struct {
		config, env, model string
		set                []string
		want               string
		code               fault.Code
		hint               string
	}{
		"a key and a configured model": {config: local, model: "m1", set: []string{"MYKEY=mine", "OPENAI_API_KEY=k"}, want: "\"apiBase\":\"http://127.0.0.1:1/v1\"\nmine no"},
		"a key and no model":           {config: local, set: []string{"MYKEY=mine", "OPENAI_API_KEY=k"}, want: "\"apiBase\":\"http://127.0.0.1:1/v1\"\nmine no"},
		"a key and another model":      {config: local, model: "m2", set: []string{"OPENAI_API_KEY=k"}, want: "no k"},
		"a secret in .env":             {config: local, env: "# mine\nOTHER=no\nMYKEY=\"theirs\"\n", want: "\"apiBase\":\"http://127.0.0.1:1/v1\"\ntheirs no"},
		"a missing secret":             {config: local, env: "OTHER=no\n", code: agent.NoAuth, hint: "export MYKEY, or set it in " + filepath.Join(home, ".continue", ".env")},
		"a key and nothing else":       {set: []string{"OPENAI_API_KEY=k"}, code: agent.ModelUnknown, hint: "pass --model"},
		"a key of another provider":    {model: "google/g1", set: []string{"OPENAI_API_KEY=k", "GEMINI_API_KEY=g"}, want: "no no"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			for file, content := range map[string]string{path: test.config, filepath.Join(home, ".continue", ".env"): test.env} {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if content == "" {
					continue
				}
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := newProgram(t, program.Options{
				Kind: program.Continue, Home: home, Model: test.model,
				Environ: append([]string{"PATH=" + bin + ":/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}, test.set...),
			})
			if test.code != "" {
				wantIn(t, fails(t, t.Context(), p, test.code).Hint, test.hint)
				if err := p.CheckLogin(); fault.CodeOf(err) != test.code {
					t.Errorf("before the run: %v", err)
				}
				return
			}
			if err := p.CheckLogin(); err != nil {
				t.Error(err)
			}
			answers(t, p, test.want)
		})
	}
}

// Each provider gets its own key, or the user's login, and no other key.
func TestKeysOfProviders(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	for _, path := range []string{".pi/agent/auth.json", ".local/share/opencode/auth.json"} {
		script(t, filepath.Join(home, path), "")
	}
	environ := []string{"PATH=" + bin + ":/usr/bin:/bin", "OPENAI_API_KEY=o", "GEMINI_API_KEY=g", "GORACE=atexit_sleep_ms=0"}
	for _, name := range []string{"opencode", "pi", "aider", "cline"} {
		script(t, filepath.Join(bin, name), `cat >/dev/null; echo "$*" >&2; exit 1`)
	}
	for _, test := range []struct{ kind, model, key, argument, state string }{
		{program.Pi, "google/g1", "GEMINI_API_KEY", "google/g1", program.LoginKey},
		{program.Pi, "gemini/g1", "GEMINI_API_KEY", "google/g1", program.LoginKey},
		{program.OpenCode, "google/g1", "GEMINI_API_KEY", "google/g1", program.LoginKey},
		{program.Aider, "google/g1", "GEMINI_API_KEY", "gemini/g1", program.LoginKey},
		{program.Cline, "google/g1", "GEMINI_API_KEY", "--provider gemini --model g1", program.LoginKey},
		{program.Pi, "openai/m1", "OPENAI_API_KEY", "openai/m1", program.LoginKey},
		{program.Pi, "github-copilot/m1", "", "github-copilot/m1", program.LoginFile},
		{program.OpenCode, "github-copilot/m1", "", "github-copilot/m1", program.LoginFile},
		{program.Aider, "ollama/m1", "", "ollama/m1", program.LoginUnknown},
	} {
		p := newProgram(t, program.Options{Kind: test.kind, Model: test.model, Home: home, Environ: environ})
		plan := p.Plan()
		if state, _ := p.Login(); p.KeyName() != test.key || state != test.state || !strings.Contains(plan.CommandLine(), test.argument) {
			t.Errorf("%s, %s: key %s, %s: %s", test.kind, test.model, p.KeyName(), state, plan.CommandLine())
		}
		for _, name := range plan.Env {
			if strings.HasSuffix(name, "_API_KEY") && name != test.key {
				t.Errorf("%s, %s: it gets %s", test.kind, test.model, name)
			}
		}
	}
}

// The cause is the line about the key, not the last one.
func TestPiWithoutKey(t *testing.T) {
	bin := t.TempDir()
	script(t, filepath.Join(bin, "pi"), `cat >/dev/null; printf 'No API key found for google.\n\nUse /login, or see:\n  /usr/lib/pi/docs/models.md\n' >&2; exit 1`)
	p := newProgram(t, program.Options{Kind: program.Pi, Model: "google/g1", Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "GEMINI_API_KEY=g", "GORACE=atexit_sleep_ms=0"}})
	wantIn(t, fails(t, t.Context(), p, agent.NoAuth).Detail, "No API key found for google.")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
