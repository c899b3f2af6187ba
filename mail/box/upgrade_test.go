package box

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"brenner/mail"
)

// A mailbox of the first version opens with its messages, and takes attachments and contacts.
func TestUpgradeFromFirstVersion(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), fmt.Sprintf(`%s;
		PRAGMA application_id = %d; PRAGMA user_version = 1;
		INSERT INTO projects VALUES (1, '/p', 'p', 1);
		INSERT INTO agents VALUES (1, 1, 'BlueLake', '', '', '', 'open', NULL, 1, 1), (2, 1, 'RedSky', '', '', '', 'contacts_only', NULL, 1, 1);
		INSERT INTO threads VALUES (1, 1, 'TH-1', 1);
		INSERT INTO messages VALUES (1, 1, 1, 2, 'TH-1', 'RedSky', 'BlueLake', 's', 'normal', 0, NULL, 1, 'k', 'h', 'an old body');
		INSERT INTO copies VALUES (1, 1, 1, 0, NULL, NULL), (2, 1, 1, 3, NULL, NULL);`, schema, applicationID))
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, q := range []mail.InboxQuery{{Agent: "BlueLake"}, {Agent: "RedSky", Sent: true}} {
		q.Project = "/p"
		if all, err := b.Inbox(t.Context(), q); err != nil || len(all) != 1 || all[0].Body != "an old body" || len(all[0].Attachments) != 0 {
			t.Errorf("%+v: %+v, %v, want the old message", q, all, err)
		}
	}
	m, err := b.Send(t.Context(), mail.Draft{Project: "/p", From: "BlueLake", To: []string{"RedSky"}, Subject: "s", Attachments: []mail.File{{Name: "a", MediaType: "text/plain", Data: []byte("x")}}})
	if err != nil || len(m.Attachments) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}
