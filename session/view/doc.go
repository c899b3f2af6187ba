// Package view decides what an agent sees of the research artifact, and writes it.
//
// Build promises: the text never has more tokens than its bound, counted as the
// caller counts; every item is in it at least by its id, because an agent can only
// change what it can name; what is left out, or shown in short, is named with the
// rule that did it; the same input gives the same text; and nothing that an agent
// or a person wrote can begin a line of it, so that no such text can forge a
// heading, a list, a fence, a quotation or HTML. If not even the ids fit, that is
// an error, and nothing is to be sent.
//
// The package is pure. It must not know how tokens are counted, what becomes of
// the text, or what else stands in the message that carries it.
package view
