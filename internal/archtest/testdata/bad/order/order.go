// Package order leaks the order of a map.
package order

import (
	"maps"
	"slices"
)

type named map[string]int

type alias = named

type constraint interface{ ~map[string]int }

type wider interface{ constraint }

func ranges(m map[string]int, n named, a alias) {
	for range m { // want order
	}
	for range n { // want order
	}
	for range a { // want order
	}
	for range (struct{ m map[int]int }{}).m { // want order
	}
	for range slices.Sorted(maps.Keys(m)) {
	}
	for range []int{} {
	}
}

func generic[M ~map[K]V, K comparable, V any](m M) {
	for range m { // want order
	}
}

func generic2[M wider](m M) {
	for range m { // want order
	}
}

func iterators(m map[string]int) {
	for range maps.Keys(m) { // want order
	}
	_ = slices.Collect(maps.Values(m)) // want order
	for range maps.All(m) {            // want order
	}
	f := maps.Keys[map[string]int] // want order
	_ = slices.Sorted(f(m))
	_ = slices.SortedFunc(slices.Values(slices.Collect(maps.Keys(m))), nil) // want order
	_ = slices.Sorted(maps.Keys(m))
	Sorted(maps.Keys(m)) // want order
	_ = slices.SortedStableFunc(maps.Keys[map[string]int](m), nil)
}

func Sorted(any) {}
