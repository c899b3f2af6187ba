package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/trust"
	"brenner/mail/server"
)

// readToken returns the operator's token, or "" if there is none. It refuses a token that
// this user did not make: the author of a project that ships one knows it.
func (p *Project) readToken() (string, error) {
	const op = "read the mail server's token"
	path := p.operatorFile()
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return "", &fault.Error{Code: files.Unreadable, Op: op, Place: path, Detail: files.Reason(err)}
	}
	token := bytes.TrimSpace(data)
	if len(token) == 0 {
		return "", nil
	}
	why, err := p.tokenProblem(path, info, data)
	if err == nil && why != "" {
		err = &fault.Error{Code: trust.Untrusted, Op: op, Place: path, Detail: why, Hint: "`brenner mail serve --new-token` makes a new one"}
	}
	return string(token), err
}

// tokenProblem returns why a token file must not be used, or "".
func (p *Project) tokenProblem(path string, info fs.FileInfo, data []byte) (string, error) {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return "not a regular file", nil
	case mode.Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return fmt.Sprintf("other users can read or change it: its mode is %04o", mode.Perm()), nil
	}
	place, err := files.RealPath(path)
	if err != nil {
		return "", err
	}
	book, err := trust.Find(p.Environ)
	if err != nil {
		return "", err
	}
	made, err := book.Trusts(place, data)
	if err == nil && !made {
		return "not made by you in this directory; it may have come with the project", nil
	}
	return "", err
}

// operatorToken reads the operator's token. If there is none, or a new one is wanted, it
// makes one and shows it once. That this user made it is noted outside the project.
func (p *Project) operatorToken(renew bool) (string, error) {
	if !renew {
		if token, err := p.readToken(); err != nil || token != "" {
			return token, err
		}
	}
	book, err := trust.Find(p.Environ)
	if err != nil {
		return "", err
	}
	path, token := p.operatorFile(), server.NewToken()
	data := []byte(token + "\n")
	// An existing file may be readable by others: replace it.
	if err := files.Write(path, data); err != nil {
		return "", &fault.Error{Code: files.CannotWrite, Op: "write the mail server's token", Place: path, Detail: files.Reason(err)}
	}
	place, err := files.RealPath(path)
	if err == nil {
		_, err = book.Trust(place, data, p.Now())
	}
	if err != nil {
		return "", err
	}
	p.notify("the operator's token, kept in " + path + " and not printed again: " + token)
	return token, nil
}

func (p *Project) operatorFile() string { return filepath.Join(p.StateDir(), operatorFile) }
