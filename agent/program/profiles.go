package program

import (
	"cmp"
	"encoding/json"
	"strings"
	"text/template"
)

// profile describes a program as data: its command line, environment and files are templates of
// profileValues. Empty variables and files are left out.
type profile struct {
	kind
	google string            // how it names the provider that others call google
	prefix string            // before the model's name, if the model is at a base URL
	line   string            // the arguments, separated by spaces
	prompt string            // the last argument, for programs that take no prompt from stdin alone
	vars   []string          // the environment
	config map[string]string // files in its home, by path
}

// profileValues are the values of a profile's templates.
type profileValues struct {
	Model    string // as on the command line
	ID       string // as the endpoint names it
	Provider string // of a model "provider/name" without a base URL
	Name     string // of such a model
	Base     string // the base URL
	Key      string // the variable that holds the key
	Own      bool   // a model with a key or a base URL, instead of the user's login
	Turns    int
	Home     string
}

// providerKeys returns the variables of programs that know several providers of models.
func providerKeys() []string {
	return []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY",
		"DEEPSEEK_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "XAI_API_KEY",
	}
}

// endpointKey is the variable from which the programs take the key for a base URL.
const endpointKey = "OPENAI_API_KEY"

// profiles returns the programs that are described as data. All of them speak OpenAI's Chat
// Completions API to a base URL.
// They may read files in their empty directory, not write them or run commands.
func profiles() map[string]profile {
	return map[string]profile{
		OpenCode: {
			kind: kind{
				program: "opencode", tested: "1.18.33",
				install: "install it with `npm install -g opencode-ai`, or set command to its path",
				login:   "run `opencode auth login` once, or set the key of its provider, such as ANTHROPIC_API_KEY",
				keys:    providerKeys(), home: ".local/share/opencode", logins: []string{"auth.json"},
				failing: `"type":"step_finish".*"reason":"(unknown)"`, patience: 1, // it would ask again without end
				format: &format{
					cut: "type=step_finish part.reason=unknown", limit: "type=step_finish part.reason=length",
					text: "type=text part.text", tool: "type=tool_use", done: "type=step_finish part.reason=stop",
					trouble: "type=error error.data.statusCode error.data.message error.name", usage: "type=step_finish",
					inputs:  []string{"part.tokens.input", "part.tokens.cache.read", "part.tokens.cache.write"},
					outputs: []string{"part.tokens.output", "part.tokens.reasoning"},
				},
			},
			prefix: "brenner/",
			line:   `run --pure --format json --title brenner {{with .Model}}--model {{.}}{{end}}`,
			vars: []string{
				`OPENCODE_DISABLE_AUTOUPDATE=1`,
				`OPENCODE_DISABLE_LSP_DOWNLOAD=1`,
				`OPENCODE_DISABLE_PROJECT_CONFIG=1`,
				`{{if .Base}}OPENCODE_DISABLE_MODELS_FETCH=1{{end}}`,
				`{{if .Base}}OPENCODE_DISABLE_DEFAULT_PLUGINS=1{{end}}`,
				`OPENCODE_CONFIG_CONTENT={"autoupdate":false,"share":"disabled","snapshot":false,
"permission":{"*":"deny","read":"allow","grep":"allow","glob":"allow","list":"allow"}
{{with .Base}},"provider":{"brenner":{"npm":"@ai-sdk/openai-compatible","name":"brenner",
"options":{"baseURL":{{json .}},"apiKey":"{env:OPENAI_API_KEY}"},"models":{ {{json $.ID}}:{}}}}{{end}}}`,
			},
		},
		Qwen: {
			kind: kind{
				program: "qwen", tested: "0.24.4",
				install: "install it with `npm install -g @qwen-code/qwen-code` (it needs node 22 or later), or set command to its path",
				login:   "set OPENAI_API_KEY, and base_url if the model is not OpenAI's",
				keys:    []string{endpointKey}, home: ".qwen", marksEnd: true,
				read:  func(out, _ []byte) output { return readClaude(out, "input_tokens") },
				turn:  claudeTurn,
				exits: map[int]exit{53: exitTurns, 55: exitTurns},
				logs:  ".qwen/debug/*.txt", failing: `^[^{"]*Attempt \d+ (failed with status \d+|failed.*)`,
			},
			line: `--auth-type openai --bare --output-format stream-json --chat-recording=false --max-session-turns {{.Turns}}
				--exclude-tools=run_shell_command,edit,write_file,notebook_edit {{with .Model}}--model {{.}}{{end}}`,
			vars: []string{
				`{{with .Base}}OPENAI_BASE_URL={{.}}{{end}}`,
				`QWEN_DEBUG_LOG_FILE=1`,
			},
			config: map[string]string{".qwen/settings.json": `{"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},
				"telemetry":{"enabled":false}}`},
		},
		Continue: {
			kind: kind{
				program: "cn", tested: "1.5.47",
				install: "install it with `npm install -g @continuedev/cli`, or set command to its path",
				login:   "configure a model in ~/.continue/config.yaml, or set the key of its provider, such as ANTHROPIC_API_KEY",
				keys:    providerKeys(), home: ".continue", homeEnv: "CONTINUE_GLOBAL_DIR", logins: []string{"config.yaml", "auth.json"},
				trim:   trimContinue,
				format: &format{plain: true, trouble: "status=error message"},
				logs:   ".continue/logs/*.log", failing: `\[debug\]: Retry attempt .*"error":"(.*)"`,
			},
			google: "gemini",
			line:   `--print --verbose --exclude=Bash --exclude=Fetch --exclude=Write --exclude=Edit --exclude=MultiEdit --config ../home/.continue/config.yaml`,
			vars: []string{
				`CONTINUE_GLOBAL_DIR={{.Home}}/.continue`,
				`CONTINUE_TELEMETRY_ENABLED=0`,
				`CONTINUE_CLI_ENABLE_TELEMETRY=0`,
			},
			// It would summarize prompts that exceed the assumed context window.
			config: map[string]string{".continue/config.yaml": `{{if .Own}}{"name":"brenner","version":"1.0.0","schema":"v1","models":[{
				"name":{{json .ID}},"provider":{{json .Provider}},"model":{{json .Name}},"apiKey":"${{"{{"}} secrets.{{.Key}} {{"}}"}}",
				{{with .Base}}"apiBase":{{json .}},{{end}}"roles":["chat"],"contextLength":1000000,
				"defaultCompletionOptions":{"contextLength":1000000},"capabilities":["tool_use"]}]}{{end}}`},
		},
		Cline: {
			kind: kind{
				program: "cline", tested: "3.0.65",
				install: "install it with `npm install -g cline`, or set command to its path",
				login:   "run `cline auth` once, or set the key of its provider, such as ANTHROPIC_API_KEY",
				keys:    providerKeys(), home: ".cline/data/settings", logins: []string{"providers.json"},
				pipe: true,
				format: &format{
					whole: true, text: "type=run_result text", done: "type=run_result finishReason=completed",
					tool:    "type=agent_event event.type=content_start event.contentType=tool",
					trouble: "type=agent_event event.type=error event.errorClass event.error.message",
					usage:   "type=run_result", inputs: []string{"aggregateUsage.inputTokens"}, outputs: []string{"aggregateUsage.outputTokens"},
				},
			},
			google: "gemini",
			line: `--json --auto-approve true --compaction off --retries 1
				{{if .Base}}--provider openai-compatible{{else if ne .Name .ID}}--provider {{.Provider}}{{end}} {{with .Name}}--model {{.}}{{end}}`,
			prompt: "Answer the following.",
			// Otherwise it starts a daemon.
			vars: []string{
				`CLINE_SESSION_BACKEND_MODE=local`,
			},
			config: map[string]string{
				".cline/data/settings/global-settings.json": `{"telemetryOptOut":true,"autoUpdateEnabled":false,
					"disabledTools":["run_commands","editor","apply_patch","fetch_web_content","spawn_agent","team_spawn_teammate"]}`,
				".cline/data/settings/providers.json": `{{with .Base}}{"version":1,"lastUsedProvider":"openai-compatible","providers":{"openai-compatible":{
					"settings":{"provider":"openai-compatible","model":{{json $.ID}},"baseUrl":{{json .}}},"updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}}}{{end}}`,
			},
		},
		Aider: {
			kind: kind{
				program: "aider", tested: "0.86.2",
				install: "install it with `pip install aider-chat`, or set command to its path",
				login:   "set the key of its model's provider, such as ANTHROPIC_API_KEY",
				keys:    providerKeys(), marksEnd: true, quiet: true, read: readAider,
				failing: `^(litellm\.[A-Za-z]+Error: .*)`,
			},
			prefix: "openai/", google: "gemini",
			line: `--message-file /dev/stdin --chat-mode ask --no-git --yes-always --no-pretty --no-stream --no-fancy-input
				--no-check-update --no-show-release-notes --no-show-model-warnings --analytics-disable --no-suggest-shell-commands
				--no-detect-urls --map-tokens 0 --input-history-file /dev/null --chat-history-file /dev/null {{with .Model}}--model {{.}}{{end}}`,
			vars: []string{
				`LITELLM_LOCAL_MODEL_COST_MAP=True`,
				`COLUMNS=1000000`, // it breaks longer lines, also those of code
				`{{with .Base}}OPENAI_API_BASE={{.}}{{end}}`,
			},
			// Otherwise it searches the web for the model.
			config: map[string]string{".aider.model.metadata.json": `{{if .Base}}{ {{json .Model}}:{"max_input_tokens":1000000,"max_tokens":1000000,
				"litellm_provider":"openai","mode":"chat"}}{{end}}`},
		},
		LLM: {
			kind: kind{
				program: "llm", tested: "0.36",
				install: "install it with `pip install llm`, or set command to its path",
				login:   "run `llm keys set openai` once, or set OPENAI_API_KEY",
				keys:    []string{endpointKey}, home: ".config/io.datasette.llm", homeEnv: "LLM_USER_PATH",
				logins: []string{"keys.json", "extra-openai-models.yaml", "default_model.txt"},
				read:   readLLM, marksEnd: true,
			},
			line: `{{with .Model}}--model {{.}}{{end}} --no-log --usage`,
			vars: []string{
				`LLM_USER_PATH={{.Home}}/.config/io.datasette.llm`,
			},
			config: map[string]string{".config/io.datasette.llm/extra-openai-models.yaml": `{{with .Base}}[{"model_id":{{json $.ID}},"model_name":{{json $.ID}},
				"api_base":{{json .}},"api_key_name":"openai"}]{{end}}`},
		},
		Pi: {
			kind: kind{
				program: "pi", tested: "0.73.1",
				install: "install it with `npm install -g @mariozechner/pi-coding-agent`, or set command to its path",
				login:   "run `pi` once and log in with /login, or set the key of its provider, such as ANTHROPIC_API_KEY",
				keys:    providerKeys(), home: ".pi/agent", homeEnv: "PI_CODING_AGENT_DIR", logins: []string{"auth.json", "models.json"},
				format: &format{
					whole: true, text: "type=message_end message.role=assistant message.content.*.text", tool: "type=message_end message.stopReason=toolUse",
					done: "type=message_end message.stopReason=stop", limit: "type=message_end message.stopReason=length", trouble: "type=message_end message.stopReason=error message.errorMessage",
					usage: "type=message_end message.role=assistant", inputs: []string{"message.usage.input", "message.usage.cacheRead", "message.usage.cacheWrite"},
					outputs: []string{"message.usage.output"},
				},
			},
			prefix: "brenner/",
			line: `--print --mode json --no-session --no-extensions --no-skills --no-prompt-templates --no-context-files
				--tools read,grep,find,ls {{with .Model}}--model {{.}}{{end}}`,
			vars: []string{
				`PI_CODING_AGENT_DIR={{.Home}}/.pi/agent`,
				`PI_OFFLINE=1`,
			},
			config: map[string]string{
				".pi/agent/settings.json": `{"retry":{"enabled":false},"compaction":{"enabled":false}}`,
				".pi/agent/models.json": `{{with .Base}}{"providers":{"brenner":{"baseUrl":{{json .}},"api":"openai-completions","apiKey":"OPENAI_API_KEY",
					"models":[{"id":{{json $.ID}},"contextWindow":1000000}]}}}{{end}}`,
			},
		},
	}
}

// values returns the values of the templates for a program.
func (d *profile) values(p *Program, home string) profileValues {
	v := profileValues{Model: p.Model, ID: p.Model, Provider: "openai", Name: p.Model, Base: p.BaseURL, Turns: p.Turns, Home: home}
	v.Key, _ = p.key()
	switch provider, name, ok := strings.Cut(p.Model, "/"); {
	case p.BaseURL != "":
		v.Model, v.Key = d.prefix+p.Model, endpointKey
	case ok:
		if provider == "google" || provider == "gemini" {
			provider = cmp.Or(d.google, "google")
			v.Model = provider + "/" + name
		}
		v.Provider, v.Name = provider, name
	}
	v.Own = v.ID != "" && v.Key != "" && !p.usesLogin()
	return v
}

// fill returns a template with its values. Templates are constants, and tests fill all of them.
func fill(t string, v profileValues) string {
	quote := func(s string) (string, error) {
		data, err := json.Marshal(s)
		return string(data), err
	}
	var b strings.Builder
	parsed := template.Must(template.New("").Funcs(template.FuncMap{"json": quote}).Parse(t))
	if parsed.Execute(&b, v) != nil {
		return ""
	}
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", "").Replace(b.String())) // YAML allows no tabs
}

// make returns the kind that a profile describes.
func (d *profile) make() kind {
	k := d.kind
	k.args = func(p *Program) []string {
		args := strings.Fields(fill(d.line, d.values(p, "")))
		if d.prompt != "" {
			args = append(args, d.prompt)
		}
		return args
	}
	k.environ = func(p *Program, at runDirs) []string {
		v, env := d.values(p, at.home), []string(nil)
		for _, t := range d.vars {
			if pair := fill(t, v); pair != "" {
				env = append(env, pair)
			}
		}
		if p.BaseURL != "" {
			_, key := p.key()
			env = append(env, endpointKey+"="+cmp.Or(key, "none")) // they do not start without a key
		}
		return env
	}
	k.files = func(p *Program) map[string]string {
		files := map[string]string{}
		for name, t := range d.config {
			if text := fill(t, d.values(p, "")); text != "" {
				files[name] = text
			}
		}
		return files
	}
	if f := k.format; f != nil {
		k.read, k.marksEnd = f.read, f.done != ""
		if f.tool != "" {
			k.turn = f.turn
		}
	}
	return k
}
