package postgres

import (
	"cmp"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner/internal/fault"
	"brenner/store"
)

// setting is a parameter of an address that the driver also takes from a variable of the environment.
type setting struct{ key, variable string }

// checkedSettings are those that the driver may refuse, with a value that it accepts. Those of a group depend on each other.
func checkedSettings() []struct {
	neutral string
	group   []setting
} {
	return []struct {
		neutral string
		group   []setting
	}{
		{"0", []setting{{"connect_timeout", "PGCONNECT_TIMEOUT"}}},
		{"", []setting{{"sslrootcert", "PGSSLROOTCERT"}}},
		{"", []setting{{"sslcert", "PGSSLCERT"}, {"sslkey", "PGSSLKEY"}}},
		{"prefer", []setting{{"sslmode", "PGSSLMODE"}}},
		{"any", []setting{{"target_session_attrs", "PGTARGETSESSIONATTRS"}}},
		{"prefer", []setting{{"channel_binding", "PGCHANNELBINDING"}}},
		{"", []setting{{"require_auth", "PGREQUIREAUTH"}}},
		{"", []setting{{"min_protocol_version", "PGMINPROTOCOLVERSION"}, {"max_protocol_version", "PGMAXPROTOCOLVERSION"}}},
	}
}

// service names a section of a file with settings. They replace variables, but not what is in the address.
const service = "PGSERVICE"

// configure reads the settings of connections from an address and the environment.
func configure(dial string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dial)
	if err != nil {
		return nil, refusedSetting(dial, err)
	}
	return config, nil
}

// refusedSetting returns the error for settings that the driver refuses. It makes one after another neutral: the one
// without which the driver accepts the others is the reason. The driver's own error repeats the address.
func refusedSetting(dial string, err error) error {
	u, e := url.Parse(dial)
	if e != nil {
		return badAddress("it is not a valid URL")
	}
	given, neutral := u.Query(), u.Query()
	for _, c := range checkedSettings() {
		for _, one := range c.group {
			neutral.Set(one.key, c.neutral)
		}
		u.RawQuery = neutral.Encode()
		_, next := pgxpool.ParseConfig(u.String())
		if next == nil {
			return badGroup(c.group, given, err)
		}
		err = next
	}
	if os.Getenv(service) != "" {
		return badVariable(service, err)
	}
	return badAddress("a part of it is not valid")
}

// badGroup returns the error for settings, which are in the address, in the environment, in a service or in files.
func badGroup(group []setting, given url.Values, err error) error {
	for _, one := range group {
		if given.Has(one.key) {
			return &fault.Error{
				Code: store.BadAddress, Op: "read the store's address", Place: one.key + "=", Detail: "not accepted", Cause: reason(err),
				Hint: "correct " + one.key + "= in the address, or remove it",
			}
		}
	}
	for _, one := range group {
		if os.Getenv(one.variable) != "" {
			return badVariable(one.variable, err)
		}
	}
	if os.Getenv(service) != "" {
		return badVariable(service, err)
	}
	return &fault.Error{ // the driver looks for certificates there
		Code: store.BadAddress, Op: "connect to the store", Place: "a file in ~/.postgresql", Detail: "not accepted", Cause: reason(err),
		Hint: "correct it, or remove it: `ls ~/.postgresql`",
	}
}

func badVariable(name string, err error) error {
	return &fault.Error{
		Code: store.BadAddress, Op: "connect to the store", Place: "the environment variable " + name, Detail: "not accepted", Cause: reason(err),
		Hint: "correct it, or run `unset " + name + "`",
	}
}

// checkPassfile refuses a password from a file that other users of this machine can read: other clients ignore such a file.
func checkPassfile(c *pgconn.Config, file string) error {
	if home, err := os.UserHomeDir(); file == "" && err == nil {
		file = cmp.Or(os.Getenv("PGPASSFILE"), filepath.Join(home, ".pgpass"))
	}
	if runtime.GOOS == "windows" || c.Password == "" || os.Getenv("PGPASSWORD") != "" || os.Getenv(service) != "" { // which may contain a password
		return nil
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil //nolint:nilerr // without a file the password is from elsewhere
	}
	return &fault.Error{
		Code: store.Denied, Op: "read the password", Place: file, Detail: "other users of this machine can read or change it", Hint: "run `chmod 600 " + file + "`",
	}
}

// reason returns why the driver refused a setting.
func reason(err error) error {
	var refused *pgconn.ParseConfigError
	if errors.As(err, &refused) && refused.Unwrap() != nil {
		return errors.New(strings.Join(strings.Fields(refused.Unwrap().Error()), " "))
	}
	return errors.New("unknown value")
}
