package archtest

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// impure are the packages of the standard library that a pure package may not
// import, nor the packages below them.
const impure = `C context crypto/rand database expvar flag hash/maphash io/fs io/ioutil
	log math/rand net os path/filepath plugin runtime sync syscall testing unsafe`

// impureUses are the functions, methods and variables that a pure package may
// not use, by package: clocks, the local time zone, random numbers, the terminal, and
// iteration over maps.
func impureUses() map[string]string {
	return map[string]string{
		"time": "Now Since Until Sleep After AfterFunc Tick NewTimer NewTicker Local LoadLocation Time.Local",
		"fmt":  "Print Printf Println Scan Scanf Scanln",
		"github.com/google/uuid": "New NewString NewRandom NewRandomFromReader NewUUID NewV6 NewV7 NewDCEPerson " +
			"NewDCEGroup NewDCESecurity SetRand EnableRandPool DisableRandPool SetNodeID SetNodeInterface SetClockSequence",
		"reflect": "Value.MapKeys Value.MapRange Value.Seq Value.Seq2",
	}
}

// pure checks the rules for pure packages.
func (c *checker) pure(row Row) {
	if len(c.pkg.Files) == 0 {
		return // a package of tests
	}
	for _, name := range c.pkg.Hidden {
		c.add(c.pkg.Files[0].Name.Pos(), ruleHidden, "%s is not part of every build: a pure package is the same everywhere",
			filepath.Base(name))
	}
	for _, f := range c.pkg.Files {
		c.pureImports(f, row)
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			c.pureNode(n, stack)
			return true
		})
	}
}

func (c *checker) pureImports(f *ast.File, row Row) {
	for _, spec := range f.Imports {
		p := importPath(spec)
		if _, ours := c.below(spec); ours {
			continue
		}
		first, _, _ := strings.Cut(p, "/")
		switch {
		case isBelow(p, impure) && !contains(row.Standard, p):
			c.add(spec.Pos(), ruleImport, "a pure package may not import %s", p)
		case strings.Contains(first, ".") && !row.mayOutside(p):
			c.add(spec.Pos(), ruleImport, "the row of %s does not allow %s of another module", row.Path, p)
		}
	}
}

func isBelow(p, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if p == w || strings.HasPrefix(p, w+"/") {
			return true
		}
	}
	return false
}

func (c *checker) pureNode(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.add(n.Pos(), ruleGoroutine, "a pure package may not start a goroutine")
	case *ast.SelectStmt, *ast.ChanType:
		c.add(n.Pos(), ruleGoroutine, "a pure package has no channels")
	case *ast.RangeStmt:
		if isMap(c.pkg.Info.TypeOf(n.X)) {
			c.add(n.Pos(), ruleOrder, "no range over a map: use slices.Sorted(maps.Keys(m))")
		}
	case *ast.Ident:
		c.pureUse(n, stack)
	}
}

// pureUse checks the object that a name refers to.
func (c *checker) pureUse(id *ast.Ident, stack []ast.Node) {
	obj := c.pkg.Info.Uses[id]
	if _, ok := obj.(*types.Builtin); ok && (id.Name == "print" || id.Name == "println") {
		c.add(id.Pos(), ruleCall, "a pure package may not print")
		return
	}
	if obj == nil || obj.Pkg() == nil {
		return
	}
	name := qualified(obj)
	if contains(impureUses()[obj.Pkg().Path()], name) {
		c.add(id.Pos(), ruleCall, "a pure package may not use %s.%s", obj.Pkg().Name(), name)
	}
	if obj.Pkg().Path() == "maps" && contains("Keys Values All", name) && !c.isSorted(stack) {
		c.add(id.Pos(), ruleOrder, "maps.%s only directly inside slices.Sorted, SortedFunc or SortedStableFunc", name)
	}
}

// qualified returns the name of a package's object, "Type.Method" for methods: a
// time's method After is not the function After.
func qualified(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			t := recv.Type()
			if ptr, ok := t.(*types.Pointer); ok {
				t = ptr.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				return named.Obj().Name() + "." + fn.Name()
			}
			return ""
		}
	}
	return obj.Name()
}

// isSorted reports whether the name at the end of the stack is called as an argument
// of one of the sorting functions of slices.
func (c *checker) isSorted(stack []ast.Node) bool {
	var calls []*ast.CallExpr
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			continue
		case *ast.CallExpr:
			if calls = append(calls, n); len(calls) < 2 {
				continue
			}
		}
		break
	}
	if len(calls) < 2 {
		return false
	}
	obj := c.callee(calls[1])
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "slices" &&
		contains("Sorted SortedFunc SortedStableFunc", obj.Name())
}

// callee returns the object that is called, or nil if it has no name.
func (c *checker) callee(call *ast.CallExpr) types.Object {
	fun := ast.Unparen(call.Fun)
	for {
		switch f := fun.(type) {
		case *ast.IndexExpr:
			fun = f.X
		case *ast.IndexListExpr:
			fun = f.X
		case *ast.SelectorExpr:
			return c.pkg.Info.Uses[f.Sel]
		case *ast.Ident:
			return c.pkg.Info.Uses[f]
		default:
			return nil
		}
	}
}

// isMap reports whether a value of the type may be a map.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return permitsMap(p.Constraint())
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// permitsMap reports whether a constraint admits a map.
func permitsMap(constraint types.Type) bool {
	iface, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return isMap(constraint)
	}
	for e := range iface.EmbeddedTypes() {
		switch e := e.(type) {
		case *types.Union:
			for term := range e.Terms() {
				if isMap(term.Type()) {
					return true
				}
			}
		default:
			if permitsMap(e) {
				return true
			}
		}
	}
	return false
}
