package mail

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"brenner/fault"
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

// Keep keeps an agent's token in the place of an older one; asked is the name that
// it wanted.
func (k *Keyring) Keep(server, project, asked, agent, token string) error {
	if asked == agent {
		asked = ""
	}
	if asked == "" && token == "" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file != "" { // another process may have kept others
		if err := k.load(); err != nil {
			return err
		}
	}
	if i := k.find(server, project, agent); i >= 0 {
		k.keys = slices.Delete(k.keys, i, i+1)
	}
	k.keys = append(k.keys, key{Server: server, Project: project, Agent: agent, Token: token, Asked: asked})
	if k.file == "" {
		return nil
	}
	if err := k.save(); err != nil {
		return &fault.Error{Code: BadKeys, Op: "keep a mail token", Place: k.file, Cause: err, Hint: "check the folder and its permissions"}
	}
	return nil
}

// save replaces the file in one step. Nobody else may read it.
func (k *Keyring) save() error {
	data, err := json.MarshalIndent(keyringDocument{keyringSchema, k.keys}, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(k.file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".mail-tokens.*") // it is made with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), k.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
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
