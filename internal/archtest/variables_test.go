package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
)

// variables checks that package variables are never written to, and that none is exported
// except errors made by errors.New.
func (c *checker) variables() {
	for _, f := range c.pkg.Files {
		for _, d := range f.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				c.checkExported(gen)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c.writes(n)
			return true
		})
	}
}

func (c *checker) checkExported(gen *ast.GenDecl) {
	for _, s := range gen.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range spec.Names {
			sentinel := len(spec.Values) == len(spec.Names) && c.isNewError(spec.Values[i])
			if name.IsExported() && !sentinel {
				c.add(name.Pos(), ruleVariable, "exported variable %s can be written to by any package: use a function or a constant", name.Name)
			}
		}
	}
}

func (c *checker) isNewError(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	obj := c.callee(call)
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "errors" && obj.Name() == "New"
}

// writes looks for writes to package variables, this package's or another's.
func (c *checker) writes(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			c.reportWrite(e, "is assigned to")
		}
	case *ast.IncDecStmt:
		c.reportWrite(n.X, "is assigned to")
	case *ast.RangeStmt:
		c.reportWrite(n.Key, "is assigned to")
		c.reportWrite(n.Value, "is assigned to")
	case *ast.UnaryExpr:
		// A row's address (&table[i]) is how a table is read without copying.
		if n.Op == token.AND && !isElement(n.X) {
			c.reportWrite(n.X, "has its address taken")
		}
	case *ast.CallExpr:
		if b, ok := c.callee(n).(*types.Builtin); ok && contains("clear copy delete", b.Name()) && len(n.Args) > 0 {
			c.reportWrite(n.Args[0], "is written to by "+b.Name())
		}
	case *ast.SelectorExpr:
		if c.takesAddress(n) && !isElement(n.X) {
			c.reportWrite(n.X, "is the receiver of the pointer method "+n.Sel.Name)
		}
	}
}

func isElement(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok
}

// takesAddress reports whether a method with a pointer receiver is called on a
// value, which takes its address implicitly.
func (c *checker) takesAddress(sel *ast.SelectorExpr) bool {
	s := c.pkg.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	fn, ok := s.Obj().(*types.Func)
	if !ok {
		return false
	}
	_, onPointer := fn.Signature().Recv().Type().(*types.Pointer)
	_, isPointer := s.Recv().Underlying().(*types.Pointer)
	return onPointer && !isPointer
}

// reportWrite adds a finding if the expression writes into a package variable.
func (c *checker) reportWrite(e ast.Expr, how string) {
	id := rootName(e)
	if id == nil {
		return
	}
	v, ok := c.pkg.Info.Uses[id].(*types.Var)
	if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		c.add(id.Pos(), ruleVariable, "package variable %s %s", v.Name(), how)
		return
	}
	// pkg.Var.field: the name at the root is the package's.
	if sel := qualifiedName(e); sel != nil {
		if v, ok := c.pkg.Info.Uses[sel].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			c.add(sel.Pos(), ruleVariable, "package variable %s.%s %s", v.Pkg().Name(), v.Name(), how)
		}
	}
}

// rootName returns the name that an expression like a.b[i].c starts with.
func rootName(e ast.Expr) *ast.Ident {
	for e != nil {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		default:
			e = inner(x)
		}
	}
	return nil
}

// qualifiedName returns Var of an expression like pkg.Var[i].c.
func qualifiedName(e ast.Expr) *ast.Ident {
	for e != nil {
		if sel, ok := e.(*ast.SelectorExpr); ok {
			if _, ok := sel.X.(*ast.Ident); ok {
				return sel.Sel
			}
		}
		e = inner(e)
	}
	return nil
}

// inner returns the operand of a selector, index, slice, pointer or parenthesised expression.
func inner(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return x.X
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	default:
		return nil
	}
}
