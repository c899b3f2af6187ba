// Package below uses a terminal, too.
package below

import _ "golang.org/x/term" // want face
