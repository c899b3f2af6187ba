// Package trust records which project files a user has reviewed and allowed to name commands to run
// and URLs that receive a key. A file is identified by its path and SHA-256, so a changed file must
// be trusted again.
//
// The record belongs to the user, not to the project: a project must not be able to trust itself.
package trust

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/internal/files"
)

// The codes for trust.
const (
	Untrusted  fault.Code = "UNTRUSTED"        // The project's file needs `brenner trust` first.
	Unreadable fault.Code = "TRUST_UNREADABLE" // The list of trusted files cannot be read or written.
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{Untrusted: fault.ClassDenied, Unreadable: fault.ClassFailed}
}

const schema = "brenner.trust/v1"

// EnvFile is the variable that overrides the path of the record.
const EnvFile = "BRENNER_TRUST_FILE"

// Book is a user's record of trusted files.
type Book struct{ path string }

// Entry is one trusted file.
type Entry struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	At     string `json:"at"`
}

type document struct {
	Schema string  `json:"schema"`
	Files  []Entry `json:"files"`
}

// Find returns the user's book. environ has the form of os.Environ.
func Find(environ []string) (*Book, error) {
	get := func(name string) string {
		value := ""
		for _, pair := range environ {
			if v, ok := strings.CutPrefix(pair, name+"="); ok {
				value = v
			}
		}
		return value
	}
	if file := get(EnvFile); file != "" {
		return &Book{file}, nil
	}
	dir := get("XDG_CONFIG_HOME")
	if home := get("HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		return nil, &fault.Error{
			Code: Unreadable, Op: "find the list of trusted files", Detail: "neither HOME nor XDG_CONFIG_HOME is set",
			Hint: "set " + EnvFile + " to a file of your own",
		}
	}
	return &Book{filepath.Join(dir, "brenner", "trusted.json")}, nil
}

// Path returns the path of the book.
func (b *Book) Path() string { return b.path }

// Trusts reports whether a file with this content is trusted.
func (b *Book) Trusts(file string, data []byte) (bool, error) {
	doc, err := b.read()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(doc.Files, func(e Entry) bool { return e.Path == file && e.SHA256 == hash(data) }), nil
}

// Trust trusts a file with this content, replacing an earlier entry.
func (b *Book) Trust(file string, data []byte, at time.Time) (Entry, error) {
	e := Entry{Path: file, SHA256: hash(data), At: at.UTC().Format(time.RFC3339)}
	return e, b.change(func(files []Entry) []Entry {
		return append(slices.DeleteFunc(files, func(o Entry) bool { return o.Path == file }), e)
	})
}

// Forget removes a file, and reports whether it was trusted.
func (b *Book) Forget(file string) (bool, error) {
	found := false
	err := b.change(func(files []Entry) []Entry {
		return slices.DeleteFunc(files, func(o Entry) bool {
			found = found || o.Path == file
			return o.Path == file
		})
	})
	return found, err
}

// Key returns a secret of the user, and makes it at first use. Only this user can have signed
// something with it.
func (b *Book) Key() (key []byte, err error) {
	unlock, err := b.lock()
	if err != nil {
		return nil, b.writeError(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	file := b.path + ".key"
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		key = []byte(rand.Text() + rand.Text())
		err = files.Write(file, key)
	case err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		err = fmt.Errorf("other users can read or change it: its mode is %04o", info.Mode().Perm())
	case err == nil:
		key, err = os.ReadFile(file)
	}
	if err == nil && len(key) < len(rand.Text()) {
		err = errors.New("too short")
	}
	if err != nil {
		return nil, &fault.Error{
			Code: Unreadable, Op: "read the key for tokens", Place: file, Cause: err,
			Hint: "fix or remove the file; without it, the agents' mail tokens must be made again",
		}
	}
	return key, nil
}

// change rewrites the book under a lock, so that concurrent changes are not lost.
func (b *Book) change(how func([]Entry) []Entry) (err error) {
	unlock, err := b.lock()
	if err != nil {
		return b.writeError(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	doc, err := b.read()
	if err != nil {
		return err
	}
	doc.Files = how(doc.Files)
	slices.SortFunc(doc.Files, func(x, y Entry) int { return strings.Compare(x.Path, y.Path) })
	data, err := json.Marshal(doc, jsontext.WithIndent("  "))
	if err == nil {
		err = files.Write(b.path, append(data, '\n'))
	}
	if err != nil {
		return b.writeError(err)
	}
	return nil
}

func (b *Book) writeError(err error) error {
	return &fault.Error{Code: Unreadable, Op: "write the list of trusted files", Place: b.path, Cause: err, Hint: "check the directory and its permissions, or set " + EnvFile + " to a file elsewhere"}
}

// lock locks a file beside the book, which every change replaces, and creates the directory.
func (b *Book) lock() (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return nil, err
	}
	return files.LockFile(b.path + ".lock")
}

func (b *Book) read() (document, error) {
	doc := document{Schema: schema}
	data, err := os.ReadFile(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, nil
	case err == nil:
		err = json.Unmarshal(data, &doc, json.RejectUnknownMembers(true))
		if err == nil && doc.Schema != schema {
			err = errors.New("its schema is " + fault.Shown(doc.Schema))
		}
	}
	if err != nil {
		return doc, &fault.Error{
			Code: Unreadable, Op: "read the list of trusted files", Place: b.path, Cause: err,
			Hint: "fix or remove the file; without it nothing is trusted",
		}
	}
	return doc, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
