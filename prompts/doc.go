// Package prompts holds what the agents are told: one template for each role, and
// one for sessions without roles.
//
// A template is text, written for this project, with a version and a hash. What can
// be known from elsewhere is not written in it: what a role may change comes from
// the write scopes, the fields from the section table, the rules from lint; so a
// prompt cannot fall behind the program. A version, once used, stands for one text
// for ever: its hash is in versions.txt, which only grows.
//
// The package is pure. It knows roles by their names and nothing of agents,
// sessions or messages.
package prompts
