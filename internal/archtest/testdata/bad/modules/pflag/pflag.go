// Package pflag stands in for the real one.
package pflag
