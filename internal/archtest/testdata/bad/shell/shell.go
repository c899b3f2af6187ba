// Package shell may do what pure packages may not, but keeps its direction.
package shell

import (
	"fmt"
	"os"
	"time"

	"bad/internal/fault"
	_ "bad/order" // want direction
)

func run(m map[string]int) fault.Code {
	go fmt.Println(time.Now(), os.Args)
	for range m {
	}
	return fault.Good
}
