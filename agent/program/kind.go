package program

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"brenner/agent"
)

// kind describes one kind of program.
type kind struct {
	program   string // its name on PATH
	install   string // hint: how to install it
	login     string // hint: how to log in
	tested    string // the version that the tests run
	keys      []string
	marksEnd  bool     // its output marks the end of the reply
	interrupt bool     // stop it with SIGINT, not SIGTERM
	pipe      bool     // its standard input must be a pipe, not a file
	quiet     bool     // it prints nothing until its model has finished
	home      string   // its directory below the home directory
	homeEnv   string   // the variable for that directory
	logins    []string // files in that directory that hold the login
	// trim returns what the program may see of the first login file; nil passes the file itself.
	trim func(p *Program, path string, data []byte) ([]byte, *agent.Failure)
	// args returns the arguments after the command.
	args func(*Program) []string
	// environ returns variables of its own, in addition to the common ones.
	environ func(*Program, runDirs) []string
	// files returns the files that it needs in its home, by path.
	files func(*Program) map[string]string
	// format describes its output, instead of read and turn; may be nil.
	format *format
	// read parses its output. The result may contain secrets, which must be masked
	// before it is shown.
	read func(stdout, stderr []byte) output
	// turn reports whether a line of output is another turn with a tool; nil for programs without.
	turn func(line []byte) bool
	// failing matches a line of its output, or of its logs, about a failed request that it repeats;
	// the first group is the message.
	failing  string
	logs     string // its log files, as a pattern below its home
	patience int    // how many such lines it may write before it is stopped; 0 means mostFailures
	// exits maps exit codes with a special meaning.
	exits map[int]exit
	// http maps an exit code to an HTTP status; may be nil.
	http func(code int) int
}

// exit is the meaning of an exit code.
type exit int

const (
	exitNoLogin exit = iota + 1
	exitTurns
	exitLater
	exitUsage
)

func kindOf(name string) kind {
	switch name {
	case Codex:
		return codex()
	case Gemini:
		return gemini()
	case Claude:
		return claude()
	}
	if d, ok := profiles()[name]; ok {
		return d.make()
	}
	return command()
}

// output is a program's parsed output.
type output struct {
	text    string // the final message, possibly incomplete
	final   bool   // the program reported success
	model   string // the model, if reported
	usage   *agent.Usage
	trouble string // the program's error message
	turns   bool   // it stopped at its own turn limit, or detected a loop
}

// runDirs are the private directories of a run.
type runDirs struct{ root, home, tmp, work string }

func runDirsIn(root string) runDirs {
	return runDirs{root: root, home: filepath.Join(root, "home"), tmp: filepath.Join(root, "tmp"), work: filepath.Join(root, "work")}
}

// events parses output with one JSON object per line. Other lines are skipped:
// libraries may write there, too.
func events[T any](out []byte) []T {
	var all []T
	for line := range bytes.Lines(out) {
		var e T
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}

// question joins a conversation into one text, because programs are asked once.
func question(turns []agent.Turn) string {
	var b bytes.Buffer
	for i, t := range turns {
		switch {
		case i == 0:
		case t.Own:
			b.WriteString(agent.BeforeOwn)
		default:
			b.WriteString(agent.AfterOwn)
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// command is any command line. Its standard output is the reply, and an exit code
// other than 0 is a failure. 75 means "later", as it does for brenner itself.
func command() kind {
	return kind{
		install: "check the command line in the configuration, and PATH",
		login:   "log in to it, and list the variables that it needs in the configuration",
		args:    func(*Program) []string { return nil },
		environ: func(*Program, runDirs) []string { return nil },
		files:   func(*Program) map[string]string { return nil },
		read: func(out, _ []byte) output {
			return output{text: strings.ToValidUTF8(string(out), "\uFFFD"), final: true}
		},
		exits: map[int]exit{75: exitLater, 126: exitUsage, 127: exitUsage},
	}
}

// claude is `claude -p`, implemented from its documentation, not tested with the real
// program. Both JSON formats end with the same line; this one has earlier lines as
// signs of life.
func claude() kind {
	return kind{
		program:  "claude",
		install:  "install it with `npm install -g @anthropic-ai/claude-code` (it needs node 22 or later), or set command to its path",
		login:    "run `claude` once and log in, or set ANTHROPIC_API_KEY",
		keys:     []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		marksEnd: true,
		home:     ".claude", homeEnv: "CLAUDE_CONFIG_DIR", logins: []string{".credentials.json"},
		args: func(p *Program) []string {
			args := []string{"-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--max-turns", strconv.Itoa(p.Turns)}
			if p.Model != "" {
				args = append(args, "--model", p.Model)
			}
			return args
		},
		environ: func(p *Program, at runDirs) []string {
			env := []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(at.home, ".claude"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
			if name, value := p.key(); name != "" && !strings.HasPrefix(name, "ANTHROPIC_") {
				env = append(env, "ANTHROPIC_API_KEY="+value)
			}
			if p.BaseURL != "" {
				env = append(env, "ANTHROPIC_BASE_URL="+p.BaseURL)
			}
			return env
		},
		files: func(*Program) map[string]string { return nil },
		read: func(out, _ []byte) output {
			return readClaude(out, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
		},
		turn: claudeTurn,
	}
}

func claudeTurn(line []byte) bool {
	var e claudeEvent
	return json.Unmarshal(line, &e) == nil && e.Type == "assistant" &&
		slices.ContainsFunc(e.Message.Content, func(c claudeContent) bool { return c.Type == "tool_use" })
}

type claudeContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type claudeEvent struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	Result  string `json:"result"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Message struct {
		Model   string          `json:"model"`
		Content []claudeContent `json:"content"`
	} `json:"message"`
	Usage      json.RawMessage            `json:"usage"`
	ModelUsage map[string]json.RawMessage `json:"modelUsage"`
}

// readClaude parses the output of claude, and of qwen, whose count of input is one number.
func readClaude(out []byte, inputs ...string) output {
	var s output
	all := events[claudeEvent](out)
	if len(all) == 0 { // one object over several lines
		var e claudeEvent
		if json.Unmarshal(out, &e) == nil {
			all = append(all, e)
		}
	}
	for i := range all {
		switch e := &all[i]; e.Type {
		case "assistant":
			s.model = e.Message.Model
			for _, c := range e.Message.Content {
				if c.Type == "text" {
					s.text = c.Text
				}
			}
		case "result":
			s.final = e.Subtype == "success" && !e.IsError
			s.turns = e.Subtype == "error_max_turns"
			if s.final {
				s.text = e.Result
			} else {
				s.trouble = strings.TrimSpace(e.Subtype + " " + e.Result + e.Error.Message)
			}
			s.usage = reported(e.Usage, "output_tokens", inputs...)
			if names := slices.Sorted(maps.Keys(e.ModelUsage)); s.model == "" && len(names) == 1 {
				s.model = names[0]
			}
		}
	}
	return s
}

// reported parses the usage that a program reports; input may be the sum of several
// fields. It is nil if any number is implausible.
func reported(raw json.RawMessage, output string, inputs ...string) *agent.Usage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	tokens := func(name string) (int, bool) {
		if n := fields[name]; n != nil && string(n) != "null" {
			return agent.ParseTokens(n)
		}
		return 0, true
	}
	n, ok := tokens(output)
	if !ok {
		return nil
	}
	u := agent.Usage{Output: n}
	for _, input := range inputs {
		if n, ok = tokens(input); !ok {
			return nil
		}
		u = u.Plus(agent.Usage{Input: n})
	}
	return &u
}

// usage returns the usage of the run as reported, or our own count where that is
// missing or zero.
func (x *execution) usage(s output) agent.Usage {
	u := agent.Usage{Guessed: s.usage == nil}
	if s.usage != nil {
		u = *s.usage
	}
	if u.Input == 0 {
		u.Input, u.Guessed = x.Count(x.text), true
	}
	if u.Output == 0 && s.text != "" {
		u.Output, u.Guessed = x.Count(s.text), true
	}
	return u
}
