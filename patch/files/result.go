package files

import "brenner/patch"

// Outcome is what one patch does, or why it does not apply.
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
	// Stalemate is the request for a ruling on Record, where the same patch was refused
	// too often.
	Stalemate string `json:"stalemate,omitempty"`
	Record    string `json:"-"`
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
