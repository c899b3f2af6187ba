package supervisor

import (
	"os/exec"
	"time"
)

// Together makes a short command end together with what it started, when its
// context is over. It is for questions like --version; everything else is for a
// supervisor.
func Together(cmd *exec.Cmd) {
	cmd.SysProcAttr = ownSession()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
}
