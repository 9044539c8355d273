import type { Operations } from '../database.ts'
import type { AdminStore } from '../port.ts'
import type { OpenedDatabase } from './open-database.ts'
import { leaveCheckpoints, verifyFile } from './verify-file.ts'

type Part = Operations<Pick<AdminStore, 'isVerified' | 'ping' | 'verify'>>

/** What concerns the file itself. */
export function fileStore({ database, guard, ...opened }: OpenedDatabase): Part {
  const { raw } = database
  let { verified } = opened
  return {
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
