package sqlite

import (
	"context"
	"os"

	"brenner/internal/fault"
	"brenner/store"
)

// checkPresent returns Lost if the file was deleted or replaced. Its content can still be read
// through the open connection, so it is first saved beside the file.
func (w *Writer) checkPresent(ctx context.Context) error {
	if w.lost != nil {
		return w.lost
	}
	now, err := os.Stat(w.file.Path)
	if err == nil && os.SameFile(now, w.opened) {
		return nil
	}
	e := &fault.Error{
		Code: store.Lost, Op: "write to the " + w.file.Name, Place: w.file.Path,
		Detail: "the file was deleted or replaced while in use, and everything in it is lost", Hint: "restore it from a backup, then run the command again",
	}
	if saved, err := w.save(context.WithoutCancel(ctx)); err == nil {
		e.Detail = "the file was deleted or replaced while in use; everything that was in it is now in " + saved
		e.Hint = "`mv " + saved + " " + w.file.Path + "` restores it"
	}
	w.lost = e
	return w.lost
}

// save copies the open file to a new file beside its old name.
func (w *Writer) save(ctx context.Context) (string, error) {
	name := freeName(w.file.Path + ".saved")
	return name, copyTo(ctx, w.conn, name)
}
