// Package hidden differs between platforms.
package hidden // want hidden
