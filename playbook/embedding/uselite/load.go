package uselite

import "fmt"

// load unpacks the model.
func load() (*encoder, error) {
	ts, err := readTensors()
	if err != nil {
		return nil, err
	}
	r := &loader{ts: ts}
	e := &encoder{
		pieces:      r.pieces(),
		table:       r.table(),
		frequencies: r.plain(narrow/2, "TimingSignal/ExpandDims"),
		last:        r.matrix(wide, wide, names("tanh_layer_0/weights"), names("tanh_layer_0/bias")),
	}
	e.layers[0] = r.layer(0, narrow)
	e.layers[0].project = r.matrix(narrow, wide, names("Layer_0/", "/dense/kernel"), names("Layer_0/", "/dense/bias"))
	e.layers[1] = r.layer(1, wide)
	return e, r.err
}

func names(parts ...string) []string { return parts }

// loader keeps the first fault, so that what it loads can be written down as a list.
type loader struct {
	ts  tensors
	err error
}

func keep[T any](r *loader, get func() (T, error)) T {
	value, err := get()
	if r.err == nil {
		r.err = err
	}
	return value
}

func (r *loader) plain(size int, parts ...string) []float32 {
	return keep(r, func() ([]float32, error) { return r.ts.plain(size, parts...) })
}

func (r *loader) matrix(in, out int, weights, bias []string) *matrix {
	return keep(r, func() (*matrix, error) { return r.ts.matrix(in, out, weights, bias) })
}

func (r *loader) pieces() *pieces { return keep(r, readPieces) }

func (r *loader) table() []byte {
	return keep(r, func() ([]byte, error) {
		t, err := r.ts.find(vocabulary*narrow, "module/Embeddings_en")
		if err != nil {
			return nil, err
		}
		return t.bytes, nil
	})
}

// scalar gives the one number of a tensor without dimensions.
func (r *loader) scalar(parts ...string) float32 {
	if all := r.plain(1, parts...); len(all) == 1 {
		return all[0]
	}
	return 0
}

func (r *loader) norm(size int, parts ...string) layerNorm {
	return layerNorm{
		scale: r.plain(size, append([]string{"layer_norm_scale"}, parts...)...),
		bias:  r.plain(size, append([]string{"layer_norm_bias"}, parts...)...),
	}
}

func (r *loader) layer(n, width int) layer {
	in := fmt.Sprintf("Layer_%d/", n)
	return layer{
		before: r.norm(width, in+"TransformerLayer/layer_prepostprocess"),
		attend: r.matrix(width, 3*width, names(in, "qkv_transform_single/kernel"), names(in, "qkv_transform_single/bias")),
		scale:  r.scalar(in, "MultiheadAttention/mul/y"),
		gather: r.matrix(width, wide, names(in, "output_transform_single/kernel"), names(in, "output_transform_single/bias")),

		between:   r.norm(wide, in+"TransformerLayer/FFN"),
		widen:     r.matrix(wide, inner, names(in, "FFN/conv1/"), names(in, "FFN/conv1/bias")),
		shrinking: r.matrix(inner, wide, names(in, "FFN/conv2/"), names(in, "FFN/conv2/bias")),
	}
}
