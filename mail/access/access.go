// Package access decides which tokens of a project's mail its user has made.
//
// It promises: a token that came with a project is not valid, since its author knows it. The proof is
// outside the project, in the user's list of trusted files and in a key beside it. It must not know
// what tokens permit.
package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/trust"
	"brenner/mail/box"
	"brenner/mail/server"
)

// FileName is the name of the file with the operator's token.
const FileName = "mail-operator.token"

// Guard checks the tokens in a directory for a user.
type Guard struct {
	Dir     string
	Environ []string // finds the list of trusted files
	Now     func() time.Time
}

// File returns the path of the operator's token.
func (g *Guard) File() string { return filepath.Join(g.Dir, FileName) }

// Operator returns the operator's token, or "" if there is none. A token that this user did not make
// is refused.
func (g *Guard) Operator() (string, error) {
	const op = "read the mail server's token"
	path := g.File()
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
	why, err := g.problem(info, data)
	if err == nil && why != "" {
		err = &fault.Error{Code: trust.Untrusted, Op: op, Place: path, Detail: why, Hint: "`brenner mail serve --new-token` makes a new one"}
	}
	if err != nil {
		return "", err
	}
	return string(token), nil
}

// problem returns why the file of the operator's token must not be used, or "".
func (g *Guard) problem(info fs.FileInfo, data []byte) (string, error) {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return "not a regular file", nil
	case mode.Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return fmt.Sprintf("other users can read or change it: its mode is %04o", mode.Perm()), nil
	}
	made, err := g.noted(FileName, data)
	if err == nil && !made {
		return "not made by you in this directory; it may have come with the project", nil
	}
	return "", err
}

// noted reports whether the user's list has a file of the directory with this content.
func (g *Guard) noted(name string, data []byte) (bool, error) {
	book, place, err := g.find(name)
	if err != nil {
		return false, err
	}
	return book.Trusts(place, data)
}

// note adds a file of the directory to the user's list.
func (g *Guard) note(name string, data []byte) error {
	book, place, err := g.find(name)
	if err == nil {
		_, err = book.Trust(place, data, g.Now())
	}
	return err
}

func (g *Guard) find(name string) (*trust.Book, string, error) {
	dir, err := files.RealPath(g.Dir)
	if err != nil {
		return nil, "", err
	}
	book, err := trust.Find(g.Environ)
	return book, filepath.Join(dir, name), err
}

// Lock waits for other processes that make the directory's tokens, so that all servers have the same one.
func (g *Guard) Lock() (unlock func() error, err error) {
	unlock, err = files.LockFile(g.File() + ".lock")
	if err != nil {
		return nil, &fault.Error{Code: files.CannotWrite, Op: "lock the mail server's token", Place: g.File(), Detail: files.Reason(err)}
	}
	return unlock, nil
}

// MakeOperator makes a new operator's token; the caller holds the lock. That this user made it is noted outside the project: before
// the file appears, so that a kill leaves no token that is refused, but after an old one is replaced.
func (g *Guard) MakeOperator() (string, error) {
	if _, err := trust.Find(g.Environ); err != nil {
		return "", err
	}
	token := server.NewToken()
	data := []byte(token + "\n")
	_, missing := os.Lstat(g.File())
	if missing != nil {
		if err := g.note(FileName, data); err != nil {
			return "", err
		}
	}
	// An existing file may be readable by others: replace it.
	if err := files.Write(g.File(), data); err != nil {
		return "", &fault.Error{Code: files.CannotWrite, Op: "write the mail server's token", Place: g.File(), Detail: files.Reason(err)}
	}
	if missing != nil {
		return token, nil
	}
	return token, g.note(FileName, data)
}

// Key returns the user's key, which signs agents' tokens.
func (g *Guard) Key() (server.Key, error) {
	book, err := trust.Find(g.Environ)
	if err != nil {
		return nil, err
	}
	return book.Key()
}

// signed is noted as the content of a mailbox whose tokens are all signed, or not of this user.
const signed = "signed"

// Foreign returns the agents' tokens in a box that are not signed with the key: the server does not know
// them. If the operator's token is valid, this user has served the box: its tokens from before there was a
// key are then signed, once.
func (g *Guard) Foreign(ctx context.Context, b *box.Box, key server.Key, operator string) ([]box.Token, error) {
	all, err := b.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	done, err := g.noted(box.FileName, []byte(signed))
	if err == nil && !done {
		if operator != "" {
			err = b.ReplaceTokens(ctx, all, key.Sign)
			all = nil
		}
		if err == nil {
			err = g.note(box.FileName, []byte(signed))
		}
	}
	return slices.DeleteFunc(all, func(t box.Token) bool { return key.Signed(t.Stored) }), err
}
