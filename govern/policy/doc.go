// Package policy decides who may do what with records, from data alone: which role
// may read and write which type, and what keeps a record from being promoted. It
// knows roles by their names and nothing of agents or of where the answer is
// enforced.
package policy
