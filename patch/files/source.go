package files

import (
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/patch"
)

// Source is a patch with its file.
type Source struct {
	File     string
	Patch    patch.Patch
	Problems []patch.Problem // why the patch is invalid
}

// Sources are patches in the order in which they apply.
type Sources []Source

// ReadSources reads the patches that paths name. A directory means its .json files, by name.
// A patch with problems is a Source, too. A nil read reads files.
func ReadSources(paths []string, read func(path string) ([]byte, error)) (Sources, error) {
	names, err := list(paths)
	if err != nil {
		return nil, err
	}
	return readAll(names, read)
}

func readAll(names []string, read func(path string) ([]byte, error)) (Sources, error) {
	if read == nil {
		read = readFile
	}
	var all Sources
	for _, name := range names {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		p, problems := patch.Read(data)
		all = append(all, Source{File: name, Patch: p, Problems: problems})
	}
	return all, nil
}

func readFile(path string) ([]byte, error) {
	data, err := fileio.Read(path)
	if err != nil {
		return nil, fileio.CannotRead("read patch", path, err)
	}
	return fileio.WithoutMark(data), nil
}

func list(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err != nil || !info.IsDir() {
			all = append(all, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fileio.CannotRead("read directory", path, err)
		}
		n := len(all)
		for _, e := range entries {
			if !e.IsDir() && filepath.Ext(e.Name()) == ".json" && !strings.HasPrefix(e.Name(), ".") {
				all = append(all, filepath.Join(path, e.Name()))
			}
		}
		if len(all) == n {
			return nil, &fault.Error{Code: fileio.Unreadable, Op: "read directory", Place: path, Detail: "no patches", Hint: "patches are files named *.json"}
		}
	}
	return all, nil
}

// Unapplied returns the result without a text; it is OK if all patches can be read.
func (s Sources) Unapplied() *Applied {
	all := make([]Outcome, len(s))
	for i := range s {
		all[i] = s[i].outcome(patch.Report{Problems: s[i].Problems})
	}
	return newApplied(all)
}

// Compared returns the result for the text at a path, with a report for each patch.
func (s Sources) Compared(path string, reports []patch.Report) *Applied {
	all := make([]Outcome, len(s))
	for i := range s {
		all[i] = s[i].outcome(reports[i])
		all[i].Path, all[i].Compared = path, true
	}
	return newApplied(all)
}

func (s *Source) outcome(r patch.Report) Outcome {
	return Outcome{
		File: s.File, Path: s.Patch.Path, OK: r.OK(), Base: s.Patch.Base, Result: r.Hash,
		Operations: r.Operations, Problems: r.Problems, Warnings: r.Warnings,
	}
}
