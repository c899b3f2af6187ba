// Package good follows every rule.
package good

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"bad/internal/fault"
)

var ErrNothing = errors.New("nothing")

var table = [2]struct{ name string }{{"a"}, {"b"}}

var _ fmt.Stringer = (*Thing)(nil)

type Thing struct{ n int }

func (t *Thing) String() string { return table[0].name }

var things = []Thing{{1}}

func First() string { return things[0].String() }

func Names(m map[string]int) []string {
	row := &table[1]
	names := slices.Sorted(maps.Keys(m))
	return append(names, row.name)
}

func Values(m map[string]int) []int {
	return slices.SortedFunc((maps.Values(m)), func(a, b int) int { return cmp.Compare(a, b) })
}

func Generic[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys[M](m)) }

func Later(a, b time.Time) (bool, fault.Code) {
	t := Thing{}
	t.n++
	p := &t
	p.n = 2
	for i, r := range table {
		t.n += i + len(r.name)
	}
	return a.After(b), fault.Good
}
