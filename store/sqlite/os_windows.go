package sqlite

// syncDir does nothing: Windows has no such operation, and NTFS journals names.
func syncDir(string) error { return nil }

// writable checks nothing: the first write fails instead.
func writable(string) error { return nil }

// readable checks nothing: the first read fails instead.
func readable(string) error { return nil }
