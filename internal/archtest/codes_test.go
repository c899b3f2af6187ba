package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// Code is one constant of type fault.Code.
type Code struct {
	Value   string
	Name    string
	Package string
	Pos     token.Position
}

// Codes gives all constants of type fault.Code in the tree, sorted by value.
func Codes(t *Tree) []Code {
	var codes []Code
	for _, p := range t.Packages {
		for _, f := range p.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				k, ok := p.Info.Defs[id].(*types.Const)
				if ok && t.isCode(k.Type()) {
					codes = append(codes, Code{
						Value: constant.StringVal(k.Val()), Name: k.Name(), Package: p.Path, Pos: t.at(id.Pos()),
					})
				}
				return true
			})
		}
	}
	slices.SortStableFunc(codes, func(a, b Code) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Package, b.Package))
	})
	return codes
}

func (t *Tree) isCode(typ types.Type) bool {
	named, ok := types.Unalias(typ).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return named.Obj().Pkg().Path() == t.Module+"/internal/fault" && named.Obj().Name() == "Code"
}

// checkCodes holds that the codes are one closed list: each declared once, as a
// constant, in capitals.
func checkCodes(t *Tree) []Finding {
	shape := regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	var found []Finding
	first := make(map[string]Code)
	for _, c := range Codes(t) {
		if !shape.MatchString(c.Value) {
			found = append(found, Finding{c.Pos, ruleCode, fmt.Sprintf("code %q is not UPPER_SNAKE", c.Value)})
		}
		if other, ok := first[c.Value]; ok {
			found = append(found, Finding{c.Pos, ruleCode, fmt.Sprintf("code %s is declared in %s already", c.Value, other.Package)})
			continue
		}
		first[c.Value] = c
	}
	for _, p := range t.Packages {
		for _, f := range p.Files {
			found = append(found, looseCodes(t, p, f)...)
		}
	}
	return found
}

// looseCodes finds codes that are written as text outside a declaration of
// constants, where nothing would keep them unique. The empty code is none.
func looseCodes(t *Tree, p *Package, f *ast.File) []Finding {
	var found []Finding
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.BasicLit:
			tv := p.Info.Types[n]
			if n.Kind == token.STRING && tv.Value != nil && t.isCode(tv.Type) && constant.StringVal(tv.Value) != "" {
				found = append(found, Finding{t.at(n.Pos()), ruleCode, "a code is a constant: declare " + n.Value})
			}
		}
		return true
	})
	return found
}

// CheckCodesPage compares the table in docs/codes.md with the codes of the
// tree, both ways. Its rows are | `CODE` | package | sentence |.
func CheckCodesPage(page string, codes []Code) []string {
	var wrong []string
	told := make(map[string]string)
	last := ""
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		code := strings.Trim(cells[1], " `")
		if _, twice := told[code]; twice {
			wrong = append(wrong, code+" has two rows")
		}
		if code < last {
			wrong = append(wrong, fmt.Sprintf("%s stands after %s: rows are sorted", code, last))
		}
		last = code
		told[code] = strings.Trim(cells[2], " `")
		if strings.TrimSpace(cells[3]) == "" {
			wrong = append(wrong, code+" has no sentence")
		}
	}
	for _, c := range codes {
		switch pkg, ok := told[c.Value]; {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("missing: | %#q | %#q | … |", c.Value, c.Package))
		case pkg != c.Package:
			wrong = append(wrong, fmt.Sprintf("%s is declared in %s, not in %s", c.Value, c.Package, pkg))
		}
		delete(told, c.Value)
	}
	for code := range told {
		wrong = append(wrong, code+" is no code of the program")
	}
	slices.Sort(wrong)
	return wrong
}
