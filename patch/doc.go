// Package patch holds anchor patches: changes of a text that say where they belong
// by text that stands there, in the form anchor_diff_v2.1.
//
// It promises that a patch applies to the very text it was made for or to none,
// whole or not at all, in time that grows with the text and the patch and not with
// their product; and that a patch which fails says everything that is wrong with it,
// so that its author can mend it in one go.
//
// The package is pure. It must not know where texts and patches come from; whoever
// reads and writes files looks after links and atomic writes.
package patch
