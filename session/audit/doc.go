// Package audit answers what can be asked of a stored session: where it stands, who
// wrote what, what a round would be without an agent, whether it proves itself.
package audit
