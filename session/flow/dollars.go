package flow

import (
	"strconv"
	"strings"
)

// MostDollars is more than anybody lets anything cost.
const MostDollars = 1_000_000

// ParseDollars reads an amount of dollars, of at most nine decimals, as billionths of
// one. It does so exactly: money is never a float.
func ParseDollars(text string) (nano int64, ok bool) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 9 || whole == "" || len(whole) > 7 {
		return 0, false
	}
	digits := whole + part + strings.Repeat("0", 9-len(part))
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	nano, err := strconv.ParseInt(digits, 10, 64)
	return nano, err == nil && nano <= MostDollars*1_000_000_000
}

// Dollars gives billionths of a dollar as people know them.
func Dollars(nano int64) float64 { return float64(nano) / 1e9 }
