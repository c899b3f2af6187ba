// Package prompts holds the agents' instructions: one template for each role, and one for sessions
// without roles.
//
// A template is a text with a version and a hash. It does not repeat definitions of other
// packages: write scopes, fields and lint rules are rendered from their tables, so that a prompt
// cannot become outdated. A published version never changes: its hash is in versions.txt, which is
// append-only.
//
// The package is pure. Roles are only names to it, and it must not know agents, sessions or
// messages.
package prompts
