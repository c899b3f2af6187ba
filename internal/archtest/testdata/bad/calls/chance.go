package calls

import "github.com/google/uuid"

func chance() {
	_ = uuid.NewSHA1()
	_ = uuid.New() // want call
}
