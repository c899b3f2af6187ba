package postgres

import (
	"net/url"
	"os/user"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner/internal/fault"
	"brenner/store"
)

// Schemes returns what an address begins with.
func Schemes() []string { return []string{"postgres://", "postgresql://"} }

// IsAddress reports whether a text names a database rather than a file.
func IsAddress(text string) bool {
	for _, scheme := range Schemes() {
		if strings.HasPrefix(strings.ToLower(text), scheme) {
			return true
		}
	}
	return false
}

// Address is where a project is stored. It has no password.
type Address struct {
	shown   string // without anything that could be secret
	dial    string // for the driver
	project string
	// undurable accepts a server that acknowledges commits before they are on disk.
	undurable   bool
	connections int
	passfile    string // empty for that of the environment
}

const (
	exampleAddress     = "postgres://brenner@db.example/research?project=cells"
	defaultConnections = 8
	mostConnections    = 200
)

// passedOn are the parameters of an address that the driver reads.
func passedOn(key string) bool {
	switch key {
	case "host", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslsni", "sslnegotiation", "passfile",
		"connect_timeout", "target_session_attrs", "application_name", "channel_binding", "require_auth":
		return true
	}
	return false
}

// ParseAddress reads an address: postgres://USER@HOST:PORT/DATABASE?project=NAME. Its errors do not
// repeat the address, which may contain a password by mistake.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	switch {
	case !IsAddress(text):
		return Address{}, badAddress("it does not begin with " + Schemes()[0])
	case err != nil:
		return Address{}, badAddress("it is not a valid URL")
	case u.Fragment != "" || u.Opaque != "":
		return Address{}, badAddress("it contains #")
	}
	if _, has := u.User.Password(); has || strings.Contains(u.User.Username(), ":") { // %3A separates nothing
		return Address{}, withPassword()
	}
	values, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return Address{}, badAddress("its parameters are not valid")
	case strings.Contains(u.Host+values.Get("host"), ","):
		return Address{}, badAddress("it names several hosts")
	}
	a := Address{connections: defaultConnections}
	shown := url.Values{}
	for key := range values {
		if len(values[key]) > 1 {
			return Address{}, badAddress("a parameter is set twice")
		}
		if err := a.set(key, values.Get(key)); err != nil {
			return Address{}, err
		}
		if key != "passfile" {
			shown.Set(key, values.Get(key))
		}
		if !passedOn(key) {
			values.Del(key)
		}
	}
	if !projectName.MatchString(a.project) {
		return Address{}, badAddress("project= is missing, or is not a name of 1 to 40 characters of a-z, 0-9 and _")
	}
	u.RawQuery = shown.Encode()
	a.shown = u.String()
	if err := complete(u); err != nil {
		return Address{}, err
	}
	u.RawQuery = values.Encode()
	a.dial = u.String()
	if _, err := configure(a.dial); err != nil {
		return Address{}, err
	}
	return a, nil
}

var projectName = regexp.MustCompile(`\A[a-z0-9_]{1,40}\z`)

// complete adds the port and the user that the address leaves out. Otherwise the driver takes them from PGPORT, PGUSER
// and the service of PGSERVICE, and connects to another place than the one that is shown and checked.
func complete(u *url.URL) error {
	if u.Port() == "" {
		u.Host = strings.TrimSuffix(u.Host, ":") + ":5432"
	}
	if u.User.Username() == "" {
		me, err := user.Current()
		if err != nil {
			return badAddress("the user is missing")
		}
		u.User = url.User(me.Username)
	}
	return nil
}

// set reads a parameter.
func (a *Address) set(key, value string) error {
	switch {
	case strings.Contains(strings.ToLower(key), "password"):
		return withPassword()
	case key == "port" || key == "user" || key == "dbname" || key == "database":
		return badAddress(key + "= belongs before the ?") // what is shown and checked is that part
	case key == "project":
		a.project = value
	case key == "durable" && (value == "yes" || value == "no"):
		a.undurable = value == "no"
	case key == "durable":
		return badAddress("durable= is neither yes nor no")
	case key == "passfile":
		a.passfile = value
	case key == "connections":
		n, err := strconv.Atoi(value)
		if err != nil || n < 2 || n > mostConnections {
			return badAddress("connections= is not a number from 2 to " + strconv.Itoa(mostConnections))
		}
		a.connections = n
	case !passedOn(key):
		return badAddress("unknown parameter " + fault.Shown(key))
	}
	return nil
}

func badAddress(detail string) error {
	return &fault.Error{Code: store.BadAddress, Op: "read the store's address", Detail: detail, Hint: "write it as " + exampleAddress}
}

func withPassword() error {
	return &fault.Error{
		Code: store.BadAddress, Op: "read the store's address", Detail: "it contains a password",
		Hint: "remove it from the address, and set PGPASSWORD or add a line to ~/.pgpass",
	}
}

// String returns the address as it can be shown: it has no password.
func (a Address) String() string { return a.shown }

// Project returns the name of the project.
func (a Address) Project() string { return a.project }

// Undurable reports whether the address accepts a server whose crash can lose what was stored last.
func (a Address) Undurable() bool { return a.undurable }

// schema returns the quoted name of the database schema.
func (a Address) schema() string { return pgx.Identifier{a.schemaName()}.Sanitize() }

func (a Address) schemaName() string { return "brenner_" + a.project }

// config returns the settings of the connections. PgBouncer in transaction mode works with them:
// statements are not prepared, and nothing is set for a connection.
func (a Address) config() (*pgxpool.Config, error) {
	c, err := configure(a.dial)
	if err == nil {
		err = checkPassfile(&c.ConnConfig.Config, a.passfile)
	}
	if err != nil {
		return nil, err
	}
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	c.ConnConfig.StatementCacheCapacity, c.ConnConfig.DescriptionCacheCapacity = 0, 0
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "brenner"
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = dialTimeout
	}
	c.MaxConns = int32(a.connections) //nolint:gosec // at most 200
	return c, nil
}
