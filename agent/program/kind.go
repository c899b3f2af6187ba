package program

import (
	"bytes"
	"encoding/json"
	"path/filepath"

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
