import type { WorldState } from './api-world.ts'

/** The big tenant with this many users, where nothing has happened yet and a hundred users are not enrolled. */
export function worldOf(users: number, more: Partial<WorldState> = {}): WorldState {
  const documents = Math.min(10_000, Math.max(200, Math.floor(users / 100)))
  return { users, failing: 100, removed: 0, changed: 0, documents, clients: 20, ...more }
}
