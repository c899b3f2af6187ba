// Package setupcmd holds the commands that set up and describe an installation: init, doctor, config, trust,
// schema and version.
package setupcmd
