package program

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
)

const continueHint = "configure a model there, or set base_url and id under agents.models in brenner.yaml"

// trimContinue returns the models of a user's configuration of Continue, or only the program's
// model. Its tool servers, rules, prompts and destinations of data are left out.
func trimContinue(p *Program, path string, data []byte) ([]byte, *agent.Failure) {
	models, names, err := p.continueModels(data)
	if err == nil && len(names) > 0 && len(models) == 0 {
		return nil, &agent.Failure{
			Code: agent.ModelUnknown, Detail: fmt.Sprintf("no model %s in %s", fault.Shown(p.Model), fault.Shown(path)),
			Hint: "it has " + text.FirstOf(names, 10) + "; " + continueHint,
		}
	}
	if err == nil && len(models) > 0 {
		data, err = json.Marshal(map[string]any{"name": "brenner", "version": "1.0.0", "schema": "v1", "models": models})
	}
	if err != nil || len(models) == 0 {
		return nil, &agent.Failure{Code: agent.NoAuth, Detail: "cannot read models from " + fault.Shown(path), Hint: continueHint, Cause: err}
	}
	for _, name := range secretsIn(data) {
		if p.lookup(name) == "" {
			return nil, &agent.Failure{
				Code: agent.NoAuth, Detail: fmt.Sprintf("%s requires the secret %s, which is not set", fault.Shown(path), name),
				Hint: "export " + name + ", or set it in " + filepath.Join(filepath.Dir(path), ".env"),
			}
		}
	}
	return data, nil
}

// continueModels returns the models of a configuration of Continue that the program may use, and the names of all.
func (p *Program) continueModels(data []byte) (models []map[string]any, names []string, err error) {
	var user struct {
		Models []map[string]any `yaml:"models"`
	}
	root, err := yaml.Parse(data)
	if err == nil && root != nil {
		err = root.Decode(&user)
	}
	for _, m := range user.Models {
		known := []string{fmt.Sprint(m["model"]), fmt.Sprint(m["name"]), fmt.Sprint(m["provider"], "/", m["model"])}
		if p.Model == "" || slices.Contains(known, p.Model) {
			models = append(models, m)
		}
		names = append(names, known[0])
	}
	return models, names, err
}

// readContinue finds out whether the user's configuration of Continue has the program's model, and which secrets that needs.
// They are taken from the environment, or from the .env file beside the configuration, as Continue does.
func (p *Program) readContinue() {
	dir := p.loginDir()
	data, err := os.ReadFile(filepath.Join(dir, p.kind.logins[0]))
	if dir == "" || err != nil || p.BaseURL != "" {
		return
	}
	models, _, err := p.continueModels(data)
	p.configured = p.Model == "" || err == nil && len(models) > 0
	if used, err := json.Marshal(models); err == nil {
		p.login = secretsIn(used)
	}
	env, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil {
		return
	}
	p.Environ = slices.Clip(p.Environ)
	for line := range strings.Lines(string(env)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if name = strings.TrimSpace(name); slices.Contains(p.login, name) && p.lookup(name) == "" {
			p.Environ = append(p.Environ, name+"="+strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
}

// secretsIn returns the names of the secrets in a configuration of Continue, each once.
func secretsIn(data []byte) []string {
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`\$\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`).FindAllSubmatch(data, -1) {
		found[string(m[1])] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// CheckLogin returns an error if a run would fail because the user has configured no model.
func (p *Program) CheckLogin() error {
	if f := p.checkLogin(); f != nil {
		return &fault.Error{Code: f.Code, Detail: f.Detail, Hint: f.Hint, Cause: f.Cause}
	}
	return nil
}

func (p *Program) checkLogin() *agent.Failure {
	if p.kind.trim == nil || p.BaseURL != "" {
		return nil
	}
	path := filepath.Join(p.loginDir(), p.kind.logins[0])
	if key, _ := p.key(); !p.usesLogin() && p.Model == "" {
		return &agent.Failure{
			Code: agent.ModelUnknown, Detail: fmt.Sprintf("%s has a key in %s, but no model", p.Kind, key),
			Hint: "pass --model, or set the model's id under agents.models, or configure a model in " + path,
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || !p.usesLogin() {
		return nil // without a login, it says so itself
	}
	_, f := p.kind.trim(p, path, data)
	return f
}
