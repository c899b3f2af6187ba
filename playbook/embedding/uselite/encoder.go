package uselite

import "math"

// layerNorm normalizes the mean and the spread of a token's numbers.
type layerNorm struct{ scale, bias []float32 }

// epsilon avoids a division by zero for a row of equal numbers.
const epsilon = 1e-6

func (n *layerNorm) apply(x rows) rows {
	y := makeRows(x.count, x.width)
	for t := range x.count {
		from, to := x.row(t), y.row(t)
		mean, variance := 0.0, 0.0
		for _, v := range from {
			mean += float64(v)
		}
		mean /= float64(len(from))
		for _, v := range from {
			variance += (float64(v) - mean) * (float64(v) - mean)
		}
		by := 1 / math.Sqrt(variance/float64(len(from))+epsilon)
		for i, v := range from {
			to[i] = float32((float64(v)-mean)*by)*n.scale[i] + n.bias[i]
		}
	}
	return y
}

type layer struct {
	before  layerNorm
	attend  *matrix // to query, key and value, side by side
	scale   float32 // of the queries
	gather  *matrix
	project *matrix // of the residual; nil if the widths agree
	between layerNorm
	widen   *matrix
	shrink  *matrix
}

func (l *layer) apply(x rows) rows {
	x, hidden := l.inner(x)
	return l.shrink.times(hidden).plus(x)
}

// mean returns the mean of l.apply(x). It averages before the last product, which is the
// same for all tokens, so that only one product is needed.
func (l *layer) mean(x rows) rows {
	x, hidden := l.inner(x)
	return l.shrink.times(hidden.mean()).plus(x.mean())
}

// inner returns the residual and the hidden values of the feed-forward.
func (l *layer) inner(x rows) (residual, hidden rows) {
	attended := l.gather.times(l.attention(l.attend.times(l.before.apply(x))))
	if l.project != nil {
		x = l.project.times(x)
	}
	x = attended.plus(x)
	hidden = l.widen.times(l.between.apply(x))
	for i, v := range hidden.values {
		hidden.values[i] = max(0, v)
	}
	return x, hidden
}

// attention computes the self-attention of all tokens, per head.
func (l *layer) attention(qkv rows) rows {
	width := qkv.width / 3
	each := width / heads
	out := makeRows(qkv.count, width)
	weights := make([]float32, qkv.count)
	for h := range heads {
		for t := range qkv.count {
			query := qkv.row(t)[h*each:][:each]
			for s := range qkv.count {
				weights[s] = l.scale * product(query, qkv.row(s)[width+h*each:][:each])
			}
			softmax(weights)
			to := out.row(t)[h*each:][:each]
			for s, w := range weights {
				value := qkv.row(s)[2*width+h*each:][:each]
				for i := range to {
					to[i] += w * value[i]
				}
			}
		}
	}
	return out
}

func product(a, b []float32) (sum float32) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func softmax(x []float32) {
	highest := x[0]
	for _, v := range x {
		highest = max(highest, v)
	}
	sum := 0.0
	for i, v := range x {
		e := math.Exp(float64(v - highest))
		x[i] = float32(e)
		sum += e
	}
	for i := range x {
		x[i] = float32(float64(x[i]) / sum)
	}
}

// encoder is the unpacked model.
type encoder struct {
	pieces      *pieces
	table       []byte // rows of the pieces, still packed: a text needs few of them
	frequencies []float32
	layers      [2]layer
	last        *matrix
}

// encode returns the vector of a text, of length 1.
func (e *encoder) encode(text string) []float32 {
	ids := e.pieces.split(text)
	if len(ids) > maxTokens {
		ids = ids[:maxTokens]
	}
	x := makeRows(len(ids), narrow)
	for t, id := range ids {
		e.embedToken(x.row(t), t, id)
	}
	out := e.last.times(e.layers[1].mean(e.layers[0].apply(x))).values
	sum := 0.0
	for i, v := range out {
		out[i] = float32(math.Tanh(float64(v)))
		sum += float64(out[i]) * float64(out[i])
	}
	by := float32(1 / math.Sqrt(sum))
	for i := range out {
		out[i] *= by
	}
	return out
}

// embedToken writes a token's row with its position signal.
func (e *encoder) embedToken(to []float32, position, id int) {
	row := e.table[id*(4+narrow):][:4+narrow]
	scale, row := number(row), row[4:]
	for i := range to {
		to[i] = 2 * scale * float32(int8(row[i]))
	}
	half := len(e.frequencies)
	for i, f := range e.frequencies {
		sin, cos := math.Sincos(float64(position) * float64(f))
		to[i] += float32(sin)
		to[half+i] += float32(cos)
	}
}
