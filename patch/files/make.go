package files

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	fileio "brenner/internal/files"
	"brenner/patch"
)

// MakeRequest describes what a patch is made from.
type MakeRequest struct {
	Path  string // the path that the patch names; "" for none
	Old   *patch.Text
	New   *patch.Text // nil: use the search/replace blocks of Reply
	Reply []byte
	Notes string // kept in the meta of the patch
	Out   string // output file; "" or "-" writes none
}

// Made is a new patch, or why it could not be made.
type Made struct {
	Schema   string          `json:"schema"`
	OK       bool            `json:"ok"`
	Written  string          `json:"written"`
	Patch    jsontext.Value  `json:"patch"`
	Others   []string        `json:"others"` // files of other blocks in the reply
	Problems []patch.Problem `json:"problems"`
	Warnings []patch.Problem `json:"warnings"`

	Operations int `json:"-"`
}

// Make makes the patch that turns one text into another.
func Make(q *MakeRequest) (*Made, error) {
	r := &Made{Schema: "brenner.patch.make/v1", Patch: jsontext.Value("null")}
	var made patch.Patch
	if q.New != nil {
		made, r.Problems = patch.Make(q.Path, q.Old, q.New)
	} else {
		made = r.fromReply(q)
	}
	if len(r.Problems) > 0 {
		return r, nil
	}
	if q.Notes != "" {
		made.Meta = artifact.Canonical(artifact.MapOf(artifact.Entry{Key: "notes", Value: artifact.Text(q.Notes)}))
	}
	r.OK, r.Patch, r.Operations = true, made.JSON(), made.Operations()
	if q.Out != "" && q.Out != "-" {
		if err := fileio.Replace(q.Out, r.Patch); err != nil {
			return nil, err
		}
		r.Written = q.Out
	}
	return r, nil
}

// fromReply makes a patch from the blocks of a reply that are for the path.
func (r *Made) fromReply(q *MakeRequest) patch.Patch {
	found := patch.ReadBlocks(q.Reply, delta.NewestReader)
	for _, s := range found.Shown {
		r.Warnings = append(r.Warnings, s.Problem)
	}
	if r.Problems = found.Problems; len(r.Problems) > 0 {
		return patch.Patch{}
	}
	mine := found.Blocks[:0]
	for _, b := range found.Blocks {
		if b.Path == "" || path.Clean(b.Path) == q.Path || q.Path == "" {
			mine = append(mine, b)
		} else if !slices.Contains(r.Others, b.Path) {
			r.Others = append(r.Others, b.Path)
		}
	}
	if len(mine) == 0 {
		r.Problems = []patch.Problem{{
			Code: patch.NoOps, Message: "no block of the reply is for " + q.Path + "; its blocks are for " + strings.Join(r.Others, ", "),
			Hint: "select the file with --path",
		}}
		return patch.Patch{}
	}
	made, report := patch.Convert(q.Path, q.Old, mine)
	r.Problems, r.Warnings = report.Problems, append(r.Warnings, report.Warnings...)
	return made
}

// PathOf returns the path that a patch of a file names: the given one if it is below the
// working directory, else the base name. It returns "" if neither is safe.
func PathOf(file string) string {
	if file == "-" {
		return ""
	}
	p := path.Clean(filepath.ToSlash(file))
	if _, ok := patch.CheckPath(p); !ok {
		p = path.Base(p)
	}
	if _, ok := patch.CheckPath(p); !ok {
		return ""
	}
	return p
}
