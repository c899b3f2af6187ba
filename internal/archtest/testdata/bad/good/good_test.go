package good

import (
	"os"
	"testing"
)

// Tests are free.
func TestFree(t *testing.T) {
	go os.Getpid()
	for range map[int]int{} {
	}
}
