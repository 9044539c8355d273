import type { Reading } from '../../../src/model/reading.ts'
import { user } from '../../checks/support/facts.ts'

/** A user as a page brings it. */
export function incomingUser(userId: number, change: object = {}): Reading {
  return { ok: true, record: user({ userId, email: `u${userId}@example.com`, ...change }), extra: null, oddities: [] }
}
