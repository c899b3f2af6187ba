package sqlite

// syncFolder does nothing: Windows has no such operation, and NTFS journals names.
func syncFolder(string) error { return nil }

// writable checks nothing: the first write fails instead.
func writable(string) error { return nil }
