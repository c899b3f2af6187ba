package files

// ReplaceOn is Replace on another disk, with the plain error.
var ReplaceOn = replace
