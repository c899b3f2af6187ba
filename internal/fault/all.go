package fault

import (
	"errors"
)

// Usage is the code of a request that cannot be carried out as it was given: an
// unknown flag, a missing or a wrong value.
const Usage Code = "USAGE"

// Distinct returns the faults in an error, each text once. An error without any becomes
// one.
func Distinct(err error) []*Error {
	var all []*Error
	seen := make(map[string]bool)
	for _, f := range All(err) {
		if text := f.Error(); !seen[text] {
			seen[text] = true
			all = append(all, f)
		}
	}
	if len(all) > 0 {
		return all
	}
	return []*Error{{Code: CodeOf(err), Detail: err.Error(), Hint: HintOf(err)}}
}

// InFile puts the name of the file in front of a fault that arose in it.
func InFile(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, f := range Distinct(err) {
		located := *f
		located.Op = op
		located.Place = path
		if f.Place != "" {
			located.Place += ", " + f.Place
		}
		all = append(all, &located)
	}
	return errors.Join(all...)
}
