package check

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/yaml"
)

// The variables that compose.yaml needs, and a value that is found again.
var passwords = []string{"POSTGRES_PASSWORD", "RESEARCH_PASSWORD", "TEMPORAL_PASSWORD"}

const planted = "planted"

// loadCompose reads compose.yaml as `docker compose` does: against the schema, with the variables of an environment.
func loadCompose(t *testing.T, variables []string) (*types.Project, error) {
	t.Helper()
	env := make([]string, 0, len(variables))
	for _, name := range variables {
		env = append(env, name+"="+planted)
	}
	o, err := cli.NewProjectOptions([]string{"../compose.yaml"}, cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	return o.LoadProject(t.Context())
}

func compose(t *testing.T) *types.Project {
	t.Helper()
	p, err := loadCompose(t, passwords)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComposeNeedsItsSecrets(t *testing.T) {
	for _, missing := range passwords {
		others := slices.DeleteFunc(slices.Clone(passwords), func(name string) bool { return name == missing })
		if _, err := loadCompose(t, others); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	for _, s := range compose(t).Services {
		for name, value := range s.Environment {
			if secret.MatchString(name) && value != nil && *value != "" && *value != planted {
				t.Errorf("%s: the value of %s is in the file", s.Name, name)
			}
		}
	}
}

func TestComposeFitsTogether(t *testing.T) {
	p := compose(t)
	stages := stagesOfImage(t)
	for _, s := range p.Services {
		for name, on := range s.DependsOn {
			if other := p.Services[name]; on.Condition == types.ServiceConditionHealthy && (other.HealthCheck == nil || len(other.HealthCheck.Test) == 0) {
				t.Errorf("%s waits for the health of %s, which has no check", s.Name, name)
			} else if on.Condition == types.ServiceConditionCompletedSuccessfully && strings.HasPrefix(other.Restart, "unless") {
				t.Errorf("%s waits for the end of %s, which starts again", s.Name, name)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %d is open to other machines", s.Name, port.Target)
			}
		}
		if s.Build == nil {
			if !pinned(s.Image) {
				t.Errorf("%s: %s is not pinned", s.Name, s.Image)
			}
			continue
		}
		if _, ok := stages[s.Build.Target]; !ok || filepath.Join(s.Build.Context, s.Build.Dockerfile) != absolute(t, "../Containerfile") {
			t.Errorf("%s: no target %s in %s", s.Name, s.Build.Target, s.Build.Dockerfile)
		}
		if s.Build.Context != absolute(t, "../..") {
			t.Errorf("%s is built in %s", s.Name, s.Build.Context)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.User != "" {
			t.Errorf("%s is not confined", s.Name)
		}
	}
	if w := p.Services["worker"]; w.Deploy == nil || w.Deploy.Replicas == nil || *w.Deploy.Replicas != 2 {
		t.Error("there are not two workers")
	}
}

// TestComposeHasTheTestedTemporal compares the server's version with that of the tests.
func TestComposeHasTheTestedTemporal(t *testing.T) {
	tested := regexp.MustCompile(`go\.temporal\.io/server v(\S+)`).FindStringSubmatch(read(t, "../engine/temporal/testserver/go.mod"))
	if tested == nil {
		t.Fatal("no version in the tests")
	}
	for _, s := range compose(t).Services {
		if image, version, _ := strings.Cut(s.Image, ":"); strings.HasPrefix(image, "temporalio/") && version != tested[1] {
			t.Errorf("%s: %s, but %s is tested", s.Name, s.Image, tested[1])
		}
	}
}

// TestComposeHasValidScripts reads the scripts as a shell does, without running them, and other files as YAML.
func TestComposeHasValidScripts(t *testing.T) {
	p := compose(t)
	scripts := make(map[string]string)
	for _, s := range p.Services {
		if len(s.Command) > 2 && s.Command[0] == "sh" {
			scripts[s.Name] = s.Command[2]
		}
		for _, c := range s.Configs {
			if strings.HasSuffix(c.Target, ".sh") {
				scripts[c.Target] = p.Configs[c.Source].Content
			} else if content := p.Configs[c.Source].Content; content != "" {
				if err := yaml.UnmarshalStrict([]byte(content), new(map[string]any)); err != nil {
					t.Errorf("%s: %v", c.Target, err)
				}
			}
		}
	}
	if len(scripts) != 3 {
		t.Errorf("there are %d scripts: %q", len(scripts), slices.Sorted(maps.Keys(scripts)))
	}
	for name, script := range scripts {
		c := exec.Command("sh", "-n")
		c.Stdin = strings.NewReader(script)
		if out, err := c.CombinedOutput(); err != nil || script == "" {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

func startsOfCompose(t *testing.T) []start {
	t.Helper()
	p := compose(t)
	var all []start
	for _, s := range p.Services {
		if s.Build == nil {
			continue
		}
		one := start{file: "compose.yaml", args: s.Command, env: make(map[string]string)}
		if s.StopGracePeriod != nil {
			one.timeout = time.Duration(*s.StopGracePeriod)
		}
		for name, value := range s.Environment {
			if value != nil {
				one.env[name] = *value
			}
		}
		for _, c := range s.Configs {
			if c.Target == imageDir(t)+"/brenner.yaml" {
				data, err := os.ReadFile(p.Configs[c.Source].File)
				if err != nil {
					t.Fatal(err)
				}
				one.config = string(data)
			}
		}
		if one.config == "" {
			t.Errorf("%s has no brenner.yaml", s.Name)
		}
		all = append(all, one)
	}
	return all
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
