// Package util says nothing.
package util // want name
