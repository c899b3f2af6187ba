// Package unlisted has no row.
package unlisted
