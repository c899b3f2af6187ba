package ui

import (
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

// Key waits for one key and returns its first byte.
func (a *App) Key() byte {
	if a.Raw != nil {
		if restore, err := a.Raw(); err == nil {
			defer restore()
		}
	}
	return a.readByte()
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
// else as one line after the prompt.
func (a *App) Edit(ctx context.Context, old, prompt string) (string, error) {
	if editor := a.editor(); editor != "" {
		return editFile(ctx, editor, old)
	}
	a.Say(prompt)
	var line []byte
	for {
		switch b := a.readByte(); b {
		case '\n', EndOfInput:
			return string(line), nil
		default:
			line = append(line, b)
		}
	}
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
