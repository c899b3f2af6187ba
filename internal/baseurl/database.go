package baseurl

import (
	"maps"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// DatabaseHint is the form of a database's address, for messages.
const DatabaseHint = "write it like postgres://USER@HOST/DATABASE?project=NAME (a to z, 0 to 9 and _), without a password: set PGPASSWORD or ~/.pgpass"

// Database is a project in a database, without what a client needs to connect.
type Database struct {
	Host    string // with the port, if the address has one; or the directory of a socket
	Name    string
	Project string
}

// ParseDatabase reads the address of a project in a PostgreSQL database. One with a password is refused:
// addresses are shown, and project files are shared.
func ParseDatabase(s string) (Database, bool) {
	d, problem := readDatabase(s)
	return d, problem == ""
}

// DatabaseProblem returns what is wrong with the address of a project in a database, or "". It repeats no part of the
// address, which may contain a password by mistake.
func DatabaseProblem(s string) string {
	_, problem := readDatabase(s)
	return problem
}

func readDatabase(s string) (Database, string) {
	u, err := url.Parse(s)
	switch {
	case !strings.HasPrefix(strings.ToLower(s), "postgres://") && !strings.HasPrefix(strings.ToLower(s), "postgresql://"):
		return Database{}, "it does not begin with postgres://"
	case err != nil:
		return Database{}, "it is not a valid URL"
	case u.Fragment != "" || strings.Contains(s, "#"):
		return Database{}, "it contains #"
	}
	if hasPassword(u) {
		return Database{}, "it contains a password"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Database{}, "its parameters are not valid"
	}
	if problem := queryProblem(query); problem != "" {
		return Database{}, problem
	}
	d := Database{Host: u.Host, Name: strings.TrimPrefix(u.Path, "/"), Project: query.Get("project")}
	switch socket := query.Get("host"); {
	case strings.Contains(u.Host+socket, ","):
		return Database{}, "it names several hosts"
	case query.Has("host") && (u.Hostname() != "" || !path.IsAbs(socket)):
		return Database{}, "host= is only for the directory of a socket; write another host before the /"
	case u.Hostname() == "" && socket == "":
		return Database{}, "the host is missing"
	case socket != "":
		d.Host = socket + u.Host // with the port
	}
	switch {
	case d.Name == "":
		return Database{}, "the database is missing"
	case strings.ContainsAny(d.Name, "/\x00"):
		return Database{}, "the name of the database contains / or a zero byte"
	case d.Project == "":
		return Database{}, "project= is missing"
	case !regexp.MustCompile(`^[a-z0-9_]{1,40}$`).MatchString(d.Project):
		return Database{}, "project= is not a name of 1 to 40 characters of a-z, 0-9 and _"
	}
	return d, ""
}

// hasPassword reports whether an address has a password, also behind a colon that is encoded.
func hasPassword(u *url.URL) bool {
	_, set := u.User.Password()
	return set || strings.Contains(u.User.Username(), ":")
}

// queryProblem returns what is wrong with parameters. What is shown and checked is the part before them, so they
// must not replace it.
func queryProblem(query url.Values) string {
	for _, key := range slices.Sorted(maps.Keys(query)) {
		switch name := strings.ToLower(key); {
		case strings.Contains(name, "password"):
			return "it contains a password"
		case len(query[key]) > 1:
			return "a parameter is set twice"
		case slices.Contains([]string{"user", "port", "dbname", "database", "hostaddr", "service", "servicefile"}, name):
			return name + "= belongs before the ?"
		}
	}
	return ""
}

// URL returns the address of the host, as the rules for endpoints compare it. A socket is on this machine.
func (d Database) URL() string {
	if path.IsAbs(d.Host) {
		return "postgres://localhost"
	}
	return "postgres://" + d.Host
}

// String returns the place as messages show it.
func (d Database) String() string {
	host, port, err := net.SplitHostPort(d.Host)
	if err == nil && port == "5432" {
		d.Host = host
	}
	return "PostgreSQL at " + d.Host + ", database " + d.Name + ", project " + d.Project
}
