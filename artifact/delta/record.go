package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
)

// RecordSection is the section of deltas that are records of the project. It is not part of the artifact.
const RecordSection = "project_records"

// The operations on records that only people and gates decide. They are read, so that they can be refused by name.
const (
	Promote   = "PROMOTE"
	Deprecate = "DEPRECATE"
)

// RecordUse says whether a reply may have records.
type RecordUse int

// The uses of records. The zero value does not know them.
const (
	NoRecords   RecordUse = iota
	WithRecords           // beside the changes of the artifact
	OnlyRecords           // the reply to a task
)

// Draft is a record in a reply, as its author wrote it.
type Draft struct {
	ID, Type, Module, Summary string
	Content                   string // Markdown, verbatim
	Change                    string // what is new in this version
	Links                     []string
	Tags                      []string

	Operation string // ADD, or one that a reply may not use: KILL, PROMOTE, DEPRECATE
	Status    string // in small letters, if the author wrote one
	Target    string // the record that such an operation is about
	Rationale string

	Line, Block int  // in its text, from 1
	Repair      bool // that text is a repair

	// First is the record of this id in the reply that the repair corrects, or nil. It stands if nothing was
	// wrong with it.
	First *Draft `json:"-"`
}

// Record returns the record in a block, as far as it could be read, or nil if the block is not a record.
func (b *Block) Record() *Draft {
	if b.draft == nil {
		return nil
	}
	d := *b.draft
	d.Line, d.Block = b.Line, b.Index
	return &d
}

// isRecordSection reports whether a word is a name of the section of records.
func isRecordSection(word string) bool {
	switch plainKey(word) {
	case RecordSection, "project_record", "records", "record":
		return true
	}
	return false
}

// The fields of a record.
const (
	fieldContent = "content"
	fieldLinks   = "links"
)

// recordFields are the fields of a record and their synonyms.
var recordFields = []synonyms{
	{keyID, []string{"record_id", "record", "name"}},
	{"type", []string{"record_type", "kind"}},
	{"module", nil},
	{"summary", []string{"abstract"}},
	{fieldContent, []string{"body", "text", "markdown"}},
	{fieldLinks, []string{"link", "cites", "references"}},
	{"tags", []string{"tag", "labels"}},
	{"change", []string{"change_note"}},
	{"status", nil},
}

func recordField(name string) string { return meaning(recordFields, plainKey(name)) }

// readRecord reads an object as a record, if it is one.
func (j *judgement) readRecord() bool {
	d := &j.b.Delta
	switch use := j.r.opt.Records; {
	case use == NoRecords || !isRecordSection(d.Section) && !((use == OnlyRecords || j.p.record) && Blank(d.Section)):
		return false
	case d.Section != RecordSection:
		j.change(InvalidSection, j.keyAt(keySection), fmt.Sprintf("section %q read as %s", clipped(d.Section), RecordSection), "write "+RecordSection)
		d.Section = RecordSection
	}
	j.recordOperation()
	j.recordPayload()
	draft := &Draft{Operation: d.Operation, Rationale: d.Rationale}
	for i := range j.payload {
		j.recordValue(draft, &j.payload[i])
	}
	j.nameRecord(draft)
	j.checkRecord(draft)
	j.b.draft = draft
	return true
}

// refuseSection refuses a delta of the artifact in the reply to a task.
func (j *judgement) refuseSection() bool {
	if j.r.opt.Records != OnlyRecords {
		return false
	}
	j.problem(InvalidSection, j.keyAt(keySection), fmt.Sprintf("this task asks for records, not for changes of %q", clipped(j.b.Delta.Section)),
		`send what you found as a record: an ADD with the section "`+RecordSection+`"`)
	return true
}

// noRecordProblems returns the problems of a reply to a task without any record.
func (r *reader) noRecordProblems() []Located {
	all := r.noProblems("write each record as one JSON object with the section " + RecordSection + " in a fence that begins with ```delta")
	for i := range all {
		all[i].Message = strings.Replace(all[i].Message, "delta", "record", 1)
	}
	return all
}

func (j *judgement) recordOperation() {
	d := &j.b.Delta
	at := j.keyAt(keyOperation)
	const hint = "write ADD, with the whole record in the payload"
	switch proper := strings.ToUpper(strings.TrimSpace(d.Operation)); proper {
	case "":
		if j.p.record && j.change(InvalidOperation, at, "no operation: read as ADD", hint) {
			d.Operation = Add
			return
		}
		j.problem(InvalidOperation, at, "the delta has no operation", hint)
	case Edit:
		d.Operation = Edit
		j.problem(InvalidOperation, at, "a record has no EDIT", "send the whole record as an ADD with its id, or change its text with a search/replace block")
	case Add, Kill, Promote, Deprecate:
		if proper != d.Operation {
			j.change(InvalidOperation, at, fmt.Sprintf("operation %q read as %s", clipped(d.Operation), proper), "write "+proper)
			d.Operation = proper
		}
		if j.p.loose && (proper == Promote || proper == Deprecate) { // fence refuses a KILL
			j.problem(UnfencedDelta, at, "a "+proper+" outside a delta fence; it may be an example or a quotation", hintFence)
		}
	default:
		j.problem(InvalidOperation, at, fmt.Sprintf("%q is not an operation on records", clipped(d.Operation)), hint)
	}
}

// recordPayload gathers the fields of a record under their names: those of the payload, and those beside it.
func (j *judgement) recordPayload() {
	j.payload = slices.Clone(j.payload) // the buffer is reused
	names := j.names()
	for i := range j.payload {
		f := &j.payload[i]
		if to := recordField(f.name); to != "" && to != f.name && !names[to] && j.rename(*f, to) {
			names[to], f.name = true, to
		}
	}
	j.extras = slices.DeleteFunc(j.extras, func(f written) bool {
		name := recordField(f.name)
		if name == "" || names[name] || !j.change(InvalidField, f.at, name+" put into the payload", `put the fields into "payload": {…}`) {
			return false
		}
		f.name, names[name] = name, true
		j.payload = append(j.payload, f)
		return true
	})
	if j.b.Delta.Operation == Add {
		for _, f := range j.extras {
			j.ignore(f.name)
		}
	}
}

func (j *judgement) ignore(name string) {
	j.b.Flags = append(j.b.Flags, Flag{Name: FlagIgnored, Text: clipped(name) + " is ignored: a record has no such field"})
}

// recordValue reads one field of a record.
func (j *judgement) recordValue(draft *Draft, f *written) {
	into := draft.field(f.name)
	switch {
	case f.value == artifact.Value(artifact.Null{}):
	case f.value == nil:
		j.problem(InvalidField, f.at, f.name+": "+f.bad, "correct it")
	case f.name == fieldLinks:
		j.recordList(&draft.Links, f, linksOf, `write a list of texts RELATION=ADDRESS: "links": ["cites=ID@v1"]`)
	case f.name == "tags":
		j.recordList(&draft.Tags, f, tagsOf, `write a list of texts: "tags": ["…"]`)
	case into == nil && draft.Operation == Add:
		j.ignore(f.name)
	case into == nil:
		if reason, ok := f.value.(artifact.Text); ok && f.name == "reason" && draft.Rationale == "" {
			draft.Rationale = string(reason)
		}
	default:
		j.r.unhide(f)
		value, note := joined(f.value, false)
		if f.name == fieldContent && note != "" {
			value = paragraphs(f.value)
		}
		text, ok := value.(artifact.Text)
		if !ok {
			j.problem(InvalidField, f.at, f.name+" should be a text", `write "`+f.name+`": "…"`)
			return
		}
		if note == "" || j.change(InvalidField, f.at, f.name+": "+note, "write it so") {
			f.value, *into = text, string(text)
		}
	}
}

// paragraphs joins a list of texts: with empty lines between them, unless some are empty lines themselves.
func paragraphs(v artifact.Value) artifact.Value {
	list, _ := v.(artifact.List)
	parts, _ := artifact.TextsOf(list)
	between := "\n\n"
	if slices.ContainsFunc(parts, Blank) {
		between = "\n"
	}
	return artifact.Text(strings.Join(parts, between))
}

// field returns the place of a field that is a text, or nil.
func (d *Draft) field(name string) *string {
	switch name {
	case keyID:
		return &d.ID
	case "type":
		return &d.Type
	case "module":
		return &d.Module
	case "summary":
		return &d.Summary
	case fieldContent:
		return &d.Content
	case "change":
		return &d.Change
	case "status":
		return &d.Status
	}
	return nil
}

// recordList reads a field that is a list of texts; of returns them if only their form differs.
func (j *judgement) recordList(into *[]string, f *written, of func(artifact.Value) ([]string, bool), hint string) {
	list, isList := f.value.(artifact.List)
	texts, isExact := artifact.TextsOf(list)
	found, ok := of(f.value)
	switch {
	case !ok:
		j.problem(InvalidField, f.at, f.name+" should be a list of texts", hint)
	case isList && isExact && slices.Equal(texts, found):
		*into = texts
	case j.change(InvalidField, f.at, f.name+": read as "+clipped(strings.Join(found, ", ")), hint):
		*into, f.value = found, artifact.Texts(found)
	}
}

// tagsOf returns the texts of a list, or one text.
func tagsOf(v artifact.Value) ([]string, bool) {
	switch v := v.(type) {
	case artifact.Text:
		return strings.FieldsFunc(string(v), func(c rune) bool { return c == ',' || c == ' ' || c == '\n' }), true
	case artifact.List:
		return artifact.TextsOf(v)
	}
	return nil, false
}

// linksOf returns links in the form RELATION=ADDRESS from the other forms that agents use: one text, an object of
// addresses by relation, or objects of a relation and an address.
func linksOf(v artifact.Value) ([]string, bool) {
	switch v := v.(type) {
	case artifact.Text:
		var all []string
		for part := range strings.FieldsFuncSeq(string(v), func(c rune) bool { return c == ',' || c == '\n' }) {
			all = append(all, linkOf(part))
		}
		return all, true
	case artifact.List:
		var all []string
		for _, e := range v {
			if text, ok := e.(artifact.Text); ok {
				all = append(all, linkOf(string(text)))
				continue
			}
			links, ok := linksOf(e)
			if _, isMap := e.(artifact.Map); !ok || !isMap {
				return nil, false
			}
			all = append(all, links...)
		}
		return all, true
	case artifact.Map:
		return linksOfMap(v)
	}
	return nil, false
}

func linksOfMap(m artifact.Map) ([]string, bool) {
	var relation, address string
	for _, e := range m {
		text, _ := e.Value.(artifact.Text)
		switch plainKey(e.Key) {
		case "relation", "rel", "type", "kind":
			relation = string(text)
		case "address", "target", "to", keyID, "record", "ref":
			address = string(text)
		}
	}
	if len(m) == 2 && relation != "" && address != "" {
		return []string{relation + "=" + address}, true
	}
	var all []string
	for _, e := range m {
		addresses, ok := tagsOf(e.Value)
		if !ok {
			return nil, false
		}
		for _, a := range addresses {
			all = append(all, e.Key+"="+a)
		}
	}
	return all, true
}

// linkOf returns a link with an equals sign between relation and address.
func linkOf(text string) string {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "=") {
		return text
	}
	relation, address, ok := strings.Cut(text, ":")
	if relation, address = strings.TrimSpace(relation), strings.TrimSpace(address); ok && relation != "" && address != "" {
		return relation + "=" + address
	}
	return text
}

// nameRecord finds the id of a record, wherever its author wrote it.
func (j *judgement) nameRecord(draft *Draft) {
	d := &j.b.Delta
	if draft.ID == "" {
		draft.ID = d.Target
	}
	if draft.ID == "" && len(d.Labels) > 0 {
		draft.ID = d.Labels[0]
	}
	draft.ID = strings.TrimSpace(draft.ID)
	draft.Status = strings.ToLower(strings.TrimSpace(draft.Status))
	if draft.Operation != Add {
		draft.Target = draft.ID
		return
	}
	if id, version, ok := strings.Cut(draft.ID, "@v"); ok && strings.Trim(version, "0123456789") == "" {
		if j.change(InvalidField, j.o.payloadAt, fmt.Sprintf("id %q read as %s", clipped(draft.ID), clipped(id)), "write the id without a version: the program numbers versions") {
			draft.ID = id
		}
	}
	d.Target, d.Labels = "", nil
	d.label(draft.ID)
}

// checkRecord checks what a record must have, whatever the store holds.
func (j *judgement) checkRecord(draft *Draft) {
	if draft.ID == "" {
		j.problem(MissingRequiredField, j.o.payloadAt, "id is missing", "a record needs id, type and content")
	}
	content := j.field(fieldContent)
	switch {
	case draft.Operation != Add:
	case content == nil || Blank(draft.Content) && (content.value == artifact.Value(artifact.Null{}) || isEmpty(content.value)):
		j.problem(MissingRequiredField, j.o.payloadAt, "content is missing", "a record needs id, type and content, which is its whole text in Markdown")
	case isPlaceholder(artifact.Text(draft.Content)) && !isPlaceholder(artifact.Text(draft.ID)):
		j.problem(InvalidField, content.at, "the content is a placeholder", "write the whole text of the record, or leave the block out")
	}
}

// isRecordPattern reports whether a record only shows a form.
func (d *Draft) isRecordPattern() bool {
	return isPlaceholder(artifact.Text(d.ID)) && (d.Operation != Add || isPlaceholder(artifact.Text(d.Content)))
}

// isRecord reports whether the texts of an object are those of a record, in which no deltas are searched for.
func (r *reader) isRecord(o *object) bool {
	if r.opt.Records == NoRecords {
		return false
	}
	has := func(name string) bool {
		return slices.ContainsFunc(o.fields, func(f written) bool { return plainKey(f.name) == name })
	}
	return isRecordSection(o.text(keySection)) || has(fieldContent) && has("type") && !has("role")
}
