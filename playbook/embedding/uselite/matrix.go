package uselite

import (
	"encoding/binary"
	"math"
)

// A product of two 64-bit integers is the fastest in plain Go, and the weights are 8-bit
// integers. So two columns share one number, the second shifted by half of its bits, and one
// multiplication with a token's value does the work of two. The sums stay in their halves
// because a token's values are rounded to as many bits as there is room for.

// twin holds four columns of a row: 0 and 1 in the first number, 2 and 3 in the other.
type twin [2]uint64

// lanes is the number of columns in a twin.
const lanes = 4

// half is the shift of the second column of a number.
const half = 32

// maxWeight is the magnitude of the largest weight.
const maxWeight = 127

// matrix is a layer's weights, in panels of lanes columns: all rows of the first panel, then
// all rows of the next, so that a product reads memory sequentially. They stay bytes until a
// product needs them: reading eight times as many bytes from memory would take longer than
// spreading them.
type matrix struct {
	in, out int
	panels  []uint32  // four weights each
	scales  []float32 // of the rows
	bias    []float32
}

func (r *loader) matrix(in, out int, weights, bias []string) *matrix {
	from := r.find(in*out, weights...)
	m := &matrix{in: in, out: out, panels: make([]uint32, in*out/lanes), scales: make([]float32, in), bias: r.plain(out, bias...)}
	for i := range in {
		row := from[i*(4+out):][:4+out]
		m.scales[i] = number(row)
		row = row[4:]
		for p := range out / lanes {
			m.panels[p*in+i] = binary.LittleEndian.Uint32(row[p*lanes:])
		}
	}
	return m
}

// spread converts a panel to twins.
func spread(to []twin, panel []uint32) {
	to = to[:len(panel)]
	for i, v := range panel {
		to[i] = twin{pair(v), pair(v >> 16)}
	}
}

func pair(v uint32) uint64 { return uint64(int64(int8(v)) + int64(int8(v>>8))<<half) }

// times returns x·m + bias for every token.
func (m *matrix) times(x rows) rows {
	y := makeRows(x.count, m.out)
	pairs := m.pairs(x)
	w := make([]twin, m.in)
	for p := range m.out / lanes {
		spread(w, m.panels[p*m.in:][:m.in])
		for i := range pairs {
			q := &pairs[i]
			a0, a1, b0, b1 := q.times(w)
			m.put(y.row(2*i), p, q.units[0], a0, a1)
			if 2*i+1 < x.count {
				m.put(y.row(2*i+1), p, q.units[1], b0, b1)
			}
		}
	}
	return y
}

// couple is two tokens as integers; the last of an odd number is alone.
type couple struct {
	values [][2]int32
	rows   []int32 // of the values if most are zero and left out; nil means all
	units  [2]float32
}

// sparseDivisor is the divisor for the share of nonzero numbers below which zeros are left out: after a
// ReLU, seven of a hundred are nonzero.
const sparseDivisor = 3

// pairs rounds tokens, two by two.
func (m *matrix) pairs(x rows) []couple {
	all := make([]couple, (x.count+1)/2)
	for i := range all {
		c := &all[i]
		c.values = make([][2]int32, m.in)
		some := 0
		for n := range min(2, x.count-2*i) {
			c.units[n] = m.round(c.values, n, x.row(2*i+n))
		}
		for _, v := range c.values {
			if v[0]|v[1] != 0 {
				some++
			}
		}
		if some*sparseDivisor < m.in {
			c.rows = make([]int32, 0, some)
			for row, v := range c.values {
				if v[0]|v[1] != 0 {
					c.values[len(c.rows)] = v
					c.rows = append(c.rows, int32(row)) //nolint:gosec // there are at most 1536 rows
				}
			}
			c.values = c.values[:some]
		}
	}
	return all
}

// round writes a token's values, scaled by row, as integers of a unit that it chooses.
func (m *matrix) round(to [][2]int32, n int, x []float32) (unit float32) {
	highest := float32(0)
	for i, v := range x {
		highest = max(highest, v*m.scales[i], -v*m.scales[i])
	}
	if highest == 0 {
		return 0
	}
	room := float32(math.MaxInt32 / (maxWeight * m.in))
	by := room / highest
	for i, v := range x {
		to[i][n] = int32(math.RoundToEven(float64(v * m.scales[i] * by)))
	}
	return highest / room
}

// times returns the sums of four columns for the first and the second token. Both operands are made by the caller and are
// shared with no other goroutine; with the race detector, this loop was a fifth of the tests of the program.
//
//go:norace
func (c *couple) times(w []twin) (a0, a1, b0, b1 uint64) {
	if c.rows != nil {
		x := c.values[:len(c.rows)]
		for i, row := range c.rows {
			q := &w[row]
			v, z := uint64(x[i][0]), uint64(x[i][1])
			a0 += v * q[0]
			a1 += v * q[1]
			b0 += z * q[0]
			b1 += z * q[1]
		}
		return a0, a1, b0, b1
	}
	x := c.values[:len(w)]
	for i := range w {
		q := &w[i]
		v, z := uint64(x[i][0]), uint64(x[i][1])
		a0 += v * q[0]
		a1 += v * q[1]
		b0 += z * q[0]
		b1 += z * q[1]
	}
	return a0, a1, b0, b1
}

// put splits the sums of four columns.
func (m *matrix) put(y []float32, p int, unit float32, first, second uint64) {
	bias := m.bias[p*lanes:][:lanes]
	to := y[p*lanes:][:lanes]
	for i, sum := range [...]uint64{first, second} {
		low := int32(sum)
		high := int32((sum - uint64(int64(low))) >> half)
		to[2*i] = float32(low)*unit + bias[2*i]
		to[2*i+1] = float32(high)*unit + bias[2*i+1]
	}
}

// rows is one row of numbers for each token.
type rows struct {
	count, width int
	values       []float32
}

func makeRows(count, width int) rows {
	return rows{count: count, width: width, values: make([]float32, count*width)}
}

func (r rows) row(t int) []float32 { return r.values[t*r.width:][:r.width] }

// plus returns the elementwise sum.
func (r rows) plus(s rows) rows {
	for i, v := range s.values {
		r.values[i] += v
	}
	return r
}

// mean returns the mean of all tokens.
func (r rows) mean() rows {
	y := makeRows(1, r.width)
	for t := range r.count {
		for i, v := range r.row(t) {
			y.values[i] += v / float32(r.count)
		}
	}
	return y
}
