// Package simulation runs a fleet of workers in one process, with virtual time and faults, to show that sessions and
// loops survive an engine that places them. It consists of tests.
//
// Real are the packages session, session/flow, loop, loop/runner and store/lease; simulated are the clock, the store's
// server, the agents, and an engine that promises no more than delivery at least once, a heartbeat timeout and
// retries. Every call to one of these is a step: a scheduler decides by the seed which process takes the next one, so
// that a seed always has the same history.
package simulation
