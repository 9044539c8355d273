import { readFileSync } from 'node:fs'

const headerBytes = 32
const frameBytes = 24

/** Transactions in the write-ahead log of a database since it was emptied last (SQLite: WAL file format). */
export function walCommits(storePath: string): number {
  const wal = readFileSync(`${storePath}-wal`)
  if (wal.length < headerBytes) return 0
  const pageBytes = wal.readUInt32BE(8)
  const salt = wal.readBigUInt64BE(16)
  let commits = 0
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes + pageBytes) {
    if (wal.readBigUInt64BE(at + 8) !== salt) throw new Error('The write-ahead log began again while it was counted')
    // Only the frame that ends a transaction knows the size of the file.
    if (wal.readUInt32BE(at + 4) !== 0) commits++
  }
  return commits
}
