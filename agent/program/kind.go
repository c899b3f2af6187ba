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

// kind is what differs between programs.
type kind struct {
	program   string // what it is called on PATH
	install   string // how to get it
	login     string // how to log in
	keys      []string
	tells     bool     // its output says itself when it is whole
	interrupt bool     // SIGINT ends it better than SIGTERM
	home      string   // its own folder in a home
	homeEnv   string   // the variable that names that folder
	logins    []string // files in that folder that hold the login
	// args are the arguments after the command.
	args func(*Program) []string
	// environ are variables of its own, beside those that all get.
	environ func(*Program, places) []string
	// files are what has to be in its home before it runs, by path.
	files func(*Program) map[string]string
	// read finds the answer in what it wrote. Nothing of it may be shown before
	// secrets are hidden.
	read func(stdout, stderr []byte) said
	// turn tells whether a line of its output is one more turn with a tool.
	turn func(line []byte) bool
	// exits are exit codes with a meaning of their own.
	exits map[int]exit
	// http gives the HTTP status that an exit code comes from; nil where none does.
	http func(code int) int
}

// exit is what an exit code means.
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
	return command()
}

// said is what a program's output comes to.
type said struct {
	text    string // the final message, or what came of it
	final   bool   // it says itself that this is the end, and a good one
	model   string // what answered, where it says so
	usage   *agent.Usage
	trouble string // why there is no answer, in its own words
	turns   bool   // the trouble is its own limit of turns, or that its model goes round in circles
}

// places are the private folders of a run.
type places struct{ root, home, tmp, work string }

func placesIn(root string) places {
	return places{root: root, home: filepath.Join(root, "home"), tmp: filepath.Join(root, "tmp"), work: filepath.Join(root, "work")}
}

// events reads output that is one JSON object a line. Lines that are none are
// somebody else's: programs let their libraries write there, too.
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

// question puts a conversation into one text: programs are asked once.
func question(turns []agent.Turn) string {
	var b bytes.Buffer
	for i, t := range turns {
		switch {
		case i == 0:
		case t.Own:
			b.WriteString("\n\n---\n\nYou have answered this:\n\n")
		default:
			b.WriteString("\n\n---\n\n")
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// command is any command line: what it writes to stdout is its answer, and an exit
// code other than 0 means that it has none. 75 means "later", as it does for
// brenner itself.
func command() kind {
	return kind{
		install: "look at the command line in the configuration, and at PATH",
		login:   "log in to it as it wants it, and let it see what it needs with the list of variables in the configuration",
		args:    func(*Program) []string { return nil },
		environ: func(*Program, places) []string { return nil },
		files:   func(*Program) map[string]string { return nil },
		read: func(out, _ []byte) said {
			return said{text: strings.ToValidUTF8(string(out), "\uFFFD"), final: true}
		},
		turn:  func([]byte) bool { return false },
		exits: map[int]exit{75: exitLater, 126: exitUsage, 127: exitUsage},
	}
}

// claude is `claude -p`, from its documented contract alone. Its last line is the
// same in both forms of JSON; this one gives signs of life before it.
func claude() kind {
	return kind{
		program: "claude",
		install: "install it with `npm install -g @anthropic-ai/claude-code` (it needs node 22 or later), or give its path as command",
		login:   "run `claude` once and log in, or set ANTHROPIC_API_KEY",
		keys:    []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		tells:   true,
		home:    ".claude", homeEnv: "CLAUDE_CONFIG_DIR", logins: []string{".credentials.json"},
		args: func(p *Program) []string {
			args := []string{"-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--max-turns", strconv.Itoa(p.Turns)}
			if p.Model != "" {
				args = append(args, "--model", p.Model)
			}
			return args
		},
		environ: func(p *Program, at places) []string {
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
		read:  readClaude,
		turn: func(line []byte) bool {
			var e claudeEvent
			return json.Unmarshal(line, &e) == nil && e.Type == "assistant" &&
				slices.ContainsFunc(e.Message.Content, func(c claudeContent) bool { return c.Type == "tool_use" })
		},
	}
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
	Message struct {
		Model   string          `json:"model"`
		Content []claudeContent `json:"content"`
	} `json:"message"`
	Usage      json.RawMessage            `json:"usage"`
	ModelUsage map[string]json.RawMessage `json:"modelUsage"`
}

func readClaude(out, _ []byte) said {
	var s said
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
				s.trouble = strings.TrimSpace(e.Subtype + " " + e.Result)
			}
			s.usage = reported(e.Usage, "output_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
			if names := slices.Sorted(maps.Keys(e.ModelUsage)); s.model == "" && len(names) == 1 {
				s.model = names[0]
			}
		}
	}
	return s
}

// reported reads what a program says that its run has cost, under these names: what it
// was given may stand under several. It is nil where a number cannot be true: who
// writes one such number is not believed in the others.
func reported(raw json.RawMessage, output string, inputs ...string) *agent.Usage {
	var said map[string]json.RawMessage
	if json.Unmarshal(raw, &said) != nil {
		return nil
	}
	tokens := func(name string) (int, bool) {
		if n := said[name]; n != nil && string(n) != "null" {
			return agent.Tokens(n)
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

// usage is what the run has cost: what the program says, and where it says nothing, or
// that it was for nothing, what we count.
func (x *execution) usage(s said) agent.Usage {
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
