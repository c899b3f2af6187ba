package check

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stagesOfImage reads the container file as BuildKit does. What its linter reports is an error.
func stagesOfImage(t *testing.T) map[string]instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(strings.NewReader(read(t, "Containerfile")))
	if err != nil {
		t.Fatal(err)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, at []parser.Range) {
		t.Errorf("Containerfile, line %d: %s (%s)", at[0].Start.Line, message, rule)
	}})
	list, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	stages := make(map[string]instructions.Stage)
	for _, s := range list {
		// An earlier stage, or an image.
		if _, ok := stages[s.BaseName]; !ok && s.BaseName != "scratch" && !pinned(s.BaseName) {
			t.Errorf("FROM %s is not pinned", s.BaseName)
		}
		for _, c := range s.Commands {
			if from, ok := c.(*instructions.CopyCommand); ok && from.From != "" && stages[from.From].Commands == nil {
				t.Errorf("COPY --from=%s: no such stage before it", from.From)
			}
		}
		stages[s.Name] = s
	}
	return stages
}

// pinned reports whether an image has a tag that names a version, and no host.
func pinned(image string) bool {
	name, tag, _ := strings.Cut(image, ":")
	return regexp.MustCompile(`^[a-z-]+(/[a-z-]+)?$`).MatchString(name) && regexp.MustCompile(`^[0-9]`).MatchString(tag)
}

// last returns the last command of a type in a stage or those that it is built on.
func last[C instructions.Command](t *testing.T, stages map[string]instructions.Stage, name string) C {
	t.Helper()
	for ; ; name = stages[name].BaseName {
		s, ok := stages[name]
		if !ok {
			t.Fatalf("no %T", *new(C))
		}
		for _, c := range slices.Backward(s.Commands) {
			if found, ok := c.(C); ok {
				return found
			}
		}
	}
}

func imageUser(t *testing.T) (user [2]int64) {
	t.Helper()
	text := last[*instructions.UserCommand](t, stagesOfImage(t), "brenner-temporal").User
	if _, err := fmt.Sscanf(text, "%d:%d", &user[0], &user[1]); err != nil {
		t.Fatalf("USER %s: %v", text, err)
	}
	return user
}

func imageDir(t *testing.T) string {
	t.Helper()
	return last[*instructions.WorkdirCommand](t, stagesOfImage(t), "brenner-temporal").Path
}

func TestImages(t *testing.T) {
	stages := stagesOfImage(t)
	for _, s := range stages {
		for _, c := range s.Commands {
			if env, ok := c.(*instructions.EnvCommand); ok && slices.ContainsFunc(env.Env, func(e instructions.KeyValuePair) bool { return secret.MatchString(e.Key) }) {
				t.Errorf("the image %s holds a secret: %s", s.Name, env)
			}
		}
	}
	built := make(map[string]bool)
	for _, c := range stages["build"].Commands {
		run, ok := c.(*instructions.RunCommand)
		if !ok {
			continue
		}
		found := regexp.MustCompile(`^(?:cd (\S+) && )?go build .*-o /out/(\S+) (\S+)$`).FindStringSubmatch(strings.Join(run.CmdLine, " "))
		if found == nil {
			continue
		}
		if _, err := os.Stat(path.Join("../..", found[1], found[3], "main.go")); err != nil {
			t.Errorf("Containerfile: %v", err)
		}
		built[found[2]] = true
	}
	for _, name := range []string{"brenner", "brenner-temporal"} {
		entry := last[*instructions.EntrypointCommand](t, stages, name).CmdLine
		if !built[name] || !slices.Equal(entry, []string{"/usr/local/bin/" + name}) {
			t.Errorf("the image %s starts %q; built: %t", name, entry, built[name])
		}
		if user := last[*instructions.UserCommand](t, stages, name).User; strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") {
			t.Errorf("the image %s runs as %s", name, user)
		}
	}
	if env := last[*instructions.EnvCommand](t, stages, "build").Env; !slices.ContainsFunc(env, func(e instructions.KeyValuePair) bool { return e.Key == "CGO_ENABLED" && e.Value == "0" }) {
		t.Error("CGO_ENABLED is not 0: the program needs a C library")
	}
}

// TestImagesHaveTheGoOfTheModules compares the Go of the image with the newest one that a module asks for.
func TestImagesHaveTheGoOfTheModules(t *testing.T) {
	_, version, _ := strings.Cut(stagesOfImage(t)["build"].BaseName, ":")
	for _, module := range []string{"../go.mod", "../engine/temporal/go.mod"} {
		asked := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read(t, module))
		if asked == nil || numbers(t, asked[1]) > numbers(t, version) {
			t.Errorf("%s asks for Go %v, and the image has %s", module, asked, version)
		}
	}
}

// numbers returns 1026008 for 1.26.8.
func numbers(t *testing.T, version string) int {
	t.Helper()
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		t.Fatalf("%s: %v", version, err)
	}
	return major*1_000_000 + minor*1000 + patch
}
