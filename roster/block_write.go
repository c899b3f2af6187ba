package roster

// The fixed lines of the block, as the specification's serialisation section
// prescribes them.
const (
	blockHeading   = "## Session Configuration"
	modeLabel      = "**Roster Mode**: "
	nameLabel      = "**Roster Name**: "
	tableHeader    = "| Agent | Role | Program | Model |"
	tableDelimiter = "|-------|------|---------|-------|"
	blockEnd       = "---"
)

// AppendBlock appends the block of a kickoff that says who takes part, from its
// heading to its closing rule and newline. The name's line is left out where
// there is no name. Notes and the instant are not in the block.
func AppendBlock(dst []byte, r Roster) []byte {
	dst = append(dst, blockHeading+"\n\n"+modeLabel...)
	dst = append(appendCell(dst, string(r.Mode.OrDefault())), '\n')
	if r.Name != "" {
		dst = append(dst, nameLabel...)
		dst = append(appendCell(dst, r.Name), '\n')
	}
	dst = append(dst, "\n"+tableHeader+"\n"+tableDelimiter+"\n"...)
	for _, e := range r.Entries {
		for _, cell := range []string{e.Agent, string(e.Role), e.Program, e.Model} {
			dst = append(appendCell(append(dst, "| "...), cell), ' ')
		}
		dst = append(dst, "|\n"...)
	}
	return append(dst, "\n"+blockEnd+"\n"...)
}

// Block gives the block as a text.
func (r Roster) Block() string { return string(AppendBlock(nil, r)) }
