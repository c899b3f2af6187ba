package ui

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"brenner/internal/fault"
	"brenner/internal/files"
)

// EndOfInput is the key at the end of standard input: what Ctrl-D sends.
const EndOfInput = 4

// Interactive reports whether a command may ask questions: a person sees them and can answer.
func (a *App) Interactive() bool { return a.InTTY && a.ErrTTY && !a.JSON && !a.Quiet }

func rawStdin() (func(), error) {
	fd := int(os.Stdin.Fd())
	old, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(fd, old) }, nil
}

// Key shows a prompt and waits for one key, of which it returns the first byte. Keys that were
// pressed before do not count; keys that send escape sequences and pasted text are ignored.
func (a *App) Key(prompt string) byte {
	restore := func() {}
	if a.Raw != nil {
		if back, err := a.Raw(); err == nil {
			restore = back
			prompt = strings.ReplaceAll(prompt, "\n", "\r\n") // nothing else returns the carriage
		}
	}
	defer a.Interrupts.beforeExit(func() { restore(); a.Say("\n") })()
	defer restore()
	a.prompt(prompt)
	var pending []byte
	var input [256]byte
	for {
		n, err := a.In.Read(input[:])
		if n > 0 && len(pending) == 1 && !bytes.ContainsRune([]byte("[O]PX^_"), rune(input[0])) {
			pending = nil // Escape, and later another key
		}
		key, found, rest := plainKey(append(pending, input[:n]...))
		switch {
		case found:
			return key
		case err != nil:
			return EndOfInput
		}
		pending = rest
	}
}

// Line shows a prompt and reads one line. It reports false at the end of the input.
func (a *App) Line(prompt string) (string, bool) {
	defer a.Interrupts.beforeExit(func() { a.Say("\n") })()
	a.prompt(prompt)
	var line []byte
	for {
		switch b := a.readByte(); b {
		case '\n':
			return string(line), true
		case EndOfInput:
			return string(line), len(line) > 0
		default:
			line = append(line, b)
		}
	}
}

// prompt shows a question, and discards what was typed before it.
func (a *App) prompt(text string) {
	if a.Flush != nil {
		a.Flush()
	}
	a.Say(text)
}

func (a *App) readByte() byte {
	var key [1]byte
	for {
		n, err := a.In.Read(key[:])
		switch {
		case n == 1:
			return key[0]
		case err != nil:
			return EndOfInput
		}
	}
}

// Edit asks for a text: in the editor that $VISUAL or $EDITOR names, which begins with old, or
// else as one line after the prompt. The text is "" if the editor did not change old.
func (a *App) Edit(ctx context.Context, old, prompt string) (string, error) {
	editor := a.editor()
	if editor == "" {
		line, _ := a.Line(prompt)
		return line, nil
	}
	// A signal is for the editor, unless it comes again.
	ctx, _, done := a.Interrupts.Gently(ctx, func() {})
	defer done()
	edited, err := editFile(ctx, editor, old)
	if strings.TrimSpace(edited) == strings.TrimSpace(old) {
		return "", err
	}
	return edited, err
}

func (a *App) editor() string {
	found := ""
	for _, v := range a.Environ {
		name, value, _ := strings.Cut(v, "=")
		if strings.TrimSpace(value) != "" && (name == "VISUAL" || name == "EDITOR" && found == "") {
			found = value
		}
	}
	return found
}

// editFile runs an editor on a file with a text, and returns what it left there.
func editFile(ctx context.Context, editor, old string) (string, error) {
	file, err := os.CreateTemp("", "brenner-*.txt")
	if err != nil {
		return "", &fault.Error{Code: files.CannotWrite, Op: "write a file for the editor", Cause: err}
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(old + "\n")
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return "", &fault.Error{Code: files.CannotWrite, Op: "write a file for the editor", Cause: err}
	}
	if stdin := int(os.Stdin.Fd()); term.IsTerminal(stdin) {
		if state, err := term.GetState(stdin); err == nil {
			defer func() { _ = term.Restore(stdin, state) }() // an editor that fails may leave it changed
		}
	}
	// $EDITOR may have arguments, as git takes it.
	c := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file.Name())
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return "", &fault.Error{Code: fault.Usage, Op: "run " + editor, Cause: err, Hint: "set EDITOR to an editor that is installed"}
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		return "", files.CannotRead("read the edited file", file.Name(), err)
	}
	return string(text), nil
}
