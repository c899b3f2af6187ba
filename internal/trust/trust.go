// Package trust remembers which projects' files a user has looked at and lets name
// commands to run and addresses that get a key. A file is pinned by its path and
// its SHA-256: whoever changes it has to be trusted anew.
//
// The memory is the user's, never the project's: what a project brings along must
// not be able to trust itself.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/internal/files"
)

// The codes of trust.
const (
	Untrusted  fault.Code = "UNTRUSTED"
	Unreadable fault.Code = "TRUST_UNREADABLE"
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{Untrusted: fault.ClassDenied, Unreadable: fault.ClassFailed}
}

const schema = "brenner.trust/v1"

// EnvFile names the file of the memory, where it is not the usual one.
const EnvFile = "BRENNER_TRUST_FILE"

// Book is a user's memory of trusted files.
type Book struct{ path string }

// Entry is one file that is trusted.
type Entry struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	At     string `json:"at"`
}

type document struct {
	Schema string  `json:"schema"`
	Files  []Entry `json:"files"`
}

// Find gives the user's book. The environment is that of os.Environ.
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
			Code: Unreadable, Op: "find the list of trusted projects", Detail: "neither HOME nor XDG_CONFIG_HOME is set",
			Hint: "set " + EnvFile + " to a file of yours",
		}
	}
	return &Book{filepath.Join(dir, "brenner", "trusted.json")}, nil
}

// Path is where the book is.
func (b *Book) Path() string { return b.path }

// Trusts tells whether a file with this content is trusted.
func (b *Book) Trusts(file string, data []byte) (bool, error) {
	doc, err := b.read()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(doc.Files, func(e Entry) bool { return e.Path == file && e.SHA256 == hash(data) }), nil
}

// Trust pins a file with this content, in the place of what it was before.
func (b *Book) Trust(file string, data []byte, at time.Time) (Entry, error) {
	e := Entry{Path: file, SHA256: hash(data), At: at.UTC().Format(time.RFC3339)}
	return e, b.change(func(files []Entry) []Entry {
		return append(slices.DeleteFunc(files, func(o Entry) bool { return o.Path == file }), e)
	})
}

// Forget takes a file out, and tells whether it was in.
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

// change reads the book and writes it anew. Whoever else wants to change it waits for
// that: else the later one would undo what the earlier one did.
func (b *Book) change(how func([]Entry) []Entry) (err error) {
	unlock, err := b.lock()
	if err != nil {
		return b.unwritten(err)
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
		return b.unwritten(err)
	}
	return nil
}

func (b *Book) unwritten(err error) error {
	return &fault.Error{Code: Unreadable, Op: "write the list of trusted projects", Place: b.path, Cause: err, Hint: "check the folder and its permissions"}
}

// lock takes the book for one who changes it, and makes its folder. The lock is that of
// a file beside it: the book itself is another file after every change.
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
			Code: Unreadable, Op: "read the list of trusted projects", Place: b.path, Cause: err,
			Hint: "mend or remove the file; then nothing is trusted any more",
		}
	}
	return doc, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
