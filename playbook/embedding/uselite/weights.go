package uselite

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"
)

// The data is read from the program's own file when somebody first asks for it.
//
//go:embed data/manifest.json data/q8.bin data/vocab.json
var data embed.FS

// The sizes of the model.
const (
	vocabulary = 8002 // rows of the table of pieces
	narrow     = 256  // of what enters layer 0
	wide       = 512  // of everything else
	inner      = 1536 // within a feed-forward
	heads      = 4
	longest    = 128 // tokens of a text
)

// packedFrom is the size from which a tensor stands as int8, each row with a scale.
const packedFrom = 50_000

// tensor is one row of the manifest, and where its bytes are.
type tensor struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Type  string `json:"dtype"`
	bytes []byte
}

func (t *tensor) size() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// rows gives how a packed tensor is cut: every dimension but the last counts rows.
func (t *tensor) rows() (rows, length int) {
	length = t.Shape[len(t.Shape)-1]
	return t.size() / length, length
}

func (t *tensor) packed() bool { return t.Type == "float32" && t.size() > packedFrom }

func (t *tensor) length() int {
	if !t.packed() {
		return 4 * t.size()
	}
	rows, length := t.rows()
	return rows * (4 + length)
}

// tensors finds all tensors by the end of their names.
type tensors []tensor

func readTensors() (tensors, error) {
	manifest, err := data.ReadFile("data/manifest.json")
	if err != nil {
		return nil, err
	}
	weights, err := data.ReadFile("data/q8.bin")
	if err != nil {
		return nil, err
	}
	var all tensors
	if err := json.Unmarshal(manifest, &all); err != nil {
		return nil, err
	}
	for i := range all {
		n := all[i].length()
		if n > len(weights) {
			return nil, errors.New("the weights end before " + all[i].Name)
		}
		all[i].bytes, weights = weights[:n], weights[n:]
	}
	if len(weights) > 0 {
		return nil, fmt.Errorf("%d bytes of the weights belong to nothing", len(weights))
	}
	return all, nil
}

// find gives the one tensor of so many numbers whose name has all these parts.
func (ts tensors) find(size int, parts ...string) (*tensor, error) {
	var found *tensor
	for i := range ts {
		if ts[i].Type == "float32" && ts[i].size() == size && hasAll(ts[i].Name, parts) {
			if found != nil {
				return nil, fmt.Errorf("two tensors are called %v", parts)
			}
			found = &ts[i]
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no tensor of %d numbers is called %v", size, parts)
	}
	return found, nil
}

func hasAll(name string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(name, p) {
			return false
		}
	}
	return true
}

// plain gives the numbers of a tensor that is not packed.
func (ts tensors) plain(size int, parts ...string) ([]float32, error) {
	t, err := ts.find(size, parts...)
	if err != nil {
		return nil, err
	}
	out := make([]float32, size)
	for i := range out {
		out[i] = number(t.bytes[4*i:])
	}
	return out, nil
}

func number(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
