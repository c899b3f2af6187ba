package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// opensConnections matches what makes outgoing connections.
var opensConnections = regexp.MustCompile(`http\.(Client\{|Default(Client|Transport)\b|(Get|Head|Post|PostForm)\()|\b(net|tls)\.Dial|rpc\.Dial|smtp\.|postgres\.(Ask|Open)\(`)

// Every file that opens connections is listed: what it connects to must have passed
// project.CheckHost, which cmd/brenner/testdata/script/endpoints.txtar tests for each.
func TestConnectionsAreKnown(t *testing.T) {
	t.Parallel()
	known := []string{
		"agent/openai/list.go",            // models of an endpoint, for doctor and preflight
		"internal/modelhttp/modelhttp.go", // models of a loop
		"project/doctor/mail.go",          // the mail server, with a program's token
		"project/loop_report.go",          // webhook
		"project/mail.go",                 // the mail server
		"project/models.go",               // models of sessions and jobs
		"project/playbook.go",             // embeddings
		"project/storage/database.go",     // the store
	}
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != "." || strings.HasSuffix(path, "test")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, path))
		if opensConnections.Match(data) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found, known) {
		t.Errorf("these files open connections: %q, want %q", found, known)
	}
}
