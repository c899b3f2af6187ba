package program

import (
	"encoding/json"
	"fmt"
	"slices"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
)

// trimContinue returns the models of a user's configuration of Continue, or only the program's
// model. Its tool servers, rules, prompts and destinations of data are left out.
func trimContinue(p *Program, path string, data []byte) ([]byte, *agent.Failure) {
	var user struct {
		Models []map[string]any `yaml:"models"`
	}
	root, err := yaml.Parse(data)
	if err == nil && root != nil {
		err = root.Decode(&user)
	}
	const hint = "configure a model there, or set base_url and id under agents.models in brenner.yaml"
	var models []map[string]any
	var names []string
	for _, m := range user.Models {
		known := []string{fmt.Sprint(m["model"]), fmt.Sprint(m["name"]), fmt.Sprint(m["provider"], "/", m["model"])}
		if p.Model == "" || slices.Contains(known, p.Model) {
			models = append(models, m)
		}
		names = append(names, known[0])
	}
	if err == nil && len(names) > 0 && len(models) == 0 {
		return nil, &agent.Failure{
			Code: agent.ModelUnknown, Detail: fmt.Sprintf("no model %s in %s", fault.Shown(p.Model), fault.Shown(path)),
			Hint: "it has " + text.FirstOf(names, 10) + "; " + hint,
		}
	}
	if err == nil && len(models) > 0 {
		data, err = json.Marshal(map[string]any{"name": "brenner", "version": "1.0.0", "schema": "v1", "models": models})
	}
	if err != nil || len(models) == 0 {
		return nil, &agent.Failure{Code: agent.NoAuth, Detail: "cannot read models from " + fault.Shown(path), Hint: hint, Cause: err}
	}
	return data, nil
}
