package project

import (
	"path/filepath"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/loop"
)

// planFile reads a file that the plan names. A plan is data from elsewhere, and its files are sent to
// models. So it may only name regular, visible files in its directory and below; for a plan from
// standard input, in the working directory.
func (p *PinnedPlan) planFile(what, name string) ([]byte, error) {
	data, err := files.ReadBelow(filepath.Dir(p.file), name, what, func(detail string) error {
		return &fault.Error{
			Code: loop.InvalidValue, Op: "read " + what, Detail: what + " " + fault.Shown(name) + detail,
			Hint: "copy the file into the plan's directory: a plan reads only regular files there and below",
		}
	})
	if err == nil {
		p.project.logRead(what, p.planPath(name), data)
	}
	return data, err
}

// planPath returns the path of a file that planFile reads.
func (p *PinnedPlan) planPath(name string) string {
	dir := filepath.Dir(p.file)
	below, _ := files.Below(dir, name)
	return filepath.Join(dir, below)
}
