package nearjson

import "testing"

func TestLatexIsToldFromEscapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a": "the gradient \nabla f"}`:                               true,
		`{"a": "$\nu_t = \frac{1}{2}$"}`:                               true,
		`{"a": "a rate of $\tau$"}`:                                    true,
		`{"a": "heat:\nu_t = k u_{xx}\nu(x,0) = f(x)\ne^{-t} decays"}`: false,
		`{"a": "dist\tau\n1\tau"}`:                                     false,
		`{"a": "Vowels:\na\ne\ni\no\nu\n\nline two\tand"}`:             false,
		`{"a": "\\nabla f", "b": "costs $5, $6\nnot $7"}`:              false,
		`{"a": "\\rho and \theta"}`:                                    true,
		`{"a": "costs $5", "b": "one\nto two"}`:                        false,
	} {
		if got := HasLatex([]byte(text)); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}
