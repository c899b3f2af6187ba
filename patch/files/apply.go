// Package files applies anchor patches to the files of a working tree.
//
// All patches are computed before a file is touched. New texts are written next to the files
// and renamed, under a lock of their directories. A killed process leaves each file with its
// old bytes or its new ones.
package files

import (
	fileio "brenner/internal/files"
	"brenner/patch"
)

// Request names patches and the files they change.
type Request struct {
	Patches     []string // files; a directory means its .json files, by name
	Root        string   // the directory that patch paths are relative to
	File        string   // target of the single patch instead of the path it names; "": that path
	SkipApplied bool     // skip patches whose result the file already has
	DryRun      bool     // Apply writes nothing and returns a diff

	// Read returns the content of a patch file; nil reads the file system.
	Read func(path string) ([]byte, error)
	// Disk replaces files; nil means the file system.
	Disk fileio.Disk
}

// Check reports whether patches apply, with all their problems.
func Check(q *Request) (*Checked, error) {
	p, err := newPlan(q)
	if err != nil {
		return nil, err
	}
	return newApplied(p.outcomes()).Checked(), nil
}

// Apply applies patches, all or none. If a file cannot be replaced after others were, it
// returns their names with the error.
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

// Outcome is the effect of one patch, or why it does not apply.
type Outcome struct {
	File       string          `json:"file"`
	Path       string          `json:"path"`
	OK         bool            `json:"ok"`
	Skipped    bool            `json:"skipped"`
	Base       string          `json:"base"`
	Result     string          `json:"result"`
	Operations []patch.Placed  `json:"operations"`
	Problems   []patch.Problem `json:"problems"`
	Warnings   []patch.Problem `json:"warnings"`
	// Of a record: the version that the patch made, and its status.
	Version string `json:"version,omitempty"`
	Status  string `json:"status,omitempty"`
	// Compared reports whether the patch was compared with a text.
	Compared bool `json:"-"`
	// Of a file: where it is, its text before and after all patches, and the patch.
	Actual string      `json:"-"`
	Before *patch.Text `json:"-"`
	After  *patch.Text `json:"-"`
	Patch  patch.Patch `json:"-"`
}

// Checked is the result of a check.
type Checked struct {
	Schema  string    `json:"schema"`
	OK      bool      `json:"ok"`
	Patches []Outcome `json:"patches"`
}

// Applied is what was written, or would be.
type Applied struct {
	Schema  string    `json:"schema"`
	OK      bool      `json:"ok"`
	DryRun  bool      `json:"dry_run"`
	Written []string  `json:"written"`
	Diff    string    `json:"diff"`
	Patches []Outcome `json:"patches"`
	// Stalemate is the request for a ruling on Subject, if the same patch was refused too often.
	Stalemate string `json:"stalemate,omitempty"`
	Subject   string `json:"-"` // a record, or the path of a file
	// Ruled says how the last stalemate about Subject was ruled, if a patch was refused after that.
	Ruled string `json:"ruled,omitempty"`
}

func newApplied(patches []Outcome) *Applied {
	r := &Applied{Schema: "brenner.patch.apply/v1", OK: true, Patches: patches}
	for i := range patches {
		r.OK = r.OK && patches[i].OK
	}
	return r
}

// Checked returns the result as that of a check.
func (r *Applied) Checked() *Checked {
	return &Checked{Schema: "brenner.patch.check/v1", OK: r.OK, Patches: r.Patches}
}
