import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { guidKey, type RecordTable, type StoredFields } from '../records/record-table.ts'
import { recordColumns } from './record-columns.ts'

export const documents = sqliteTable(
  'documents',
  {
    ...recordColumns(),
    fileKey: text('file_key').notNull(),
    fileId: text('file_id').notNull(),
    filename: text('filename'),
    uploadStatus: text('upload_status'),
    createdAt: text('created_at').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAt: text('updated_at'),
    updatedAtMs: integer('updated_at_ms'),
    /** `updatedAt ?? createdAt`. */
    touchedAtMs: integer('touched_at_ms').notNull(),
    /** Since when the document is done, or is not, as far as the mirror can tell: one status that is not may follow another. */
    statusSince: integer('status_since').notNull(),
  },
  (table) => [
    uniqueIndex('documents_key').on(table.tenantId, table.fileKey),
    index('documents_status').on(table.tenantId, table.uploadStatus, table.statusSince).where(sql`removed_at is null`),
    index('documents_touched').on(table.tenantId, table.touchedAtMs).where(sql`removed_at is null`),
    index('documents_name').on(table.tenantId, table.filename).where(sql`removed_at is null`),
    index('documents_absent').on(table.tenantId).where(sql`absent_full_syncs > 0`),
  ],
)

export const documentsTable: RecordTable = {
  resource: 'documents',
  table: documents,
  key: 'fileKey',
  keyOf: guidKey,
  idField: 'fileId',
  fields: { fileId: 'text', filename: 'text', uploadStatus: 'text', createdAt: 'date', updatedAt: 'date' },
  own: ['touchedAtMs', 'statusSince'],
  sinceTimes: ['statusSince'],
  ownTimes: { statusSinceMs: 'statusSince' },
  counted: [['uploadStatus']],
  laterWins: 'updatedAt',
  personal: ['filename'],
  settleNew(next, at) {
    const touchedAtMs = touchedAt(next, at)
    // A time ahead of the clock would otherwise put off, perhaps for ever, what is seen already.
    return { touchedAtMs, statusSince: Math.min(touchedAtMs, at) }
  },
  settle(next, known, at) {
    const isAsBefore = isDone(next) === isDone(known)
    return { touchedAtMs: touchedAt(next, at), statusSince: isAsBefore ? (known['statusSince'] ?? at) : at }
  },
}

/** By the one status that the specification shows for a document that is in use. */
function isDone(document: StoredFields): boolean {
  return document['uploadStatus'] === 'Completed'
}

function touchedAt(next: StoredFields, at: number): number {
  return Number(next['updatedAtMs'] ?? next['createdAtMs'] ?? at)
}
