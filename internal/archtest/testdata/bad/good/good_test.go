package good

import (
	"os"
	"testing"
)

// Tests may use anything.
func TestFree(t *testing.T) {
	go os.Getpid()
	for range map[int]int{} {
	}
}
