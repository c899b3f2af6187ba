package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// manifests are the objects of deploy/kubernetes.
type manifests struct {
	deployments []apps.Deployment
	configs     map[string]core.ConfigMap
	budgets     []policy.PodDisruptionBudget
}

// readManifests reads each document strictly: an unknown or repeated field is an error.
func readManifests(t *testing.T) *manifests {
	t.Helper()
	m := &manifests{configs: make(map[string]core.ConfigMap)}
	files, err := filepath.Glob("../kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	for _, file := range files {
		for _, document := range regexp.MustCompile(`(?m)^---$`).Split(read(t, "kubernetes/"+filepath.Base(file)), -1) {
			m.add(t, file, document)
		}
	}
	return m
}

func (m *manifests) add(t *testing.T, file, document string) {
	t.Helper()
	var kind meta.TypeMeta
	if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	into := func(object any) {
		t.Helper()
		if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	switch kind.APIVersion + " " + kind.Kind {
	case "apps/v1 Deployment":
		var d apps.Deployment
		into(&d)
		m.deployments = append(m.deployments, d)
	case "v1 ConfigMap":
		var c core.ConfigMap
		into(&c)
		m.configs[c.Name] = c
	case "policy/v1 PodDisruptionBudget":
		var b policy.PodDisruptionBudget
		into(&b)
		m.budgets = append(m.budgets, b)
	default:
		t.Errorf("%s: %s %s is not expected here", file, kind.APIVersion, kind.Kind)
	}
}

func containers(d *apps.Deployment) []core.Container {
	return slices.Concat(d.Spec.Template.Spec.InitContainers, d.Spec.Template.Spec.Containers)
}

func TestManifests(t *testing.T) {
	m := readManifests(t)
	if len(m.deployments) != 1 || len(m.budgets) != 1 {
		t.Fatalf("%d deployments, %d budgets", len(m.deployments), len(m.budgets))
	}
	d := &m.deployments[0]
	for name, selector := range map[string]*meta.LabelSelector{"the deployment": d.Spec.Selector, "the budget": m.budgets[0].Spec.Selector, "the spread": d.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector} {
		s, err := meta.LabelSelectorAsSelector(selector)
		if err != nil || s.Empty() || !s.Matches(labels.Set(d.Spec.Template.Labels)) {
			t.Errorf("%s does not select the pods: %v", name, err)
		}
	}
	if *d.Spec.Replicas < 2 || m.budgets[0].Spec.MaxUnavailable.IntValue() >= int(*d.Spec.Replicas) {
		t.Error("a drained node may take all workers at once")
	}
	if p := d.Spec.Template.Spec; *p.AutomountServiceAccountToken {
		t.Error("workers have a token of the cluster")
	}
	for _, c := range m.configs {
		for name := range c.Data {
			if secret.MatchString(name) {
				t.Errorf("%s is in the ConfigMap %s", name, c.Name)
			}
		}
	}
}

func TestContainersAreConfined(t *testing.T) {
	d := &readManifests(t).deployments[0]
	p := d.Spec.Template.Spec.SecurityContext
	if p == nil || p.RunAsNonRoot == nil || !*p.RunAsNonRoot || p.SeccompProfile == nil || p.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the pod is not confined: %v", p)
	}
	if user := imageUser(t); p.RunAsUser == nil || p.RunAsGroup == nil || user != [2]int64{*p.RunAsUser, *p.RunAsGroup} {
		t.Errorf("the pod's user is not %v of the image", user)
	}
	for _, c := range containers(d) {
		s := c.SecurityContext
		if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
			t.Errorf("%s is not confined: %v", c.Name, s)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().Cmp(*c.Resources.Requests.Memory()) < 0 {
			t.Errorf("%s: resources %v", c.Name, c.Resources)
		}
		if !pinned(c.Image) {
			t.Errorf("%s: %s is not pinned", c.Name, c.Image)
		}
	}
}

// TestManifestsReferToEachOther finds each name that a container uses; a secret's is in the README, which creates it.
func TestManifestsReferToEachOther(t *testing.T) {
	m := readManifests(t)
	d := &m.deployments[0]
	volumes := make(map[string]bool)
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil && m.configs[v.ConfigMap.Name].Data == nil {
			t.Errorf("volume %s: no ConfigMap %s", v.Name, v.ConfigMap.Name)
		}
		volumes[v.Name] = false
	}
	for _, c := range containers(d) {
		for _, mount := range c.VolumeMounts {
			if _, ok := volumes[mount.Name]; !ok {
				t.Errorf("%s mounts %s, which is not a volume", c.Name, mount.Name)
			}
			volumes[mount.Name] = true
		}
		for _, from := range c.EnvFrom {
			if from.ConfigMapRef != nil && m.configs[from.ConfigMapRef.Name].Data == nil {
				t.Errorf("%s: no ConfigMap %s", c.Name, from.ConfigMapRef.Name)
			}
			if from.SecretRef != nil && !strings.Contains(read(t, "README.md"), "kubectl create secret generic "+from.SecretRef.Name+" ") {
				t.Errorf("README.md does not create the secret %s", from.SecretRef.Name)
			}
		}
	}
	for name, used := range volumes {
		if !used {
			t.Errorf("no container mounts %s", name)
		}
	}
}

func startsOfKubernetes(t *testing.T) []start {
	t.Helper()
	m := readManifests(t)
	var all []start
	for i := range m.deployments {
		d := &m.deployments[i]
		for _, c := range containers(d) {
			s := start{file: "kubernetes/worker.yaml", args: c.Args, env: make(map[string]string), timeout: time.Duration(*d.Spec.Template.Spec.TerminationGracePeriodSeconds) * time.Second}
			for _, from := range c.EnvFrom {
				if from.ConfigMapRef != nil {
					for name, value := range m.configs[from.ConfigMapRef.Name].Data {
						s.env[name] = value
					}
				}
			}
			s.config = m.projectOf(t, d, &c)
			all = append(all, s)
		}
	}
	return all
}

// projectOf returns the brenner.yaml that a container has in its working directory, that of the image.
func (m *manifests) projectOf(t *testing.T, d *apps.Deployment, c *core.Container) string {
	t.Helper()
	for _, mount := range c.VolumeMounts {
		for _, v := range d.Spec.Template.Spec.Volumes {
			if v.Name == mount.Name && v.ConfigMap != nil && mount.MountPath == imageDir(t)+"/brenner.yaml" {
				if text := m.configs[v.ConfigMap.Name].Data[mount.SubPath]; text != "" {
					return text
				}
			}
		}
	}
	t.Fatalf("%s has no brenner.yaml", c.Name)
	return ""
}
