package files

import (
	fileio "brenner/internal/files"
)

// Request names patches and the files they change.
type Request struct {
	Patches     []string // files; a directory stands for the .json files in it, by name
	Root        string   // the directory that the paths of patches are below
	File        string   // what the single patch changes, whatever path it names; "": that path
	SkipApplied bool     // leave out patches whose result the file holds already
	DryRun      bool     // Apply writes nothing, and returns the changes as a diff

	// Read returns the content of a patch file; nil reads it from the file system.
	Read func(path string) ([]byte, error)
	// Disk is where files are replaced; nil stands for the file system.
	Disk fileio.Disk
}

// Check reports whether patches apply, and everything that is wrong with them.
func Check(q *Request) (*Checked, error) {
	p, err := newPlan(q)
	if err != nil {
		return nil, err
	}
	return newApplied(p.outcomes()).Checked(), nil
}

// Apply applies patches: all of them or none. Where a file cannot be replaced after
// others were, it returns the names of those beside the error.
func Apply(q *Request) (*Applied, error) {
	p, err := newPlan(q)
	if err != nil {
		return nil, err
	}
	if p.ok() && !q.DryRun {
		unlock, err := p.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	r := newApplied(p.outcomes())
	switch r.DryRun = q.DryRun; {
	case !r.OK:
	case q.DryRun:
		r.Diff = p.diff()
	default:
		r.Written, err = p.write(q.disk())
	}
	return r, err
}

func (q *Request) disk() fileio.Disk {
	if q.Disk == nil {
		return fileio.RealDisk{}
	}
	return q.Disk
}
