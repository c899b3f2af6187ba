// Package project is the application layer: what a command, a page and a tool do with
// a project, once. It opens a project, resolves its roster, reaches models, programs and
// mailboxes, composes briefs and runs sessions and loops over the project's store.
//
// Its functions take and return values. It knows no flags, no terminal and no exit code;
// it is the only package that sees both the pure packages and every implementation
// behind their interfaces, and only faces import it.
package project
