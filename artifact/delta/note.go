package delta

// Note is something about a reply that its reader should know.
type Note struct {
	File string `json:"file"`
	Line int    `json:"line"`
	What string `json:"what"` // a flag such as "repaired", or a code
	Text string `json:"text"`
}
