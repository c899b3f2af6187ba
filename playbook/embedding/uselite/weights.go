package uselite

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// The data is read from the executable on first use.
//
//go:embed data/manifest.json data/q8.bin data/vocab.json
var data embed.FS

// Sizes of the model.
const (
	vocabulary = 8002 // rows of the table of pieces
	narrow     = 256  // input of layer 0
	wide       = 512  // everything else
	inner      = 1536 // within a feed-forward
	heads      = 4
	maxTokens  = 128 // tokens of a text
)

// packedFrom is the size from which a tensor is stored as int8, with a scale for each row.
const packedFrom = 50_000

// tensor is one row of the manifest, with the place of its bytes.
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

// rows returns the shape of a packed tensor: all dimensions but the last count rows.
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

func readTensors() ([]tensor, error) {
	manifest, missing := data.ReadFile("data/manifest.json")
	weights, none := data.ReadFile("data/q8.bin")
	var all []tensor
	if err := errors.Join(missing, none, json.Unmarshal(manifest, &all)); err != nil {
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
		return nil, fmt.Errorf("%d trailing bytes in the weights", len(weights))
	}
	return all, nil
}

// loader unpacks a model. It keeps the first fault, so that loading can be written as a list.
type loader struct {
	tensors []tensor
	err     error
}

func (r *loader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// find returns the bytes of the only tensor of a size whose name has all these parts. After a
// fault they are zeros.
func (r *loader) find(size int, parts ...string) []byte {
	var found []byte
	for i := range r.tensors {
		t := &r.tensors[i]
		missing := func(part string) bool { return !strings.Contains(t.Name, part) }
		if t.Type != "float32" || t.size() != size || slices.ContainsFunc(parts, missing) {
			continue
		}
		if found != nil {
			r.fail("duplicate tensor %v", parts)
		}
		found = t.bytes
	}
	if found == nil {
		r.fail("no tensor of %d numbers named %v", size, parts)
		return make([]byte, 8*size)
	}
	return found
}

// plain returns the numbers of an unpacked tensor.
func (r *loader) plain(size int, parts ...string) []float32 {
	from := r.find(size, parts...)
	out := make([]float32, size)
	for i := range out {
		out[i] = number(from[4*i:])
	}
	return out
}

func number(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

func load() (*encoder, error) {
	r := &loader{}
	r.tensors, r.err = readTensors()
	pieces, err := readPieces()
	if err != nil {
		return nil, err
	}
	e := &encoder{
		pieces:      pieces,
		table:       r.find(vocabulary*narrow, "module/Embeddings_en"),
		frequencies: r.plain(narrow/2, "TimingSignal/ExpandDims"),
		last:        r.matrix(wide, wide, []string{"tanh_layer_0/weights"}, []string{"tanh_layer_0/bias"}),
		layers:      [2]layer{r.layer(0, narrow), r.layer(1, wide)},
	}
	e.layers[0].project = r.matrix(narrow, wide, []string{"Layer_0/", "/dense/kernel"}, []string{"Layer_0/", "/dense/bias"})
	return e, r.err
}

func (r *loader) norm(size int, part string) layerNorm {
	return layerNorm{scale: r.plain(size, "layer_norm_scale", part), bias: r.plain(size, "layer_norm_bias", part)}
}

func (r *loader) layer(n, width int) layer {
	in := fmt.Sprintf("Layer_%d/", n)
	matrix := func(from, to int, weights, bias string) *matrix {
		return r.matrix(from, to, []string{in, weights}, []string{in, bias})
	}
	return layer{
		before:  r.norm(width, in+"TransformerLayer/layer_prepostprocess"),
		attend:  matrix(width, 3*width, "qkv_transform_single/kernel", "qkv_transform_single/bias"),
		scale:   r.plain(1, in, "MultiheadAttention/mul/y")[0],
		gather:  matrix(width, wide, "output_transform_single/kernel", "output_transform_single/bias"),
		between: r.norm(wide, in+"TransformerLayer/FFN"),
		widen:   matrix(wide, inner, "FFN/conv1/", "FFN/conv1/bias"),
		shrink:  matrix(inner, wide, "FFN/conv2/", "FFN/conv2/bias"),
	}
}
