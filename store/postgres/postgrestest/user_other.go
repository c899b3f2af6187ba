//go:build !linux

package postgrestest

import "os/exec"

func unprivileged(*exec.Cmd) error { return nil }

func own(...string) error { return nil }
