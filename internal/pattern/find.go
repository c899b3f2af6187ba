package pattern

// The methods below are those of package regexp.

func (p *Pattern) FindString(s string) string {
	if e := p.in(s); e != nil {
		return e.FindString(s)
	}
	return ""
}

func (p *Pattern) FindStringIndex(s string) []int {
	if e := p.in(s); e != nil {
		return e.FindStringIndex(s)
	}
	return nil
}

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if e := p.in(s); e != nil {
		return e.FindAllStringIndex(s, n)
	}
	return nil
}

func (p *Pattern) FindStringSubmatch(s string) []string {
	if e := p.in(s); e != nil {
		return e.FindStringSubmatch(s)
	}
	return nil
}

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if e := p.in(s); e != nil {
		return e.FindStringSubmatchIndex(s)
	}
	return nil
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if e := p.in(s); e != nil {
		return e.FindAllStringSubmatch(s, n)
	}
	return nil
}

func (p *Pattern) ReplaceAllString(s, with string) string {
	if e := p.in(s); e != nil {
		return e.ReplaceAllString(s, with)
	}
	return s
}

func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	if e := p.in(s); e != nil {
		return e.ReplaceAllStringFunc(s, with)
	}
	return s
}

func (p *Pattern) Find(b []byte) []byte {
	if e := p.inBytes(b); e != nil {
		return e.Find(b)
	}
	return nil
}

func (p *Pattern) FindIndex(b []byte) []int {
	if e := p.inBytes(b); e != nil {
		return e.FindIndex(b)
	}
	return nil
}

func (p *Pattern) FindAll(b []byte, n int) [][]byte {
	if e := p.inBytes(b); e != nil {
		return e.FindAll(b, n)
	}
	return nil
}

func (p *Pattern) FindAllIndex(b []byte, n int) [][]int {
	if e := p.inBytes(b); e != nil {
		return e.FindAllIndex(b, n)
	}
	return nil
}

func (p *Pattern) FindSubmatch(b []byte) [][]byte {
	if e := p.inBytes(b); e != nil {
		return e.FindSubmatch(b)
	}
	return nil
}

func (p *Pattern) FindSubmatchIndex(b []byte) []int {
	if e := p.inBytes(b); e != nil {
		return e.FindSubmatchIndex(b)
	}
	return nil
}

func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	if e := p.inBytes(b); e != nil {
		return e.FindAllSubmatch(b, n)
	}
	return nil
}

func (p *Pattern) FindAllSubmatchIndex(b []byte, n int) [][]int {
	if e := p.inBytes(b); e != nil {
		return e.FindAllSubmatchIndex(b, n)
	}
	return nil
}

func (p *Pattern) ReplaceAll(b, with []byte) []byte {
	if e := p.inBytes(b); e != nil {
		return e.ReplaceAll(b, with)
	}
	return b
}

func (p *Pattern) Split(s string, n int) []string { return p.whole().Split(s, n) }
