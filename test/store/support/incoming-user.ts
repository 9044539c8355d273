import type { Incoming } from '../../../src/store/port.ts'

/** A user as a page brings it. */
export function incomingUser(userId: number, change: object = {}): Incoming {
  return {
    ok: true,
    record: {
      userId,
      firstName: 'Ada',
      lastName: 'Byron',
      email: `u${userId}@example.com`,
      state: 'Active',
      mfaStatus: true,
      mfaAction: false,
      roleId: null,
      roleName: 'Editor',
      createdAt: '2025-01-01T00:00:00Z',
      ...change,
    },
    extra: null,
  }
}
