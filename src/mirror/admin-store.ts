import type { AdminStore } from './port.ts'
import { eraseRecord } from './records/record-retention.ts'
import { transact } from './sqlite/database.ts'
import { leaveCheckpoints } from './sqlite/leave-checkpoints.ts'
import type { OpenedDatabase } from './sqlite/open-database.ts'
import { verifyFile } from './sqlite/verify-file.ts'

type Part = Pick<AdminStore, 'isVerified' | 'ping' | 'purge' | 'verify'>

/** Retention and health of the database. */
export function adminStore({ database, guard, ...opened }: OpenedDatabase): Part {
  const { raw } = database
  let { verified } = opened
  return {
    async purge(erasure) {
      transact(database, () => eraseRecord(database, erasure))
    },
    async ping() {
      raw.prepare('select 1').get()
      guard.insist()
    },
    isVerified: () => verified,
    async verify(signal = new AbortController().signal) {
      guard.insist()
      await leaveCheckpoints(raw, () => verifyFile(raw.name, signal))
      verified = true
    },
  }
}
