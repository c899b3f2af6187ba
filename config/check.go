package config

import (
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/roster"
	"brenner/store/record"
)

// The codes for invalid configurations.
const (
	Unreadable   fault.Code = "CONFIG_UNREADABLE"    // A configuration file or the project directory cannot be read.
	InvalidYAML  fault.Code = "CONFIG_INVALID_YAML"  // A configuration file is not valid UTF-8 YAML.
	DuplicateKey fault.Code = "CONFIG_DUPLICATE_KEY" // Duplicate key in a configuration file.
	UnknownKey   fault.Code = "CONFIG_UNKNOWN_KEY"   // Unknown configuration key.
	WrongType    fault.Code = "CONFIG_WRONG_TYPE"    // A configuration value has the wrong type.
	InvalidValue fault.Code = "CONFIG_INVALID_VALUE" // Invalid value in the configuration.
)

// The codes of warnings.
const (
	UnknownVariable fault.Code = "CONFIG_UNKNOWN_VARIABLE" // Warning: an unknown environment variable resembles a known one; it is ignored.
	FileIgnored     fault.Code = "CONFIG_FILE_IGNORED"     // Warning: `.brennerrc` is ignored because `brenner.yaml` exists beside it.
)

// check makes the checks that need the complete configuration.
func (c *Config) check(g layerStack, t table) error {
	var found fault.Bounded
	for _, s := range limitedSections() {
		if l := c.Limits[s]; l.Max > 0 && l.Min > l.Max {
			at := "limits." + s.String()
			least, most := c.Origin(at+".min"), c.Origin(at+".max")
			stronger := most
			if least.Level < most.Level || least.Level == most.Level && least.Line > most.Line {
				stronger = least
			}
			found.Add(InvalidValue, stronger.String(), "lower the minimum or raise the maximum; 0 means no maximum",
				"%s: minimum %d (%s) exceeds maximum %d (%s)", at, l.Min, least, l.Max, most)
		}
	}
	for _, path := range []string{"roster.preset", "roster.defaultPreset"} {
		for _, l := range []layer{g.session, g.project} {
			checkPreset(&found, c.Presets, l[path])
		}
	}
	c.checkBounds(&found, t, positive, "use a number from 1")
	if strings.TrimSpace(c.Operator) == "" {
		found.Add(InvalidValue, c.place("operator"), "set a name: the operator signs the brief", "operator: empty name")
	}
	c.checkRecords(&found)
	c.checkBounds(&found, t, share, "use a number from 0 to 1")
	if playbook.CheckWord("domain", c.Playbook.Domain) != nil {
		found.Add(InvalidValue, c.place("playbook.domain"), "use text on one line", "playbook.domain: invalid value %s", fault.Shown(c.Playbook.Domain))
	}
	return found.Err()
}

// place returns the origin of a key's value.
func (c *Config) place(key string) string { return c.Origin(key).String() }

// checkBounds reports the numbers that violate a bound.
func (c *Config) checkBounds(found *fault.Bounded, t table, b bound, hint string) {
	for _, k := range t {
		if k.bound != b {
			continue
		}
		value := c.value(k.path)
		key := ""
		if value.Origin.Line > 0 { // a flag or a variable names the key itself
			key = k.path + ": "
		}
		if n, ok := value.raw.(int); ok && n < 1 {
			found.Add(InvalidValue, c.place(k.path), hint, "%s%d is below 1", key, n)
		}
		if x, ok := value.raw.(float64); ok && x > 1 {
			found.Add(InvalidValue, c.place(k.path), hint, "%s%g is above 1", key, x)
		}
	}
}

// checkPreset reports a preset that does not exist. An empty name means none.
func checkPreset(found *fault.Bounded, all []roster.Preset, named setting) {
	id, _ := named.value.(string)
	if id == "" {
		return
	}
	_, err := roster.FindPreset(all, id)
	for _, one := range fault.All(err) {
		located := *one
		located.Place = named.origin.String()
		found.Take(&located)
	}
}

// checkRecords checks the names of record types: a misspelt one would change access by mistake.
func (c *Config) checkRecords(found *fault.Bounded) {
	types := c.AllTypes()
	check := func(key, name string) {
		if err := types.Check(name); err != nil {
			found.Add(InvalidValue, c.place(key), fault.HintOf(err), "%s: unknown type %s", key, fault.Shown(name))
		}
	}
	for _, name := range c.Records.Unattended {
		check("store.unattended", name)
	}
	if access := c.Access(); !slices.Contains(access.Roles(), c.Records.People) {
		found.Add(InvalidValue, c.place("store.people"), "known roles: "+strings.Join(access.Roles(), ", ")+"; add others under roles:",
			"store.people: unknown role %s", fault.Shown(c.Records.People))
	}
	for _, r := range c.Roles {
		for _, name := range slices.Concat(r.Read, r.Write) {
			check("roles", name)
			if kind, _ := types.Find(name); kind.Raw {
				found.Add(InvalidValue, c.place("roles"), "remove it: raw messages and replies are not shown to agents",
					"roles: %s cannot read or write %s", fault.Shown(r.Role), record.A(name))
			}
		}
		for _, v := range r.Views {
			check("roles", v.Type)
			if kind, _ := types.Find(v.Type); kind.Raw {
				found.Add(InvalidValue, c.place("roles"), "remove it: raw messages and replies are not shown to agents",
					"roles: a view of %s cannot show %s", fault.Shown(r.Role), record.A(v.Type))
			}
		}
	}
}
