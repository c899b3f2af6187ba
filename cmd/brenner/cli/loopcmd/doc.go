// Package loopcmd holds the commands of `brenner loop`.
package loopcmd
