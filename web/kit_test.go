package web_test

import (
	"strconv"
	"time"
)

// patience bounds the wait for something that must happen. It ends a test that hangs; it measures nothing.
const patience = 3 * time.Minute

func itoa(n int) string { return strconv.Itoa(n) }
