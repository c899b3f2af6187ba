package sqlite

// syncFolder does nothing: Windows has no such operation, and NTFS journals names.
func syncFolder(string) error { return nil }

// writable does not know: the first write says it.
func writable(string) error { return nil }
