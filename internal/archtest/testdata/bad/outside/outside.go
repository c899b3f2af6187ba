// Package outside imports modules that its row does not name.
package outside

import (
	_ "example.com/allowed"
	_ "example.com/allowed/below" // want import
	_ "example.com/log"           // want import
)
