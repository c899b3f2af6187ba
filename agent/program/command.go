package program

import "strings"

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
