// Package files applies anchor patches to the files of a working tree.
//
// All patches are worked out before a file is touched. The new texts are written beside
// the files and renamed, under a lock of their directories. A process that is killed at
// any instruction leaves each file with its old bytes or its new ones.
package files
