package vector

import (
	"cmp"
	"math"
	"slices"
)

// Index finds the vectors of one model that are most similar to a given one. It stores them in
// a quarter of their size and fetches whole vectors only if needed; its results are exact.
//
// Vectors are numbered 0, 1, 2, … in the order of addition. The zero value takes the model of
// its first vector.
type Index struct {
	model  string
	length int
	blocks [][]int8
	scales []float32 // of each vector's codes
	rests  []float32 // distance of each vector from its codes
	tails  []float32 // for each vector and part: the length of its codes after that part
}

// part is how many numbers of a vector are compared before the search checks whether the rest
// can still matter. Codes are padded with zeros to whole parts.
const part = 64

func (x *Index) parts() int { return (x.length + part - 1) / part }

func (x *Index) width() int { return x.parts() * part }

// blockSize is the number of vectors in one allocation: an index grows without being copied.
const blockSize = 1024

// Hit is a vector that was found.
type Hit struct {
	Number int
	Cosine float64
}

// Query describes a search.
type Query struct {
	Least float64 // the lowest cosine
	Most  int     // maximum number; 0 means all
	// Keep, if not nil, reports whether to consider a vector.
	Keep func(number int) bool
	// Exact returns a whole vector.
	Exact func(number int) (Vector, error)
}

// Len returns the number of vectors.
func (x *Index) Len() int { return len(x.scales) }

// Fits reports whether a vector can be compared with those of the index.
func (x *Index) Fits(v Vector) bool {
	return len(v.Values) > 0 && (x.Len() == 0 || v.Model == x.model && len(v.Values) == x.length)
}

// Add appends a vector. It must be of the index's model.
func (x *Index) Add(v Vector) error {
	if !x.Fits(v) {
		return invalid("from another model than the index")
	}
	scale := maxAbs(v.Values) / math.MaxInt8
	if !(scale > 0) { // false for NaN, too
		return invalid("length is zero or not a number")
	}
	if x.Len() == 0 {
		x.model, x.length = v.Model, len(v.Values)
	}
	if x.Len()%blockSize == 0 {
		x.blocks = append(x.blocks, make([]int8, 0, blockSize*x.width()))
	}
	codes := make([]int8, x.width())
	rest := 0.0
	for i, value := range v.Values {
		codes[i] = int8(math.RoundToEven(float64(value / scale)))
		rest += square(float64(value) - float64(scale)*float64(codes[i]))
	}
	block := &x.blocks[len(x.blocks)-1]
	*block = append(*block, codes...)
	x.scales = append(x.scales, scale)
	x.rests = append(x.rests, roundUp(math.Sqrt(rest)))
	x.tails = append(x.tails, tails(codes, float64(scale))...)
	return nil
}

// tails returns the length of what follows each part of codes.
func tails[T int8 | int32](codes []T, unit float64) []float32 {
	all := make([]float32, len(codes)/part)
	sum := 0.0
	for p := len(all) - 1; p >= 0; p-- {
		all[p] = roundUp(math.Sqrt(sum) * unit)
		for _, c := range codes[p*part:][:part] {
			sum += square(float64(c))
		}
	}
	return all
}

func maxAbs(values []float32) (h float32) {
	for _, v := range values {
		h = max(h, v, -v)
	}
	return h
}

func square(x float64) float64 { return x * x }

// roundUp keeps an upper bound valid in fewer bits.
func roundUp(x float64) float32 { return float32(x * (1 + 1e-6)) }

// Search returns the most similar vectors, best first; equal ones in the order of addition.
func (x *Index) Search(v Vector, q Query) ([]Hit, error) {
	if x.Len() == 0 || !x.Fits(v) {
		return nil, nil
	}
	var found []Hit
	best := topK{most: q.Most}
	for _, c := range x.candidates(v, q) {
		if c.upper < best.worst() {
			break // no later candidate can be better than those found
		}
		whole, err := q.Exact(c.number)
		if err != nil {
			return nil, err
		}
		if cosine, ok := v.Cosine(whole); ok && cosine >= q.Least {
			found = append(found, Hit{Number: c.number, Cosine: cosine})
			best.add(cosine)
		}
	}
	slices.SortFunc(found, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Number, b.Number))
	})
	if q.Most > 0 && len(found) > q.Most {
		found = found[:q.Most]
	}
	return found, nil
}

// candidates returns every vector that may be among the results, the possibly best first. The
// codes determine a cosine up to a bound. A vector is left out if its upper end is below the
// least cosine, or below the lower ends of q.Most others.
func (x *Index) candidates(v Vector, q Query) []span {
	query := x.encode(v)
	var spans []span
	lowest := topK{most: q.Most}
	for n := range x.scales {
		s, ok := x.compare(&query, n, max(q.Least, lowest.worst()))
		if ok && (q.Keep == nil || q.Keep(n)) {
			lowest.add(s.lower)
			spans = append(spans, s)
		}
	}
	spans = slices.DeleteFunc(spans, func(s span) bool { return s.upper < lowest.worst() })
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(b.upper, a.upper), cmp.Compare(a.number, b.number))
	})
	return spans
}

type span struct {
	number       int
	lower, upper float64
}

// encodedQuery is the query vector as integers, as large as their sums allow.
type encodedQuery struct {
	codes []int32
	unit  float64
	rest  float64 // distance of the vector from its codes
	tails []float32
}

func (x *Index) encode(v Vector) encodedQuery {
	room := float64(math.MaxInt32 / (math.MaxInt8 * x.width()))
	a := encodedQuery{codes: make([]int32, x.width()), unit: float64(maxAbs(v.Values)) / room}
	for i, value := range v.Values {
		a.codes[i] = int32(math.RoundToEven(float64(value) / a.unit))
		a.rest += square(float64(value) - a.unit*float64(a.codes[i]))
	}
	a.rest = math.Sqrt(a.rest)
	a.tails = tails(a.codes, a.unit)
	return a
}

// compare returns the bounds of a cosine. It stops as soon as the least cosine is out of reach:
// the rest adds at most the product of the remaining lengths.
func (x *Index) compare(a *encodedQuery, n int, least float64) (span, bool) {
	width, parts := x.width(), x.parts()
	codes := x.blocks[n/blockSize][n%blockSize*width:][:width]
	left := x.tails[n*parts:][:parts]
	unit := a.unit * float64(x.scales[n])
	bound := float64(x.rests[n]) + (1+float64(x.rests[n]))*a.rest + 1e-6
	sum := int32(0)
	for p, tail := range left {
		sum += product((*[part]int8)(codes[p*part:]), (*[part]int32)(a.codes[p*part:]))
		if float64(sum)*unit+float64(tail)*float64(a.tails[p])+bound < least {
			return span{}, false
		}
	}
	cosine := float64(sum) * unit
	return span{n, cosine - bound, cosine + bound}, true
}

// product is the hot loop of a search: four sums, so that none waits for another.
func product(a *[part]int8, b *[part]int32) int32 {
	var s0, s1, s2, s3 int32
	for i := 0; i < part; i += 4 {
		s0 += int32(a[i]) * b[i]
		s1 += int32(a[i+1]) * b[i+1]
		s2 += int32(a[i+2]) * b[i+2]
		s3 += int32(a[i+3]) * b[i+3]
	}
	return s0 + s1 + s2 + s3
}

// topK keeps the highest of the added values, at most as many as most.
type topK struct {
	most int
	best []float64 // in descending order
}

func (k *topK) add(value float64) {
	if k.most == 0 || len(k.best) == k.most && value <= k.worst() {
		return
	}
	i, _ := slices.BinarySearchFunc(k.best, value, func(a, b float64) int { return cmp.Compare(b, a) })
	k.best = slices.Insert(k.best, i, value)
	if len(k.best) > k.most {
		k.best = k.best[:k.most]
	}
}

func (k *topK) worst() float64 {
	if k.most == 0 || len(k.best) < k.most {
		return math.Inf(-1)
	}
	return k.best[len(k.best)-1]
}
