package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/artifact/delta/recordform"
	"brenner/artifact/delta/synonyms"
)

// RecordSection is the section of deltas that are records of the project. It is not part of the artifact.
const RecordSection = "project_records"

// The operations on records that only people and gates decide. They and others are read, so that the store can refuse
// them by name.
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

	Operation string // ADD, or one that a reply may not use: KILL, PROMOTE, PIN
	Status    string // in small letters, if the author wrote one
	Target    string // the record that such an operation is about
	Rationale string

	Line, Block int  // in its text, from 1
	Repair      bool // that text is a repair

	// First is the record of this id in the reply that the repair corrects, or nil. It stands if nothing was
	// wrong with it.
	First *Draft `json:"-"`

	// Ignored says which keys of it were left out, and why.
	Ignored []string `json:"-"`
}

// IsChange reports whether its operation is another word for the change of a text.
func (d *Draft) IsChange() bool { return recordform.IsChange(d.Operation) }

// Record returns the record in a block, as far as it could be read, or nil if the block is not a record.
func (b *Block) Record() *Draft {
	if b.draft == nil {
		return nil
	}
	d := *b.draft
	d.Line, d.Block = b.Line, b.Index
	for _, f := range b.Flags {
		if f.Name == FlagIgnored {
			d.Ignored = append(d.Ignored, f.Text)
		}
	}
	return &d
}

// isRecordSection reports whether a word is a name of the section of records.
func isRecordSection(word string) bool {
	switch synonyms.PlainKey(word) {
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
var recordFields = []synonyms.Set{
	{Word: keyID, Also: []string{"record_id", "record", "name"}},
	{Word: "type", Also: []string{"record_type", "kind"}},
	{Word: "module"},
	{Word: "summary", Also: []string{"abstract"}},
	{Word: fieldContent, Also: []string{"body", "text", "markdown"}},
	{Word: fieldLinks, Also: []string{"link", "cites", "references"}},
	{Word: "tags", Also: []string{"tag", "labels"}},
	{Word: "change", Also: []string{"change_note"}},
	{Word: "status"},
}

func recordField(name string) string { return synonyms.Meaning(recordFields, synonyms.PlainKey(name)) }

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
	default:
		if proper != Add && !recordform.IsOperation(proper) {
			j.problem(InvalidOperation, at, fmt.Sprintf("%q is not an operation on records", clipped(d.Operation)), hint)
			return
		}
		if proper != d.Operation {
			j.change(InvalidOperation, at, fmt.Sprintf("operation %q read as %s", clipped(d.Operation), proper), "write "+proper)
			d.Operation = proper
		}
		if j.p.loose && proper != Add && proper != Kill { // fence refuses a KILL
			j.problem(UnfencedDelta, at, "a "+proper+" outside a delta fence; it may be an example or a quotation", hintFence)
		}
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

// systemKeys are the properties of records that the program and people set.
var systemKeys = []string{
	"canonical", "promoted", "approved", "version", "parent", "author", "authors", "creator", "created", "created_at", "created_by", "updated", "updated_at", "updated_by",
	"hash", "content_hash", "task", "source", "role", "stale", "rehearsal", "reviewed_by", "approved_by",
}

func (j *judgement) ignore(name string) {
	why := " is ignored: a record has no such field"
	if slices.Contains(systemKeys, synonyms.PlainKey(name)) && j.r.third {
		why = " is ignored: an agent does not set it"
	}
	f := Flag{Name: FlagIgnored, Text: clipped(name) + why}
	if !slices.Contains(j.b.Flags, f) {
		j.b.Flags = append(j.b.Flags, f)
	}
}

// recordValue reads one field of a record.
func (j *judgement) recordValue(draft *Draft, f *written) {
	into := draft.field(f.name)
	switch {
	case f.value == artifact.Value(artifact.Null{}):
	case f.value == nil:
		j.problem(InvalidField, f.at, f.name+": "+f.bad, "correct it")
	case f.name == fieldLinks:
		j.recordList(&draft.Links, f, recordform.Links, `write a list of texts RELATION=ADDRESS: "links": ["cites=ID@v1"]`)
	case f.name == "tags":
		j.recordList(&draft.Tags, f, recordform.Tags, `write a list of texts: "tags": ["…"]`)
	case into == nil && draft.Operation == Add:
		j.ignore(f.name)
	case into == nil:
		if reason, ok := f.value.(artifact.Text); ok && f.name == "reason" && draft.Rationale == "" {
			draft.Rationale = string(reason)
		}
	default:
		value, note := fieldform.Join(f.value, false)
		if f.name == fieldContent && note != "" {
			value = recordform.Paragraphs(f.value)
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

// field returns the place of a field that is a text, or nil.
func (d *Draft) field(name string) *string {
	return map[string]*string{
		keyID: &d.ID, "type": &d.Type, "module": &d.Module, "summary": &d.Summary, fieldContent: &d.Content, "change": &d.Change, "status": &d.Status,
	}[name]
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
	case content == nil || Blank(draft.Content) && (content.value == artifact.Value(artifact.Null{}) || fieldform.IsEmpty(content.value)):
		j.problem(MissingRequiredField, j.o.payloadAt, "content is missing", "a record needs id, type and content, which is its whole text in Markdown")
	case fieldform.IsPlaceholder(artifact.Text(draft.Content)) && !fieldform.IsPlaceholder(artifact.Text(draft.ID)):
		j.problem(InvalidField, content.at, "the content is a placeholder", "write the whole text of the record, or leave the block out")
	}
}

// isRecord reports whether the texts of an object are those of a record, in which no deltas are searched for.
func (r *reader) isRecord(o *object) bool {
	if r.opt.Records == NoRecords {
		return false
	}
	has := func(name string) bool {
		return slices.ContainsFunc(o.fields, func(f written) bool { return synonyms.PlainKey(f.name) == name })
	}
	return isRecordSection(o.text(keySection)) || has(fieldContent) && has("type") && !has("role")
}

// isRecordList reports whether the value of a key is a list of records, without operations.
func (r *reader) isRecordList(name string) bool {
	return r.third && r.opt.Records != NoRecords && isRecordSection(name)
}

// hasRecord reports whether an object has two of the fields that every record has.
func (o *object) hasRecord() bool {
	n := 0
	for _, f := range o.fields {
		switch recordField(f.name) {
		case keyID, "type", fieldContent:
			n++
		}
	}
	return n > 1
}
