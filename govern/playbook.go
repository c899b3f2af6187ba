package govern

import (
	"context"

	"brenner/store"
	"brenner/store/record"
)

// SnapshotID is the id of the snapshots of the playbook, unless another record has it.
const SnapshotID = "playbook"

// LatestSnapshot returns the latest snapshot of the playbook with its content. Without one, its version is 0.
func (rs *Records) LatestSnapshot(ctx context.Context) (record.Record, []byte, error) {
	id, err := rs.freeID(ctx, SnapshotID, record.PlaybookSnapshot, record.Project)
	if err != nil {
		return record.Record{}, nil, err
	}
	h, err := rs.HeadByID(ctx, id)
	if err != nil || h.Latest == 0 {
		return record.Record{ID: id}, nil, err
	}
	found, err := rs.Store.Records(ctx, store.Query{ID: id, Version: h.Latest})
	if err != nil || len(found) == 0 {
		return record.Record{ID: id}, nil, err
	}
	data, err := rs.Content(ctx, &found[0])
	return found[0], data, err
}

// PutSnapshot puts a snapshot of the playbook as the newest version of the record with this id.
func (rs *Records) PutSnapshot(ctx context.Context, who Actor, id string, content []byte, summary, change string) (record.Record, error) {
	put, err := rs.putOne(ctx, who, Draft{
		ID: id, Type: record.PlaybookSnapshot, Module: record.Project, Content: content, Summary: summary, Change: change,
		NoLinks: true, newest: true, internal: true,
	})
	return put.Record, err
}
