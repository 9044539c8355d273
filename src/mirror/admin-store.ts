import type { AdminStore } from './port.ts'
import { eraseRecord } from './records/record-retention.ts'
import type { Operations } from './sqlite/database.ts'
import { leaveCheckpoints } from './sqlite/leave-checkpoints.ts'
import type { OpenedDatabase } from './sqlite/open-database.ts'
import { verifyFile } from './sqlite/verify-file.ts'

type Part = Operations<Pick<AdminStore, 'isVerified' | 'ping' | 'eraseOutdated' | 'verify'>>

export function adminStore({ database, guard, ...opened }: OpenedDatabase): Part {
  const { raw } = database
  let { verified } = opened
  return {
    eraseOutdated: (erasure) => database.write('everything', () => eraseRecord(database, erasure)),
    ping: () =>
      database.run(() => {
        raw.prepare('select 1').get()
        guard.insist()
      }),
    isVerified: () => verified,
    verify: (signal = new AbortController().signal) =>
      database.run(async () => {
        guard.insist()
        await leaveCheckpoints(raw, () => verifyFile(raw.name, signal))
        verified = true
      }),
  }
}
