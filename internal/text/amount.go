package text

import (
	"strconv"
	"strings"
)

// Amount parses a count: digits, or a decimal number with k (thousand) or M (million) that makes
// a whole number, as in 100k and 1.5M. A leading zero is refused: 010 is ambiguous.
func Amount(s string) (int, bool) {
	zeros := 0
	switch {
	case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
		zeros = 3
	case strings.HasSuffix(s, "m"), strings.HasSuffix(s, "M"):
		zeros = 6
	}
	if zeros == 0 {
		n, err := strconv.Atoi(s)
		return n, err == nil && n >= 0 && strconv.Itoa(n) == s
	}
	whole, fraction, point := strings.Cut(s[:len(s)-1], ".")
	if n, err := strconv.Atoi(whole); err != nil || strconv.Itoa(n) != whole || point && fraction == "" || len(fraction) > zeros {
		return 0, false
	}
	n, err := strconv.Atoi(whole + fraction + strings.Repeat("0", zeros-len(fraction)))
	return n, err == nil && n >= 0 && !strings.ContainsAny(s, "+-")
}
