// Package vector compares meanings of texts: a vector is a direction and the name of the model
// that made it.
//
// It promises that vectors of different models are never compared, and that a search is exact.
// The package is pure. It must not know where vectors come from or what they represent.
package vector

import (
	"encoding/binary"
	"math"

	"brenner/internal/fault"
)

// Invalid is the code of numbers that are not a vector.
const Invalid fault.Code = "INVALID_VECTOR" // An embedding vector has no direction, or differs from the stored one.

// Classes returns the class of Invalid.
func Classes() fault.Classes {
	return fault.Classes{Invalid: fault.ClassFailed}
}

// Vector is a direction in the space of one model.
type Vector struct {
	Model  string    // name of the frozen model
	Values []float32 // of length 1
}

// New returns the vector of the given direction, normalized. Its length must not be 0.
func New(model string, values []float32) (Vector, error) {
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	switch {
	case model == "":
		return Vector{}, invalid("no model")
	case len(values) == 0:
		return Vector{}, invalid("no numbers")
	case math.IsNaN(sum) || math.IsInf(sum, 0) || sum == 0:
		return Vector{}, invalid("length is zero or not a finite number")
	}
	unit := make([]float32, len(values))
	length := math.Sqrt(sum)
	for i, v := range values {
		unit[i] = float32(float64(v) / length)
	}
	return Vector{Model: model, Values: unit}, nil
}

func invalid(detail string) error {
	return &fault.Error{Code: Invalid, Op: "read a vector", Detail: detail, Hint: "use the vector exactly as the model returned it"}
}

// Comparable reports whether the two have a meaningful cosine.
func (v Vector) Comparable(w Vector) bool {
	return v.Model == w.Model && v.Model != "" && len(v.Values) == len(w.Values) && len(v.Values) > 0
}

// Cosine returns the similarity of two vectors of one model, from -1 to 1. It returns false for
// vectors of different models.
func (v Vector) Cosine(w Vector) (float64, bool) {
	if !v.Comparable(w) {
		return 0, false
	}
	return max(-1, min(1, dot(v.Values, w.Values))), true
}

func dot(a, b []float32) float64 {
	sum := 0.0
	b = b[:len(a)]
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Bytes returns the numbers as stored: little-endian float32.
func (v Vector) Bytes() []byte {
	out := make([]byte, 0, 4*len(v.Values))
	for _, x := range v.Values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// Parse parses the result of Bytes. Numbers that are not of length 1 were altered.
func Parse(model string, data []byte) (Vector, error) {
	if len(data)%4 != 0 {
		return Vector{}, invalid("the number of bytes is not a multiple of 4")
	}
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	v := Vector{Model: model, Values: values}
	if model == "" || !(math.Abs(dot(values, values)-1) <= 1e-4) { // false for NaN, too
		return Vector{}, invalid("length is not 1")
	}
	return v, nil
}
