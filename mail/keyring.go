package mail

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"brenner/internal/fault"
	"brenner/internal/files"
)

const keyringSchema = "brenner.mail-tokens/v1"

// Keyring holds the agents' tokens, by server, project and agent, and the names that
// servers gave to agents who had asked for others. Its zero value keeps them in
// memory; one that was opened keeps them in a file that only its owner can read.
type Keyring struct {
	file string
	mu   sync.Mutex
	keys []key
}

type key struct {
	Server  string `json:"server"`
	Project string `json:"project"`
	Agent   string `json:"agent"`
	Token   string `json:"token"`
	Asked   string `json:"asked,omitempty"` // the name that was asked for, if the server gave another
}

type keyringDocument struct {
	Schema string `json:"schema"`
	Tokens []key  `json:"tokens"`
}

// OpenKeyring reads the tokens in a file; one that is not there has none.
func OpenKeyring(file string) (*Keyring, error) {
	k := &Keyring{file: file}
	err := k.load()
	return k, err
}

func (k *Keyring) load() error {
	data, err := os.ReadFile(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		k.keys = nil
		return nil
	}
	var doc keyringDocument
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err == nil && doc.Schema != keyringSchema {
		err = errors.New("its schema is " + fault.Shown(doc.Schema))
	}
	if err != nil {
		return &fault.Error{Code: BadKeys, Op: "read the mail tokens", Place: k.file, Cause: err, Hint: "mend or remove the file; agents can be given new tokens with `brenner mail token`"}
	}
	k.keys = doc.Tokens
	return nil
}

// Token gives an agent's token, or "".
func (k *Keyring) Token(server, project, agent string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := k.find(server, project, agent); i >= 0 {
		return k.keys[i].Token
	}
	return ""
}

func (k *Keyring) find(server, project, agent string) int {
	return slices.IndexFunc(k.keys, func(o key) bool {
		return o.Server == server && o.Project == project && strings.EqualFold(o.Agent, agent)
	})
}

// Name gives the name under which a server registered an agent that asked for
// another one, or the one that was asked for.
func (k *Keyring) Name(server, project, asked string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.keys {
		if o.Server == server && o.Project == project && o.Asked == asked {
			return o.Agent
		}
	}
	return asked
}

// Agents are whose tokens are held for a project of a server, by name.
func (k *Keyring) Agents(server, project string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []string
	for _, o := range k.keys {
		if o.Server == server && o.Project == project && o.Token != "" {
			all = append(all, o.Agent)
		}
	}
	slices.Sort(all)
	return all
}

// Keep keeps an agent's token in the place of an older one; asked is the name that
// it wanted. Without a token the older one stays.
func (k *Keyring) Keep(server, project, asked, agent, token string) error {
	return k.change("keep a mail token", func() bool {
		mine := key{Server: server, Project: project, Agent: agent, Token: token}
		if asked != agent {
			mine.Asked = asked
		}
		before := len(k.keys)
		k.keys = slices.DeleteFunc(k.keys, func(o key) bool {
			switch {
			case o.Server != server || o.Project != project:
				return false
			case strings.EqualFold(o.Agent, agent):
				mine.Token = cmp.Or(mine.Token, o.Token)
				return true
			}
			return o.Asked == asked // whoever asked for the name before has another one now
		})
		if mine.Token != "" || mine.Asked != "" {
			k.keys = append(k.keys, mine)
			return true
		}
		return len(k.keys) != before
	})
}

// Drop forgets a token that a server does not take any more, unless the agent has
// another one by now. What the agent is called there is not forgotten.
func (k *Keyring) Drop(server, project, agent, token string) error {
	return k.change("drop a mail token", func() bool {
		i := k.find(server, project, agent)
		if i < 0 || k.keys[i].Token != token {
			return false
		}
		if k.keys[i].Token = ""; k.keys[i].Asked == "" {
			k.keys = slices.Delete(k.keys, i, i+1)
		}
		return true
	})
}

// newer gives the token that another process has put in the place of one.
func (k *Keyring) newer(server, project, agent, token string) string {
	k.mu.Lock()
	if k.file != "" {
		_ = k.load() // who cannot read it now has read it before
	}
	k.mu.Unlock()
	if other := k.Token(server, project, agent); other != token {
		return other
	}
	return ""
}

// change changes the keys, and the file with them, as one step that no other process
// comes between.
func (k *Keyring) change(op string, edit func() (changed bool)) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == "" {
		edit()
		return nil
	}
	fail := func(err error) error {
		return &fault.Error{Code: BadKeys, Op: op, Place: k.file, Cause: err, Hint: "check the folder and its permissions"}
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o755); err != nil {
		return fail(err)
	}
	unlock, err := files.LockFile(k.file + ".lock")
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := k.load(); err != nil { // another process may have kept others
		return err
	}
	if !edit() {
		return nil
	}
	if err := k.save(); err != nil {
		return fail(err)
	}
	return nil
}

// save replaces the file in one step. Nobody else may read it.
func (k *Keyring) save() error {
	data, err := json.MarshalIndent(keyringDocument{keyringSchema, k.keys}, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(k.file, append(data, '\n'))
}

// all gives every token, for masking.
func (k *Keyring) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []string
	for _, o := range k.keys {
		all = append(all, o.Token)
	}
	return all
}
