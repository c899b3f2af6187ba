// Package imports imports what a pure package must not.
package imports // want direction

import (
	_ "context"      // want import
	_ "crypto/rand"  // want import
	_ "database/sql" // want import
	_ "errors"
	_ "flag"         // want import
	_ "hash/maphash" // want import
	_ "io"
	_ "io/fs"         // want import
	_ "log"           // want import
	_ "log/slog"      // want import
	_ "math/rand"     // want import
	_ "math/rand/v2"  // want import
	_ "net"           // want import
	_ "net/http"      // want import
	_ "os"            // want import
	_ "os/exec"       // want import
	_ "path/filepath" // want import
	_ "runtime/debug" // want import
	_ "sync"          // want import
	_ "sync/atomic"   // want import
	_ "syscall"       // want import
	_ "testing"       // want import
	_ "unsafe"        // want import

	_ "bad/good"  // want direction
	_ "bad/shell" // want direction
)
