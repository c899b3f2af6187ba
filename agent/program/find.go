package program

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// argv is the whole command line; false means that its program was not found, and
// stands there by its name alone.
func (p *Program) argv() ([]string, bool) {
	words := p.Command
	if len(words) == 0 {
		words = []string{p.kind.program}
	}
	path, ok := find(words[0], p.lookup("PATH"))
	if !ok {
		path = words[0]
	}
	if p.Kind == Codex && len(words) == 1 {
		path = native(path)
	}
	argv := append([]string{path}, words[1:]...)
	return append(argv, p.kind.args(p)...), ok
}

// find looks for a program as a shell does, but never in the folder where we are.
func find(name, path string) (string, bool) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		whole, err := filepath.Abs(name)
		return whole, err == nil && runs(whole)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, end := range endings() {
			if whole := filepath.Join(dir, name+end); runs(whole) {
				return whole, true
			}
		}
	}
	return "", false
}

func endings() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd", ".bat", ""}
	}
	return []string{""}
}

func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// native finds the program itself behind npm's wrapper for codex: one process
// instead of two, and none that lives on when the wrapper is killed.
func native(path string) string {
	script, err := filepath.EvalSymlinks(path)
	if err != nil || filepath.Base(script) != "codex.js" {
		return path
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	pkg := filepath.Dir(filepath.Dir(script)) // …/@openai/codex
	name := "codex-" + runtime.GOOS + "-" + arch
	for _, place := range []string{
		filepath.Join(filepath.Dir(pkg), name), filepath.Join(pkg, "node_modules", "@openai", name), pkg,
	} {
		found, err := filepath.Glob(filepath.Join(place, "vendor", "*", "bin", "codex"))
		if err == nil && len(found) == 1 && runs(found[0]) {
			return found[0]
		}
	}
	return path
}
