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

// Keyring holds agents' tokens by server, project and agent, and the names of agents that a server
// renamed. The zero value keeps them in memory; an opened one in a file that only its owner can
// read.
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
	Asked   string `json:"asked,omitempty"` // the requested name, if the server changed it
}

type keyringDocument struct {
	Schema string `json:"schema"`
	Tokens []key  `json:"tokens"`
}

// OpenKeyring reads the tokens in a file; a missing file has none.
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
		err = errors.New("unknown schema " + fault.Shown(doc.Schema))
	}
	if err != nil {
		return &fault.Error{Code: BadKeys, Op: "read the mail tokens", Place: k.file, Cause: err, Hint: "fix or remove the file; `brenner mail token` makes new tokens"}
	}
	k.keys = doc.Tokens
	return nil
}

// Token returns an agent's token, or "".
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

// Name returns the name under which a server registered the agent that requested the name asked.
// It returns asked if the server did not change it.
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

// Agents returns the agents with a token for a project of a server, by name.
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

// Keep stores an agent's token and the name that it requested. An empty token keeps the older one.
func (k *Keyring) Keep(server, project, asked, agent, token string) error {
	return k.change("store a mail token", func() bool {
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
			return o.Asked == asked // the name now maps to another agent
		})
		if mine.Token != "" || mine.Asked != "" {
			k.keys = append(k.keys, mine)
			return true
		}
		return len(k.keys) != before
	})
}

// Drop removes a refused token, unless it has been replaced since. The agent's name is kept.
func (k *Keyring) Drop(server, project, agent, token string) error {
	return k.change("remove a mail token", func() bool {
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

// newer returns the token that another process has stored instead of this one, or "".
func (k *Keyring) newer(server, project, agent, token string) string {
	k.mu.Lock()
	if k.file != "" {
		_ = k.load() // if it fails, the tokens already loaded are used
	}
	k.mu.Unlock()
	if other := k.Token(server, project, agent); other != token {
		return other
	}
	return ""
}

// change edits the keys and the file in one step, exclusive across processes.
func (k *Keyring) change(op string, edit func() (changed bool)) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == "" {
		edit()
		return nil
	}
	fail := func(err error) error {
		return &fault.Error{Code: BadKeys, Op: op, Place: k.file, Cause: err, Hint: "check the directory and its permissions"}
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o755); err != nil {
		return fail(err)
	}
	unlock, err := files.LockFile(k.file + ".lock")
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := k.load(); err != nil { // another process may have added tokens
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

// save replaces the file atomically, readable only by its owner.
func (k *Keyring) save() error {
	data, err := json.MarshalIndent(keyringDocument{keyringSchema, k.keys}, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(k.file, append(data, '\n'))
}

func (k *Keyring) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []string
	for _, o := range k.keys {
		all = append(all, o.Token)
	}
	return all
}
