package playbook

import "strings"

// unitSymbol reads the symbol of a unit behind a number, as it is written: capitals
// matter. It gives the base unit and how many of it one is.
func unitSymbol(s string) (base string, factor float64, ok bool) {
	if base, factor, ok = baseOf(s); ok {
		return base, factor, true
	}
	for _, p := range prefixes() {
		rest, has := strings.CutPrefix(s, p.symbol)
		if !has || !prefixable(rest) {
			continue
		}
		base, factor, ok = baseOf(rest)
		if ok {
			return base, factor * p.factor, true
		}
	}
	return "", 0, false
}

type prefix struct {
	symbol string
	factor float64
}

func prefixes() []prefix {
	return []prefix{
		{"Ki", 1 << 10},
		{"Mi", 1 << 20},
		{"Gi", 1 << 30},
		{"Ti", 1 << 40},
		{"p", 1e-12},
		{"n", 1e-9},
		{"u", 1e-6},
		{"m", 1e-3},
		{"c", 1e-2},
		{"k", 1e3},
		{"K", 1e3},
		{"M", 1e6},
		{"G", 1e9},
		{"T", 1e12},
	}
}

// prefixable tells units that are counted in thousands of each other.
func prefixable(s string) bool {
	switch s {
	case "s", "m", "g", "B", "b", "bit", "Hz", "V", "A", "W", "J", "L", "l", "M", "mol", "Pa", "N", "eV", "bp", "Da", "cal", "sec":
		return true
	}
	return false
}

// baseOf gives the base of a unit without a prefix.
func baseOf(s string) (base string, factor float64, ok bool) {
	switch s {
	case "%", "percent":
		return "%", 1, true
	case "pp", "points", "point":
		return "points", 1, true
	case "s", "sec", "secs":
		return "s", 1, true
	case "min", "mins":
		return "s", 60, true
	case "h", "hr", "hrs":
		return "s", 3600, true
	case "d":
		return "s", 86400, true
	case "week":
		return "s", 7 * 86400, true
	case "month", "year", "m", "g", "V", "A", "W", "J", "K", "mol", "Pa", "N", "eV", "bp", "Da", "cal", "Hz", "px", "dB", "rpm", "x":
		return s, 1, true
	case "B":
		return "B", 1, true
	case "b", "bit", "bits":
		return "bit", 1, true
	case "L", "l":
		return "L", 1, true
	case "M":
		return "M", 1, true
	case "°C", "°F", "°":
		return s, 1, true
	}
	return "", 0, false
}

// spelledUnit gives the symbol of a unit that is written as a word.
func spelledUnit(w string) (string, bool) {
	w = strings.TrimSuffix(w, "s")
	if symbol, ok := unitWord(w); ok {
		return symbol, true
	}
	for _, p := range [...][2]string{
		{"milli", "m"},
		{"micro", "u"},
		{"nano", "n"},
		{"pico", "p"},
		{"centi", "c"},
		{"kilo", "k"},
		{"mega", "M"},
		{"giga", "G"},
		{"tera", "T"},
		{"kibi", "Ki"},
		{"mebi", "Mi"},
		{"gibi", "Gi"},
	} {
		if rest, ok := strings.CutPrefix(w, p[0]); ok {
			symbol, ok := unitWord(rest)
			return p[1] + symbol, ok
		}
	}
	return "", false
}

// unitWord gives the symbol of a unit by its name, without a plural's ending.
func unitWord(w string) (string, bool) {
	for _, u := range [...][2]string{
		{"percent", "%"},
		{"percentage", "%"},
		{"second", "s"},
		{"minute", "min"},
		{"hour", "h"},
		{"day", "d"},
		{"week", "week"},
		{"month", "month"},
		{"year", "year"},
		{"metre", "m"},
		{"meter", "m"},
		{"gram", "g"},
		{"litre", "L"},
		{"liter", "L"},
		{"volt", "V"},
		{"ampere", "A"},
		{"watt", "W"},
		{"joule", "J"},
		{"kelvin", "K"},
		{"celsiu", "°C"},
		{"fahrenheit", "°F"},
		{"byte", "B"},
		{"bit", "bit"},
		{"hertz", "Hz"},
		{"mole", "mol"},
		{"molar", "M"},
		{"pascal", "Pa"},
		{"newton", "N"},
		{"electronvolt", "eV"},
		{"calorie", "cal"},
		{"pixel", "px"},
		{"decibel", "dB"},
		{"dalton", "Da"},
	} {
		if w == u[0] {
			return u[1], true
		}
	}
	return "", false
}
