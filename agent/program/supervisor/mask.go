package supervisor

import (
	"net/url"
	"os"
	"path/filepath"

	"brenner/internal/secret"
)

// Masked replaces a secret in a program's output.
const Masked = "[secret]"

// ShortestSecret is the length of the shortest secret that is masked in output. Output is
// verbatim, and a shorter value may be an ordinary word.
const ShortestSecret = 16

// maskedFile marks a spool without a status whose output is masked.
const maskedFile = "masked"

// Secrets returns the secrets in variables: their values, and the passwords in those that are URLs.
func Secrets(names []string, lookup func(string) string) []string {
	var all []string
	for _, name := range names {
		value := lookup(name)
		all = append(all, value)
		if u, err := url.Parse(value); err == nil && u.User != nil {
			password, _ := u.User.Password()
			all = append(all, password)
		}
	}
	return all
}

// MaskOutput masks secrets in the stored output of a run.
func MaskOutput(dir string, secrets []string) {
	find := secret.New(secrets, ShortestSecret)
	for _, name := range []string{StdoutFile, StderrFile} {
		maskFile(filepath.Join(dir, name), &find)
	}
}

func maskFile(path string, find *secret.Finder) {
	data, err := os.ReadFile(path)
	if err != nil || !find.In(string(data)) {
		return
	}
	// Atomically: half a file beside a run's status would be half a reply.
	fresh := path + ".masked"
	text := find.Replace(string(data), func(int) string { return Masked })
	if os.WriteFile(fresh, []byte(text), 0o600) != nil || os.Rename(fresh, path) != nil {
		_ = os.Remove(path) // better no evidence than a key
	}
}

// EndLost ends a run whose supervisor was killed: it kills the run's processes, and masks its output,
// so that it can be kept.
func EndLost(dir string, secrets []string) {
	if _, err := os.Stat(filepath.Join(dir, StatusFile)); err == nil {
		return
	}
	KillLost(dir)
	MaskOutput(dir, secrets)
	_ = os.WriteFile(filepath.Join(dir, maskedFile), nil, 0o600) // without it, the run is removed
}

// WasLost reports whether EndLost has ended a run. Its supervisor is gone.
func WasLost(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, maskedFile))
	return err == nil
}

// Abandoned reports whether the processes of a run were killed before its output was masked. Such
// a run has no reply, and its output may contain secrets.
func Abandoned(dir string) bool {
	for _, name := range []string{StatusFile, maskedFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return false
		}
	}
	lock, err := TryLock(filepath.Join(dir, lockFile))
	if err != nil || lock == nil {
		return false
	}
	lock.Release()
	_, err = ReadStatus(dir) // it may have ended just now
	return err != nil
}
