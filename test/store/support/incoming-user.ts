import type { Incoming } from '../../../src/store/port.ts'
import { user } from '../../checks/support/facts.ts'

/** A user as a page brings it. */
export function incomingUser(userId: number, change: object = {}): Incoming {
  return { ok: true, record: user({ userId, email: `u${userId}@example.com`, ...change }), extra: null }
}
