// Package allowed is another module's.
package allowed
