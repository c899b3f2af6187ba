package project

import (
	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/trust"
	"brenner/mail"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/vector"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
)

// ClassOf returns the class of the first fault of an error, from which a face picks an
// exit code or a status.
func ClassOf(err error) fault.Class {
	code := fault.Distinct(err)[0].Code
	for _, classes := range []func() fault.Classes{
		files.Classes, trust.Classes, store.Classes, journal.Classes, vector.Classes, embedding.Classes, uselite.Classes,
		playbook.Classes, mail.Classes, session.Classes, policy.Classes, govern.Classes,
	} {
		if class, ok := classes()[code]; ok {
			return class
		}
	}
	return fault.ClassUsage
}
