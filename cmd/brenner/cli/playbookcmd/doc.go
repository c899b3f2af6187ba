// Package playbookcmd holds the commands of `brenner playbook`.
package playbookcmd
