package files

// ReplaceOn is Replace on another disk, without its fault.
var ReplaceOn = replace
