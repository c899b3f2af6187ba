package hidden

import "os"

var Name = os.Getenv("name")
