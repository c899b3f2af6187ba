package pattern

// The methods below are those of package regexp.

// FindString returns the text of the leftmost match, or "".
func (p *Pattern) FindString(s string) string {
	if e := p.in(s); e != nil {
		return e.FindString(s)
	}
	return ""
}

// FindStringIndex returns where the leftmost match begins and ends, or nil.
func (p *Pattern) FindStringIndex(s string) []int {
	if e := p.in(s); e != nil {
		return e.FindStringIndex(s)
	}
	return nil
}

// FindAllStringIndex returns where up to n matches begin and end, or all if n is negative.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if e := p.in(s); e != nil {
		return e.FindAllStringIndex(s, n)
	}
	return nil
}

// FindAllString returns the texts of up to n matches, or all if n is negative.
func (p *Pattern) FindAllString(s string, n int) []string {
	if e := p.in(s); e != nil {
		return e.FindAllString(s, n)
	}
	return nil
}

// FindStringSubmatch returns the leftmost match and its groups, or nil.
func (p *Pattern) FindStringSubmatch(s string) []string {
	if e := p.in(s); e != nil {
		return e.FindStringSubmatch(s)
	}
	return nil
}

// FindStringSubmatchIndex returns where the leftmost match and its groups begin and end, or nil.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if e := p.in(s); e != nil {
		return e.FindStringSubmatchIndex(s)
	}
	return nil
}

// FindAllStringSubmatch returns up to n matches with their groups, or all if n is negative.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if e := p.in(s); e != nil {
		return e.FindAllStringSubmatch(s, n)
	}
	return nil
}

// ReplaceAllString replaces all matches. $1 stands for the first group.
func (p *Pattern) ReplaceAllString(s, with string) string {
	if e := p.in(s); e != nil {
		return e.ReplaceAllString(s, with)
	}
	return s
}

// ReplaceAllStringFunc replaces each match with what a function returns for it.
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	if e := p.in(s); e != nil {
		return e.ReplaceAllStringFunc(s, with)
	}
	return s
}

// FindIndex returns where the leftmost match begins and ends, or nil.
func (p *Pattern) FindIndex(b []byte) []int {
	if e := p.inBytes(b); e != nil {
		return e.FindIndex(b)
	}
	return nil
}

// FindAll returns up to n matches, or all if n is negative.
func (p *Pattern) FindAll(b []byte, n int) [][]byte {
	if e := p.inBytes(b); e != nil {
		return e.FindAll(b, n)
	}
	return nil
}

// FindAllIndex returns where up to n matches begin and end, or all if n is negative.
func (p *Pattern) FindAllIndex(b []byte, n int) [][]int {
	if e := p.inBytes(b); e != nil {
		return e.FindAllIndex(b, n)
	}
	return nil
}

// FindSubmatch returns the leftmost match and its groups, or nil.
func (p *Pattern) FindSubmatch(b []byte) [][]byte {
	if e := p.inBytes(b); e != nil {
		return e.FindSubmatch(b)
	}
	return nil
}

// FindSubmatchIndex returns where the leftmost match and its groups begin and end, or nil.
func (p *Pattern) FindSubmatchIndex(b []byte) []int {
	if e := p.inBytes(b); e != nil {
		return e.FindSubmatchIndex(b)
	}
	return nil
}

// FindAllSubmatch returns up to n matches with their groups, or all if n is negative.
func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	if e := p.inBytes(b); e != nil {
		return e.FindAllSubmatch(b, n)
	}
	return nil
}

// FindAllSubmatchIndex returns where up to n matches and their groups begin and end, or all if n is negative.
func (p *Pattern) FindAllSubmatchIndex(b []byte, n int) [][]int {
	if e := p.inBytes(b); e != nil {
		return e.FindAllSubmatchIndex(b, n)
	}
	return nil
}

// ReplaceAll replaces all matches. $1 stands for the first group.
func (p *Pattern) ReplaceAll(b, with []byte) []byte {
	if e := p.inBytes(b); e != nil {
		return e.ReplaceAll(b, with)
	}
	return b
}

// Split returns the parts of a text between up to n-1 matches, or all if n is negative.
func (p *Pattern) Split(s string, n int) []string { return p.whole().Split(s, n) }
