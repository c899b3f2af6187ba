package fault

import "errors"

// Detail is a fault in JSON.
type Detail struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// DetailOf returns a fault in JSON form.
func DetailOf(f *Error) Detail { return Detail{Code: f.Code, Message: f.Error(), Hint: HintOf(f)} }

// Details returns the distinct faults of errors in JSON form.
func Details(found ...error) []Detail {
	all := []Detail{}
	if err := errors.Join(found...); err != nil {
		for _, f := range Distinct(err) {
			all = append(all, DetailOf(f))
		}
	}
	return all
}
