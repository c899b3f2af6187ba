package vector

import (
	"cmp"
	"math"
	"slices"
)

// Index finds the vectors of one model that are most alike to a given one. It keeps
// them in a quarter of their size and asks for the whole ones only where it cannot
// tell otherwise; what it says is exact all the same.
//
// Vectors have the numbers 0, 1, 2, … in the order in which they were added. The zero
// value takes vectors of the model of its first one.
type Index struct {
	model  string
	length int
	blocks [][]int8
	scales []float32 // of each vector's codes
	rests  []float32 // how far each vector is from its codes
	tails  []float32 // for each vector and part: the length of its codes behind that part
}

// part is how many numbers of a vector are looked at before the search asks whether
// the others can still matter. Codes are filled up with zeros to whole parts.
const part = 64

func (x *Index) parts() int { return (x.length + part - 1) / part }

// width is the length of a vector's codes.
func (x *Index) width() int { return x.parts() * part }

// blockSize is how many vectors stand in one piece of memory: an index grows without
// ever being copied.
const blockSize = 1024

// Hit is a vector that was found.
type Hit struct {
	Number int
	Cosine float64
}

// Query says what is looked for.
type Query struct {
	Least float64 // the lowest cosine
	Most  int     // how many; 0 is all
	// Keep, if not nil, tells which vectors are looked at.
	Keep func(number int) bool
	// Exact gives a whole vector.
	Exact func(number int) (Vector, error)
}

// Len tells how many vectors there are.
func (x *Index) Len() int { return len(x.scales) }

// Fits tells whether a vector can be compared with those of the index.
func (x *Index) Fits(v Vector) bool {
	return len(v.Values) > 0 && (x.Len() == 0 || v.Model == x.model && len(v.Values) == x.length)
}

// Add puts a vector at the end. One of another model is refused.
func (x *Index) Add(v Vector) error {
	if !x.Fits(v) {
		return invalid("it is of another model than the others")
	}
	scale := highest(v.Values) / math.MaxInt8
	if !(scale > 0) { // NaN is not, either
		return invalid("its numbers give no direction")
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
	x.rests = append(x.rests, roundedUp(math.Sqrt(rest)))
	x.tails = append(x.tails, tails(codes, float64(scale))...)
	return nil
}

// tails gives the length of what lies behind each part of codes.
func tails[T int8 | int32](codes []T, unit float64) []float32 {
	all := make([]float32, len(codes)/part)
	sum := 0.0
	for p := len(all) - 1; p >= 0; p-- {
		all[p] = roundedUp(math.Sqrt(sum) * unit)
		for _, c := range codes[p*part:][:part] {
			sum += square(float64(c))
		}
	}
	return all
}

func highest(values []float32) (h float32) {
	for _, v := range values {
		h = max(h, v, -v)
	}
	return h
}

func square(x float64) float64 { return x * x }

// roundedUp keeps a bound one when it is stored in fewer bits.
func roundedUp(x float64) float32 { return float32(x * (1 + 1e-6)) }

// Search gives the vectors that are most alike to one, the most alike first, and those
// that are equally alike in the order in which they were added.
func (x *Index) Search(v Vector, q Query) ([]Hit, error) {
	if x.Len() == 0 || !x.Fits(v) {
		return nil, nil
	}
	var found []Hit
	best := lowers{most: q.Most}
	for _, c := range x.candidates(v, q) {
		if c.upper < best.worst() {
			break // nor can any behind it be better than those that were found
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

// candidates gives every vector that may be one of those that are looked for, those
// first that may be the best. The codes say what a cosine is, give or take a bound;
// whatever is left out is below the least even at the upper end, or below the lower
// ends of as many as are wanted.
func (x *Index) candidates(v Vector, q Query) []span {
	asked := x.ask(v)
	var spans []span
	lowest := lowers{most: q.Most}
	for n := range x.scales {
		s, ok := x.compare(&asked, n, max(q.Least, lowest.worst()))
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

// span is a vector, and between what its cosine is.
type span struct {
	number       int
	lower, upper float64
}

// asked is the vector that is looked for, as whole numbers of a unit that are as large
// as their sums have room for.
type asked struct {
	codes []int32
	unit  float64
	rest  float64 // how far the vector is from its codes
	tails []float32
}

func (x *Index) ask(v Vector) asked {
	room := float64(math.MaxInt32 / (math.MaxInt8 * x.width()))
	a := asked{codes: make([]int32, x.width()), unit: float64(highest(v.Values)) / room}
	for i, value := range v.Values {
		a.codes[i] = int32(math.RoundToEven(float64(value) / a.unit))
		a.rest += square(float64(value) - a.unit*float64(a.codes[i]))
	}
	a.rest = math.Sqrt(a.rest)
	a.tails = tails(a.codes, a.unit)
	return a
}

// compare gives between what a cosine is, or stops as soon as it cannot reach the
// least: what is left of two vectors adds no more than the product of their lengths.
func (x *Index) compare(a *asked, n int, least float64) (span, bool) {
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

// product is what a search spends its time in: four sums, so that none has to wait
// for another.
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

// lowers keeps the highest lower ends, as many as vectors are wanted.
type lowers struct {
	most int
	ends []float64 // sorted, the highest first
}

func (l *lowers) add(end float64) {
	if l.most == 0 || len(l.ends) == l.most && end <= l.worst() {
		return
	}
	i, _ := slices.BinarySearchFunc(l.ends, end, func(a, b float64) int { return cmp.Compare(b, a) })
	l.ends = slices.Insert(l.ends, i, end)
	if len(l.ends) > l.most {
		l.ends = l.ends[:l.most]
	}
}

// worst is what a vector has to reach to be among those that are wanted.
func (l *lowers) worst() float64 {
	if l.most == 0 || len(l.ends) < l.most {
		return math.Inf(-1)
	}
	return l.ends[len(l.ends)-1]
}
