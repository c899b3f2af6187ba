package vector_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/playbook/vector"
)

func unit(t interface{ Fatal(...any) }, model string, values ...float32) vector.Vector {
	v, err := vector.New(model, values)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCosine(t *testing.T) {
	a, b := unit(t, "m", 3, 4), unit(t, "m", 4, -3)
	for want, pair := range map[float64][2]vector.Vector{1: {a, a}, 0: {a, b}, -1: {a, unit(t, "m", -3, -4)}} {
		if got, ok := pair[0].Cosine(pair[1]); !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("cosine %v, %v, want %v", got, ok, want)
		}
	}
}

func TestVectorsOfDifferentModelsAreNotCompared(t *testing.T) {
	a := unit(t, "m", 3, 4)
	for _, b := range []vector.Vector{unit(t, "n", 3, 4), unit(t, "m", 3, 4, 0), {}, {Values: a.Values}} {
		if _, ok := a.Cosine(b); ok {
			t.Errorf("%+v was compared", b)
		}
	}
	if _, ok := (vector.Vector{}).Cosine(vector.Vector{}); ok {
		t.Error("empty vectors were compared")
	}
	var x vector.Index
	if err := errors.Join(x.Add(a), x.Add(unit(t, "n", 3, 4))); fault.CodeOf(err) != vector.Invalid {
		t.Errorf("%v", err)
	}
	exact := func(int) (vector.Vector, error) { return a, nil }
	if got, err := x.Search(unit(t, "n", 3, 4), vector.Query{Least: -1, Exact: exact}); len(got) > 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestInvalidVectors(t *testing.T) {
	nan := float32(math.NaN())
	for _, values := range [][]float32{nil, {0, 0}, {nan}, {1, float32(math.Inf(1))}} {
		if v, err := vector.New("m", values); fault.CodeOf(err) != vector.Invalid {
			t.Errorf("%v: %v, %v", values, v, err)
		}
	}
	if v, err := vector.New("", []float32{1}); fault.CodeOf(err) != vector.Invalid {
		t.Errorf("%v, %v", v, err)
	}
	valid := unit(t, "m", 1, 2, 2)
	for _, data := range [][]byte{nil, {1}, valid.Bytes()[4:], append(valid.Bytes(), 0, 0, 0xc0, 0x7f)} {
		if v, err := vector.Parse("m", data); fault.CodeOf(err) != vector.Invalid {
			t.Errorf("%v: %v, %v", data, v, err)
		}
	}
}

func TestBytesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyVector(t, "m", rapid.IntRange(1, 40).Draw(t, "length"))
		got, err := vector.Parse("m", v.Bytes())
		if err != nil || !slices.Equal(got.Values, v.Values) || got.Model != "m" {
			t.Fatalf("%v, %v", got, err)
		}
	})
}

func anyVector(t *rapid.T, model string, length int) vector.Vector {
	values := rapid.SliceOfN(rapid.Float32Range(-1, 1), length, length).Draw(t, "values")
	values[0] += 2 // never zero
	return unit(t, model, values...)
}

// A search finds what a linear scan finds, in the same order.
func TestSearchIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int{1, 2, 24, 63, 64, 65, 130}).Draw(t, "length")
		var x vector.Index
		var all []vector.Vector
		for range rapid.IntRange(0, 40).Draw(t, "vectors") {
			v := anyVector(t, "m", length)
			if n := len(all); n > 0 && rapid.Bool().Draw(t, "a copy") {
				v = all[n-1]
			}
			all = append(all, v)
			if err := x.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		query := anyVector(t, "m", length)
		odd := rapid.Bool().Draw(t, "odd ones only")
		q := vector.Query{
			Least: rapid.Float64Range(-1, 1).Draw(t, "least"), Most: rapid.IntRange(0, 5).Draw(t, "most"),
			Keep:  func(n int) bool { return !odd || n%2 == 1 },
			Exact: func(n int) (vector.Vector, error) { return all[n], nil },
		}
		got, err := x.Search(query, q)
		if err != nil {
			t.Fatal(err)
		}
		if want := scan(query, all, q); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// scan searches linearly.
func scan(query vector.Vector, all []vector.Vector, q vector.Query) (found []vector.Hit) {
	for n, v := range all {
		if c, _ := query.Cosine(v); q.Keep(n) && c >= q.Least {
			found = append(found, vector.Hit{Number: n, Cosine: c})
		}
	}
	slices.SortStableFunc(found, func(a, b vector.Hit) int { return cmp.Compare(b.Cosine, a.Cosine) })
	if q.Most > 0 && len(found) > q.Most {
		found = found[:q.Most]
	}
	return found
}

// A refused vector leaves the index unchanged, also at the border of a block.
func TestRefusedVectorsChangeNothing(t *testing.T) {
	const blocks = 1024
	none := vector.Vector{Model: "m", Values: []float32{0, 0}}
	nan := vector.Vector{Model: "m", Values: []float32{1, float32(math.NaN())}}
	a, b := unit(t, "m", 3, 4), unit(t, "m", 4, -3)
	var x vector.Index
	var all []vector.Vector
	for n := range 2 * blocks {
		for _, v := range []vector.Vector{none, nan} {
			if err := x.Add(v); fault.CodeOf(err) != vector.Invalid {
				t.Fatal(n, err)
			}
		}
		v := a
		if n%blocks == 0 {
			v = b
		}
		all = append(all, v)
		if err := x.Add(v); err != nil {
			t.Fatal(n, err)
		}
	}
	exact := func(n int) (vector.Vector, error) { return all[n], nil }
	got, err := x.Search(b, vector.Query{Least: 0.9, Exact: exact})
	if err != nil || len(got) != 2 || got[0].Number != 0 || got[1].Number != blocks {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSearchReturnsErrors(t *testing.T) {
	var x vector.Index
	v := unit(t, "m", 1, 2)
	if err := x.Add(v); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	if _, err := x.Search(v, vector.Query{Exact: func(int) (vector.Vector, error) { return vector.Vector{}, gone }}); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// BenchmarkSearch searches 100,000 vectors of 512 numbers on one core.
func BenchmarkSearch(b *testing.B) {
	const count, length = 100_000, 512
	random := rand.New(rand.NewPCG(1, 2))
	var x vector.Index
	whole := make(map[int]vector.Vector)
	values := make([]float32, length)
	for n := range count {
		for i := range values {
			values[i] = float32(random.NormFloat64()) + 0.65 // any two have a cosine of 0.3, as texts have
		}
		v := unit(b, "m", values...)
		if n%1000 == 0 {
			whole[n] = v
		}
		if err := x.Add(v); err != nil {
			b.Fatal(err)
		}
	}
	query := whole[50_000]
	for _, q := range []vector.Query{{Least: 0.8}, {Least: 0.3, Most: 10}} {
		q.Exact = func(n int) (vector.Vector, error) { return whole[n/1000*1000], nil }
		b.Run(fmt.Sprintf("least %.1f, most %d", q.Least, q.Most), func(b *testing.B) {
			for b.Loop() {
				if got, err := x.Search(query, q); err != nil || len(got) == 0 {
					b.Fatal(got, err)
				}
			}
		})
	}
}
