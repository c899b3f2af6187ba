// Package below is another module's.
package below
